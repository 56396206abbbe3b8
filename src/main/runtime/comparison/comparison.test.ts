import { describe, expect, test } from 'vitest'
import type { AttemptCheck, Comparison } from '../../../shared/comparison/comparison.ts'
import type { CommandInput } from '../../../shared/ipc/ipc-contract.ts'
import { textOf } from '../../../shared/messages/text-of.ts'
import type { ShellEnd, ShellRun } from '../ports/shell.ts'
import { createMemoryRules } from '../testing/memory-rules.ts'
import { createMemoryStore } from '../testing/memory-store.ts'
import { createMemoryWorktrees } from '../testing/memory-worktrees.ts'
import { lastWords } from '../testing/scripted-model.ts'
import { allIsDone, childrenOf, echo, eventsOf, gate, isMain } from '../testing/scripts.ts'
import { createTestRuntime, FOLDER, type TestOptions, testDefinitions } from '../testing/test-runtime.ts'

const exits = (exitCode: number, output = 'done'): ShellEnd => ({
  output,
  exitCode,
  ended: 'exit',
  cwd: '/elsewhere',
})

function troupeWith(options: Partial<TestOptions> = {}) {
  const worktrees = createMemoryWorktrees()
  const commands: ShellRun[] = []
  const troupe = createTestRuntime({
    script: echo,
    ...options,
    shell: async (run) => {
      commands.push(run)
      return (await options.shell?.(run)) ?? exits(0)
    },
    ports: { worktrees, ...options.ports },
  })
  const { runtime, store } = troupe
  const create = async (permissionMode: 'default' | 'plan' = 'default') => {
    const made = await runtime.dispatch({
      type: 'conversation.create',
      folder: FOLDER,
      model: 'sonnet',
      permissionMode,
    })
    if (!made.ok) throw new Error(made.failure.message)
    return made.value.id
  }
  const compare = async (wanted: Partial<CommandInput<'comparison.start'>> = {}) => {
    const conversationId = wanted.conversationId ?? (await create())
    const started = await runtime.dispatch({
      type: 'comparison.start',
      task: 'Fix the parser',
      attempts: [general, general, general],
      command: 'npm test',
      ...wanted,
      conversationId,
    })
    return { conversationId, started }
  }
  const comparisonOf = (id: string): Comparison => store.records.get(id)!.comparisons[0]!
  return { ...troupe, worktrees, commands, create, compare, comparisonOf }
}

const general = { agent: 'general-purpose', model: null }
const statesOf = ({ attempts }: Comparison) => attempts.map(({ check }) => check?.state ?? null)

describe('a comparison', () => {
  test('gives one task to several agents, each in a worktree of its own, and checks each result', async () => {
    let running = 0
    let most = 0
    const troupe = troupeWith({
      shell: async ({ environment }) => {
        most = Math.max(most, ++running)
        await allIsDone()
        running--
        return exits(environment?.['WORKTREE']?.includes('purpose') ? 0 : 9, 'Tests 4 passed')
      },
    })
    const { conversationId, started } = await troupe.compare({
      attempts: [general, { ...general, model: 'opus' }, general],
    })
    expect(started).toEqual({ ok: true, value: { comparisonId: 'b-1' } })
    await troupe.runtime.settled(conversationId)

    const children = childrenOf(troupe)
    expect(children.map(({ model }) => model)).toEqual(['claude-sonnet', 'claude-opus', 'claude-sonnet'])
    expect(new Set(children.map(({ worktree }) => worktree?.path)).size).toBe(3)
    const comparison = troupe.comparisonOf(conversationId)
    expect(comparison).toMatchObject({
      task: 'Fix the parser',
      command: 'npm test',
      base: children[0]?.worktree?.base,
      merged: null,
    })
    expect(comparison.attempts.map(({ agentId }) => agentId)).toEqual(children.map(({ agentId }) => agentId))
    expect(comparison.attempts.map(({ model }) => model)).toEqual([null, 'opus', null])
    expect(statesOf(comparison)).toEqual(['passed', 'passed', 'passed'])
    expect(comparison.attempts[0]?.check).toMatchObject({
      exitCode: 0,
      output: 'Tests 4 passed',
      isCut: false,
    })
    expect(troupe.commands.map(({ cwd }) => cwd).sort()).toEqual(children.map(({ cwd }) => cwd).sort())
    expect(most).toBe(1)
    expect(troupe.store.records.get(conversationId)?.title).toBe('Fix the parser')
  })

  test('is not the main agent’s work: it is not asked, but knows of it later', async () => {
    const troupe = troupeWith()
    const { conversationId } = await troupe.compare()
    await troupe.runtime.settled(conversationId)
    expect(troupe.model.requests.some(isMain)).toBe(false)
    await troupe.say(conversationId, 'Which is best?')
    await troupe.runtime.settled(conversationId)
    const request = troupe.model.requests.filter(isMain)
    expect(request).toHaveLength(1)
    const said = JSON.stringify(request[0]?.messages)
    expect(troupe.events).toContainEqual(
      expect.objectContaining({
        note: expect.stringMatching(/^You gave this task to 3 agents: general-purpose,/),
      }),
    )
    expect(said).toContain('The user gave one task to several agents')
    expect(said).not.toContain('has ended')
  })

  test('lets its agents ask the user', async () => {
    const troupe = troupeWith()
    await troupe.compare()
    expect(childrenOf(troupe).map(({ background, bubbles }) => [background, bubbles])).toEqual(
      Array(3).fill([true, true]),
    )
  })

  test('goes on when one agent fails, and checks only what changed something', async () => {
    let request = 0
    const troupe = troupeWith({
      script: () =>
        (++request === 2 ? { fails: { type: 'auth', message: 'No key.' } } : { text: 'Done.' }) as never,
    })
    const { conversationId } = await troupe.compare({ attempts: [general, general] })
    troupe.worktrees.made[0]!.changed = false
    await troupe.runtime.settled(conversationId)
    expect(statesOf(troupe.comparisonOf(conversationId))[0]).toBe(null)
    expect(troupe.commands).toHaveLength(1)
    expect(
      childrenOf(troupe).map(({ agentId }) => troupe.runtime.state(conversationId, agentId)?.endedAt),
    ).not.toContain(null)
  })

  test('without a check runs no command', async () => {
    const troupe = troupeWith()
    const { conversationId } = await troupe.compare({ command: null })
    await troupe.runtime.settled(conversationId)
    expect(troupe.commands).toEqual([])
    expect(statesOf(troupe.comparisonOf(conversationId))).toEqual([null, null, null])
  })
})

describe('a comparison does not start', () => {
  const refused = async (
    wanted: Partial<CommandInput<'comparison.start'>>,
    options: Partial<TestOptions> = {},
  ) => {
    const troupe = troupeWith(options)
    const { started } = await troupe.compare(wanted)
    expect(childrenOf(troupe)).toEqual([])
    expect(troupe.worktrees.made.filter(({ state }) => state === 'held')).toEqual([])
    return started.ok ? 'started' : started.failure.message
  }

  test.each([
    ['one agent', { attempts: [general] }, 'attempts: Choose 2 to 8 agents.'],
    ['nine agents', { attempts: Array(9).fill(general) }, 'attempts: Choose 2 to 8 agents.'],
    ['no task', { task: ' \n' }, 'Write the task first.'],
    [
      'an unknown agent',
      { attempts: [general, { agent: 'wizard', model: null }] },
      'There is no agent "wizard"',
    ],
    [
      'an agent that only reads',
      { attempts: [general, { agent: 'Explore', model: null }] },
      'Explore only reads',
    ],
  ])('with %s', async (_, wanted, message) => {
    expect(await refused(wanted)).toContain(message)
  })

  test('in a folder that is not trusted', async () => {
    expect(await refused({}, { policy: { trusted: () => false } })).toContain('have not trusted this folder')
  })

  test('without room for all agents', async () => {
    expect(await refused({}, { policy: { maxAgents: 3 } })).toContain('may have 3 agents and has 1')
  })

  test('while the permission mode only reads', async () => {
    const troupe = troupeWith()
    const { started } = await troupe.compare({ conversationId: await troupe.create('plan') })
    expect(started).toMatchObject({ ok: false, failure: { type: 'not-possible' } })
  })

  test('from different commits', async () => {
    const worktrees = createMemoryWorktrees()
    const { create } = worktrees
    let made = 0
    const moving: typeof create = async (options, signal) => {
      const one = await create(options, signal)
      const base = String(++made).padEnd(40, '0')
      return one.ok ? { ok: true, value: { ...one.value, location: { ...one.value.location, base } } } : one
    }
    const message = await refused({}, { ports: { worktrees: { ...worktrees, create: moving } } })
    expect(message).toContain('got a new commit')
    expect(worktrees.made.map(({ state }) => state)).toEqual(['kept', 'kept'])
  })
})

describe('the check', () => {
  const checkAfter = async (end: Partial<ShellEnd>, options: Partial<TestOptions> = {}) => {
    const troupe = troupeWith({ ...options, shell: async () => ({ ...exits(0), ...end }) })
    const { conversationId } = await troupe.compare()
    await troupe.runtime.settled(conversationId)
    return { check: troupe.comparisonOf(conversationId).attempts[0]?.check as AttemptCheck, troupe }
  }

  test('keeps the end of a long output', async () => {
    const { check } = await checkAfter({ exitCode: 1, output: `start${'x'.repeat(9000)}end` })
    expect(check).toMatchObject({ state: 'failed', exitCode: 1, isCut: true })
    expect(check.output).toHaveLength(8000)
    expect(check.output.endsWith('end')).toBe(true)
  })

  test('that takes too long has no result', async () => {
    const { check } = await checkAfter({ exitCode: null, ended: 'timeout' })
    expect(check).toMatchObject({ state: 'not-run', because: 'It was ended after 10 min.' })
  })

  test('does not run against a rule, but needs no permission', async () => {
    const rules = createMemoryRules()
    const given = (text: string) => ({
      text,
      source: 'saved' as const,
      file: null,
      line: null,
      where: 'a test',
    })
    const withRules = (deny: string[], ask: string[]) => ({
      ports: {
        rules: {
          ...rules,
          of: async () => ({
            deny: deny.map(given),
            ask: ask.map(given),
            allow: [],
            additionalDirectories: [],
          }),
        },
      },
    })
    const denied = await checkAfter({}, withRules(['Bash(npm:*)'], []))
    expect(denied.check).toMatchObject({ state: 'not-run', because: expect.stringContaining('Bash(npm:*)') })
    expect(denied.troupe.commands).toEqual([])
    const asked = await checkAfter({}, withRules([], ['Bash(npm:*)']))
    expect(asked.check.state).toBe('passed')
  })

  test('tells that it changed files, which a merge would take along', async () => {
    const worktrees = createMemoryWorktrees()
    const { check } = await checkAfter(
      {},
      {
        ports: {
          worktrees: {
            ...worktrees,
            stateOf: async () => ({ ok: true, value: { tree: `tree-${Math.random()}`, headTree: 'x' } }),
          },
        },
      },
    )
    expect(check).toMatchObject({ state: 'passed', changedFiles: true })
  })

  test('runs again on the user’s wish, also after the agent was resumed', async () => {
    let exitCode = 1
    const troupe = troupeWith({ shell: async () => exits(exitCode) })
    const { conversationId } = await troupe.compare()
    await troupe.runtime.settled(conversationId)
    const { attempts } = troupe.comparisonOf(conversationId)
    expect(statesOf(troupe.comparisonOf(conversationId))).toEqual(['failed', 'failed', 'failed'])
    exitCode = 0
    expect(
      await troupe.runtime.dispatch({
        type: 'comparison.check',
        conversationId,
        agentId: attempts[0]!.agentId,
      }),
    ).toMatchObject({
      ok: true,
    })
    await troupe.runtime.dispatch({
      type: 'conversation.send',
      conversationId,
      agentId: attempts[1]!.agentId,
      content: 'Fix the tests too.',
    })
    await troupe.runtime.settled(conversationId)
    expect(statesOf(troupe.comparisonOf(conversationId))).toEqual(['passed', 'passed', 'failed'])
    expect(
      await troupe.runtime.dispatch({ type: 'comparison.check', conversationId, agentId: 'a-none' }),
    ).toMatchObject({
      ok: false,
      failure: { type: 'not-found' },
    })
  })
})

test('a stop ends every attempt and the check that runs', async () => {
  const begun = gate()
  const troupe = troupeWith({
    script: async (request, signal) => {
      if (JSON.stringify(request.messages).includes('Sleep forever'))
        await new Promise((done) => signal.addEventListener('abort', done))
      return { text: lastWords(request) }
    },
    shell: async ({ signal }) => {
      begun.open()
      await new Promise((done) => signal.addEventListener('abort', done))
      return { ...exits(0), exitCode: null, ended: 'aborted' }
    },
    definitions: [...testDefinitions, { ...testDefinitions[1]!, name: 'hangs', reminder: 'Sleep forever.' }],
  })
  const { conversationId } = await troupe.compare({ attempts: [general, { agent: 'hangs', model: null }] })
  await begun.opened
  expect(
    await troupe.runtime.dispatch({ type: 'comparison.stop', conversationId, comparisonId: 'b-9' }),
  ).toMatchObject({ ok: false })
  expect(
    await troupe.runtime.dispatch({ type: 'comparison.stop', conversationId, comparisonId: 'b-1' }),
  ).toMatchObject({ ok: true })
  await troupe.runtime.settled(conversationId)
  const comparison = troupe.comparisonOf(conversationId)
  expect(comparison.attempts[0]?.check).toMatchObject({ state: 'not-run', because: 'You stopped it.' })
  expect(comparison.attempts[1]?.check).toBe(null)
  expect(troupe.runtime.state(conversationId, comparison.attempts[1]!.agentId)?.status).toBe('stopped')
})

test('a crash keeps the comparison: its check did not end, and the main agent hears of no end', async () => {
  const begun = gate()
  const store = createMemoryStore()
  const first = troupeWith({
    store,
    shell: async () => {
      begun.open()
      return await new Promise<never>(() => {})
    },
  })
  const { conversationId } = await first.compare({ attempts: [general, general] })
  // What runs is on the disk before it begins.
  await begun.opened

  const second = troupeWith({ store: store.afterCrash(), ports: { worktrees: first.worktrees } })
  const closed = await second.runtime.snapshot(conversationId)
  const seen = closed.ok ? closed.value.record.comparisons[0]! : null
  expect(seen?.attempts.map(({ check }) => check?.because)).toEqual([
    'Troupe ended while the check ran.',
    'Troupe ended before the check ran.',
  ])
  const [attempt] = seen!.attempts
  expect(
    await second.runtime.dispatch({ type: 'comparison.check', conversationId, agentId: attempt!.agentId }),
  ).toMatchObject({ ok: true })
  await second.runtime.settled(conversationId)
  expect(second.comparisonOf(conversationId).attempts[0]?.check?.state).toBe('passed')
  expect(second.comparisonOf(conversationId).attempts[1]?.check?.state).toBe('not-run')
  expect(second.store.records.get(conversationId)?.queued).toEqual([])
})

test('a merge is recorded and told to the main agent, and so is its undo; other agents are not', async () => {
  const troupe = troupeWith()
  const { conversationId } = await troupe.compare()
  await troupe.runtime.settled(conversationId)
  const { attempts } = troupe.comparisonOf(conversationId)
  const { mainAgentId } = troupe.store.records.get(conversationId)!
  const told = () =>
    eventsOf(troupe, mainAgentId).flatMap((event) =>
      event.type === 'user-message' && event.from === 'runtime' ? textOf(event.content) : [],
    )
  const { agentId } = attempts[1]!
  const merged = { into: 'main', commit: 'abcdef0123456789' }
  expect(await troupe.runtime.workMerged({ conversationId, agentId, merged })).toMatchObject({ ok: true })
  expect(troupe.comparisonOf(conversationId).merged).toEqual({ agentId, ...merged })
  expect(told().at(-1)).toContain(`merged the work of general-purpose (${agentId}) into main`)
  await troupe.runtime.workMerged({ conversationId, agentId, merged: null })
  expect(troupe.comparisonOf(conversationId).merged).toBe(null)
  expect(told().at(-1)).toContain('undid the merge')
  const before = told().length
  await troupe.runtime.workMerged({ conversationId, agentId: mainAgentId, merged })
  expect(told()).toHaveLength(before)
})

test('a merge that was made elsewhere is recorded once; of several the newest counts', async () => {
  const troupe = troupeWith()
  const { conversationId } = await troupe.compare()
  await troupe.runtime.settled(conversationId)
  const [first, second] = troupe.comparisonOf(conversationId).attempts
  const merge = (agentId: string, commit: string, at: number) => ({ agentId, into: 'main', commit, at })
  const found = [
    merge(second!.agentId, 'c2', 20),
    merge(first!.agentId, 'c1', 10),
    merge('stranger', 'c3', 30),
  ]
  const { mainAgentId } = troupe.store.records.get(conversationId)!
  const told = () =>
    eventsOf(troupe, mainAgentId).filter((event) => event.type === 'user-message' && event.from === 'runtime')
  const before = told().length
  for (const _ of ['found', 'found again'])
    expect(await troupe.runtime.mergesFound(conversationId, found)).toMatchObject({ ok: true })
  expect(troupe.comparisonOf(conversationId).merged).toEqual({
    agentId: second!.agentId,
    into: 'main',
    commit: 'c2',
  })
  expect(told()).toHaveLength(before + 1)
  expect(await troupe.runtime.mergesFound('gone', found)).toMatchObject({ ok: true })
})

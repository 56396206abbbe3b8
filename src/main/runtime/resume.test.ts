import { describe, expect, test } from 'vitest'
import { fail, ok, type Result } from '../../shared/kernel/result.ts'
import type { FileStat, FileSystem } from './ports/files.ts'
import { lastWords, type Script } from './testing/scripted-model.ts'
import {
  agentCall,
  type Call,
  childrenOf,
  echo,
  eventsOf,
  gate,
  isMain,
  script,
  turnOf,
} from './testing/scripts.ts'
import { createTestRuntime, FOLDER, type TestRuntime, testDefinitions } from './testing/test-runtime.ts'

const resume = (troupe: () => TestRuntime, more: object = {}) =>
  agentCall('more', { resume: childrenOf(troupe())[0]?.agentId, ...more })
const lastToMain = (troupe: TestRuntime) => lastWords(troupe.model.requests.filter(isMain).at(-1)!)

describe('resuming an agent by a call', () => {
  test('continues with its whole transcript and the new prompt', async () => {
    const troupe: TestRuntime = createTestRuntime({
      script: script(
        [{ calls: [agentCall('one')] }, () => ({ calls: [resume(() => troupe)] }), echo],
        (request) => ({ text: `said ${lastWords(request)}` }),
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(childrenOf(troupe)).toHaveLength(1)
    expect(lastToMain(troupe)).toContain('said Do more.')
    const resumed = troupe.model.requests.filter((request) => !isMain(request)).at(-1)
    expect(resumed?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(JSON.stringify(resumed?.messages)).toContain('said Do one.')
  })

  test('is refused with settings that a resumed agent cannot get', async () => {
    const troupe: TestRuntime = createTestRuntime({
      script: script(
        [
          { calls: [agentCall('one')] },
          () => ({ calls: [resume(() => troupe, { model: 'haiku', max_turns: 3 })] }),
          echo,
        ],
        echo,
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(lastToMain(troupe)).toContain("resume can't be combined with model, max_turns.")
    expect(troupe.model.requests.filter((request) => !isMain(request))).toHaveLength(1)
  })

  test('a call without a description is described by its prompt', async () => {
    const prompt = 'List all of the files in src, then count them.'
    const troupe = createTestRuntime({ script: script([{ calls: [['Agent', { prompt }]] }, echo], echo) })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(childrenOf(troupe).map(({ task }) => task)).toEqual(['List all of the files in …'])
  })

  test('is refused for an unknown, a running or a one-shot agent', async () => {
    const work = gate()
    const troupe: TestRuntime = createTestRuntime({
      definitions: [...testDefinitions, { ...testDefinitions[1]!, name: 'once', oneShot: true }],
      script: script(
        [
          {
            calls: [
              agentCall('slow', { run_in_background: true }),
              agentCall('once', { subagent_type: 'once' }),
            ],
          },
          () => ({
            calls: [
              agentCall('x', { resume: 'a-nobody' }),
              agentCall('x', { resume: childrenOf(troupe)[0]?.agentId }),
              agentCall('x', { resume: childrenOf(troupe)[1]?.agentId }),
            ],
          }),
          (request) => {
            work.open()
            return { text: lastWords(request) }
          },
        ],
        async (request) => {
          if (lastWords(request).startsWith('Do slow.')) await work.opened
          return { text: 'ok' }
        },
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const told = lastWords(troupe.model.requests.filter(isMain)[2]!)
    expect(told).toContain('There is no agent a-nobody that you started')
    expect(told).toContain('has not ended; it is running')
    expect(told).toContain('once gives one report and cannot be resumed')
    expect(childrenOf(troupe)).toHaveLength(2)
  })

  test('after a restart first closes the open call of an interrupted agent', async () => {
    const before = createTestRuntime({
      script: script([{ calls: [agentCall('one')] }, echo], () => ({ calls: [['Bash', { command: 'ls' }]] })),
      shell: () => new Promise(() => {}),
    })
    const id = await before.begin('Go')
    const { agentId } = await before.when('tool-started', (event) => event.name === 'Bash')
    const store = before.store.afterCrash()

    const after: TestRuntime = createTestRuntime({
      store,
      script: (request) => {
        if (!isMain(request)) return { text: `was told: ${lastWords(request)}` }
        return lastWords(request).includes('reports')
          ? { text: lastWords(request) }
          : { calls: [agentCall('rest', { resume: agentId })] }
      },
    })
    await after.say(id, 'Resume it')
    await after.runtime.settled(id)
    expect(lastToMain(after)).toContain('was told: Interrupted')
    expect(lastToMain(after)).toContain('Do rest.')
  })

  test('never uses a more permissive mode than its parent’s current one', async () => {
    const troupe: TestRuntime = createTestRuntime({
      script: script(
        [{ calls: [agentCall('one')] }, () => ({ calls: [resume(() => troupe)] }), echo],
        () => ({
          text: 'ok',
        }),
      ),
    })
    const id = await troupe.begin('Go', { permissionMode: 'acceptEdits' })
    await troupe.when('agent-ended')
    await troupe.runtime.dispatch({
      type: 'conversation.setMode',
      conversationId: id,
      permissionMode: 'plan',
    })
    await troupe.runtime.settled(id)
    const child = childrenOf(troupe)[0]?.agentId ?? ''
    expect(troupe.runtime.state(id, child)?.permissionMode).toBe('plan')
  })
})

describe('the continue command', () => {
  const states: readonly (readonly [string, Script])[] = [
    ['failed', () => ({ failure: { type: 'auth', message: 'no' } })],
    ['completed', () => ({ text: 'done' })],
  ]
  for (const [status, child] of states)
    test(`resumes an agent that is ${status}`, async () => {
      let first = true
      const troupe = createTestRuntime({
        script: script([{ calls: [agentCall('one')] }, echo], (request, signal) => {
          if (!first) return { text: 'went on' }
          first = false
          return child(request, signal)
        }),
      })
      const id = await troupe.begin('Go')
      await troupe.runtime.settled(id)
      const agentId = childrenOf(troupe)[0]?.agentId ?? ''
      expect(troupe.runtime.state(id, agentId)?.status).toBe(status)
      expect(
        await troupe.runtime.dispatch({ type: 'agent.continue', conversationId: id, agentId }),
      ).toMatchObject({ ok: true })
      await troupe.when('agent-ended', (event) => event.report === 'went on')
      expect(lastWords(troupe.model.requests.at(-1)!)).toContain('The user resumed you')
    })

  test('resumes a stopped main agent after a restart', async () => {
    const before = createTestRuntime({ script: () => new Promise(() => {}) })
    const id = await before.begin('Go')
    const { agentId } = await before.when('request-started')
    const after = createTestRuntime({ store: before.store.afterCrash(), script: echo })
    expect(
      await after.runtime.dispatch({ type: 'agent.continue', conversationId: id, agentId }),
    ).toMatchObject({ ok: true })
    expect(await after.runtime.settled(id)).toMatchObject({ status: 'waiting' })
    expect(lastWords(after.model.requests.at(-1)!)).toContain('The user resumed you')
    expect(
      await after.runtime.dispatch({ type: 'agent.continue', conversationId: id, agentId }),
    ).toMatchObject({
      ok: false,
      failure: { type: 'ended' },
    })
  })
})

describe('a definition changed since the spawn', () => {
  async function ended(change: object) {
    let critic = { ...testDefinitions[1]!, name: 'critic', prompt: 'You are the old critic.' }
    const definitions = () => [...testDefinitions, critic]
    const troupe = createTestRuntime({
      definitions,
      script: script([{ calls: [agentCall('one', { subagent_type: 'critic' })] }, echo], (request) => ({
        text: request.system.split('\n')[0] ?? '',
      })),
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    critic = { ...critic, ...change }
    return { troupe, id, agentId: childrenOf(troupe)[0]?.agentId ?? '' }
  }

  test('is offered, not applied automatically', async () => {
    const { troupe, id, agentId } = await ended({ prompt: 'You are the new critic.', tools: ['Read'] })
    expect(
      await troupe.runtime.dispatch({ type: 'agent.definitionChange', conversationId: id, agentId }),
    ).toMatchObject({
      value: { kind: 'changed', what: ['its prompt', 'its tools'] },
    })
    const firstEnd = troupe.runtime.state(id, agentId)?.lastSeq ?? 0
    await troupe.runtime.dispatch({ type: 'agent.continue', conversationId: id, agentId })
    await troupe.when('agent-ended', (event) => event.agentId === agentId && event.seq > firstEnd)
    expect(troupe.runtime.state(id, agentId)?.report).toBe('You are the old critic.')
  })

  test('is applied at the user’s command, also after a restart', async () => {
    const { troupe, id, agentId } = await ended({ prompt: 'You are the new critic.', tools: ['Read'] })
    expect(await troupe.runtime.dispatch({ type: 'agent.renew', conversationId: id, agentId })).toMatchObject(
      { ok: true },
    )
    expect(
      await troupe.runtime.dispatch({ type: 'agent.definitionChange', conversationId: id, agentId }),
    ).toMatchObject({ value: { kind: 'same' } })
    const after = createTestRuntime({
      store: troupe.store.afterCrash(),
      script: (request) => ({
        text: `${request.system.split('\n')[0]} ${request.tools.map(({ name }) => name)}`,
      }),
    })
    await after.runtime.dispatch({ type: 'agent.continue', conversationId: id, agentId })
    const { report } = await after.when('agent-ended')
    expect(report).toBe('You are the new critic. Read')
    expect(JSON.stringify(after.model.requests[0]?.messages)).toContain('Do one.')
  })

  test('the same file is no change, and a missing file is reported', async () => {
    const same = await ended({})
    expect(
      await same.troupe.runtime.dispatch({
        type: 'agent.definitionChange',
        conversationId: same.id,
        agentId: same.agentId,
      }),
    ).toMatchObject({
      value: { kind: 'same', what: [] },
    })
    const gone = await ended({ name: 'other' })
    expect(
      await gone.troupe.runtime.dispatch({
        type: 'agent.definitionChange',
        conversationId: gone.id,
        agentId: gone.agentId,
      }),
    ).toMatchObject({
      value: { kind: 'gone' },
    })
    expect(
      await gone.troupe.runtime.dispatch({
        type: 'agent.renew',
        conversationId: gone.id,
        agentId: gone.agentId,
      }),
    ).toMatchObject({
      ok: false,
      failure: { type: 'unknown-agent' },
    })
  })

  test('a running agent keeps its definition', async () => {
    const work = gate()
    const troupe = createTestRuntime({
      script: script([{ calls: [agentCall('one')] }, echo], async () => {
        await work.opened
        return { text: 'ok' }
      }),
    })
    const id = await troupe.begin('Go')
    const child = await troupe.when('agent-spawned', (event) => event.parentId !== null)
    await troupe.when('request-started', (event) => event.agentId === child.agentId)
    expect(
      await troupe.runtime.dispatch({ type: 'agent.renew', conversationId: id, agentId: child.agentId }),
    ).toMatchObject({
      ok: false,
      failure: { type: 'running' },
    })
    work.open()
    await troupe.runtime.settled(id)
    expect(eventsOf(troupe, child.agentId).some((event) => event.type === 'definition-renewed')).toBe(false)
  })
})

describe('after a restart, an agent changes a file', () => {
  /** Files in memory. The clock of the disk starts again with each, as after a checkout. */
  function filesOf(contents: Map<string, string>): FileSystem {
    const statOf = (path: string): Result<FileStat> => {
      if (path === FOLDER) return ok({ kind: 'folder', size: 0, mtimeMs: 0 })
      const text = contents.get(path)
      return text === undefined
        ? fail({ type: 'not-found', message: `${path} does not exist.` })
        : ok({ kind: 'file', size: text.length, mtimeMs: 0 })
    }
    return {
      stat: async (path) => statOf(path),
      read: async (path) => ok(new TextEncoder().encode(contents.get(path) ?? '')),
      write: async (path, content) => {
        contents.set(path, typeof content === 'string' ? content : new TextDecoder().decode(content))
        return statOf(path)
      },
      realPath: async (path) => ok(path),
    }
  }

  async function restarted(meanwhile: (contents: Map<string, string>) => void) {
    const contents = new Map([[`${FOLDER}/old.ts`, 'one']])
    const files = filesOf(contents)
    const edit = (file: string, from: string): Call => [
      'Edit',
      { file_path: file, old_string: from, new_string: 'two' },
    ]
    const before = createTestRuntime({
      ports: { files },
      script: (request) =>
        request.messages.length === 1
          ? {
              calls: [
                ['Write', { file_path: 'new.ts', content: 'mine' }],
                ['Read', { file_path: 'old.ts' }],
              ],
            }
          : { text: 'done' },
    })
    const id = await before.begin('Go', { permissionMode: 'acceptEdits' })
    await before.runtime.settled(id)
    await before.runtime.close()
    meanwhile(contents)
    const after = createTestRuntime({
      ports: { files },
      store: before.store,
      script: (request) =>
        turnOf(request) === 3 ? { calls: [edit('new.ts', 'mine'), edit('old.ts', 'one')] } : { text: 'done' },
    })
    await after.runtime.snapshot(id)
    await after.say(id, 'Go on')
    await after.runtime.settled(id)
    const results = after.events.flatMap((event) =>
      event.type === 'tool-ended' ? [String(event.content)] : [],
    )
    return { contents, results }
  }

  test('that it wrote or read before, without reading it again', async () => {
    const { contents, results } = await restarted(() => {})
    expect(results).not.toContainEqual(expect.stringContaining('read'))
    expect([...contents]).toEqual([
      [`${FOLDER}/old.ts`, 'two'],
      [`${FOLDER}/new.ts`, 'two'],
    ])
  })

  test('only after reading it again, if something else changed the file meanwhile', async () => {
    const { contents, results } = await restarted((now) => now.set(`${FOLDER}/old.ts`, 'one, changed'))
    expect(results[1]).toContain('old.ts has changed since you read it')
    expect(contents.get(`${FOLDER}/old.ts`)).toBe('one, changed')
  })
})

import { describe, expect, test } from 'vitest'
import { plainDefinition } from '../../shared/agent-definition/agent-definition.ts'
import type { LoadedDefinition } from './ports/definitions.ts'
import { createMemoryWorktrees } from './testing/memory-worktrees.ts'
import { noMemory } from './testing/plain-ports.ts'
import { lastWords } from './testing/scripted-model.ts'
import { agentCall, allIsDone, childrenOf, echo, eventsOf, gate, isMain, script } from './testing/scripts.ts'
import { storeWhere } from './testing/slow-store.ts'
import { createTestRuntime, FOLDER, type TestRuntime, testDefinitions } from './testing/test-runtime.ts'

const isolated = { isolation: 'worktree' }
const inBackground = { ...isolated, run_in_background: true }

function testTroupe(options: Parameters<typeof createTestRuntime>[0]) {
  const worktrees = createMemoryWorktrees()
  return { worktrees, troupe: createTestRuntime({ ...options, ports: { worktrees, ...options.ports } }) }
}

const noticesOf = (troupe: TestRuntime, agentId: string | undefined) =>
  eventsOf(troupe, agentId).flatMap((event) => (event.type === 'notice' ? [event.text] : []))

describe('an agent in a worktree of its own', () => {
  test('works there, knows its path, and its report describes the work', async () => {
    const { troupe, worktrees } = testTroupe({
      script: script([{ calls: [agentCall('one', isolated)] }, echo], () => ({ text: 'done' })),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const [child] = childrenOf(troupe)
    const [made] = worktrees.made
    expect(child).toMatchObject({
      cwd: made?.location.path,
      worktree: { ...made?.location, own: true, aliases: [FOLDER] },
    })
    expect(made?.owner).toMatchObject({ agentId: child?.agentId, name: 'general-purpose', task: 'one' })
    const asked = troupe.model.requests.find((request) => !isMain(request))!
    expect(JSON.stringify(asked.messages)).toContain(`the folder ${made?.location.path}`)
    // Siblings share one prefix.
    expect(asked.system).not.toContain(made?.location.id)
    const report = lastWords(troupe.model.requests.at(-1)!)
    expect(report).toContain(
      `on the branch ${made?.location.branch}: 1 commit, 2 files +3 −1; merges cleanly into main`,
    )
    expect(report).toContain(
      'until it is merged: with MergeWorktree if you have it, otherwise by the user, so name the branch in your report.',
    )
    expect(made).toMatchObject({ state: 'kept', saves: [{ task: 'one', ended: 'completed' }] })
    const types = eventsOf(troupe, child?.agentId).map(({ type }) => type)
    expect(types.slice(-2)).toEqual(['work-saved', 'agent-ended'])
  })

  test('can get it from its definition; a fork keeps its parent’s prompt byte for byte', async () => {
    const forker: LoadedDefinition = {
      ...plainDefinition('forker', 'Goes on.'),
      forkContext: true,
      isolation: 'worktree',
      source: 'user',
      file: null,
    }
    const { troupe, worktrees } = testTroupe({
      definitions: [...testDefinitions, forker],
      script: script([{ calls: [agentCall('one', { subagent_type: 'forker' })] }, echo], () => ({
        text: 'done',
      })),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const fork = troupe.model.requests.find((request) => !isMain(request))!
    expect(fork.system).toBe(troupe.model.requests[0]!.system)
    expect(JSON.stringify(fork.messages)).toContain(worktrees.made[0]!.location.path)
  })

  test('without changes leaves no worktree, and resumes in a recreated one', async () => {
    const { troupe, worktrees } = testTroupe({
      script: script(
        [
          { calls: [agentCall('one', isolated)] },
          () => ({ calls: [agentCall('more', { resume: childrenOf(troupe)[0]?.agentId })] }),
          echo,
        ],
        () => {
          worktrees.made[0]!.changed = false
          return { text: 'looked' }
        },
      ),
    })
    const id = await troupe.begin('Go')
    await troupe.when('tool-ended')
    expect(worktrees.made[0]).toMatchObject({ state: 'removed' })
    await troupe.runtime.settled(id)
    const results = troupe.events.filter((event) => event.type === 'tool-ended')
    expect(JSON.stringify(results)).toContain('It changed nothing, so its worktree was removed.')
    expect(noticesOf(troupe, childrenOf(troupe)[0]?.agentId)).toContain('The worktree was recreated.')
    expect(worktrees.made).toHaveLength(1)
  })

  test('if the worktree can’t be created, the call says why and no agent works in the shared folder', async () => {
    const { troupe, worktrees } = testTroupe({
      script: script([{ calls: [agentCall('one', isolated)] }, echo], () => ({ text: 'done' })),
    })
    worktrees.trouble = 'The disk is full.'
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(lastWords(troupe.model.requests.at(-1)!)).toContain('The disk is full.')
    expect(childrenOf(troupe)).toEqual([])
  })

  test('is refused in an untrusted folder', async () => {
    const { troupe, worktrees } = testTroupe({
      policy: { trusted: () => false },
      script: script([{ calls: [agentCall('one', isolated)] }, echo], () => ({ text: 'done' })),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(lastWords(troupe.model.requests.at(-1)!)).toContain('not trusted')
    expect(worktrees.made).toEqual([])
  })

  test('is not resumed elsewhere after its worktree was discarded', async () => {
    const { troupe, worktrees } = testTroupe({
      script: script([{ calls: [agentCall('one', isolated)] }, echo], () => ({ text: 'done' })),
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    worktrees.made[0]!.state = 'discarded'
    const agentId = childrenOf(troupe)[0]!.agentId
    const before = troupe.model.requests.length
    await troupe.runtime.dispatch({
      type: 'conversation.send',
      conversationId: id,
      agentId,
      content: 'More.',
    })
    await troupe.runtime.settled(id)
    expect(troupe.runtime.state(id, agentId)).toMatchObject({
      status: 'failed',
      failure: { type: 'discarded' },
    })
    expect(troupe.model.requests).toHaveLength(before)
  })

  test('leaves its work, marked, if it is stopped or fails', async () => {
    const { troupe, worktrees } = testTroupe({
      script: script(
        [{ calls: [agentCall('one', isolated), agentCall('two', isolated)] }, echo],
        (request, signal) =>
          JSON.stringify(request.messages).includes('Do two')
            ? { stopReason: 'refusal', text: 'no' }
            : new Promise((resolve) => signal.addEventListener('abort', () => resolve({ text: '' }))),
      ),
    })
    const id = await troupe.begin('Go')
    const one = await troupe.when('request-started', ({ agentId }) =>
      childrenOf(troupe).some((child) => child.agentId === agentId && child.task === 'one'),
    )
    await troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId: one.agentId })
    await troupe.runtime.settled(id)
    const ends = worktrees.made.map(({ owner, saves }) => [owner.task, saves.at(-1)?.ended])
    expect(Object.fromEntries(ends)).toEqual({ one: 'stopped', two: 'failed' })
    expect(worktrees.made.map(({ state }) => state)).toEqual(['kept', 'kept'])
  })

  test('reports work that can’t be committed, and still ends', async () => {
    const { troupe, worktrees } = testTroupe({
      script: script([{ calls: [agentCall('one', isolated)] }, echo], () => {
        worktrees.trouble = 'The disk is full.'
        return { text: 'done' }
      }),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(noticesOf(troupe, childrenOf(troupe)[0]?.agentId).join()).toContain(
      'could not be committed: The disk is full.',
    )
    expect(lastWords(troupe.model.requests.at(-1)!)).toContain('is not committed')
  })

  test('is told of uncommitted changes in the folder, as is the user', async () => {
    const { troupe, worktrees } = testTroupe({
      script: script([{ calls: [agentCall('one', isolated)] }, echo], () => ({ text: 'done' })),
    })
    worktrees.leftOut = ['a.ts', 'b.ts']
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(noticesOf(troupe, childrenOf(troupe)[0]?.agentId)).toEqual([
      'Not in the worktree, since it is not committed in /project: a.ts, b.ts. Review can carry it over.',
    ])
    const asked = troupe.model.requests.find((request) => !isMain(request))!
    expect(JSON.stringify(asked.messages)).toContain('not committed in /project: a.ts, b.ts')
  })

  test('continues in the same worktree after a restart', async () => {
    const never = gate()
    const { troupe, worktrees } = testTroupe({
      script: script([{ calls: [agentCall('one', isolated)] }, echo], async () => {
        await never.opened
        return { text: 'late' }
      }),
    })
    const id = await troupe.begin('Go')
    await troupe.when('request-started', ({ agentId }) => childrenOf(troupe)[0]?.agentId === agentId)
    const agentId = childrenOf(troupe)[0]!.agentId
    const after = createTestRuntime({
      store: troupe.store.afterCrash(),
      ports: { worktrees },
      script: script([echo], () => ({ text: 'done' })),
    })
    await after.runtime.dispatch({
      type: 'conversation.send',
      conversationId: id,
      agentId,
      content: 'Go on.',
    })
    await after.runtime.settled(id)
    expect(after.runtime.state(id, agentId)).toMatchObject({
      status: 'completed',
      cwd: worktrees.made[0]?.location.path,
      work: { commits: 1 },
    })
    expect(worktrees.made).toHaveLength(1)
  })
})

test('a main agent in a worktree has the memory of its project', async () => {
  const verifier: LoadedDefinition = { ...testDefinitions[1]!, name: 'verifier', isolation: 'worktree' }
  const loaded: string[] = []
  const { troupe, worktrees } = testTroupe({
    definitions: [...testDefinitions, verifier],
    memory: {
      ...noMemory,
      load: async (folder) => {
        loaded.push(folder)
        return { files: [], folder: null, problems: [] }
      },
    },
    script: echo,
  })
  const id = await troupe.begin('Go', { agent: 'verifier' })
  await troupe.runtime.settled(id)
  expect(worktrees.made).toHaveLength(1)
  expect(loaded.length).toBeGreaterThan(1)
  expect([...new Set(loaded)]).toEqual([FOLDER])
})

describe('agents that share a worktree', () => {
  const policy = { maxDepth: 2 }
  const talks = (request: Parameters<typeof isMain>[0], text: string) =>
    JSON.stringify(request.messages[0]).includes(text)

  test('a child works in its parent’s worktree, and its own worktree is created from there', async () => {
    const { troupe, worktrees } = testTroupe({
      policy,
      script: script([{ calls: [agentCall('outer', isolated)] }, echo], (request) => {
        if (talks(request, 'Do shared')) return { text: 'inner' }
        if (talks(request, 'Do apart')) return { text: 'inner' }
        return request.messages.length === 1
          ? { calls: [agentCall('shared'), agentCall('apart', isolated)] }
          : { text: 'done' }
      }),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const [outer, apart] = worktrees.made
    const spawned = (task: string) => childrenOf(troupe).find((child) => child.task === task)
    expect(spawned('shared')).toMatchObject({ cwd: outer?.location.path, worktree: { own: false } })
    expect(apart?.location.from).toBe(outer?.location.path)
    expect(spawned('apart')?.worktree?.aliases).toEqual([outer?.location.path, FOLDER])
    expect(worktrees.made.map(({ saves }) => saves.length)).toEqual([1, 1])
  })

  test('the worktree stays while an agent works in it; the last one commits', async () => {
    const work = gate()
    const { troupe, worktrees } = testTroupe({
      policy,
      script: script([{ calls: [agentCall('outer', isolated)] }, echo], async (request) => {
        if (talks(request, 'Do shared')) {
          await work.opened
          return { text: 'inner' }
        }
        return request.messages.length === 1
          ? { calls: [agentCall('shared', { run_in_background: true })] }
          : { text: 'done' }
      }),
    })
    const id = await troupe.begin('Go')
    await troupe.when(
      'tool-ended',
      ({ agentId }) => agentId !== childrenOf(troupe)[0]?.agentId && isTop(agentId),
    )
    const [made] = worktrees.made
    expect(made).toMatchObject({ state: 'held', saves: [{ task: 'outer' }] })
    work.open()
    await troupe.runtime.settled(id)
    expect(made).toMatchObject({ state: 'kept', saves: [{ task: 'outer' }, { task: 'shared' }] })

    function isTop(agentId: string): boolean {
      return troupe.events[0]?.agentId === agentId
    }
  })

  /** `outer` continues without waiting for `shared`, which works in its worktree. */
  const twoInOne = (sharedWorks: Promise<void>, outerWorks: Promise<void> = Promise.resolve()) =>
    script([{ calls: [agentCall('outer', isolated)] }, echo], async (request) => {
      if (talks(request, 'Do shared')) {
        await sharedWorks
        return { text: 'inner' }
      }
      if (request.messages.length === 1) return { calls: [agentCall('shared', { run_in_background: true })] }
      await outerWorks
      return { text: 'done' }
    })

  test('work during a commit of another agent is committed too', async () => {
    const work = gate()
    const { troupe, worktrees } = testTroupe({ policy, script: twoInOne(work.opened) })
    const { save } = worktrees
    const shared = () => childrenOf(troupe).find(({ task }) => task === 'shared')
    worktrees.save = async (location, how) => {
      const saved = await save(location, how)
      if (how.task === 'outer') {
        work.open()
        await troupe.when('assistant-message', ({ agentId }) => agentId === shared()?.agentId)
        await allIsDone()
      }
      return saved
    }
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(worktrees.made[0]).toMatchObject({
      state: 'kept',
      saves: [{ task: 'outer' }, { task: 'shared' }],
    })
  })

  test('an agent that resumes while the last one leaves finds the worktree', async () => {
    const outerWorks = gate()
    const { troupe, worktrees } = testTroupe({
      policy,
      script: twoInOne(Promise.resolve(), outerWorks.opened),
    })
    const { release } = worktrees
    const leaving = gate()
    const back = gate()
    worktrees.release = async (location) => {
      worktrees.made[0]!.changed = false
      leaving.open()
      await back.opened
      return release(location)
    }
    const id = await troupe.begin('Go')
    await troupe.when('agent-ended')
    await allIsDone()
    outerWorks.open()
    await leaving.opened
    worktrees.release = release
    const shared = childrenOf(troupe).find(({ task }) => task === 'shared')!
    const sent = await troupe.runtime.dispatch({
      type: 'conversation.send',
      conversationId: id,
      agentId: shared.agentId,
      content: 'More.',
    })
    expect(sent.ok).toBe(true)
    back.open()
    await troupe.runtime.settled(id)
    expect(noticesOf(troupe, shared.agentId)).toContain('The worktree was recreated.')
    expect(worktrees.made[0]!.saves.at(-1)).toMatchObject({ task: 'shared' })
  })

  test('an agent that is stopped before it enters leaves as the last one', async () => {
    const outerWorks = gate()
    const saved = gate()
    let saves: number | null = null
    const store = storeWhere((log) => ({
      save: async () => {
        // The second save lists the agent as running.
        if (saves !== null && ++saves === 2) await saved.opened
        return log.save()
      },
    }))
    const { troupe, worktrees } = testTroupe({
      store,
      policy,
      script: twoInOne(Promise.resolve(), outerWorks.opened),
    })
    const id = await troupe.begin('Go')
    const shared = () => childrenOf(troupe).find(({ task }) => task === 'shared')
    await troupe.when('agent-ended', ({ agentId }) => agentId === shared()?.agentId)
    await allIsDone()
    const { agentId } = shared()!
    const outer = childrenOf(troupe)[0]!
    saves = 0
    await troupe.runtime.dispatch({
      type: 'conversation.send',
      conversationId: id,
      agentId,
      content: 'More.',
    })
    outerWorks.open()
    await troupe.when('agent-ended', (event) => event.agentId === outer.agentId)
    await allIsDone()
    const stopped = troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId })
    saved.open()
    await stopped
    await troupe.runtime.settled(id)
    expect(worktrees.made[0]).toMatchObject({ state: 'kept' })
  })

  test('a closed conversation holds no worktree', async () => {
    const verifier: LoadedDefinition = { ...testDefinitions[1]!, name: 'verifier', isolation: 'worktree' }
    const { troupe, worktrees } = testTroupe({
      definitions: [...testDefinitions, verifier],
      script: script([{ calls: [agentCall('one', inBackground)] }, echo], () => ({ text: 'done' })),
    })
    const created = await troupe.runtime.dispatch({
      type: 'conversation.create',
      folder: FOLDER,
      model: 'sonnet',
      permissionMode: 'default',
      agent: 'verifier',
    })
    expect(created.ok).toBe(true)
    await troupe.runtime.settled(await troupe.begin('Go'))
    await troupe.runtime.close()
    expect(worktrees.made.map(({ state }) => state)).toEqual(['kept', 'kept'])
  })
})

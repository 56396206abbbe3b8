import { describe, expect, test } from 'vitest'
import { fail, ok } from '../../shared/kernel/result.ts'
import { createMemoryWorktrees } from './testing/memory-worktrees.ts'
import { lastWords } from './testing/scripted-model.ts'
import {
  agentCall,
  allIsDone,
  type Call,
  childrenOf,
  echo,
  eventsOf,
  gate,
  isMain,
  script,
} from './testing/scripts.ts'
import { storeWhere } from './testing/slow-store.ts'
import { createTestRuntime, type TestRuntime } from './testing/test-runtime.ts'

const inBackground = { run_in_background: true }
const mainRequests = (troupe: TestRuntime) => troupe.model.requests.filter(isMain)
const ls = ['Bash', { command: 'ls' }] as const
const text = (content: string) => [{ type: 'text', text: content }] as const

/** A main agent in the middle of a command that ends slowly. */
async function inCommand() {
  const ended = gate()
  const troupe = createTestRuntime({
    script: (request) =>
      request.messages.length === 1 ? { calls: [ls] } : { text: `Got: ${lastWords(request)}` },
    shell: async ({ cwd }) => {
      await ended.opened
      return { output: '', exitCode: 0, ended: 'exit', cwd }
    },
  })
  const id = await troupe.begin('Go', { permissionMode: 'acceptEdits' })
  const { agentId } = await troupe.when('tool-started')
  return { troupe, id, agentId, ended }
}

describe('while an agent is being stopped', () => {
  test('a message resumes it', async () => {
    const { troupe, id, ended } = await inCommand()
    const stopped = troupe.runtime.dispatch({ type: 'conversation.stop', conversationId: id })
    await troupe.say(id, 'Do it another way.')
    ended.open()
    await stopped
    await troupe.when('status-changed', ({ waitingFor, seq }) => waitingFor === 'message' && seq > 8)
    expect(lastWords(troupe.model.requests.at(-1)!)).toContain('Do it another way.')
    expect(troupe.store.records.get(id)?.queued).toEqual([])
  })

  test('earlier messages stay queued', async () => {
    const { troupe, id, ended } = await inCommand()
    await troupe.say(id, 'When you come to it.')
    const stopped = troupe.runtime.dispatch({ type: 'conversation.stop', conversationId: id })
    ended.open()
    await stopped
    await allIsDone()
    expect(await troupe.runtime.settled(id)).toMatchObject({ status: 'stopped' })
    expect(troupe.model.requests).toHaveLength(1)
    expect(troupe.store.records.get(id)?.queued).toHaveLength(1)
  })

  test('the user continues it', async () => {
    const { troupe, id, agentId, ended } = await inCommand()
    const stopped = troupe.runtime.dispatch({ type: 'conversation.stop', conversationId: id })
    expect(
      await troupe.runtime.dispatch({ type: 'agent.continue', conversationId: id, agentId }),
    ).toMatchObject({ ok: true })
    ended.open()
    await stopped
    await troupe.when('status-changed', ({ waitingFor, seq }) => waitingFor === 'message' && seq > 8)
    expect(lastWords(troupe.model.requests.at(-1)!)).toContain('The user resumed you')
  })

  test('a message resumes a subagent too', async () => {
    const ended = gate()
    const troupe = createTestRuntime({
      script: script([{ calls: [agentCall('one')] }, echo], (request) =>
        request.messages.length === 1 ? { calls: [ls] } : { text: `heard ${lastWords(request)}` },
      ),
      shell: async ({ cwd }) => {
        await ended.opened
        return { output: '', exitCode: 0, ended: 'exit', cwd }
      },
    })
    const id = await troupe.begin('Go', { permissionMode: 'acceptEdits' })
    const { agentId } = await troupe.when('tool-started', ({ name }) => name === 'Bash')
    const stopped = troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId })
    const sent = await troupe.runtime.dispatch({
      type: 'conversation.send',
      conversationId: id,
      agentId,
      content: text('Another way.'),
    })
    expect(sent.ok).toBe(true)
    ended.open()
    await stopped
    await troupe.when('agent-ended', (event) => event.report.includes('Another way.'))
  })

  test.each<[string, (agentId: string | undefined) => Call]>([
    ['resume in the background', (agentId) => agentCall('more', { ...inBackground, resume: agentId })],
    ['wake with a message', (agentId) => ['SendMessage', { to: agentId, message: 'More!' }]],
  ])('a subagent that it was about to %s stays unchanged', async (_, callTo) => {
    const reading = gate()
    const read = gate()
    const troupe: TestRuntime = createTestRuntime({
      script: script(
        [{ calls: [agentCall('one')] }, () => ({ calls: [callTo(childrenOf(troupe)[0]?.agentId)] }), echo],
        () => ({ text: 'done' }),
      ),
    })
    const { events } = troupe.store
    troupe.store.events = async function* (agentId) {
      reading.open()
      await read.opened
      yield* events(agentId)
    }
    const id = await troupe.begin('Go')
    await reading.opened
    const stopped = troupe.runtime.dispatch({ type: 'conversation.stop', conversationId: id })
    read.open()
    await stopped
    await allIsDone()
    expect(troupe.model.requests.filter((request) => !isMain(request))).toHaveLength(1)
    expect(troupe.runtime.state(id, childrenOf(troupe)[0]!.agentId)).toMatchObject({ status: 'completed' })
  })

  test('the stop waits for an agent that starts in the background', async () => {
    const flushing = gate()
    const flushed = gate()
    const worktrees = createMemoryWorktrees()
    const { save } = worktrees
    worktrees.save = async (place, how) => {
      await allIsDone()
      return save(place, how)
    }
    const store = storeWhere((log) => ({
      flush: async (agentId) => {
        if (agentId === childrenOf(troupe)[0]?.agentId) {
          flushing.open()
          await flushed.opened
        }
        return log.flush(agentId)
      },
    }))
    const troupe: TestRuntime = createTestRuntime({
      store,
      ports: { worktrees },
      script: script([{ calls: [agentCall('one', { ...inBackground, isolation: 'worktree' })] }, echo], echo),
    })
    const id = await troupe.begin('Go')
    await flushing.opened
    const closed = troupe.runtime.close()
    flushed.open()
    await closed
    expect(worktrees.made.map(({ state }) => state)).toEqual(['kept'])
    expect(store.logs.get(childrenOf(troupe)[0]!.agentId)?.at(-1)).toMatchObject({ status: 'stopped' })
    expect(id).toBeTruthy()
  })
})

describe('a stop', () => {
  test('wakes no agent with notices for a stopped agent', async () => {
    const inBackgroundNow = gate()
    const troupe: TestRuntime = createTestRuntime({
      policy: { maxDepth: 2 },
      script: script([{ calls: [agentCall('outer')] }, echo], async (request, signal) => {
        if (lastWords(request).startsWith('Do inner.')) {
          await inBackgroundNow.opened
          return { text: 'inner is done' }
        }
        return request.messages.length === 1
          ? { calls: [agentCall('inner', inBackground)] }
          : new Promise((resolve) => signal.addEventListener('abort', () => resolve({ text: '' })))
      }),
    })
    const id = await troupe.begin('Go')
    const inner = await troupe.when('agent-spawned', ({ task }) => task === 'inner')
    await troupe.runtime.dispatch({
      type: 'agent.toBackground',
      conversationId: id,
      agentId: childrenOf(troupe)[0]!.agentId,
    })
    await troupe.when('status-changed', ({ waitingFor }) => waitingFor === 'message')
    inBackgroundNow.open()
    await troupe.when('agent-ended', ({ agentId }) => agentId === inner.agentId)
    await allIsDone()
    const asked = mainRequests(troupe).length
    await troupe.runtime.dispatch({ type: 'conversation.stop', conversationId: id })
    await allIsDone()
    expect(mainRequests(troupe)).toHaveLength(asked)
    // The notice is not lost: the next message delivers it.
    await troupe.say(id, 'And?')
    await troupe.runtime.settled(id)
    expect(lastWords(mainRequests(troupe).at(-1)!)).toContain('inner is done')
  })

  test('cancels a command to continue', async () => {
    const held = gate()
    let failing = true
    const troupe: TestRuntime = createTestRuntime({
      policy: { maxParallelAgents: 1 },
      script: script(
        [{ calls: [agentCall('one')] }, { calls: [agentCall('holder', inBackground)] }, { text: 'fine' }],
        async (request) => {
          if (lastWords(request).startsWith('Do holder.')) await held.opened
          else if (failing) return { failure: { type: 'auth' } }
          return { text: 'done' }
        },
      ),
    })
    const id = await troupe.begin('Go')
    await troupe.when('status-changed', ({ waitingFor }) => waitingFor === 'message')
    await troupe.when('request-started', ({ agentId }) => agentId === childrenOf(troupe)[1]?.agentId)
    failing = false
    const one = childrenOf(troupe)[0]!.agentId
    expect(
      (await troupe.runtime.dispatch({ type: 'agent.continue', conversationId: id, agentId: one })).ok,
    ).toBe(true)
    await troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId: one })
    held.open()
    await troupe.runtime.settled(id)
    expect(JSON.stringify(troupe.model.requests.map(lastWords))).not.toContain('The user resumed you')
    expect(troupe.store.records.get(id)?.queued).toEqual([])
  })

  test('does not wait for the disk, although the end of an agent is not written yet', async () => {
    const troupe: TestRuntime = createTestRuntime({
      script: script([{ calls: [agentCall('one', inBackground)] }, { text: 'I go on.' }], async () => {
        await troupe.when('status-changed', ({ waitingFor }) => waitingFor === 'message')
        await allIsDone()
        troupe.store.trouble = 'The disk is full.'
        return { text: 'done' }
      }),
    })
    const failedWrite = gate()
    troupe.runtime.subscribe((delta) => {
      if (delta.type === 'write-failure') failedWrite.open()
    })
    await troupe.begin('Go')
    await failedWrite.opened
    await troupe.runtime.close()
  })

  test('after the agent’s end returns how it ended', async () => {
    const saving = gate()
    const saved = gate()
    const worktrees = createMemoryWorktrees()
    const { save } = worktrees
    worktrees.save = async (place, how) => {
      saving.open()
      await saved.opened
      return save(place, how)
    }
    const troupe: TestRuntime = createTestRuntime({
      ports: { worktrees },
      script: script(
        [
          { calls: [agentCall('one', { ...inBackground, isolation: 'worktree' })] },
          async () => {
            await saving.opened
            setImmediate(saved.open)
            return { calls: [['TaskStop', { task_id: childrenOf(troupe)[0]?.agentId }]] }
          },
          echo,
        ],
        () => ({ text: 'found it' }),
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const said = JSON.stringify(mainRequests(troupe).at(-1)?.messages)
    expect(said).toContain('had ended already: completed')
    expect(said).not.toContain('was stopped')
  })

  test('keeps a mailbox message whose write failed', async () => {
    const troupe = createTestRuntime({ script: echo })
    const id = await troupe.begin('Go')
    const { id: main } = await troupe.runtime.settled(id)
    const failedWrite = gate()
    troupe.runtime.subscribe((delta) => {
      if (delta.type === 'write-failure') failedWrite.open()
    })
    const { mailbox } = troupe
    await mailbox.put({
      messageId: 'm-mailbox',
      to: main,
      sender: null,
      content: [...text('A mailbox message.')],
      at: 1,
    })
    troupe.store.trouble = 'The disk is full.'
    await troupe.say(id, 'Anything new?')
    await failedWrite.opened
    await troupe.runtime.dispatch({ type: 'conversation.stop', conversationId: id })
    // It has left the mailbox, because the conversation's log has it.
    expect(troupe.store.records.get(id)?.queued.map(({ messageId }) => messageId)).toContain('m-mailbox')
    troupe.store.trouble = null
    await troupe.runtime.dispatch({ type: 'conversation.retryLog', conversationId: id })
    await troupe.say(id, 'And now?')
    await troupe.runtime.settled(id)
    expect(mailbox.messages).toEqual([])
    expect(JSON.stringify(troupe.model.requests.at(-1)?.messages).match(/A mailbox message/g)).toHaveLength(1)
  })
})

test('a worktree that can’t be inspected fails its agent, not the program', async () => {
  const worktrees = createMemoryWorktrees()
  worktrees.restore = async () => {
    throw new Error('EMFILE')
  }
  const troupe: TestRuntime = createTestRuntime({
    ports: { worktrees },
    script: script([{ calls: [agentCall('one', { isolation: 'worktree' })] }, echo], echo),
  })
  const id = await troupe.begin('Go')
  await troupe.runtime.settled(id)
  const { agentId } = childrenOf(troupe)[0]!
  await troupe.runtime.dispatch({ type: 'agent.continue', conversationId: id, agentId })
  const { failure } = await troupe.when('agent-ended', ({ status }) => status === 'failed')
  expect(failure?.message).toContain('EMFILE')
  expect(eventsOf(troupe, agentId).map(({ seq }) => seq)).toEqual([...eventsOf(troupe, agentId).keys()])
})

test('parallel calls have a signal each, and a stop aborts them all', async () => {
  const signals: AbortSignal[] = []
  const allWait = gate()
  const troupe = createTestRuntime({
    script: (request) =>
      request.messages.length === 1
        ? { calls: Array.from({ length: 12 }, (): Call => ['Glob', { pattern: '*' }]) }
        : { text: 'done' },
    ports: {
      search: {
        glob: (_query, signal) => {
          if (signals.push(signal) === 12) allWait.open()
          const stopped = fail({ type: 'stopped', message: 'Stopped.' })
          return new Promise((resolve) => signal.addEventListener('abort', () => resolve(stopped)))
        },
        first: async () => ok(null),
        grep: async () => ok({ text: '', matches: 0, truncated: false }),
      },
    },
  })
  const id = await troupe.begin('Go')
  await allWait.opened
  // Node warns of a leak where more than ten listeners share a signal.
  expect(new Set(signals).size).toBe(12)
  await troupe.runtime.dispatch({ type: 'conversation.stop', conversationId: id })
  expect(signals.every(({ aborted }) => aborted)).toBe(true)
})

describe('who stopped an agent is in its end, and in what the model reads', () => {
  const waiting = () => new Promise<never>(() => {})

  test('the user', async () => {
    const troupe = createTestRuntime({ script: script([{ calls: [agentCall('one')] }, echo], waiting) })
    const id = await troupe.begin('Go')
    const { agentId } = await troupe.when('agent-spawned', ({ parentId }) => parentId !== null)
    await troupe.when('request-started', (event) => event.agentId === agentId)
    await troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId })
    await troupe.runtime.settled(id)
    expect(eventsOf(troupe, agentId).at(-1)).toMatchObject({ type: 'agent-ended', stoppedBy: 'user' })
    expect(lastWords(mainRequests(troupe).at(-1)!)).toContain(
      'was stopped by the user before it had finished',
    )
  })

  test('the user, in the results of the calls that the stop ended', async () => {
    const begun = gate()
    const troupe = createTestRuntime({
      script: (request) =>
        request.messages.length === 1 ? { calls: [ls, ls] } : { text: `Got: ${lastWords(request)}` },
      shell: ({ signal, cwd }) =>
        new Promise((done) => {
          begun.open()
          signal.addEventListener('abort', () =>
            done({ output: 'Half', exitCode: null, ended: 'aborted', cwd }),
          )
        }),
    })
    const id = await troupe.begin('Go', { permissionMode: 'acceptEdits' })
    const { agentId } = await troupe.when('tool-started')
    await begun.opened
    await troupe.runtime.dispatch({ type: 'conversation.stop', conversationId: id })
    await troupe.runtime.settled(id)
    const results = eventsOf(troupe, agentId).flatMap((event) =>
      event.type === 'tool-ended' ? [event.content] : [],
    )
    expect(results).toEqual([
      'Half\n[The user stopped this command before it finished. Its effects until then remain.]',
      'Not run. The user stopped you before this call began.',
    ])
  })

  test('another agent', async () => {
    const troupe: TestRuntime = createTestRuntime({
      script: script(
        [
          { calls: [agentCall('one', inBackground)] },
          () => ({ calls: [['TaskStop', { task_id: childrenOf(troupe)[0]?.agentId }]] }),
          { text: 'done' },
        ],
        waiting,
      ),
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    const [child] = childrenOf(troupe)
    expect(eventsOf(troupe, child?.agentId).at(-1)).toMatchObject({ status: 'stopped', stoppedBy: 'agent' })
    expect(troupe.runtime.state(id, child?.agentId ?? '')).toMatchObject({ stoppedBy: 'agent', stopId: null })
    const heard = JSON.stringify(mainRequests(troupe).at(-1)?.messages)
    expect(heard).not.toContain('stopped by the user')
  })

  test('the program, when it closes', async () => {
    const troupe = createTestRuntime({ script: script([{ calls: [agentCall('one')] }, echo], waiting) })
    await troupe.begin('Go')
    const { agentId } = await troupe.when('agent-spawned', ({ parentId }) => parentId !== null)
    await troupe.when('request-started', (event) => event.agentId === agentId)
    await troupe.runtime.close()
    const ends = troupe.events.flatMap((event) => (event.type === 'agent-ended' ? [event.stoppedBy] : []))
    expect(ends).toEqual(['program', 'program'])
  })
})

test('the turns of all runs are counted, not only those of the last one', async () => {
  const troupe: TestRuntime = createTestRuntime({
    script: script(
      [
        { calls: [agentCall('one')] },
        () => ({ calls: [agentCall('more', { resume: childrenOf(troupe)[0]?.agentId })] }),
        echo,
      ],
      echo,
    ),
  })
  const id = await troupe.begin('Go')
  await troupe.runtime.settled(id)
  expect(troupe.runtime.state(id, childrenOf(troupe)[0]?.agentId ?? '')).toMatchObject({ turn: 1, turns: 2 })
  expect(lastWords(mainRequests(troupe).at(-1)!)).toMatch(/· 2 turns ·/)
})

import { describe, expect, test } from 'vitest'
import { noLimits } from '../../shared/events/agent-event.ts'
import { fail } from '../../shared/kernel/result.ts'
import { Semaphore } from '../../shared/kernel/semaphore.ts'
import type { Ports } from './ports/ports.ts'
import { createMemoryWorktrees } from './testing/memory-worktrees.ts'
import { lastWords } from './testing/scripted-model.ts'
import { agentCall, childrenOf, echo, gate, isMain, script } from './testing/scripts.ts'
import { storeWhere } from './testing/slow-store.ts'
import { createTestRuntime, type TestRuntime, testDefinitions } from './testing/test-runtime.ts'

const inBackground = { run_in_background: true }
const isolated = { isolation: 'worktree' }
const mainRequests = (troupe: TestRuntime) => troupe.model.requests.filter(isMain)
const text = (content: string) => [{ type: 'text', text: content }] as const
const full = { type: 'io', message: 'The disk is full.' }
const isUnbroken = (troupe: TestRuntime, agentId: string) => {
  const seqs = (troupe.store.logs.get(agentId) ?? []).map(({ seq }) => seq)
  return seqs.length > 0 && seqs.every((seq, index) => seq === index)
}

/** Definitions whose reads, once slow, wait until the test releases them. */
function slowDefinitions() {
  const reading = gate()
  const read = gate()
  let slow = false
  const port: Ports['definitions'] = {
    load: async () => {
      if (slow) {
        reading.open()
        await read.opened
      }
      return { definitions: testDefinitions, problems: [] }
    },
    catalog: async () => ({ entries: [], problems: [], watched: [] }),
    watch: () => () => {},
  }
  const beSlow = () => {
    slow = true
  }
  return { port, beSlow, isReading: reading.opened, continueReading: read.open }
}

/** The first subagent is spawned, and its name is still being written to the record. */
async function starting({ worksUntil }: { readonly worksUntil: Promise<void> }) {
  const written = gate()
  let trouble = false
  const store = storeWhere((log) => ({
    save: async () => {
      if (log.record.agentIds.length > 1) await written.opened
      return trouble ? fail(full) : log.save()
    },
  }))
  const troupe = createTestRuntime({
    store,
    script: script([{ calls: [agentCall('one', inBackground)] }, echo], async (request, signal) => {
      await Promise.race([
        worksUntil,
        new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())),
      ])
      return { text: `heard ${lastWords(request)}` }
    }),
  })
  const id = await troupe.begin('Go')
  const { agentId } = await troupe.when('agent-spawned', ({ parentId }) => parentId !== null)
  return {
    troupe,
    id,
    agentId,
    written,
    disk: (isFull: boolean) => {
      trouble = isFull
    },
  }
}

describe('while an agent is being started', () => {
  test('its limits can be raised, and it can be stopped afterwards', async () => {
    const { troupe, id, agentId, written } = await starting({ worksUntil: new Promise(() => {}) })
    const limits = { ...noLimits, tokens: 5000 }
    const raised = await troupe.runtime.dispatch({
      type: 'agent.setLimits',
      conversationId: id,
      agentId,
      limits,
    })
    expect(raised.ok).toBe(true)
    written.open()
    await troupe.when('request-started', (event) => event.agentId === agentId)
    await troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId })
    expect(troupe.runtime.state(id, agentId)).toMatchObject({ status: 'stopped', limits })
    expect(isUnbroken(troupe, agentId)).toBe(true)
    await troupe.runtime.close()
  })

  test('a failed write of a message does not lose the agent', async () => {
    const { troupe, id, agentId, written, disk } = await starting({ worksUntil: new Promise(() => {}) })
    const failedWrite = gate()
    troupe.runtime.subscribe((delta) => {
      if (delta.type === 'write-failure') failedWrite.open()
    })
    disk(true)
    written.open()
    await failedWrite.opened
    const sent = await troupe.runtime.dispatch({
      type: 'conversation.send',
      conversationId: id,
      agentId,
      content: text('Hello'),
    })
    expect(sent).toMatchObject({ ok: false, failure: full })
    disk(false)
    await troupe.runtime.dispatch({ type: 'conversation.retryLog', conversationId: id })
    await troupe.when('request-started', (event) => event.agentId === agentId)
    await troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId })
    expect(troupe.runtime.state(id, agentId)).toMatchObject({ status: 'stopped' })
    await troupe.runtime.close()
  })

  test('its siblings stay in the record, whichever the disk writes first', async () => {
    const worktrees = createMemoryWorktrees()
    const { create } = worktrees
    const making = gate()
    worktrees.create = async (options, signal) => {
      await making.opened
      return create(options, signal)
    }
    let isFull = true
    const store = storeWhere((log) => ({
      save: async () => (log.record.agentIds.length > 1 && isFull ? fail(full) : log.save()),
    }))
    const troupe = createTestRuntime({
      store,
      ports: { worktrees },
      script: script([{ calls: [agentCall('one'), agentCall('two', isolated)] }, echo], echo),
    })
    const failedWrite = gate()
    troupe.runtime.subscribe((delta) => {
      if (delta.type === 'write-failure') failedWrite.open()
    })
    const id = await troupe.begin('Go')
    await failedWrite.opened
    isFull = false
    making.open()
    await troupe.when('agent-ended', ({ agentId }) => agentId === childrenOf(troupe)[1]?.agentId)
    await troupe.runtime.dispatch({ type: 'conversation.retryLog', conversationId: id })
    await troupe.runtime.settled(id)
    const ids = childrenOf(troupe).map(({ agentId }) => agentId)
    expect(store.records.get(id)?.agentIds.slice(1).toSorted()).toEqual(ids.toSorted())
  })

  test('a mode narrowed during the start applies to it', async () => {
    const worktrees = createMemoryWorktrees()
    const { create } = worktrees
    const making = gate()
    const made = gate()
    worktrees.create = async (options, signal) => {
      making.open()
      await made.opened
      return create(options, signal)
    }
    const troupe = createTestRuntime({
      ports: { worktrees },
      script: script([{ calls: [agentCall('one', isolated)] }, echo], echo),
    })
    const id = await troupe.begin('Go', { permissionMode: 'acceptEdits' })
    await making.opened
    await troupe.runtime.dispatch({
      type: 'conversation.setMode',
      conversationId: id,
      permissionMode: 'plan',
    })
    made.open()
    await troupe.runtime.settled(id)
    expect(childrenOf(troupe)[0]).toMatchObject({ permissionMode: 'plan' })
  })
})

describe('an agent that has ended', () => {
  test('and resumes while its definition is being read keeps its definition', async () => {
    const definitions = slowDefinitions()
    const working = gate()
    const troupe = createTestRuntime({
      script: script([{ calls: [agentCall('one')] }, echo], async (request) => {
        if (request.messages.length > 1) await working.opened
        return { text: 'done' }
      }),
      ports: { definitions: definitions.port },
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    const { agentId } = childrenOf(troupe)[0]!
    definitions.beSlow()
    const renewed = troupe.runtime.dispatch({ type: 'agent.renew', conversationId: id, agentId })
    await definitions.isReading
    await troupe.runtime.dispatch({
      type: 'conversation.send',
      conversationId: id,
      agentId,
      content: text('More'),
    })
    await troupe.when('request-started', (event) => event.agentId === agentId && event.seq > 5)
    definitions.continueReading()
    expect(await renewed).toMatchObject({ ok: false, failure: { type: 'running' } })
    working.open()
    await troupe.runtime.dispatch({ type: 'conversation.stop', conversationId: id })
    expect(isUnbroken(troupe, agentId)).toBe(true)
  })

  test('applies a raised limit and a message that arrive together', async () => {
    const troupe = createTestRuntime({
      script: script([{ calls: [agentCall('one')] }, echo], (request) => ({
        text: `heard ${lastWords(request)}`,
      })),
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    const { agentId } = childrenOf(troupe)[0]!
    const limits = { ...noLimits, tokens: 5000 }
    for (let ticks = 0; ticks < 12; ticks++) {
      const raised = troupe.runtime.dispatch({
        type: 'agent.setLimits',
        conversationId: id,
        agentId,
        limits: { ...limits, tokens: 5000 + ticks },
      })
      for (let tick = 0; tick < ticks; tick++) await null
      const sent = await troupe.runtime.dispatch({
        type: 'conversation.send',
        conversationId: id,
        agentId,
        content: text(`no. ${ticks}!`),
      })
      expect([(await raised).ok, sent.ok]).toEqual([true, true])
      await troupe.when('agent-ended', (event) => event.report.includes(`no. ${ticks}!`))
      expect(troupe.runtime.state(id, agentId)?.limits.tokens).toBe(5000 + ticks)
    }
    expect(isUnbroken(troupe, agentId)).toBe(true)
  })

  test('and is resumed by a message has at most the main agent’s mode', async () => {
    const troupe: TestRuntime = createTestRuntime({
      script: script(
        [
          { calls: [agentCall('one')] },
          { text: 'one is done' },
          () => ({ calls: [['SendMessage', { to: childrenOf(troupe)[0]?.agentId, message: 'Now edit.' }]] }),
          echo,
        ],
        echo,
      ),
    })
    const id = await troupe.begin('Go', { permissionMode: 'acceptEdits' })
    await troupe.runtime.settled(id)
    await troupe.runtime.dispatch({
      type: 'conversation.setMode',
      conversationId: id,
      permissionMode: 'plan',
    })
    await troupe.say(id, 'Plan it.')
    await troupe.runtime.settled(id)
    expect(troupe.runtime.state(id, childrenOf(troupe)[0]!.agentId)).toMatchObject({ permissionMode: 'plan' })
  })

  test('and now works for the user sends a notice of its end to an agent that tried to resume it', async () => {
    const working = gate()
    const troupe: TestRuntime = createTestRuntime({
      script: script(
        [
          { calls: [agentCall('one')] },
          { text: 'one is done' },
          () => ({ calls: [agentCall('more', { resume: childrenOf(troupe)[0]?.agentId })] }),
          echo,
        ],
        async (request) => {
          if (request.messages.length > 1) await working.opened
          return { text: `heard ${lastWords(request)}` }
        },
      ),
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    const { agentId } = childrenOf(troupe)[0]!
    await troupe.runtime.dispatch({
      type: 'conversation.send',
      conversationId: id,
      agentId,
      content: text('A word with you.'),
    })
    await troupe.say(id, 'Resume it.')
    await troupe.when('tool-ended', ({ note }) => note === 'still working')
    working.open()
    await troupe.runtime.settled(id)
    expect(lastWords(mainRequests(troupe).at(-1)!)).toContain('heard A word with you.')
  })

  test('and was resumed does not count as ended when the program dies before it runs', async () => {
    const worktrees = createMemoryWorktrees()
    const troupe: TestRuntime = createTestRuntime({
      ports: { worktrees },
      script: script(
        [
          { calls: [agentCall('one', isolated)] },
          () => ({ calls: [agentCall('more', { ...inBackground, resume: childrenOf(troupe)[0]?.agentId })] }),
          echo,
        ],
        () => ({ text: 'the old report' }),
      ),
    })
    // Its worktree is never recreated.
    worktrees.restore = () => new Promise(() => {})
    const id = await troupe.begin('Go')
    await troupe.when('tool-ended', ({ note }) => note === 'in the background')
    const after = createTestRuntime({
      store: troupe.store.afterCrash(),
      ports: { worktrees: createMemoryWorktrees() },
      script: echo,
    })
    await after.say(id, 'What now?')
    await after.runtime.settled(id)
    expect(lastWords(after.model.requests[0]!)).toContain('was interrupted')
    expect(lastWords(after.model.requests[0]!)).not.toContain('An agent wrote this')
  })
})

describe('a main agent', () => {
  test('whose message was taken back before its start makes no request', async () => {
    const flushing = gate()
    const flushed = gate()
    let starts = false
    const store = storeWhere((log) => ({
      flush: async (agentId) => {
        if (starts) {
          flushing.open()
          await flushed.opened
        }
        return log.flush(agentId)
      },
    }))
    const troupe = createTestRuntime({ store, script: echo })
    const id = await troupe.begin('Go')
    const { id: main } = await troupe.runtime.settled(id)
    starts = true
    const sent = await troupe.runtime.dispatch({
      type: 'conversation.send',
      conversationId: id,
      agentId: main,
      content: text('Oh, and'),
    })
    await flushing.opened
    expect(
      sent.ok &&
        (
          await troupe.runtime.dispatch({
            type: 'conversation.unqueue',
            conversationId: id,
            messageId: sent.value.messageId,
          })
        ).ok,
    ).toBe(true)
    flushed.open()
    expect(await troupe.runtime.settled(id)).toMatchObject({ status: 'waiting', waitingFor: 'message' })
    expect(mainRequests(troupe)).toHaveLength(1)
    await troupe.runtime.close()
  })

  test('that ends before a requested pause is not paused at the next message', async () => {
    const flushing = gate()
    const flushed = gate()
    const store = storeWhere((log, self) => ({
      flush: async (agentId) => {
        const last = self.logs.get(agentId)?.at(-1)
        if (last?.type === 'status-changed' && last.waitingFor === 'message' && last.seq > 3) {
          flushing.open()
          await flushed.opened
        }
        return log.flush(agentId)
      },
    }))
    const troupe = createTestRuntime({ store, script: echo })
    const id = await troupe.begin('Go')
    await flushing.opened
    await troupe.runtime.dispatch({
      type: 'agent.pause',
      conversationId: id,
      agentId: troupe.events[0]!.agentId,
    })
    flushed.open()
    expect(await troupe.runtime.settled(id)).toMatchObject({ status: 'waiting', pauseWanted: false })
    await troupe.say(id, 'More')
    await troupe.runtime.settled(id)
    expect(troupe.model.requests).toHaveLength(2)
  })
})

test('an updated definition keeps a narrowed mode', async () => {
  const definitions = slowDefinitions()
  const troupe = createTestRuntime({
    script: echo,
    ports: { definitions: definitions.port },
  })
  const id = await troupe.begin('Go', { permissionMode: 'acceptEdits' })
  const { id: main } = await troupe.runtime.settled(id)
  definitions.beSlow()
  const renewed = troupe.runtime.dispatch({ type: 'agent.renew', conversationId: id, agentId: main })
  await definitions.isReading
  await troupe.runtime.dispatch({ type: 'conversation.setMode', conversationId: id, permissionMode: 'plan' })
  definitions.continueReading()
  expect((await renewed).ok).toBe(true)
  expect(troupe.runtime.state(id, main)).toMatchObject({ permissionMode: 'plan' })
})

test('a raised number of slots applies at the next acquire', async () => {
  let most = 1
  const slots = new Semaphore(() => most)
  const { signal } = new AbortController()
  expect(await slots.acquire(signal)).toBe(true)
  const waits = slots.acquire(signal)
  most = 3
  expect(await slots.acquire(signal)).toBe(true)
  expect(await waits).toBe(true)
  expect(slots.isFull).toBe(true)
})

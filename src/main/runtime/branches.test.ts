import { describe, expect, test } from 'vitest'
import type { AgentEvent, EventOf } from '../../shared/events/agent-event.ts'
import { createMemoryStore } from './testing/memory-store.ts'
import { lastWords, type Script } from './testing/scripted-model.ts'
import { agentCall, allIsDone, echo, eventsOf, gate, isMain, script } from './testing/scripts.ts'
import { createTestRuntime, type TestRuntime } from './testing/test-runtime.ts'

const worker: Script = (request) =>
  lastWords(request).includes('Plan') && request.messages.length === 1
    ? { calls: [['TodoWrite', { todos: [{ content: 'one', status: 'pending' }] }]] }
    : { text: `Answer to: ${lastWords(request)}` }

const isUserMessage = (event: AgentEvent): event is EventOf<'user-message'> =>
  event.type === 'user-message' && event.from === 'user'
const text = (event: EventOf<'user-message'>) =>
  event.content.map((block) => (block.type === 'text' ? block.text : '')).join()

/** The seq of the user's message with this text. */
function seqOf(troupe: TestRuntime, said: string): number {
  const found = troupe.events.find((event) => isUserMessage(event) && text(event) === said)
  if (found === undefined) throw new Error(`nobody said ${said}`)
  return found.seq
}

const message = (said: string) => [{ type: 'text' as const, text: said }]

async function twoExchanges() {
  const store = createMemoryStore()
  const troupe = createTestRuntime({ store, script: worker })
  const id = await troupe.begin('Plan it')
  const main = await troupe.runtime.settled(id)
  await troupe.say(id, 'Do it')
  await troupe.runtime.settled(id)
  const branch = async (said: string, content: ReturnType<typeof message> | null) => {
    const made = await troupe.runtime.dispatch({
      type: 'conversation.branch',
      conversationId: id,
      seq: seqOf(troupe, said),
      content,
    })
    if (!made.ok) throw new Error(made.failure.message)
    return made.value
  }
  return { store, troupe, id, mainId: main.id, branch }
}

describe('a branch', () => {
  test('with an edited message begins with the history before it, and leaves the original as it is', async () => {
    const { troupe, store, id, mainId, branch } = await twoExchanges()
    const before = structuredClone(store.logs.get(mainId))
    const made = await branch('Do it', message('Do it twice'))
    expect(made).toMatchObject({ title: 'Do it twice', branchOf: id, folder: '/project' })
    const state = await troupe.runtime.settled(made.id)
    expect(state.lastLine).toContain('Do it twice')
    const asked = JSON.stringify(troupe.model.requests.at(-1)?.messages)
    expect(asked).toContain('Plan it')
    expect(asked).toContain('Answer to:')
    expect(asked).not.toContain('"Do it"')
    expect(asked).toContain('Files were not changed back')
    expect(store.logs.get(mainId)).toEqual(before)
    // The cached prefix is the original's, and the original's cost is not counted again.
    const [first, last] = [troupe.model.requests[0], troupe.model.requests.at(-1)]
    expect([last?.system, last?.tools]).toEqual([first?.system, first?.tools])
    expect(state.usage).toEqual({ input: 10, output: 5, cacheRead: 0, cacheWrite: 0 })
    expect(state.turns).toBe(1)
  })

  test('of the first message begins anew', async () => {
    const { troupe, branch } = await twoExchanges()
    const made = await branch('Plan it', message('Forget it'))
    await troupe.runtime.settled(made.id)
    const asked = troupe.model.requests.at(-1)?.messages
    expect(asked).toHaveLength(1)
    const main = (await troupe.runtime.settled(made.id)).id
    expect(eventsOfLog(troupe, main)).toContainEqual(
      expect.objectContaining({ type: 'notice', text: expect.stringMatching(/^Branched from “Plan it”/) }),
    )
    expect(JSON.stringify(asked)).not.toContain('Plan it')
  })

  test('without a message ends with the answer, and waits', async () => {
    const { troupe, branch } = await twoExchanges()
    const asked = troupe.model.requests.length
    const made = await branch('Plan it', null)
    expect(made.title).toBe('Plan it (branch)')
    expect(await troupe.runtime.settled(made.id)).toMatchObject({ status: 'waiting', waitingFor: 'message' })
    expect(troupe.model.requests).toHaveLength(asked)
    await troupe.say(made.id, 'Do something else')
    await troupe.runtime.settled(made.id)
    const sent = JSON.stringify(troupe.model.requests.at(-1)?.messages)
    expect(sent).toContain('Answer to:')
    expect(sent).toContain('Do something else')
    expect(sent).not.toContain('"Do it"')
  })

  test('continues after a restart, also without the original', async () => {
    const { troupe, store, id, branch } = await twoExchanges()
    const made = await branch('Do it', null)
    await troupe.runtime.close()
    const after = createTestRuntime({ store, script: worker })
    await after.runtime.dispatch({ type: 'conversation.trash', conversationId: id })
    await after.say(made.id, 'And now?')
    await after.runtime.settled(made.id)
    const sent = JSON.stringify(after.model.requests.at(-1)?.messages)
    expect(sent).toContain('Plan it')
    expect(sent).toContain('"Do it"')
    expect(sent).toContain('And now?')
    const listed = (await after.runtime.conversations()).find((summary) => summary.id === made.id)
    expect(listed).toMatchObject({ branchOf: id, outcome: { kind: 'done' } })
  })

  test('of a conversation at work closes the calls that run there; the original continues', async () => {
    const work = gate()
    const troupe = createTestRuntime({
      script: script([{ calls: [agentCall('one')] }, echo], async () => {
        await work.opened
        return { text: 'one done' }
      }),
    })
    const id = await troupe.begin('Go')
    await troupe.when('agent-spawned', ({ parentId }) => parentId !== null)
    await allIsDone()
    const made = await troupe.runtime.dispatch({
      type: 'conversation.branch',
      conversationId: id,
      seq: seqOf(troupe, 'Go'),
      content: null,
    })
    if (!made.ok) throw new Error(made.failure.message)
    await troupe.say(made.value.id, 'What now?')
    await troupe.runtime.settled(made.value.id)
    const sent = troupe.model.requests.filter(isMain).at(-1)
    expect(JSON.stringify(sent?.messages)).toContain('Not finished when the user branched the conversation')
    work.open()
    await troupe.runtime.settled(id)
    expect(lastWords(troupe.model.requests.filter(isMain).at(-1)!)).toContain('one done')
    expect(made.value.running).toBe(0)
  })

  test('shows the history with its own notice, and keeps large outputs readable', async () => {
    const { troupe, branch } = await twoExchanges()
    const made = await branch('Do it', null)
    const main = (await troupe.runtime.settled(made.id)).id
    const events = (await troupe.runtime.snapshot(made.id)).ok ? eventsOfLog(troupe, main) : []
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index))
    expect(events.every(({ agentId }) => agentId === main)).toBe(true)
    expect(events.filter(isUserMessage).map(text)).toEqual(['Plan it', 'Do it'])
    expect(
      events.some((event) => event.type === 'user-message' && event.note?.startsWith('Branched from')),
    ).toBe(true)
    expect(eventsOf(troupe, main)).toEqual([])
  })

  test.each([0, 2, 10_000])('begins only at a message of the user, not at event %d', async (seq) => {
    const { troupe, id } = await twoExchanges()
    expect(
      await troupe.runtime.dispatch({ type: 'conversation.branch', conversationId: id, seq, content: null }),
    ).toMatchObject({
      ok: false,
      failure: { type: 'not-found' },
    })
    expect(await troupe.runtime.conversations()).toHaveLength(1)
  })
})

function eventsOfLog(troupe: TestRuntime, agentId: string): readonly AgentEvent[] {
  return troupe.store.logs.get(agentId) ?? []
}

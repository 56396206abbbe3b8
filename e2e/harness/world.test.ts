import { beforeEach, expect, test } from 'vitest'
import type { AgentEvent } from '../../src/shared/events/agent-event.ts'
import type { Answer, CommandInput, CommandName, CommandOutput } from '../../src/shared/ipc/ipc-contract.ts'
import type { ConversationSnapshot } from '../../src/shared/state/conversation-snapshot.ts'
import { SampleLog } from '../../src/shared/testing/sample-log.ts'
import { promptsLog, workersLog } from './scenes/others.ts'
import { World } from './world.ts'

const conversationId = 'c-scene'
const child = { conversationId, agentId: 'worker-1' }

type OfType<E extends AgentEvent['type']> = Extract<AgentEvent, { type: E }>

let world: World
let events: AgentEvent[]
let checkAgain: () => void

beforeEach(async () => {
  world = new World()
  events = []
  checkAgain = () => {}
  world.bridge.onDeltas((deltas) => {
    for (const delta of deltas) if (delta.type === 'event') events.push(delta.event)
    checkAgain()
  })
  world.show(workersLog(conversationId, Date.now(), 2), { title: 'Two parts' })
  await command('conversation.subscribe', { conversationId })
})

async function command<N extends CommandName>(name: N, input: CommandInput<N>): Promise<CommandOutput<N>> {
  const answer = (await world.bridge.command(name, input)) as Answer<CommandOutput<N>>
  if (!answer.ok) throw new Error(answer.failure.message)
  return answer.value
}

/** Resolves with the first matching event. */
function when<E extends AgentEvent['type']>(
  type: E,
  fits: (event: OfType<E>) => boolean = () => true,
): Promise<OfType<E>> {
  return new Promise((resolve) => {
    checkAgain = () => {
      for (const event of events)
        if (event.type === type && fits(event as OfType<E>)) resolve(event as OfType<E>)
    }
    checkAgain()
  })
}

const whenStatus = (agentId: string, status: string) =>
  when('status-changed', (event) => event.agentId === agentId && event.status === status)

async function stateOf(agentId: string): Promise<ConversationSnapshot['agents'][number] | undefined> {
  const { agents } = await command('conversation.subscribe', { conversationId })
  return agents.find(({ id }) => id === agentId)
}

test('a scene begins with the agents of its log at work', async () => {
  const { agents, record } = await command('conversation.subscribe', { conversationId })
  expect(record.title).toBe('Two parts')
  expect(agents.map(({ id, status }) => [id, status])).toEqual([
    ['main', 'waiting'],
    ['worker-1', 'running'],
    ['worker-2', 'running'],
  ])
  expect(agents[0]).toMatchObject({ waitingFor: 'children' })
})

test('an agent is paused and continued', async () => {
  await command('agent.pause', child)
  await whenStatus('worker-1', 'paused')
  expect(await stateOf('worker-1')).toMatchObject({ status: 'paused', pauseWanted: true })
  events.length = 0
  await command('agent.continue', child)
  await whenStatus('worker-1', 'running')
  expect(await stateOf('worker-1')).toMatchObject({ status: 'running', pauseWanted: false })
})

test('stopping the main agent stops its children', async () => {
  await command('agent.stop', { conversationId, agentId: 'main' })
  const { agents } = await command('conversation.subscribe', { conversationId })
  expect(agents.map(({ status }) => status)).toEqual(['stopped', 'stopped', 'stopped'])
})

test('an agent is moved to the background', async () => {
  await command('agent.toBackground', child)
  expect(await stateOf('worker-1')).toMatchObject({ status: 'running', background: 'moved' })
})

test('a message reaches an agent', async () => {
  const sent = await command('conversation.send', { ...child, content: 'Look at the queue.' })
  const { messageId } = await when('user-message', ({ agentId }) => agentId === 'worker-1')
  expect(messageId).toBe(sent.messageId)
})

test('a stopped agent is resumed with a message of the runtime', async () => {
  await command('agent.stop', child)
  await when('agent-ended', ({ agentId }) => agentId === 'worker-1')
  await command('agent.continue', child)
  const { content } = await when('user-message', ({ agentId }) => agentId === 'worker-1')
  expect(JSON.stringify(content)).toContain('The user resumed you.')
  expect(await stateOf('worker-1')).toMatchObject({ status: 'running' })
})

test('what a scene can’t do with agents at work is refused', async () => {
  await expect(command('agent.renew', child)).rejects.toThrow('Another program holds this conversation.')
})

test('a conversation without working agents is the runtime’s', async () => {
  world.keep(new SampleLog({ conversationId: 'c-kept' }).begins('Hello'), 'Kept')
  await command('conversation.subscribe', { conversationId: 'c-kept' })
  await command('conversation.send', { conversationId: 'c-kept', agentId: null, content: 'Again' })
  const { content } = await when('assistant-message')
  expect(content).toEqual([{ type: 'text', text: 'Understood.' }])
})

test('a permission request is answered once', async () => {
  const id = 'c-prompts'
  world.show(promptsLog(id, Date.now()), { title: 'Ten questions' })
  const { agents } = await command('conversation.subscribe', { conversationId: id })
  const prompts = agents.flatMap((agent) =>
    agent.requests.map(({ requestId }) => ({ agentId: agent.id, requestId })),
  )
  expect(prompts).toHaveLength(10)
  const [first] = prompts
  const answer = {
    conversationId: id,
    agentId: '',
    requestId: '',
    ...first,
    answer: { decision: 'deny', feedback: 'No.' },
  } as const
  await command('agent.answer', answer)
  await when('permission-answered', ({ requestId }) => requestId === first?.requestId)
  await expect(command('agent.answer', answer)).rejects.toThrow('no longer open')
})

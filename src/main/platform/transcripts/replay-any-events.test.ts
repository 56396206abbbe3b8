/** Replays of any conversation, of agents of this program, of workers on other machines, and of external agents. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AgentEvent, AgentEventType } from '../../../shared/events/agent-event.ts'
import {
  type ConversationState,
  emptyConversation,
  foldConversation,
} from '../../../shared/state/conversation-state.ts'
import { sampleDefinition, sampleEvent, sampleFields } from '../../../shared/testing/sample-events.ts'
import { sampleRecord } from '../../../shared/testing/sample-log.ts'
import { triesOf } from '../../../shared/testing/tries.ts'
import { createSystemClock } from '../system/machine-time.ts'
import { createTranscriptStore } from './create-transcript-store.ts'
import { unwrap } from './testing/open-store.ts'
import { tempFolder } from './testing/temp-folder.ts'

const AGENTS = [
  { agentId: 'a-main', backing: 'in-process' },
  { agentId: 'a-remote', backing: 'remote' },
  { agentId: 'a-program', backing: 'acp' },
  { agentId: 'a-child', backing: 'acp-child' },
] as const

const types = Object.keys(sampleFields).filter((type) => type !== 'agent-spawned') as AgentEventType[]

const steps = fc.array(
  fc.record({ agent: fc.nat({ max: 3 }), type: fc.constantFrom(...types), ms: fc.nat({ max: 900 }) }),
  { minLength: 20, maxLength: 120 },
)

test('the state at any event is the one that was live then, whoever carried the agents out', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 200, max: 4000 }), async (chosen, checkpointBytes) => {
      const dataFolder = await tempFolder()
      const store = createTranscriptStore({ dataFolder, clock: createSystemClock(), checkpointBytes })
      const ids = AGENTS.map(({ agentId }) => agentId)
      const opened = unwrap(await store.open(sampleRecord('c-1', ids, { folder: '/project' })))
      const seqs = new Map<string, number>()
      let at = 1_700_000_000_000
      let order = opened.next.order
      let live: ConversationState = { ...emptyConversation, record: opened.record, lastOrder: 0 }
      const states = new Map<number, ConversationState>()
      const append = (agent: (typeof AGENTS)[number], type: AgentEventType) => {
        const seq = seqs.get(agent.agentId) ?? 0
        seqs.set(agent.agentId, seq + 1)
        const isOutside = agent.backing !== 'in-process' && seq > 0
        const event = sampleEvent(type, {
          ...{ agentId: agent.agentId, seq, order: order++, at },
          // As events of other processes arrive: with their own numbers.
          ...(isOutside && { origin: { backing: agent.backing, epoch: 1, seq: seq - 1 } }),
          ...(type === 'agent-spawned' && {
            ...{ conversationId: 'c-1', backing: agent.backing },
            parentId: agent.agentId === 'a-main' ? null : 'a-main',
            ...(agent.backing === 'acp-child' && { childSession: 's-2' }),
            ...(agent.backing === 'acp' && {
              definition: sampleDefinition({ program: { command: 'gemini', args: [], env: {} } }),
            }),
          }),
        } as never) as AgentEvent
        opened.append(event)
        live = foldConversation(live, [event])
        states.set(event.order, live)
      }
      for (const agent of AGENTS) append(agent, 'agent-spawned')
      for (const { agent, type, ms } of chosen) {
        at += ms
        append(AGENTS[agent] ?? AGENTS[0], type)
      }
      for (const id of ids) unwrap(await opened.flush(id))
      await opened.close()
      // In any order of seeks: each may leave checkpoints for the next.
      const orders = [...states.keys()].sort((one, other) => ((one * 7919) % 101) - ((other * 7919) % 101))
      for (const wanted of orders) {
        const past = unwrap(await store.stateAt('c-1', wanted))
        const then = states.get(wanted)
        expect([...past.agents.values()]).toEqual([...(then?.agents.values() ?? [])])
        expect(past.record).toEqual(then?.record)
        expect(past.lastOrder).toBe(wanted)
      }
    }),
    { numRuns: triesOf(10) },
  )
})

/** An agent as a backing in another process sees it. */
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { ok, type Result } from '../../../shared/kernel/result.ts'
import type { RosterEntry } from '../../../shared/workers/worker-protocol.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { LiveAgent } from '../conversation/live-agent.ts'
import { intercept } from '../loop/intercept.ts'
import { reasonToContinue } from '../loop/reason-to-continue.ts'
import type { BackedAgent, ExternalReaction } from '../ports/agent-backing.ts'
import type { PointFacts } from '../ports/interceptors.ts'
import type { AnswerEnd } from '../ports/run-end.ts'
import type { TranscriptStore } from '../ports/transcripts.ts'
import { interceptStart } from './interception-points.ts'
import { agentRunOf } from './loop-backing.ts'
import { permitExternalCall } from './permit-external-call.ts'
import { limitFor, moneyLimitFor } from './spend-limit.ts'

/**
 * @param startChild begins a run of a subagent that the program of the agent started by itself
 */
export function backedAgent(
  agent: LiveAgent,
  conversation: Conversation,
  startChild: BackedAgent['startChild'],
): BackedAgent {
  const { id, transcript } = agent
  const { file, ports } = conversation
  return {
    id,
    get conversation() {
      const { id: conversationId, folder, rehearsal } = file.record
      return { id: conversationId, folder, isRehearsal: rehearsal }
    },
    get outputFolder() {
      return file.outputFolder(id)
    },
    roster: () => rosterFor(conversation, id),
    state: () => agent.state(),
    get system() {
      return agent.prompt.system
    },
    messages: () => transcript.history.messages(),
    events: () => allEvents(ports.store, id),
    queued: () => file.queue.all.filter(({ agentId }) => agentId === id),
    takeMessages: () => transcript.takeMessages(),
    takeNotes: () => agent.notes.splice(0),
    takeOver: () => agent.outside.takeOver(),
    ingest: conversation.ingest,
    limitReached: () => limitFor(conversation, id),
    moneyLimit: () => moneyLimitFor(conversation, id),
    permit: (call, signal) => permitExternalCall(agent, conversation, { call, signal }),
    ...backedHooks(agent, conversation),
    tell: (text) => transcript.tell(text),
    answer: (requestId, answer) => agent.requests.answer(requestId, answer),
    canAskUser() {
      const { background, bubbles } = agent.state()
      return ports.policy.attended && (background === 'no' || bubbles)
    },
    async waitForUser(text, until, signal) {
      const over = new AbortController()
      agent.notify({ kind: 'form', text }, AbortSignal.any([over.signal, signal]))
      // The wait may be long.
      void transcript.flush(signal)
      try {
        return await agent.slot.waitFor('answer', until)
      } finally {
        over.abort()
        await agent.slot.acquire(signal)
      }
    },
    async askForm(form, signal) {
      try {
        return await agent.forms.ask(form, signal)
      } finally {
        await agent.slot.acquire(signal)
      }
    },
    answerForm: (formId, answer) => agent.forms.answer(formId, answer),
    acquireSlot: (signal) => agent.slot.acquire(signal),
    live: (event) => transcript.live(event),
    flush: (signal) => transcript.flush(signal),
    keepOutput: (toolUseId, output) => file.keepOutput(id, toolUseId, output),
    workerChanged: ({ jobId = null, ...change }) =>
      transcript.emit({ type: 'worker-changed', jobId, ...change }),
    startChild,
  }
}

/** The agents that this one can write to, by name. */
function rosterFor({ file, agents }: Conversation, agentId: string): readonly RosterEntry[] {
  const { mainAgentId, teams } = file.record
  const { parentId = null, teamId = null } = agents.state(agentId) ?? {}
  const leaderId = teams.find(({ id }) => id === teamId)?.leaderId ?? null
  return [
    { name: 'main', agentId: mainAgentId },
    ...(leaderId === null ? [] : [{ name: 'leader', agentId: leaderId }]),
    ...(parentId === null ? [] : [{ name: 'parent', agentId: parentId }]),
    ...agents.states().flatMap(({ id, name }) => (name === null ? [] : [{ name, agentId: id }])),
  ]
}

async function allEvents(store: TranscriptStore, agentId: string): Promise<Result<readonly AgentEvent[]>> {
  const events: AgentEvent[] = []
  for await (const batch of store.events(agentId)) {
    if (!batch.ok) return batch
    events.push(...batch.value)
  }
  return ok(events)
}

/**
 * The interceptors of an agent that an external agent carries out: after its calls, at the end of its answer, and
 * at the start of a subagent that the program started by itself.
 */
interface BackedHooks {
  begun(signal: AbortSignal): Promise<ExternalReaction>
  callEnded(call: PointFacts['tool-result'], signal: AbortSignal): Promise<ExternalReaction>
  reasonToContinue(end: AnswerEnd, signal: AbortSignal): Promise<string | null>
}

function backedHooks(agent: LiveAgent, conversation: Conversation): BackedHooks {
  const runOf = (signal: AbortSignal) => ({
    agent: agentRunOf(agent, conversation, () => signal),
    deps: conversation.loop,
    signal,
  })
  return {
    async begun(signal) {
      const { context, stop } = await interceptStart(runOf(signal), agent.transcript.history)
      return { context, stops: stop !== null }
    },
    async callEnded(call, signal) {
      const { context, stop } = await intercept(runOf(signal), 'tool-result', call)
      return { context, stops: stop !== null }
    },
    reasonToContinue: (end, signal) => reasonToContinue(runOf(signal), end),
  }
}

/**
 * Carries out an agent of another program for one run. The agent gets a conversation of its own here, which holds its
 * dialogue so far and a main agent that stands for its parent and never runs.
 */
import { type AgentEvent, EVENT_VERSION, type EventOf, noLimits } from '../../../shared/events/agent-event.ts'
import type { ConversationRecord, QueuedMessage } from '../../../shared/events/conversation.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { noTeams } from '../../../shared/teams/team.ts'
import { closeCalls, recoverChanges } from '../agent/end-agent.ts'
import { AgentHandle } from '../conversation/agent-handle.ts'
import { type Assembly, Conversation } from '../conversation/conversation.ts'
import type { LiveAgent } from '../conversation/live-agent.ts'
import { MailboxReader } from '../conversation/mailbox-reader.ts'
import { readAgent } from '../conversation/read-agent.ts'
import { AgentStop } from '../ports/agent-stop.ts'
import type { Mailbox } from '../ports/ports.ts'
import type { AdoptedRun, Adoption } from '../ports/runtime.ts'
import type { ConversationLog } from '../ports/transcripts.ts'
import type { Worktrees } from '../ports/worktrees.ts'
import { type OpenConversations, releaseConversation } from './open-conversations.ts'
import { startSubagent } from './run-agents.ts'
import { changeMode } from './run-child.ts'

/** Fails with `not-possible` for events that can't be continued here, or if the store fails. */
export async function adoptAgent(
  adoption: Adoption,
  conversations: OpenConversations,
  deps: Assembly,
): Promise<Result<AdoptedRun>> {
  const [spawned] = adoption.events
  if (spawned?.type !== 'agent-spawned') return fail(notPossible('Its events do not begin with its start.'))
  if (spawned.inherits !== null)
    return fail(notPossible('It is a fork: its first messages are in the program that started it.'))
  const { store } = deps.ports
  const opened = await store.open(recordOf(adoption, spawned, deps))
  if (!opened.ok) return opened
  const log = opened.value
  const order = importEvents(adoption.events, placeholderOf(spawned), log)
  for (const id of log.record.agentIds) {
    const flushed = await log.flush(id)
    if (!flushed.ok) {
      await log.close()
      return flushed
    }
  }
  const conversation = new Conversation(reportingLog(log, order, adoption), depsFor(deps), [])
  conversation.relay = adoption.relay
  const agents: LiveAgent[] = []
  for (const id of log.record.agentIds) {
    const read = await readAgent(store, id)
    if (!read.ok) {
      await log.close()
      return read
    }
    const { spawned: first, ...start } = read.value
    const agent = deps.agentOf(conversation, first, { blocked: first.definition.refused, ...start })
    // The sender's program made the worktree, and removes it.
    agent.isWorktreeReady = true
    conversation.agents.add(
      id === spawned.agentId ? AgentHandle.idle(agent) : AgentHandle.ended(agent.state()),
    )
    if (id === spawned.agentId) agents.push(agent)
  }
  const [agent] = agents
  if (agent === undefined) return fail(notPossible('It could not be read back.'))
  conversations.add(conversation)
  return ok(adoptedRun(conversation, agent, { conversations, isContinued: adoption.isContinued }))
}

function adoptedRun(
  conversation: Conversation,
  agent: LiveAgent,
  {
    conversations,
    isContinued,
  }: { readonly conversations: OpenConversations; readonly isContinued: boolean },
): AdoptedRun {
  const handle = conversation.agents.get(agent.id)
  const { queue } = conversation.file
  return {
    agentId: agent.id,
    outputFolder: conversation.file.outputFolder(agent.id),
    firstSeq: agent.state().lastSeq + 1,
    async run() {
      if (handle === null) return
      if (isContinued) {
        await recoverChanges(agent, conversation)
        continueRun(agent)
      }
      await startSubagent(conversation, handle)
    },
    message(message) {
      if (agent.transcript.messageIds.has(message.messageId) || queue.has(message.messageId)) return
      queue.add({ ...message, agentId: agent.id } satisfies QueuedMessage)
      if (handle?.isRunning) agent.backing.send()
    },
    withdraw: (messageId) => void queue.remove(messageId),
    changed({ limits, model, effort, thinking, ...mode }) {
      const state = agent.state()
      changeMode(agent, mode)
      if (model !== state.model) agent.emit({ type: 'model-changed', model })
      if (effort !== state.effort) agent.emit({ type: 'effort-changed', effort })
      if (thinking !== state.thinking) agent.emit({ type: 'thinking-changed', thinking })
      agent.emit({ type: 'limits-changed', limits })
    },
    limit: (reached) => {
      conversation.outsideLimit = { ...reached, isRefusal: false }
    },
    pause(paused) {
      if (handle?.isRunning && agent.state().pauseWanted !== paused) agent.backing.pause(paused)
    },
    answer: (requestId, answer) => agent.backing.answer(requestId, answer),
    stopCommand: (commandId) => void conversation.commands.stopByUser(agent.id, commandId),
    answerForm: (formId, answer) => agent.backing.answerForm(formId, answer),
    stop: (by) => handle?.stop(new AgentStop(by)),
    state: () => agent.state(),
    async close() {
      conversations.remove(conversation)
      await releaseConversation(conversation)
    },
  }
}

/** The process that carried out the agent before is gone: its open calls and requests are answered first. */
function continueRun(agent: LiveAgent): void {
  for (const { requestId, toolUseId } of agent.state().requests)
    agent.emit({ type: 'permission-answered', requestId, toolUseId, decision: 'withdrawn', feedback: null })
  for (const { formId, toolUseId } of agent.state().forms)
    agent.emit({ type: 'form-closed', formId, toolUseId, answer: { action: 'cancel', reason: 'stopped' } })
  for (const { commandId } of agent.state().commands)
    agent.emit({ type: 'command-ended', commandId, exitCode: null, by: 'lost' })
  closeCalls(agent, { status: 'interrupted' })
  agent.transcript.tell(CONTINUED)
}

const CONTINUED =
  'The program that carried you out was lost, and another one continues here with your whole dialogue. Work since your last answer may or may not have taken effect, so check first. Then continue your task.'

/** @returns the order of the next event */
function importEvents(
  events: readonly AgentEvent[],
  placeholder: readonly AgentEvent[],
  log: ConversationLog,
): number {
  let { order } = log.next
  for (const event of placeholder) log.append({ ...event, order: order++ })
  let seq = 0
  for (const { origin: _, ...event } of events)
    log.append({ ...withoutAgentTools(event), seq: seq++, order: order++ })
  return order
}

/** The agent starts, stops and merges no agents here. */
function withoutAgentTools(event: AgentEvent): AgentEvent {
  if (event.type !== 'agent-spawned' && event.type !== 'definition-renewed') return event
  const { definition } = event
  return { ...event, definition: { ...definition, refused: [...definition.refused, ...BLOCKED] } }
}

/** The agent that stands for the parent: it has ended, so nothing starts it. */
function placeholderOf(child: EventOf<'agent-spawned'>): readonly AgentEvent[] {
  const head = { v: EVENT_VERSION, agentId: parentIdOf(child), order: 0, at: child.at } as const
  const { definition } = child
  return [
    {
      ...child,
      ...head,
      seq: 0,
      type: 'agent-spawned',
      parentId: null,
      parentToolUseId: null,
      definition: { ...definition, name: 'parent', reminder: null, refused: [] },
      task: '',
      system: '',
      tools: [],
      depth: 0,
      name: null,
      background: false,
      bubbles: false,
      limits: noLimits,
      instructions: [],
      worktree: null,
      backing: 'in-process',
      teamId: null,
    },
    {
      ...head,
      seq: 1,
      type: 'agent-ended',
      status: 'stopped',
      report: '',
      failure: null,
      reachedLimit: null,
      limitOf: null,
    },
  ]
}

const parentIdOf = ({ agentId, parentId }: EventOf<'agent-spawned'>): string =>
  parentId ?? `${agentId}-parent`

function recordOf(
  { conversationId, folder, isRehearsal }: Adoption,
  spawned: EventOf<'agent-spawned'>,
  { ports: { clock } }: Assembly,
): ConversationRecord {
  const mainAgentId = parentIdOf(spawned)
  const now = clock.now()
  return {
    v: 1,
    id: conversationId,
    folder,
    title: spawned.task,
    named: true,
    mainAgentId,
    agentIds: [mainAgentId, spawned.agentId],
    createdAt: now,
    updatedAt: now,
    rehearsal: isRehearsal,
    scratch: false,
    pinned: false,
    archived: false,
    queued: [],
    limits: null,
    ...noTeams,
    outcome: null,
  }
}

/** What the agent did is durable once the sender can read it, so a flush waits for its reports. */
function reportingLog(
  log: ConversationLog,
  order: number,
  { events, reported }: Pick<Adoption, 'events' | 'reported'>,
): ConversationLog {
  const agentId = events[0]?.agentId
  return {
    get record() {
      return log.record
    },
    next: { seq: log.next.seq, order },
    states: log.states,
    append: (event) => log.append(event),
    save: () => log.save(),
    async flush(id) {
      const flushed = await log.flush(id)
      return flushed.ok && id === agentId ? reported() : flushed
    },
    keepOutput: (id, toolUseId, output) => log.keepOutput(id, toolUseId, output),
    outputFolder: (id) => log.outputFolder(id),
    transcriptPath: (id) => log.transcriptPath(id),
    close: () => log.close(),
  }
}

/** The agent runs here, whatever its backing. The sender's program commits and removes the worktree, and reads the agent's mailbox. */
function depsFor(deps: Assembly): Assembly {
  const worktrees: Worktrees = {
    ...deps.ports.worktrees,
    save: async () => ok(noWork),
    release: async () => false,
  }
  const backings = () => null
  return { ...deps, backings, ports: { ...deps.ports, worktrees }, mailbox: new MailboxReader(noMailbox) }
}

const noMailbox: Mailbox = {
  put: async () => ok(undefined),
  take: async () => ok([]),
  done: async () => {},
}

const noWork = {
  head: '',
  commits: 0,
  files: 0,
  insertions: 0,
  deletions: 0,
  check: { kind: 'nothing' as const },
  unchanged: true,
  committedAs: null,
  problems: [],
}

const BLOCKED = ['Agent', 'TeamCreate', 'TeamDelete', 'MergeWorktree'].map((tool) => ({
  tool,
  because: 'you run in a worker process, which starts, stops and merges no agents',
}))

const notPossible = (why: string) => ({
  type: 'not-possible',
  message: `The agent can’t be carried out here. ${why}`,
})

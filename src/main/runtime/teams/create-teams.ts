/** The teams of a runtime's conversations: the tools for them, and what happens in them without a tool call. */

import type { ConversationEvent } from '../../../shared/events/conversation-event.ts'
import { titleOf } from '../agent/report.ts'
import type { EndedRun } from '../conversation/agent-handle.ts'
import type { Conversation, Reactor } from '../conversation/conversation.ts'
import type { Happening } from '../conversation/happening.ts'
import { stopOfRun } from '../ports/agent-stop.ts'
import type { TeamActions } from '../tools/tool-registry.ts'
import { Arrivals } from './arrivals.ts'
import { createTeam } from './create-team.ts'
import { deleteTeam, finishIfEmpty, leaveTeam, releaseTasks, workingTeams } from './end-team.ts'
import { relayMessage, sendToTeam } from './send-to-team.ts'
import { readTasks } from './task-list.ts'
import { TaskOffers } from './task-offers.ts'
import { taskCreate, taskList, taskUpdate } from './task-tools.ts'

export interface Teams {
  readonly react: Reactor
  actionsOf(conversation: Conversation): TeamActions
  offersOf(conversation: Conversation): TaskOffers
}

export function createTeams(): Teams {
  const known = new WeakMap<Conversation, TaskOffers>()
  const arrivals = new WeakMap<Conversation, Arrivals>()
  const offersOf = (conversation: Conversation): TaskOffers => {
    const offers = known.get(conversation) ?? new TaskOffers(conversation)
    known.set(conversation, offers)
    return offers
  }
  const refresh = (conversation: Conversation): void => {
    const watched = arrivals.get(conversation) ?? new Arrivals(conversation, offersOf(conversation))
    arrivals.set(conversation, watched)
    watched.refresh()
  }
  return {
    offersOf,
    react(conversation, happened) {
      if (happened.type === 'reopened') return readChangedTasks(conversation)
      if (happened.type === 'run-ended') return memberEnds(conversation, happened, offersOf(conversation))
      if (changesMembers(happened)) refresh(conversation)
      return undefined
    },
    actionsOf: (conversation) => ({
      sendMessage: (call, context) =>
        conversation.relay === null
          ? sendToTeam(conversation, call, context)
          : relayMessage(conversation, conversation.relay, { call, context }),
      createTeam: (call, context) => createTeam(conversation, call, context),
      deleteTeam: (call, context) => deleteTeam(conversation, call, context),
      createTask: (call, caller) =>
        taskCreate(conversation, call, { caller, offers: offersOf(conversation) }),
      updateTask: (call, caller) =>
        taskUpdate(conversation, call, { caller, offers: offersOf(conversation) }),
      listTasks: (call, caller) => taskList(conversation, call, caller),
    }),
  }
}

/** A task may have been changed just before the program died. */
async function readChangedTasks(conversation: Conversation): Promise<void> {
  const { teams, tasks } = conversation.file.record
  if (teams.length > 0 || tasks.length > 0) await readTasks(conversation)
}

/** Whether other mailboxes may belong to working teams now: a member's name is known once its agent has spawned. */
function changesMembers(happened: Happening): boolean {
  switch (happened.type) {
    case 'opened':
      return true
    case 'agent-event':
      return happened.event.type === 'agent-spawned' && happened.event.teamId !== null
    case 'conversation-event':
      return MEMBER_EVENTS.has(happened.event.type)
    default:
      return false
  }
}

const MEMBER_EVENTS: ReadonlySet<string> = new Set([
  'team-created',
  'team-member-added',
  'team-member-removed',
] satisfies ConversationEvent['type'][])

/** Failed and stopped agents release their tasks, unless they will be resumed: the program closes, or all were stopped. */
async function memberEnds(
  conversation: Conversation,
  { ended: { state, end }, signal }: { readonly ended: EndedRun; readonly signal: AbortSignal },
  offers: TaskOffers,
): Promise<void> {
  const { file } = conversation
  const { id } = state
  // The program that sent the job to this worker sees the end too.
  if (conversation.relay !== null) return
  const stop = end.kind === 'stopped' ? stopOfRun(end, signal) : null
  const willResume = stop !== null && (stop.everyone || stop.by === 'program')
  const held = file.record.tasks.filter(({ status, owner }) => status === 'in_progress' && owner === id)
  const team = workingTeams(conversation).find(({ members }) => members.some((one) => one.agentId === id))
  if (held.length > 0 && !willResume) {
    const tasks = held.map((task) => `${task.id} (${task.subject})`).join(', ')
    const isLeaving = end.kind !== 'answered' || (team !== undefined && team.endingAt !== null)
    if (isLeaving) await releaseTasks(conversation, id)
    file.queue.add({
      messageId: conversation.ports.ids.next('m'),
      agentId: file.record.mainAgentId,
      from: 'runtime',
      sender: null,
      content: [
        {
          type: 'text',
          text: isLeaving
            ? `${titleOf(state)} had claimed ${tasks} and has ended without completing it, so it is free again. Its work so far may be in the files: say so to the agent that takes it.`
            : `${titleOf(state)} has ended its run and still has ${tasks}. If it waits for something, send it with SendMessage; otherwise complete or release the task with TaskUpdate.`,
        },
      ],
      note: isLeaving
        ? `Released after its agent ended: task ${tasks}`
        : `Its agent ended its run and still has task ${tasks}`,
    })
    await file.save()
  }
  if (team !== undefined && team.endingAt !== null && !willResume) {
    await leaveTeam(conversation, id)
    finishIfEmpty(conversation, team.id, { forced: end.kind === 'stopped' })
    await file.save()
  }
  offers.ended(id, willResume ? 'nobody' : stop?.by === 'user' ? 'members' : 'all')
}

/** The teams of a runtime's conversations: the tools for them, and what happens in them without a tool call. */
import type { Conversation, TeamHooks } from '../supervisor/conversation.ts'
import { relayMessage } from '../supervisor/relay-message.ts'
import type { TeamActions } from '../tools/tool-registry.ts'
import { Arrivals } from './arrivals.ts'
import { createTeam } from './create-team.ts'
import { deleteTeam } from './end-team.ts'
import { memberEnds } from './member-ends.ts'
import { sendToTeam } from './send-to-team.ts'
import { readTasks } from './task-list.ts'
import { TaskOffers } from './task-offers.ts'
import { taskCreate, taskList, taskUpdate } from './task-tools.ts'

export interface Teams {
  readonly hooks: TeamHooks
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
  return {
    offersOf,
    hooks: {
      async opened(conversation) {
        const { teams, tasks } = conversation.file.record
        // A task may have been changed just before the program died.
        if (teams.length > 0 || tasks.length > 0) await readTasks(conversation)
      },
      changed: (conversation) => {
        const watched = arrivals.get(conversation) ?? new Arrivals(conversation, offersOf(conversation))
        arrivals.set(conversation, watched)
        watched.refresh()
      },
      agentEnded: (conversation, ended, signal) =>
        memberEnds(conversation, { ended, signal }, offersOf(conversation)),
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

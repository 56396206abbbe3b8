/** Answers the user's commands on teams and the task list. */
import type { NameOf } from '../../../shared/ipc/handlers.ts'
import { type Failure, fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { isLive } from '../../../shared/state/agent-state.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { RuntimeHandlers } from '../ports/runtime.ts'
import type { OpenConversations } from '../run/open-conversations.ts'
import { queueMessage, userBlocksOf } from '../run/send-message.ts'
import { addMember } from './create-team.ts'
import type { Teams } from './create-teams.ts'
import { endTeam } from './end-team.ts'
import { resumeTeam } from './resume-team.ts'
import { ONE_REPORT_REASON } from './send-to-team.ts'
import { addTask, changeTask } from './task-list.ts'
import { tellOwner } from './tell-owner.ts'

const user = { agentId: null, leads: true } as const

export function teamHandlers(
  conversations: OpenConversations,
  teams: Teams,
): Pick<RuntimeHandlers, NameOf<'team' | 'task'>> {
  return {
    'team.send': ({ conversationId, agentIds, content: given }) =>
      conversations.use(conversationId, async (conversation) => {
        const content = userBlocksOf(given)
        if (!content.ok) return content
        const broadcast = conversation.ports.ids.next('m')
        const sent: { agentId: string; messageId: string; queued: boolean }[] = []
        const refused: { agentId: string; failure: Failure }[] = []
        for (const agentId of new Set(agentIds)) {
          const one = takesNoMore(conversation, agentId)
            ? fail(oneReport)
            : await queueMessage(conversation, {
                agentId,
                from: 'user',
                sender: null,
                content: content.value,
                broadcast,
              })
          if (one.ok) sent.push({ agentId, ...one.value })
          else refused.push({ agentId, failure: one.failure })
        }
        const [first] = refused
        if (first === undefined) return ok(sent)
        if (sent.length === 0) return fail(first.failure)
        for (const { agentId, failure } of refused)
          conversation.file.emit({ type: 'message-refused', broadcast, agentId, reason: failure.message })
        const saved = await conversation.file.save()
        return saved.ok ? ok(sent) : saved
      }),
    'team.end': ({ conversationId, teamId, force }) =>
      conversations.use(conversationId, async (conversation) => {
        if (!isWorking(conversation, teamId)) return fail(noSuchTeam)
        await endTeam(conversation, teamId, { force, by: 'user' })
        return ok(undefined)
      }),
    'team.resume': ({ conversationId, teamId }) =>
      conversations.use(conversationId, async (conversation) => {
        const team = conversation.file.record.teams.find(({ id }) => id === teamId)
        if (team === undefined || team.endedAt !== null) return fail(noSuchTeam)
        return resumeTeam(conversation, team, teams.offersOf(conversation))
      }),
    'team.addMember': ({ conversationId, teamId, ...member }) =>
      conversations.use(conversationId, (conversation) => add(conversation, teamId, member)),
    'task.create': ({ conversationId, ...task }) =>
      conversations.use(conversationId, async (conversation) => {
        const created = await addTask(conversation, task, user)
        if (created.ok) teams.offersOf(conversation).review()
        return created
      }),
    'task.update': ({ conversationId, taskId, ...edit }) =>
      conversations.use(conversationId, async (conversation) => {
        const { owner } = edit
        if (owner !== undefined && conversation.agents.get(owner) === null)
          return fail({ type: 'not-found', message: 'There is no such agent in this conversation.' })
        const changed = await changeTask(conversation, { id: taskId, edit }, user)
        if (!changed.ok) return changed
        await tellOwner(conversation, changed.value, user)
        teams.offersOf(conversation).changed(changed.value.after, null)
        return ok(changed.value.after)
      }),
  }
}

/** Whether the agent gives one report and has given it. */
function takesNoMore({ agents }: Conversation, agentId: string): boolean {
  const state = agents.state(agentId)
  return state?.definition.oneShot === true && state.parentId !== null && !isLive(state)
}

const oneReport = { type: 'not-possible', message: ONE_REPORT_REASON } as const

function isWorking({ file }: Conversation, teamId: string): boolean {
  return file.record.teams.some(({ id, endedAt }) => id === teamId && endedAt === null)
}

async function add(
  conversation: Conversation,
  teamId: string,
  member: Parameters<typeof addMember>[2],
): Promise<Result<{ readonly agentId: string }>> {
  const team = conversation.file.record.teams.find(({ id, endedAt }) => id === teamId && endedAt === null)
  if (team === undefined) return fail(noSuchTeam)
  if (team.endingAt !== null)
    return fail({ type: 'not-possible', message: 'This team is ending, so nobody joins it.' })
  return addMember(conversation, team, member)
}

const noSuchTeam = { type: 'not-found', message: 'This team has ended.' } as const

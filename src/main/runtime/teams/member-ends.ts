/** What follows from the end of an agent's run for its tasks and its team. */
import { stopOfRun } from '../agent-stop.ts'
import type { EndedRun } from '../supervisor/agent-handle.ts'
import type { Conversation } from '../supervisor/conversation.ts'
import { titleOf } from '../supervisor/report.ts'
import { finishIfEmpty, leaveTeam, releaseTasks, workingTeams } from './end-team.ts'
import type { TaskOffers } from './task-offers.ts'

/** Failed and stopped agents release their tasks, unless they will be resumed: the program closes, or all were stopped. */
export async function memberEnds(
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

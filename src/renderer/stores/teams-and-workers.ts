/**
 * Teams, their tasks and the workers: the user's actions on teams and tasks, the workers that this program knows with the
 * connection to NATS, and the mailboxes on this machine. A failure of a quick action is shown as a notice.
 */

import { create } from 'zustand'
import type { Answer, CommandInput } from '../../shared/ipc/ipc-contract.ts'
import type { WindowDelta } from '../../shared/ipc/window-delta.ts'
import type { TeamResumed } from '../../shared/teams/contract.ts'
import type { Team, TeamTask } from '../../shared/teams/team-schema.ts'
import type { MailboxInfo } from '../../shared/workers/contract.ts'
import { noWorkers, type WorkerPresence, type WorkersState } from '../../shared/workers/worker-presence.ts'
import { command } from '../bridge.ts'
import { agentTitle, useConversation } from './conversation-store.ts'
import { showFailure, showNotice } from './overlay-store.ts'

interface OutgoingMessage {
  readonly conversationId: string
  readonly team: Team | null
  /** The agent; null: all of the team. */
  readonly to: string | null
  readonly text: string
}

/** Sends a message to an agent, or to the leader and all members of a team. */
export function sendInTeam({ conversationId, team, to, text }: OutgoingMessage): Promise<Answer<unknown>> {
  if (to !== null) return command('conversation.send', { conversationId, agentId: to, content: text })
  const agentIds = team === null ? [] : [team.leaderId, ...team.members.map(({ agentId }) => agentId)]
  return command('team.send', { conversationId, agentIds, content: text })
}

/** Sends one message to several agents of the shown conversation. */
export function sendToAll(
  message: Omit<CommandInput<'team.send'>, 'conversationId'>,
): Promise<Answer<unknown>> {
  return command('team.send', { ...message, conversationId: shownId() })
}

type TaskAction = 'release' | 'complete' | 'cancel' | 'reopen'

interface OfferedTaskAction {
  readonly action: TaskAction
  readonly label: string
  readonly keys: string
}

const RELEASE = { action: 'release', label: 'Release', keys: 'R' } as const
const COMPLETE = { action: 'complete', label: 'Mark as done', keys: 'D' } as const
const CANCEL = { action: 'cancel', label: 'Cancel task', keys: 'Delete' } as const
const REOPEN = { action: 'reopen', label: 'Open again', keys: 'R' } as const

const OFFERED: Readonly<Record<TeamTask['status'], readonly OfferedTaskAction[]>> = {
  pending: [COMPLETE, CANCEL],
  in_progress: [COMPLETE, RELEASE, CANCEL],
  completed: [REOPEN],
  canceled: [REOPEN],
}

/** What the user can do with a task, apart from assigning it. */
export function taskActions({ status }: Pick<TeamTask, 'status'>): readonly OfferedTaskAction[] {
  return OFFERED[status]
}

const STATUS = { release: 'pending', complete: 'completed', cancel: 'canceled', reopen: 'pending' } as const

/** Changes a task, or gives it to an agent. */
export async function changeTask(
  { id: taskId }: Pick<TeamTask, 'id'>,
  change: TaskAction | { readonly assign: string },
): Promise<void> {
  const { conversationId } = useConversation.getState()
  if (conversationId === null) return
  const edit = typeof change === 'string' ? { status: STATUS[change] } : { owner: change.assign }
  const answer = await command('task.update', { conversationId, taskId, ...edit })
  if (!answer.ok) showFailure(answer.failure)
}

export function createTask(
  task: Pick<CommandInput<'task.create'>, 'subject' | 'description' | 'dependsOn'>,
): Promise<Answer<TeamTask>> {
  return command('task.create', { ...task, conversationId: shownId() })
}

export function addMember(
  member: Omit<CommandInput<'team.addMember'>, 'conversationId'>,
): Promise<Answer<{ agentId: string }>> {
  return command('team.addMember', { ...member, conversationId: shownId() })
}

/** Gets a stuck team going; a notice says who continues. */
export async function resumeStuckTeam(teamId: string): Promise<void> {
  const answer = await command('team.resume', { conversationId: shownId(), teamId })
  if (answer.ok) showNotice({ level: 'info', text: resumedText(answer.value) })
  else showFailure(answer.failure)
}

/** "Resumed builder. #7 is free again. The leader decides about the other tasks." */
function resumedText({ resumed, released, told }: TeamResumed): string {
  const { agents } = useConversation.getState()
  const names = resumed.flatMap((id) => {
    const agent = agents.get(id)
    return agent === undefined ? [] : [agentTitle(agent, agents)]
  })
  return [
    ...(names.length === 0 ? [] : [`Resumed: ${names.join(', ')}.`]),
    ...(released.length === 0
      ? []
      : [
          `${released.map((id) => `#${id}`).join(', ')} ${released.length === 1 ? 'is' : 'are'} free again for another worker.`,
        ]),
    ...(told ? ['The leader decides about the tasks that nobody works on.'] : []),
  ].join(' ')
}

/** The members are asked to finish; `force`: they are stopped. */
export function endTeam(teamId: string, force: boolean): Promise<Answer<void>> {
  return command('team.end', { conversationId: shownId(), teamId, force })
}

const shownId = (): string => useConversation.getState().conversationId ?? ''

interface WorkersStore {
  readonly state: WorkersState
  readonly mailboxes: readonly MailboxInfo[]
  /** Why the mailboxes can't be listed; null: they are. */
  readonly mailboxFailure: string | null
}

export const useWorkers = create<WorkersStore>()(() => ({
  state: noWorkers,
  mailboxes: [],
  mailboxFailure: null,
}))

export function receiveWorkers(deltas: readonly WindowDelta[]): void {
  const last = deltas.findLast((delta) => delta.type === 'workers')
  if (last?.type === 'workers') useWorkers.setState({ state: last.state })
}

/** Deltas follow. */
export async function loadWorkers(): Promise<void> {
  const answer = await command('workers.state', {})
  if (answer.ok && answer.value !== undefined) useWorkers.setState({ state: answer.value })
}

export async function loadMailboxes(): Promise<void> {
  const answer = await command('mailboxes.list', {})
  if (answer.ok) useWorkers.setState({ mailboxes: answer.value ?? [], mailboxFailure: null })
  else useWorkers.setState({ mailboxFailure: answer.failure.message })
}

/** The last heartbeat of a worker; undefined: none is known. */
export function usePresence(workerId: string | undefined): WorkerPresence | undefined {
  return useWorkers(({ state }) =>
    workerId === undefined ? undefined : state.workers.find((worker) => worker.workerId === workerId),
  )
}

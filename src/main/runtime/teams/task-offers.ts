/**
 * Wakes idle members for free tasks, so that idle members spend no tokens and no free task stays unclaimed. A member that
 * was woken, or that has just completed a task, looks for a task: so many free tasks are not offered to others. A member is
 * offered a version of a task once; when nobody takes it, the leader is told.
 */
import type { Team, TeamTask } from '../../../shared/teams/team-schema.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { queueMessage } from '../run/send-message.ts'
import { freeTasks } from './task-rules.ts'

export class TaskOffers {
  private readonly conversation: Conversation
  /** `<task> <version> <agent>` */
  private readonly made = new Set<string>()
  /** Members that know of a free task and have not taken one yet. */
  private readonly looking = new Set<string>()
  private last: Promise<unknown> = Promise.resolve()

  constructor(conversation: Conversation) {
    this.conversation = conversation
  }

  /** A task was changed by this agent; null: by the user. */
  changed(
    { status, owner }: Pick<TeamTask, 'status' | 'owner'>,
    by: string | null,
    options = { tellsLeader: true },
  ): void {
    if (status === 'in_progress' && owner !== null) this.looking.delete(owner)
    if (status === 'completed' && by !== null && this.isRunningMember(by)) this.looking.add(by)
    this.review(options)
  }

  /** The agent's run ended. `wakes`: whom that may wake. A stop of the user never wakes the leader. */
  ended(agentId: string, wakes: 'all' | 'members' | 'nobody'): void {
    this.looking.delete(agentId)
    if (wakes !== 'nobody') this.review({ tellsLeader: wakes === 'all' })
  }

  /** Offers the free tasks. The conversation has not settled before. */
  review({ tellsLeader } = { tellsLeader: true }): void {
    this.last = this.last.then(() => this.offerAll(tellsLeader))
    this.conversation.keepOpenFor(this.last)
  }

  private async offerAll(tellsLeader: boolean): Promise<void> {
    const { file, lifetime } = this.conversation
    let taken = this.looking.size
    for (const task of freeTasks(file.record.tasks)) {
      if (lifetime.signal.aborted) return
      const teams = this.teamsFor(task)
      if (teams.length === 0) continue
      if (taken > 0) {
        taken--
        continue
      }
      const member = teams
        .flatMap(({ members }) => members)
        .find(({ agentId }) => this.mayTake(agentId, task))
      if (member !== undefined) await this.offer(task, member.agentId)
      else if (tellsLeader) await this.tellLeader(task, teams)
    }
  }

  private teamsFor({ teamId }: TeamTask): readonly Team[] {
    const teams = this.conversation.file.record.teams.filter(
      ({ endedAt, endingAt }) => endedAt === null && endingAt === null,
    )
    const own = teams.filter(({ id }) => id === teamId)
    return own.length > 0 ? own : teams
  }

  /** Whether the member is idle, has no task, and does not know of this one. */
  private mayTake(agentId: string, task: TeamTask): boolean {
    const { agents, file } = this.conversation
    const handle = agents.get(agentId)
    if (!handle?.hasEnded || this.looking.has(agentId) || this.made.has(keyOf(task, agentId))) return false
    const { status, reachedLimit, definition } = handle.state()
    if (status !== 'completed' || definition.oneShot) return false
    if (reachedLimit !== null && reachedLimit !== 'turns') return false
    const hasTask = file.record.tasks.some(
      (other) => other.status === 'in_progress' && other.owner === agentId,
    )
    return !hasTask && !file.queue.hasFor(agentId)
  }

  private async offer(task: TeamTask, agentId: string): Promise<void> {
    this.made.add(keyOf(task, agentId))
    this.looking.add(agentId)
    const queued = await queueMessage(this.conversation, {
      agentId,
      from: 'runtime',
      sender: null,
      content: [
        {
          type: 'text',
          text: `Task ${task.id} is free: ${task.subject}. Claim it with TaskUpdate (task_id "${task.id}", status "in_progress") if you can do it; otherwise end your turn with one sentence that says why.`,
        },
      ],
      note: `Task ${task.id} is free: ${task.subject}`,
    })
    if (!queued.ok) this.looking.delete(agentId)
  }

  /** Once for each version of a task, when no member works that might take it. */
  private async tellLeader(task: TeamTask, teams: readonly Team[]): Promise<void> {
    const { agents } = this.conversation
    const members = teams.flatMap((team) => team.members)
    // The leader of a team that began without members was told to add them.
    if (members.length === 0) return
    if (members.some(({ agentId }) => agents.get(agentId)?.isRunning)) return
    for (const leaderId of new Set(teams.map((team) => team.leaderId))) {
      const key = keyOf(task, leaderId)
      if (this.made.has(key)) continue
      this.made.add(key)
      const states = members.map(
        ({ name, agentId }) => `${name} (${agents.state(agentId)?.status ?? 'gone'})`,
      )
      await queueMessage(this.conversation, {
        agentId: leaderId,
        from: 'runtime',
        sender: null,
        content: [
          {
            type: 'text',
            text: `Task ${task.id} (${task.subject}) is free, and no member takes it: ${states.join(', ')}. Give it to a member with SendMessage, do it yourself, or cancel it.`,
          },
        ],
        note: `Nobody takes task ${task.id}: ${task.subject}`,
      })
    }
  }

  private isRunningMember(agentId: string): boolean {
    const { agents, file } = this.conversation
    const isMember = file.record.teams.some(
      ({ endedAt, members }) => endedAt === null && members.some((member) => member.agentId === agentId),
    )
    return isMember && agents.get(agentId)?.isRunning === true
  }
}

const keyOf = ({ id, version }: TeamTask, agentId: string): string => `${id} ${version} ${agentId}`

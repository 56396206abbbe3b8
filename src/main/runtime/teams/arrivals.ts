/**
 * Takes what other processes write for a conversation with a team, also while its agents work or are idle: messages in
 * the mailboxes of the members and their leader, and changes of the task list.
 */
import type { Conversation } from '../conversation/conversation.ts'
import { takeMail } from '../run/run-agents.ts'
import { deliver } from '../run/send-message.ts'
import { workingTeams } from './end-team.ts'
import { readTasks } from './task-list.ts'
import type { TaskOffers } from './task-offers.ts'

export class Arrivals {
  private readonly conversation: Conversation
  private readonly offers: TaskOffers
  /** What stops each watch, by mailbox. */
  private readonly watched = new Map<string, () => void>()
  private stopBoard: (() => void) | null = null

  constructor(conversation: Conversation, offers: TaskOffers) {
    this.conversation = conversation
    this.offers = offers
    conversation.lifetime.signal.addEventListener('abort', () => this.stop(), { once: true })
  }

  /** Watches the mailboxes of the teams that work, and the task list while there are such teams. */
  refresh(): void {
    const { agents, assembly, lifetime, ports, id } = this.conversation
    if (lifetime.signal.aborted) return
    const teams = workingTeams(this.conversation)
    const agentIds = teams.flatMap(({ leaderId, members }) => [
      leaderId,
      ...members.map(({ agentId }) => agentId),
    ])
    const boxes = new Map(
      agentIds.flatMap((agentId) => {
        const name = agents.state(agentId)?.name ?? null
        const names = name === null ? [agentId] : [agentId, name]
        return names.map((box) => [box, agentId] as const)
      }),
    )
    for (const [box, stop] of this.watched)
      if (!boxes.has(box)) {
        stop()
        this.watched.delete(box)
      }
    for (const [box, agentId] of boxes)
      if (!this.watched.has(box))
        this.watched.set(
          box,
          assembly.mailbox.watch(box, () => this.arrived(agentId)),
        )
    if (teams.length > 0) this.stopBoard ??= ports.tasks.watch(id, () => this.boardChanged())
    else {
      this.stopBoard?.()
      this.stopBoard = null
    }
  }

  private arrived(agentId: string): void {
    this.conversation.keepOpenFor(this.take(agentId))
  }

  private async take(agentId: string): Promise<void> {
    if (this.conversation.lifetime.signal.aborted) return
    for (const message of await takeMail(this.conversation, agentId))
      await deliver(this.conversation, message)
  }

  private boardChanged(): void {
    this.conversation.keepOpenFor(this.readBoard())
  }

  private async readBoard(): Promise<void> {
    if (this.conversation.lifetime.signal.aborted) return
    const before = new Map(this.conversation.file.record.tasks.map(({ id, version }) => [id, version]))
    const tasks = await readTasks(this.conversation)
    if (!tasks.ok) return
    // Changes of this process may be seen here first: they tell the leader themselves.
    for (const task of tasks.value)
      if (task.version > (before.get(task.id) ?? 0))
        this.offers.changed(task, task.owner, { tellsLeader: false })
  }

  private stop(): void {
    for (const stop of this.watched.values()) stop()
    this.watched.clear()
    this.stopBoard?.()
    this.stopBoard = null
  }
}

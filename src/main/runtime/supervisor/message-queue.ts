/** Words that no agent has read yet, in the order in which they came. What is in it is in the conversation's record, too. */
import { textOf } from '../../../shared/content.ts'
import type { QueuedWords } from '../../../shared/conversation.ts'
import type { QueuedMessage } from '../../../shared/ipc-contract.ts'

export class MessageQueue {
  private waiting: readonly QueuedWords[]
  /** Those that an agent has taken in, and that are not in its transcript on the disk yet. */
  private takenIn: readonly QueuedWords[] = []
  private readonly changed: () => void

  /** `changed` is called after each change. */
  constructor(waiting: readonly QueuedWords[], changed: () => void) {
    this.waiting = waiting
    this.changed = changed
  }

  /** What would be lost with the program if it were not written down. */
  get all(): readonly QueuedWords[] {
    return [...this.takenIn, ...this.waiting]
  }

  add(words: QueuedWords): void {
    this.waiting = [...this.waiting, words]
    this.changed()
  }

  /** The words if they were there. */
  remove(messageId: string): QueuedWords | null {
    const words = this.waiting.find((other) => other.messageId === messageId)
    if (!words) return null
    this.waiting = this.waiting.filter((other) => other !== words)
    this.changed()
    return words
  }

  has(messageId: string): boolean {
    return this.waiting.some((words) => words.messageId === messageId)
  }

  hasFor(agentId: string): boolean {
    return this.waiting.some((words) => words.agentId === agentId)
  }

  /** Takes out all that is for this agent, into whose transcript it goes. */
  takeIn(agentId: string): readonly QueuedWords[] {
    const taken = this.waiting.filter((words) => words.agentId === agentId)
    if (taken.length === 0) return taken
    this.waiting = this.waiting.filter((words) => words.agentId !== agentId)
    this.takenIn = [...this.takenIn, ...taken]
    this.changed()
    return taken
  }

  /** Ends of which one agent was to be told are told to another. False where there are none. */
  passOnNotices(from: string, to: string): boolean {
    const isMeant = (words: QueuedWords) => words.agentId === from && isNotice(words)
    if (!this.waiting.some(isMeant)) return false
    this.waiting = this.waiting.map((words) => (isMeant(words) ? { ...words, agentId: to } : words))
    this.changed()
    return true
  }

  /** What the program said to this agent of its own accord, and is void by now: that it may go on. */
  dropRemarks(agentId: string): void {
    const kept = this.waiting.filter(
      (words) => words.agentId !== agentId || words.from !== 'runtime' || isNotice(words),
    )
    if (kept.length === this.waiting.length) return
    this.waiting = kept
    this.changed()
  }

  /** What this agent has taken in, and is not known to be on the disk. */
  takenInBy(agentId: string): readonly string[] {
    return this.takenIn.flatMap((words) => (words.agentId === agentId ? [words.messageId] : []))
  }

  /** These are in a transcript on the disk. @returns whether any of them was only here before */
  written(messageIds: readonly string[]): boolean {
    const before = this.takenIn.length
    this.takenIn = this.takenIn.filter(({ messageId }) => !messageIds.includes(messageId))
    return this.takenIn.length < before
  }

  /** As the window shows them. */
  shown(): readonly QueuedMessage[] {
    return this.waiting.map(({ content, ...words }) => ({ ...words, text: textOf(content) }))
  }
}

/** Words that tell of another agent's end. */
export const isNotice = ({ from, sender }: QueuedWords): boolean => from === 'runtime' && sender !== null

/** A mailbox on this machine, and the number of messages in it that no agent has taken. */
export interface MailboxInfo {
  readonly name: string
  readonly waiting: number
}

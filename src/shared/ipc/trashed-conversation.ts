/** A conversation in the trash. */
export interface TrashedConversation {
  readonly id: string
  readonly title: string
  /** Absolute; empty if the record is not readable. */
  readonly folder: string
  /** True if the conversation only tried out a definition. */
  readonly scratch: boolean
  /** ms since the epoch. */
  readonly trashedAt: number
  /** Bytes on disk. */
  readonly size: number
}

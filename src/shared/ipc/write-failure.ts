/** A failed write to a log. The agents named here are paused until a write succeeds. */
export interface WriteFailure {
  readonly conversationId: string
  /** Empty: everything is saved again. */
  readonly agentIds: readonly string[]
  /** The cause and the next step. */
  readonly message: string
}

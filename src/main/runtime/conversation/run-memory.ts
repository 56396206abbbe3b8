/** What an open conversation remembers about runs, in memory only. */

/** What the conversation remembers between the start and the end of a run. */
export interface RunMemory {
  /** The tree of the files before the run; null: unknown. */
  before: string | null
  /** The request of the user that the run answers. */
  request: string
  /** Verifications that the setting started since the last message of the user. */
  started: number
}

/** The answers to the questions of one agent's last message: all its calls share one. */
export interface FanOutAnswer {
  /** The message with the calls, by its number in the transcript. */
  readonly seq: number | null
  /** Why no agent may start; null: they may. */
  readonly refusal: Promise<string | null> | null
}

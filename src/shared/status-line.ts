/** The status line's command: what it is told, and how a run of it ended. */

/** One run to be made. */
export interface StatusLineCall {
  readonly command: string
  /** Absolute; the command's working folder. */
  readonly folder: string
  /** One line of JSON for its standard input; see StatusLineFacts. */
  readonly input: string
}

export interface StatusLineRun {
  /** `not-started`: then `errors` says why. */
  readonly ended: 'exit' | 'too-slow' | 'not-started'
  /** Null where it did not end by itself. */
  readonly exitCode: number | null
  /** The beginning of what it printed, at most 4 KB. */
  readonly output: string
  /** The same of its standard error. */
  readonly errors: string
  readonly ms: number
}

/** What the command gets to know. Part of what users write their commands for: keys are only ever added. */
export interface StatusLineFacts {
  /** Absolute. */
  readonly folder: string
  readonly branch: string | null
  /** Null before the first message. */
  readonly conversation: { readonly id: string; readonly title: string } | null
  /** Of the main agent. */
  readonly model: string
  readonly agents: {
    /** At work now. */
    readonly running: number
    /** With a question that the user has not answered. */
    readonly waiting: number
  }
  /** US dollars, for the turns whose model has a price. */
  readonly costUsd: number
  /** All that was sent and received, what came from the cache included. */
  readonly tokens: number
}

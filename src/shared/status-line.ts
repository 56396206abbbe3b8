/** The status line's command: its input and its result. */

/** One run of the command. */
export interface StatusLineCall {
  readonly command: string
  /** The command's working folder, absolute. */
  readonly folder: string
  /** One line of JSON for standard input; see `StatusLineFacts`. */
  readonly input: string
}

export interface StatusLineRun {
  /** `not-started`: `errors` holds the reason. */
  readonly ended: 'exit' | 'too-slow' | 'not-started'
  /** Null if the command did not exit by itself. */
  readonly exitCode: number | null
  /** The first 4 KB of standard output. */
  readonly output: string
  /** The first 4 KB of standard error. */
  readonly errors: string
  readonly ms: number
}

/** The command's input. Users write their commands for these keys: keys are only ever added. */
export interface StatusLineFacts {
  /** Absolute. */
  readonly folder: string
  readonly branch: string | null
  /** Null before the first message. */
  readonly conversation: { readonly id: string; readonly title: string } | null
  /** The model of the main agent. */
  readonly model: string
  readonly agents: {
    /** Number of running agents. */
    readonly running: number
    /** Number of agents with a pending permission request. */
    readonly waiting: number
  }
  /** US dollars; null if a model has no known price. */
  readonly costUsd: number | null
  /** Tokens sent and received, including cached ones. */
  readonly tokens: number
}

/** The content of the status line, or the reason for an empty one and the next step. */
export interface StatusLineContent {
  readonly text: string | null
  readonly problem: string | null
}

/** The result of trying the command once. */
export interface StatusLineTrial {
  /** The first 4 KB of standard output. */
  readonly output: string
  /** Why the status line would stay empty, and the next step; null: the command works. */
  readonly problem: string | null
  /** Null if a signal ended the command. */
  readonly exitCode: number | null
  readonly ms: number
}

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

/** What the program knows of a folder and a conversation beside the snapshot. */
export interface StatusLineExtras {
  /** The main agent's messages, one JSON object a line; null without a conversation. */
  readonly transcriptPath: string | null
  /** `default` unless a settings file names another one. */
  readonly outputStyle: string
  /** Absolute: the folders that agents use like the open one. */
  readonly addedFolders: readonly string[]
  /** Lines that the conversation's agents added and removed, as far as they were counted. */
  readonly lines: { readonly added: number; readonly removed: number }
}

/**
 * The command's input: the keys of Claude Code, so that people's scripts run as they are, and those of Troupe. Users write
 * their commands for these keys: keys are only ever added.
 */
export interface StatusLineFacts {
  readonly hook_event_name: 'Status'
  /** The id of the conversation; empty before the first message. */
  readonly session_id: string
  readonly transcript_path: string | null
  readonly cwd: string
  /** Of Troupe. */
  readonly version: string
  readonly workspace: {
    readonly current_dir: string
    readonly project_dir: string
    readonly added_dirs: readonly string[]
  }
  readonly output_style: { readonly name: string }
  readonly cost: {
    /** US dollars; null if a model has no known price. */
    readonly total_cost_usd: number | null
    /** ms since the conversation began. */
    readonly total_duration_ms: number
    readonly total_lines_added: number
    readonly total_lines_removed: number
  }
  readonly context_window: {
    /** Tokens of all requests of the main agent. */
    readonly total_input_tokens: number
    readonly total_output_tokens: number
    /** Null before the first answer, as the next four. */
    readonly context_window_size: number | null
    readonly used_percentage: number | null
    readonly remaining_percentage: number | null
    /** The context after the last answer. It is counted as a whole, as `input_tokens`. */
    readonly current_usage: {
      readonly input_tokens: number
      readonly output_tokens: 0
      readonly cache_creation_input_tokens: 0
      readonly cache_read_input_tokens: 0
    } | null
  }
  readonly exceeds_200k_tokens: boolean
  readonly effort: { readonly level: string } | null
  readonly permission_mode: string | null
  /** Absolute. */
  readonly folder: string
  readonly branch: string | null
  /** Null before the first message. */
  readonly conversation: { readonly id: string; readonly title: string } | null
  /** The model of the main agent. */
  readonly model: { readonly id: string; readonly display_name: string }
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

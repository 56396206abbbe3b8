/** The window's commands about the status line, and the types of its command. */
import { z } from 'zod'
import { command } from '../kernel/command.ts'

/** One run of the command. */
export interface StatusLineCall {
  readonly command: string
  /** The command's working folder, absolute. */
  readonly folder: string
  /** One line of JSON for standard input; see `statusLineFacts`. */
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

export const statusLineContract = {
  /** Runs a status line command once, in the open folder. Fails if the folder is not trusted. */
  'statusLine.test': command<StatusLineTrial>()(() =>
    z.object({ command: z.string().trim().min(1).max(4096) }),
  ),
} as const

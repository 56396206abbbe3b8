/** What was found of the user's setup, and what of it counts: for `troupe doctor` and Settings › Your setup. */
import { countOf } from '../kernel/amounts.ts'
import type { Result } from '../kernel/result.ts'

export const setupGroups = ['user', 'project', 'troupe', 'plugins', 'others'] as const
export type SetupGroup = (typeof setupGroups)[number]

/**
 * `partly`: some of it has no effect. `needs-you`: it waits for a decision. `not-imported`: servers or rules of another
 * program that can be imported.
 */
const setupStates = ['used', 'partly', 'needs-you', 'not-used', 'not-imported'] as const
export type SetupState = (typeof setupStates)[number]

export interface SetupItem {
  readonly group: SetupGroup
  /** `Settings`, `Memory`, `Agents`. */
  readonly what: string
  /** As the user sees it: `~/.claude/agents/ (6 files)`. */
  readonly shown: string
  /** Absolute; null: no file. */
  readonly file: string | null
  /** Whether `file` is a folder; missing: it is a file. */
  readonly isFolder?: true
  /** How many files it stands for. */
  readonly files: number
  readonly state: SetupState
  /** One line about what counts and what does not. */
  readonly details: string
  /** Each thing that does not count, with the reason, as sentences. */
  readonly notes: readonly string[]
  /** Set for a file of another program: how many can be imported, and how many are here through an import. */
  readonly imports?: { readonly servers: number; readonly rules: number; readonly done: number }
  /** The name of a plugin that is off and that the user can turn on. */
  readonly plugin?: string
}

export interface SetupReport {
  readonly folder: string
  readonly trusted: boolean
  readonly items: readonly SetupItem[]
}

export const setupStateNames: Readonly<Record<SetupState, string>> = {
  used: 'Used',
  partly: 'Partly used',
  'needs-you': 'Needs you',
  'not-used': 'Not used',
  'not-imported': 'Not imported',
}

export const setupGroupNames: Readonly<Record<SetupGroup, string>> = {
  user: 'Claude Code',
  project: 'This project',
  troupe: 'Troupe',
  plugins: 'Plugins',
  others: 'Other programs',
}

/** What the files of a group have in common. */
export const setupGroupHints: Readonly<Record<SetupGroup, string>> = {
  user: 'yours, for every project',
  project: 'for everybody who works in this folder',
  troupe: 'yours, written by Troupe',
  plugins: 'of Claude Code and Troupe',
  others: 'used once imported',
}

/** `5 servers and 4 rules`; what there is none of is left out. */
export function importText({ servers, rules }: { readonly servers: number; readonly rules: number }): string {
  return [
    ...(servers > 0 ? [countOf(servers, 'server')] : []),
    ...(rules > 0 ? [countOf(rules, 'rule')] : []),
  ].join(' and ')
}

/** What an import of other programs' files writes: shown before it happens. */
export interface SetupImport {
  readonly servers: readonly {
    readonly name: string
    /** `user`: for every project. `local`: for this one. */
    readonly place: 'user' | 'local'
    /** As it will be written, in JSON. */
    readonly definition: string
  }[]
  readonly rules: readonly {
    /** The file of the other program, as the user sees it. */
    readonly from: string
    /** Absolute: the file that will be written. */
    readonly file: string
    /** The same, as the user sees it: `.claude/rules/cursor/style.md`. */
    readonly shown: string
    /** Null: the rule holds for every file. */
    readonly paths: readonly string[] | null
    /** The whole file. */
    readonly text: string
  }[]
  /** What is left out and why, as sentences. */
  readonly notes: readonly string[]
  /** Of all that will be written: the import does what was shown, or nothing. */
  readonly digest: string
}

/** What looks at the user's setup, and imports into it. */
export interface Setup {
  report(folder: string): Promise<SetupReport>
  readonly imports: SetupImports
}

export interface SetupImports {
  /** What an import would write. `file`: one file of another program; null: all. Fails with `not-found` or `nothing`. */
  preview(folder: string, file: string | null): Promise<Result<SetupImport>>
  /**
   * Writes what `preview` showed: all of it, or nothing. Fails as `preview`, with `changed` if something else would be
   * written now, as `McpServers.add`, or with `io`.
   */
  write(folder: string, file: string | null, digest: string): Promise<Result<SetupImport>>
  /**
   * Takes back what was imported from a file, except for what was changed since. @returns the names and paths. Fails with
   * `not-found`, `nothing`, as `McpServers.remove`, or with `io`.
   */
  undo(folder: string, file: string): Promise<Result<readonly string[]>>
}

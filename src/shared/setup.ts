/** What was found of the user's setup, and what of it counts: for `troupe doctor` and Settings › Your setup. */

export const setupGroups = ['user', 'project', 'troupe', 'plugins', 'others'] as const
export type SetupGroup = (typeof setupGroups)[number]

/**
 * `partly`: some of it has no effect. `needs-you`: it waits for a decision. `not-imported`: a list of another program that
 * can be imported.
 */
export const setupStates = ['used', 'partly', 'needs-you', 'not-used', 'not-imported'] as const
export type SetupState = (typeof setupStates)[number]

export interface SetupItem {
  readonly group: SetupGroup
  /** `Settings`, `Memory`, `Agents`. */
  readonly what: string
  /** As the user sees it: `~/.claude/agents/ (6 files)`. */
  readonly shown: string
  /** Absolute; null: no file. */
  readonly file: string | null
  /** How many files it stands for. */
  readonly files: number
  readonly state: SetupState
  /** One line about what counts and what does not. */
  readonly details: string
  /** Each thing that does not count, with the reason, as sentences. */
  readonly notes: readonly string[]
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
  user: 'Claude Code, yours, for every project',
  project: 'This project',
  troupe: 'Troupe',
  plugins: 'Plugins',
  others: 'Other programs',
}

/** `1 file`, `2 files`. */
export const countOf = (amount: number, one: string, many = `${one}s`): string =>
  `${amount} ${amount === 1 ? one : many}`

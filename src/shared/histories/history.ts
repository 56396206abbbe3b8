/** The histories that other agent programs keep, as Troupe lists and names them. Troupe reads them, and never writes there. */

/** The programs whose histories Troupe reads, as the command line names them. */
export const historyPrograms = ['claude', 'codex', 'gemini', 'opencode'] as const
export type HistoryProgram = (typeof historyPrograms)[number]

export const historyNames: Readonly<Record<HistoryProgram, string>> = {
  claude: 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
  opencode: 'opencode',
}

/** A conversation of another program, as lists show it. */
export interface HistoryEntry {
  /** Opens it like a conversation of Troupe: `from-claude-…`. The same as long as its file has the same path. */
  readonly id: string
  readonly program: HistoryProgram
  /** Empty: nothing was said yet. */
  readonly title: string
  /** The folder in which the program worked, absolute; empty: the program does not say. */
  readonly folder: string
  /** ms since the epoch. */
  readonly createdAt: number
  readonly updatedAt: number
  /** The main agent and its subagents, as far as a glance tells. */
  readonly agents: number
  /** Of its files; 0: unknown. */
  readonly bytes: number
}

/** A program, and what it keeps. */
export interface HistorySource {
  readonly program: HistoryProgram
  /** The folder or file that the program keeps; absolute. */
  readonly place: string
  /** Whether there is such a folder. */
  readonly isFound: boolean
  /** Whether the user lets Troupe read it; `ask`: the user was not asked yet. Only with `on` there are entries. */
  readonly reading: 'on' | 'off' | 'ask'
  /** The last used first. */
  readonly entries: readonly HistoryEntry[]
  /** What could not be read, as sentences for the user. */
  readonly problems: readonly string[]
}

/** The program whose conversation has this id, or an agent of this id; null: it is Troupe's own. */
export function historyProgramOf(id: string): HistoryProgram | null {
  const name = HISTORY_ID.exec(id)?.[1]
  return historyPrograms.find((program) => program === name) ?? null
}

/** The id of the conversation that has an agent of this id. */
export function historyOfAgent(agentId: string): string {
  return HISTORY_ID.exec(agentId)?.[0] ?? agentId
}

const HISTORY_ID = /^from-([a-z]+)-[0-9a-f]{20}/

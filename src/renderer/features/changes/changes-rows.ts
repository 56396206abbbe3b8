/** The rows of the list of changes: for each agent its files, then its commands with theirs. */
import type { ChangesList, ListedAgent, ListedCall, ListedFile } from '../../../shared/changes.ts'

/** All changes of one file by one agent's tools, or by one command. */
export interface FileRow {
  readonly path: string
  readonly shown: string
  readonly letter: ListedFile['letter']
  readonly added: number | null
  readonly removed: number | null
  readonly undone: boolean
  readonly alsoBy: readonly string[]
  readonly cannot: string | null
}

export interface AgentRows {
  readonly agent: ListedAgent
  readonly files: readonly FileRow[]
  readonly commands: readonly { readonly call: ListedCall; readonly files: readonly FileRow[] }[]
  /** Distinct files. */
  readonly amount: number
  /** Lines of changes that are not undone. */
  readonly added: number
  readonly removed: number
  /** Whether an undo can take back something. */
  readonly canUndo: boolean
}

export function rowsOf(list: ChangesList): readonly AgentRows[] {
  return list.agents.map((agent) => {
    const calls = list.calls.filter(({ agentId }) => agentId === agent.agentId)
    const files = merged(calls.filter(({ cause }) => cause === 'tool').flatMap((call) => call.files))
    const commands = calls
      .filter(({ cause }) => cause === 'command')
      .map((call) => ({ call, files: merged(call.files) }))
    const all = calls.flatMap((call) => call.files)
    const present = all.filter(({ undone }) => !undone)
    return {
      agent,
      files,
      commands,
      amount: new Set(all.map(({ path }) => path)).size,
      added: present.reduce((sum, file) => sum + (file.added ?? 0), 0),
      removed: present.reduce((sum, file) => sum + (file.removed ?? 0), 0),
      canUndo: present.some(({ cannot }) => cannot === null),
    }
  })
}

/** The number of files with a change of an agent that is not undone. */
export function amountOfChanges(list: ChangesList | null): number {
  const files = list?.calls.flatMap((call) => call.files.filter(({ undone }) => !undone)) ?? []
  return new Set(files.map(({ path }) => path)).size
}

function merged(files: readonly ListedFile[]): readonly FileRow[] {
  const rows = new Map<string, FileRow>()
  for (const file of files) {
    const former = rows.get(file.path)
    rows.set(file.path, former === undefined ? rowOf(file) : joined(former, rowOf(file)))
  }
  return [...rows.values()]
}

function rowOf({ path, shown, letter, added, removed, undone, alsoBy, cannot }: ListedFile): FileRow {
  return { path, shown, letter, added, removed, undone, alsoBy, cannot: undone ? null : cannot }
}

/** The row of earlier changes and a later one. Changes that are undone do not count beside others. */
function joined(former: FileRow, next: FileRow): FileRow {
  const alsoBy = [...new Set([...former.alsoBy, ...next.alsoBy])]
  if (former.undone !== next.undone) return { ...(former.undone ? next : former), alsoBy }
  return {
    ...next,
    letter: former.letter === 'A' && next.letter !== 'D' ? 'A' : next.letter,
    added: sum(former.added, next.added),
    removed: sum(former.removed, next.removed),
    alsoBy,
    cannot: former.cannot ?? next.cannot,
  }
}

function sum(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other
}

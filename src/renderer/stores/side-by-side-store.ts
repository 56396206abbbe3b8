/** Which attempts of a comparison have their diffs beside each other, and of which file. */
import { create } from 'zustand'

/** An attempt as a column of the diffs. */
export interface ColumnAttempt {
  readonly agentId: string
  readonly label: string
  /** One of the eight color names, or `#hex`. */
  readonly color: string
  /** Null: it has no worktree. */
  readonly worktreeId: string | null
  readonly isLive: boolean
  readonly isMerged: boolean
}

/** Of the view that shows the diffs. */
export interface SideBySideProps {
  /** Names the comparison in this store. */
  readonly id: string
  readonly attempts: readonly ColumnAttempt[]
}

interface Choice {
  /** The agents of the columns, from left to right. */
  readonly columns: readonly string[]
  /** The column that keys are for. */
  readonly active: number
  /** The shown file; null: the first. */
  readonly path: string | null
}

interface SideBySideStore {
  /** Whether a comparison shows diffs instead of results. */
  readonly isShown: boolean
  /** By comparison: the conversation and the id. */
  readonly choices: Readonly<Record<string, Choice>>
}

export const FEWEST_COLUMNS = 2
export const MOST_COLUMNS = 3

const NOTHING: Choice = { columns: [], active: 0, path: null }

export const useSideBySide = create<SideBySideStore>()(() => ({ isShown: false, choices: {} }))

const { getState: get, setState: set } = useSideBySide

export function showSideBySide(isShown: boolean): void {
  set({ isShown })
}

/** What is shown of a comparison; without a choice the first two attempts. `most`: the columns that there is room for. */
export function useColumnChoice(key: string, attempts: readonly ColumnAttempt[], most: number): Choice {
  const choice = useSideBySide((state) => state.choices[key] ?? NOTHING)
  return completed(choice, attempts, most)
}

function completed(choice: Choice, attempts: readonly ColumnAttempt[], most: number): Choice {
  const ids = attempts.map(({ agentId }) => agentId)
  const chosen = choice.columns.filter((id) => ids.includes(id)).slice(0, most)
  const others = ids.filter((id) => !chosen.includes(id))
  const columns = [...chosen, ...others.slice(0, Math.max(0, FEWEST_COLUMNS - chosen.length))]
  return { columns, active: Math.max(0, Math.min(columns.length - 1, choice.active)), path: choice.path }
}

/** Keeps a part of a choice. */
function keep(key: string, part: Partial<Choice>): void {
  set(({ choices }) => ({ choices: { ...choices, [key]: { ...(choices[key] ?? NOTHING), ...part } } }))
}

export function selectComparedFile(key: string, path: string): void {
  keep(key, { path })
}

export function selectColumn(key: string, active: number): void {
  if (get().choices[key]?.active !== active) keep(key, { active })
}

/** Shows an attempt in a column. Columns that would show the same attempt change places. */
export function setColumn(key: string, { columns }: Choice, at: number, agentId: string): void {
  const other = columns.indexOf(agentId)
  const next = columns.with(at, agentId)
  keep(key, { columns: other === -1 ? next : next.with(other, columns[at] ?? agentId), active: at })
}

/** Adds the first attempt that is not shown, or removes the last column. */
export function toggleThirdColumn(
  key: string,
  { columns }: Choice,
  attempts: readonly ColumnAttempt[],
): void {
  const isFull = columns.length >= MOST_COLUMNS
  if (isFull) keep(key, { columns: columns.slice(0, FEWEST_COLUMNS) })
  const next = attempts.find(({ agentId }) => !columns.includes(agentId))
  if (!isFull && next !== undefined)
    keep(key, { columns: [...columns, next.agentId], active: columns.length })
}

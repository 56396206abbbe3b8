/** A run that works in this program: what is next, what is settled, and what it has spent. */
import type { AgentCase, CaseAttempt, TestRun } from '../../../shared/agent-tests/agent-tests.ts'
import { isVersionInUse } from '../../../shared/agent-tests/grid.ts'
import { isClear } from '../../../shared/agent-tests/statistics.ts'
import { countOf, formatMoney } from '../../../shared/kernel/amounts.ts'
import type { ModelCatalog } from '../../runtime/ports/model.ts'
import type { LoadedVersion } from './definition-versions.ts'
import type { expectedCosts, PlannedCell } from './plan-run.ts'

export interface WantedRun {
  readonly folder: string
  readonly agent: string
  readonly versions: readonly LoadedVersion[]
  readonly cases: readonly AgentCase[]
  readonly attempts: number
  readonly maxUsd: number | null
  readonly stopsWhenClear: boolean
  /** Whether attempts of earlier runs do not count. */
  readonly isFresh: boolean
}

/** A run that works in this program. */
export interface LiveRun {
  run: TestRun
  readonly wanted: WantedRun
  readonly isFresh: boolean
  readonly cells: readonly LiveCell[]
  /** Aborted with the reason as a sentence. */
  readonly stop: AbortController
  /** By attempt: US dollars so far. */
  readonly spending: Map<string, number>
  done: Promise<void>
}

export interface LiveCell extends PlannedCell {
  /** In the order of their numbers. */
  readonly waiting: CaseAttempt[]
  readonly attempts: Map<string, CaseAttempt>
}

/** The next attempt: the first ones of all cells before the second ones, so that versions can be compared early. */
export function nextOf({ cells, wanted }: LiveRun): { readonly cell: LiveCell; readonly at: number } | null {
  const open = cells.filter(
    (cell) => cell.waiting.length > 0 && !(wanted.stopsWhenClear && isSettled(cell, cells)),
  )
  const first = open.toSorted((a, b) => doneIn(a) - doneIn(b))[0]
  return first === undefined ? null : { cell: first, at: 0 }
}

const doneIn = ({ attempts, reused, waiting }: LiveCell): number =>
  reused.length + attempts.size - waiting.length

/** Whether more attempts would not change what is said about the versions of a case. */
function isSettled(cell: LiveCell, cells: readonly LiveCell[]): boolean {
  const ofCase = cells.filter((other) => other.case.file === cell.case.file)
  const base = ofCase.find(({ version }) => isVersionInUse(version.ref))
  if (base === undefined || ofCase.length === 1) return false
  const others = cell === base ? ofCase.filter((other) => other !== base) : [cell]
  return others.every((other) => isClear(progressOf(base), progressOf(other)))
}

function progressOf({ reused, attempts, waiting }: LiveCell) {
  const all = [...reused, ...attempts.values()]
  const passed = all.filter(({ state }) => state === 'passed').length
  const failed = all.filter(({ state }) => state === 'failed').length
  const running = all.filter(({ state }) => state === 'running' || state === 'checking').length
  return { passed, counted: passed + failed, left: waiting.length + running }
}

export const madeIn = ({ cells }: LiveRun): readonly CaseAttempt[] =>
  cells.flatMap(({ attempts }) => [...attempts.values()])

export const runSpending = ({ spending }: LiveRun): number =>
  [...spending.values()].reduce((sum, usd) => sum + usd, 0)

/** Whether an attempt could pass the budget, by what is known of its cost and of those that run. */
export function isBeyondBudget(
  current: LiveRun,
  { cell }: { readonly cell: LiveCell },
  expected: ReturnType<typeof expectedCosts>,
): boolean {
  const { maxUsd } = current.wanted
  if (maxUsd === null) return false
  const costOf = ({ case: its, version }: LiveCell) => expected(its.file, version.model).usd ?? 0
  let bound = costOf(cell)
  for (const each of current.cells)
    for (const { id, state } of each.attempts.values()) {
      const spent = current.spending.get(id) ?? 0
      bound += state === 'running' || state === 'checking' ? Math.max(spent, costOf(each)) : spent
    }
  return bound > maxUsd || runSpending(current) >= maxUsd
}

export function overBudget({ wanted: { maxUsd }, cells }: LiveRun): string {
  const all = cells.reduce((sum, cell) => sum + cell.numbers.length, 0)
  const left = cells.reduce((sum, cell) => sum + cell.waiting.length, 0)
  const rest =
    left === 0 ? 'those that ran were stopped' : `${left} of ${countOf(all, 'attempt')} did not begin`
  return `The budget of ${formatMoney(maxUsd ?? 0)} does not suffice: ${rest}.`
}
/** "Draft, 36 attempts". */
export function runTitle({ versions, cases, attempts }: WantedRun): string {
  const named = versions.filter(({ ref }) => !isVersionInUse(ref))
  const titles = (named.length > 0 ? named : versions).map(({ title }) => title)
  return `${titles.slice(0, 2).join(' and ')}${titles.length > 2 ? ` and ${titles.length - 2} more` : ''}, ${countOf(versions.length * cases.length * attempts, 'attempt')}`
}

/** The title of the first version whose attempts have no known cost; null: none. */
export function unpricedVersion({ versions }: WantedRun, models: Pick<ModelCatalog, 'facts'>): string | null {
  const isUnpriced = ({ definition, model }: LoadedVersion): boolean => {
    if (definition.program !== undefined) return true
    const { price, free } = models.facts(model)
    return price === null && free !== true
  }
  return versions.find(isUnpriced)?.title ?? null
}

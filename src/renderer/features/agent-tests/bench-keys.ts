/** The keys of the test bench, as far as no field, menu or dialog has the focus. */
import type { Ref } from 'react'
import { useViewKeys } from '../../ui/use-focus.ts'
import {
  closeCell,
  openCell,
  showAttempt,
  showOnlyDifferences,
  startRun,
  stopRun,
  useBench,
} from './bench-store.ts'
import { firstToShow } from './results-cell.tsx'
import { whyNot } from './run-bar.tsx'
import type { BenchView } from './use-bench.ts'

interface Actions {
  readonly onNewCase: () => void
  readonly onAddVersion: () => void
}

/** @returns for the element in which the keys work */
export function useBenchKeys(bench: BenchView | null, actions: Actions): Ref<HTMLDivElement> {
  return useViewKeys(({ key }) => bench !== null && press(key, bench, actions))
}

/** Whether the key means something now. */
function press(key: string, bench: BenchView, { onNewCase, onAddVersion }: Actions): boolean {
  const { isOpen, place, onlyDifferences } = useBench.getState()
  if (key === 'r') run(bench)
  else if (key === 's') {
    if (bench.running !== null) void stopRun(bench.running.id)
  } else if (key === 'n') onNewCase()
  else if (key === 'v') onAddVersion()
  else if (!isOpen || place === null) return false
  else if (key === 'd') showOnlyDifferences(!onlyDifferences)
  else if (key === '[') step(bench, -1)
  else if (key === ']') step(bench, 1)
  else if (key === 'Escape') closeCell()
  else if (/^[1-9]$/.test(key)) showAttempt(Number(key))
  else return false
  return true
}

function run({ wanted, cases, running }: BenchView): void {
  const { snapshot, estimate } = useBench.getState()
  const why = whyNot({
    ...{
      refusal: snapshot?.refusal ?? null,
      hasCases: cases.length > 0,
      versions: wanted?.versions.length ?? 0,
      estimate,
    },
  })
  if (running === null && why === null && wanted !== null) void startRun(wanted)
}

/** The same case with the version before or after. */
function step({ grid }: BenchView, by: 1 | -1): void {
  const { place } = useBench.getState()
  const row = grid.rows.find(({ case: one }) => one.file === place?.caseFile)
  if (row === undefined || place === null) return
  const at = row.cells.findIndex(({ version }) => version.id === place.versionId)
  const cell = row.cells[at + by]
  if (cell !== undefined) openCell({ ...place, versionId: cell.version.id }, firstToShow(cell))
}

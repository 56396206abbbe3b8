/** A measured figure with its runs, reference and target. */

export interface Figure {
  /** The row's name. */
  readonly name: string
  readonly unit: 'ms' | 'MB' | '%' | '/s' | 'fps' | 'messages'
  readonly runs: readonly number[]
  /** A simpler program on the same machine, in the same run. */
  readonly reference?: { readonly name: string; readonly runs: readonly number[] }
  /** The target as text, and whether the figures reach it. */
  readonly target: string
  readonly met: boolean
}

/** The median. */
export function median(runs: readonly number[]): number {
  const sorted = [...runs].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const high = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? high : ((sorted[middle - 1] ?? high) + high) / 2
}

/** The percentile `share` (0 to 1). */
export function percentile(runs: readonly number[], share: number): number {
  const sorted = [...runs].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

/** The differences of paired runs, which cancel common noise. */
export function pairedDifferences(runs: readonly number[], reference: readonly number[]): readonly number[] {
  return runs.map((run, index) => run - (reference[index] ?? Number.NaN))
}

/** A markdown table with aligned columns. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const middle = median(figure.runs)
    const spread = `${short(Math.min(...figure.runs))}–${short(Math.max(...figure.runs))}`
    const reference = figure.reference
      ? `${figure.reference.name}: ${short(median(figure.reference.runs))} ${figure.unit}`
      : ''
    const ratio = figure.reference ? `${(middle / median(figure.reference.runs)).toFixed(2)}×` : ''
    return [
      figure.name,
      `${short(middle)} ${figure.unit}`,
      `${spread} (${figure.runs.length})`,
      reference,
      ratio,
      figure.target,
      figure.met ? 'yes' : '**no**',
    ]
  })
  const head = ['what', 'median', 'spread (runs)', 'reference, same run', 'ratio', 'target', 'met']
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((cells) => cells[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [head, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('\n')
}

function short(value: number): string {
  return Math.abs(value) >= 100
    ? value.toFixed(0)
    : Math.abs(value) >= 10
      ? value.toFixed(1)
      : value.toFixed(2)
}

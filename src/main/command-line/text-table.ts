/** A table of text: columns with two spaces between. */
import { oneLine } from './agents/definition-block.ts'

/** @param rows all with the same number of cells */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
  const shown = rows.map((cells) => cells.map((cell) => oneLine(cell, 100)))
  const widths = (shown[0] ?? []).map((_, column) =>
    Math.max(...shown.map((cells) => cells[column]?.length ?? 0)),
  )
  return shown.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

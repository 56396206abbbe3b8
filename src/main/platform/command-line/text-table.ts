/** A table of text: columns with two spaces between. */
import { makeVisible } from '../../../shared/kernel/visible-text.ts'

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

/** Joins lines, shows invisible characters by name, and cuts text longer than `most`. */
export function oneLine(text: string, most = 2000): string {
  const line = makeVisible(text)
    .replaceAll(/\s*\n\s*/g, ' ↵ ')
    .replaceAll('\t', ' ')
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}

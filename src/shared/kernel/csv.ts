/** CSV (RFC 4180), for spreadsheets, which take no text of it for a formula. */

/** Null: an empty cell. */
export type CsvCell = string | number | null

/** A line for each row. */
export function csvText(rows: readonly (readonly CsvCell[])[]): string {
  return rows.map((cells) => `${cells.map(cellText).join(',')}\r\n`).join('')
}

/** What makes a spreadsheet calculate, or hide that it does. */
const FORMULA = /^[=+\-@\t\r\n]/

function cellText(value: CsvCell): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = FORMULA.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Tables of a page of the docs that a script makes. */

/** The page with a new table between its marks `<!-- NAME: made by MAKER -->` and the next `<!-- end -->`. */
export function withTable(
  page: string,
  { name, maker, table }: { readonly name: string; readonly maker: string; readonly table: string },
): string {
  const mark = `<!-- ${name}: made by ${maker} -->`
  const start = page.indexOf(mark)
  const end = page.indexOf('<!-- end -->', start)
  if (start < 0 || end < 0) throw new Error(`The page lacks the marks of the table ${name}.`)
  return `${page.slice(0, start + mark.length)}\n\n${table}\n${page.slice(end)}`
}

/** @param rows the first is the head */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')))
  const widths = head.map((_, index) => Math.max(...[head, ...body].map((row) => row[index]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |\n`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('')
}

/** A code span. */
export const code = (text: string): string => `\`${text}\``

/** Shows a streaming table row by row: the row that still streams is left out. */

const PIPE_LINE = /^[ \t>]*\|/
const DELIMITER = /^[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/
/** A longer line is no delimiter. The bound keeps the search fast in hostile text. */
const LONGEST_DELIMITER = 1000
const DELIMITER_START = /^[ \t>]*[|:\- \t]*$/

/**
 * A growing text without its unfinished table row. A table appears with its first complete row, which decides the widths
 * of its columns.
 */
export function wholeRows(text: string): string {
  if (!text.includes('|')) return text
  const start = text.lastIndexOf('\n\n') + 1
  const lines = text.slice(start).split('\n')
  const kept = keptLines(lines)
  if (kept === lines.length || isInFence(text)) return text
  return text.slice(0, start) + lines.slice(0, kept).join('\n') + (kept === 0 ? '' : '\n')
}

/** The number of lines to show, of the lines after the last empty line. The last line is unfinished. */
function keptLines(lines: readonly string[]): number {
  const finished = lines.length - 1
  const delimiter = lines.findIndex(
    (line, index) =>
      line.length <= LONGEST_DELIMITER && lines[index - 1]?.includes('|') && DELIMITER.test(line),
  )
  if (delimiter !== -1) return finished > delimiter + 1 ? finished : delimiter - 1
  // A line that starts with a pipe can become the head of a table.
  const head = lines.findLastIndex(
    (line, index) => PIPE_LINE.test(line) && !PIPE_LINE.test(lines[index - 1] ?? ''),
  )
  if (head === -1) return lines.length
  const after = lines.slice(head + 1)
  return after.length <= 1 && after.every((line) => DELIMITER_START.test(line)) ? head : lines.length
}

function isInFence(text: string): boolean {
  return (text.match(/^[ \t>]*(?:```|~~~)/gm) ?? []).length % 2 === 1
}

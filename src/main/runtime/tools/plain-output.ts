/** A command's output after its end: without colors, each line in its last state. */

/**
 * Removes escape sequences and control characters except tabs and line ends. A line that was redrawn (a progress bar)
 * keeps its last state.
 */
export function plainOutput(output: string): string {
  const text = output
    .replace(ERASE_REST, TO_END)
    .replace(ERASE_LINE, WHOLE)
    .replace(ESCAPES, '')
    .replace(/\r+\n/g, '\n')
  if (!CONTROLS.test(text)) return text
  return text
    .split('\n')
    .map((line) => (CONTROLS.test(line) ? drawn(line) : line))
    .join('\n')
}

/** Sequences with parameters, strings up to their end, and single ones, in that order. */
const ESCAPES =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]?|[\]PX^_](?:(?!\u0007|\u001b\\|\n).)*(?:\u0007|\u001b\\)?|[ -/]*[0-Z\\-~]?)|\u009b[0-?]*[ -/]*[@-~]/g

/** Erasures of a line matter for redrawn lines, so control characters without other use stand for them. */
const ERASE_REST = /\u001b\[0?K/g
const ERASE_LINE = /\u001b\[[12]K/g
const TO_END = '\u0002'
const WHOLE = '\u0003'

const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/

/** A line after its carriage returns and backspaces. */
function drawn(line: string): string {
  const cells: string[] = []
  let at = 0
  for (const character of line) {
    if (character === '\r') at = 0
    else if (character === '\b') at = Math.max(0, at - 1)
    else if (character === TO_END) cells.length = at
    else if (character === WHOLE) cells.fill(' ')
    else if (!CONTROLS.test(character)) cells[at++] = character
  }
  return cells.join('').trimEnd()
}

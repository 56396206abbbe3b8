/**
 * Reads the output of a command as a terminal does: colors become class names of the palette, a carriage
 * return overwrites its line, and every other control sequence is dropped.
 */
import styles from './terminal-style.module.css'
import { classNames } from './text/class-names.ts'

/** The eight colors of a terminal; other colors map to the nearest one. */
const terminalColors = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const
type TerminalColor = (typeof terminalColors)[number]

export interface TerminalStyle {
  readonly color: TerminalColor | null
  readonly background: TerminalColor | null
  readonly bold: boolean
  readonly dim: boolean
  readonly italic: boolean
  readonly underline: boolean
  readonly strike: boolean
  readonly inverse: boolean
}

interface TerminalRun {
  readonly text: string
  readonly style: TerminalStyle
}

export type TerminalLine = readonly TerminalRun[]

export const plainStyle: TerminalStyle = {
  color: null,
  background: null,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  strike: false,
  inverse: false,
}

/** The lines of an output, each a list of runs with one style. A style continues after a line break. */
export function parseTerminal(output: string): readonly TerminalLine[] {
  const lines: TerminalLine[] = []
  let style = plainStyle
  for (const line of output.split('\n')) {
    const reader = new LineReader(style)
    readLine(line, reader)
    lines.push(reader.runs())
    style = reader.style
  }
  if (lines.length > 1 && lines[lines.length - 1]?.length === 0) lines.pop()
  return lines
}

/** The text without styles, for copying and searching. */
export function stripTerminal(output: string): string {
  if (!/[\x1b\r\b]/.test(output)) return output
  return parseTerminal(output)
    .map((line) => line.map((run) => run.text).join(''))
    .join('\n')
}

/** CSI, then OSC and the other strings that end with ST or BEL, then two-character escapes. */
const SEQUENCE =
  /\x1b\[([0-9;:?<=>]*)[ -/]*([@-~])|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\|$)|\x1b[ -/]*[0-~]?|[\r\b]/g

function readLine(line: string, reader: LineReader): void {
  let start = 0
  for (const match of line.matchAll(SEQUENCE)) {
    reader.write(line.slice(start, match.index))
    start = match.index + match[0].length
    if (match[0] === '\r') reader.moveTo(0)
    else if (match[0] === '\b') reader.moveBack()
    else if (match[2] === 'm') reader.style = applyCodes(reader.style, match[1] ?? '')
    else if (match[2] === 'K') reader.erase(match[1] ?? '')
    else if (match[2] === 'G') reader.moveTo((Number.parseInt(match[1] ?? '', 10) || 1) - 1)
  }
  reader.write(line.slice(start))
}

/** A cursor position beyond this column counts as this column: no terminal is wider. */
const MOST_COLUMNS = 1000

interface Cell {
  text: string
  style: TerminalStyle
}

/** One line while it is written: runs while text is only appended, a cell for each character once text is overwritten. */
class LineReader {
  style: TerminalStyle
  private column = 0
  private cells: Cell[] = []
  private length = 0
  private isGrid = false

  constructor(style: TerminalStyle) {
    this.style = style
  }

  write(text: string): void {
    if (text === '') return
    if (this.column < this.length) this.overwrite(text)
    else {
      if (this.column > this.length) this.append(' '.repeat(this.column - this.length), plainStyle)
      this.append(text, this.style)
    }
    this.column += text.length
  }

  moveTo(column: number): void {
    this.column = Math.max(0, Math.min(column, Math.max(this.length, MOST_COLUMNS)))
  }

  moveBack(): void {
    this.moveTo(this.column - 1)
  }

  /** `K`: from the cursor to the end, or the whole line. */
  erase(mode: string): void {
    const kept = mode === '' || mode === '0' ? this.column : mode === '2' ? 0 : this.length
    if (kept >= this.length) return
    this.toGrid()
    this.cells.length = kept
    this.length = kept
  }

  runs(): TerminalLine {
    const runs: Cell[] = []
    for (const cell of this.cells) {
      const last = runs[runs.length - 1]
      if (last && last.style === cell.style) last.text += cell.text
      else runs.push({ ...cell })
    }
    return runs
  }

  private append(text: string, style: TerminalStyle): void {
    if (this.isGrid)
      for (let at = 0; at < text.length; at++) this.cells.push({ text: text.charAt(at), style })
    else this.cells.push({ text, style })
    this.length += text.length
  }

  private overwrite(text: string): void {
    this.toGrid()
    for (let at = 0; at < text.length; at++)
      this.cells[this.column + at] = { text: text.charAt(at), style: this.style }
    this.length = Math.max(this.length, this.column + text.length)
  }

  private toGrid(): void {
    if (this.isGrid) return
    const runs = this.cells
    this.isGrid = true
    this.cells = []
    this.length = 0
    for (const { text, style } of runs) this.append(text, style)
  }
}

function applyCodes(style: TerminalStyle, parameters: string): TerminalStyle {
  const codes = parameters.split(/[;:]/).map((code) => (code === '' ? 0 : Number(code)))
  let next = style
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index] ?? 0
    if (code === 38 || code === 48) {
      const finer = readFineColor(codes, index + 1)
      index = finer.next - 1
      if (finer.color !== undefined)
        next = code === 38 ? { ...next, color: finer.color } : { ...next, background: finer.color }
      continue
    }
    next = applyCode(next, code)
  }
  return next
}

function applyCode(style: TerminalStyle, code: number): TerminalStyle {
  if (code >= 30 && code <= 37) return { ...style, color: terminalColors[code - 30] ?? null }
  if (code >= 90 && code <= 97) return { ...style, color: terminalColors[code - 90] ?? null }
  if (code >= 40 && code <= 47) return { ...style, background: terminalColors[code - 40] ?? null }
  if (code >= 100 && code <= 107) return { ...style, background: terminalColors[code - 100] ?? null }
  switch (code) {
    case 0:
      return plainStyle
    case 1:
      return { ...style, bold: true }
    case 2:
      return { ...style, dim: true }
    case 3:
      return { ...style, italic: true }
    case 4:
      return { ...style, underline: true }
    case 7:
      return { ...style, inverse: true }
    case 9:
      return { ...style, strike: true }
    case 22:
      return { ...style, bold: false, dim: false }
    case 23:
      return { ...style, italic: false }
    case 24:
      return { ...style, underline: false }
    case 27:
      return { ...style, inverse: false }
    case 29:
      return { ...style, strike: false }
    case 39:
      return { ...style, color: null }
    case 49:
      return { ...style, background: null }
    default:
      return style
  }
}

/** The parameters after 38 or 48: `5;n` for 256 colors, or `2;r;g;b`. */
function readFineColor(
  codes: readonly number[],
  at: number,
): { color: TerminalColor | null | undefined; next: number } {
  if (codes[at] === 5) return { color: nearestOf256(codes[at + 1] ?? 0), next: at + 2 }
  if (codes[at] === 2)
    return {
      color: nearestColor(codes[at + 1] ?? 0, codes[at + 2] ?? 0, codes[at + 3] ?? 0),
      next: at + 4,
    }
  return { color: undefined, next: at + 1 }
}

function nearestOf256(index: number): TerminalColor | null {
  if (index < 16) return terminalColors[index % 8] ?? null
  if (index >= 232)
    return nearestColor((index - 232) * 10 + 8, (index - 232) * 10 + 8, (index - 232) * 10 + 8)
  const level = (value: number) => (value === 0 ? 0 : 55 + value * 40)
  const cube = index - 16
  return nearestColor(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6))
}

/** The nearest color by hue, for grays by lightness. Null is the default text color. */
function nearestColor(red: number, green: number, blue: number): TerminalColor | null {
  const high = Math.max(red, green, blue)
  const low = Math.min(red, green, blue)
  if (high - low < 40) return high < 150 ? 'black' : null
  const middle = low + (high - low) * 0.5
  const bits = (red > middle ? 1 : 0) + (green > middle ? 2 : 0) + (blue > middle ? 4 : 0)
  return terminalColors[bits] ?? null
}

/** Maps terminal styles to class names of the palette. */
const COLORS: Readonly<Record<TerminalColor, string | undefined>> = {
  black: styles.black,
  red: styles.red,
  green: styles.green,
  yellow: styles.yellow,
  blue: styles.blue,
  magenta: styles.magenta,
  cyan: styles.cyan,
  white: styles.white,
}

/** The class names of a style; empty for plain text. */
export function terminalStyle(style: TerminalStyle): string {
  return classNames(
    style.color !== null && COLORS[style.color],
    (style.inverse || style.background !== null) && styles.inverse,
    style.bold && styles.bold,
    style.dim && styles.dim,
    style.italic && styles.italic,
    style.underline && styles.underline,
    style.strike && styles.strike,
  )
}

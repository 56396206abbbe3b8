/**
 * A command's output as plain text: without colors, each line in its last state. The work is proportional to the
 * output, regardless of its content, and is done piece by piece as the output arrives.
 */

/** Characters. A longer line is passed on in pieces, and these pieces can't be redrawn. */
export const LONGEST_REDRAWN = 64 * 1024

interface PlainOutput {
  /** Takes the next piece of output, and returns the text that is final. */
  push(output: string): string
  /** Returns the last, unfinished line. */
  end(): string
}

/**
 * Removes escape sequences and control characters except tabs and line ends. A line that was redrawn (a progress bar)
 * keeps its last state.
 */
export function createPlainOutput(): PlainOutput {
  const sequence = createSequence()
  const line = createLine()
  return {
    push: (output) => {
      const final: string[] = []
      for (let at = 0; at < output.length; ) {
        const code = output.charCodeAt(at)
        if (sequence.take(code, line)) at++
        else if (code === LINE_FEED) {
          const end = startOfLineToDraw(output, at + 1)
          final.push(line.take(), output.slice(at, end))
          at = end
        } else {
          const end = endOfText(output, at)
          line.draw(output.slice(at, end))
          at = end
          if (line.length() >= LONGEST_REDRAWN) final.push(line.take())
        }
      }
      return final.join('')
    },
    end: () => line.take(),
  }
}

const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g
const CONTROL_OR_LINE_FEED = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g

function startOfLineToDraw(text: string, from: number): number {
  return Math.max(from, text.lastIndexOf('\n', indexOf(CONTROL, text, from) - 1) + 1)
}

function endOfText(text: string, from: number): number {
  return indexOf(CONTROL_OR_LINE_FEED, text, from)
}

function indexOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? text.length
}

/** Recognizes control characters and escape sequences, also where a sequence is split between two pieces. */
function createSequence() {
  let state: 'text' | 'escape' | 'parameters' | 'string' | 'escape in string' = 'text'
  let parameters = ''

  /** Returns whether the character is part of a sequence or a control character. */
  function take(code: number, line: Line): boolean {
    switch (state) {
      case 'text':
        return takeControl(code, line)
      case 'escape':
        if (code === BRACKET) startParameters()
        else if (STRINGS.has(code)) state = 'string'
        else if (isBetween(code, 0x30, 0x7e)) state = 'text'
        else if (!isBetween(code, 0x20, 0x2f)) return leave(code, line)
        return true
      case 'parameters':
        if (isBetween(code, 0x20, 0x3f)) parameters = (parameters + String.fromCharCode(code)).slice(0, 2)
        else if (!isBetween(code, 0x40, 0x7e)) return leave(code, line)
        else {
          if (code === ERASE) eraseBy(parameters, line)
          state = 'text'
        }
        return true
      case 'string':
        if (code === LINE_FEED) return leave(code, line)
        if (code === ESCAPE) state = 'escape in string'
        else if (code === BELL) state = 'text'
        return true
      case 'escape in string':
        state = code === BACKSLASH ? 'text' : 'string'
        return code === BACKSLASH || take(code, line)
    }
  }

  function takeControl(code: number, line: Line): boolean {
    if (code === TAB || code === LINE_FEED) return false
    if (code === ESCAPE) state = 'escape'
    else if (code === PARAMETERS_C1) startParameters()
    else if (code === CARRIAGE_RETURN) line.toStart()
    else if (code === BACKSPACE) line.back()
    else return code < 0x20 || isBetween(code, 0x7f, 0x9f)
    return true
  }

  function startParameters(): void {
    state = 'parameters'
    parameters = ''
  }

  /** Ends a sequence that is cut off by this character. */
  function leave(code: number, line: Line): boolean {
    state = 'text'
    return takeControl(code, line)
  }

  return { take }
}

const BELL = 0x07
const BACKSPACE = 0x08
const TAB = 0x09
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const ESCAPE = 0x1b
const ERASE = 'K'.charCodeAt(0)
const BRACKET = '['.charCodeAt(0)
const BACKSLASH = '\\'.charCodeAt(0)
const PARAMETERS_C1 = 0x9b
/** Characters that start a string: the title of the window, a link. */
const STRINGS = new Set([...']PX^_'].map((character) => character.charCodeAt(0)))

function isBetween(code: number, first: number, last: number): boolean {
  return code >= first && code <= last
}

function eraseBy(parameters: string, line: Line): void {
  if (parameters === '' || parameters === '0') line.eraseRest()
  else if (parameters === '1' || parameters === '2') line.erase()
}

interface Line {
  length(): number
  draw(text: string): void
  toStart(): void
  back(): void
  /** Erases from the cursor to the end. */
  eraseRest(): void
  erase(): void
  /** Returns the line and starts the next one. */
  take(): string
}

/** The line at the cursor, as a terminal shows it. Together, the operations need time in proportion to the text. */
function createLine(): Line {
  /** The line, until it is redrawn. */
  let text = ''
  /** Whether the cursor is at the start of `text`; else it is at the end. */
  let isAtStart = false
  let cells: Cells | null = null

  function redraw(): Cells {
    cells ??= createCells(text, isAtStart)
    return cells
  }

  return {
    length: () => cells?.length() ?? text.length,
    draw: (more) => {
      if (cells === null && (!isAtStart || text === '')) text += more
      else redraw().draw(more)
    },
    toStart: () => {
      if (cells === null) isAtStart = text !== ''
      else cells.toStart()
    },
    back: () => redraw().back(),
    eraseRest: () => {
      if (cells !== null || isAtStart) redraw().eraseRest()
    },
    erase: () => {
      if (cells !== null || text !== '') redraw().erase()
    },
    take: () => {
      const taken = cells?.text() ?? text
      text = ''
      isAtStart = false
      cells = null
      return taken
    },
  }
}

type Cells = ReturnType<typeof createCells>

/** The characters of a line that is redrawn. Every operation on one character needs constant time. */
function createCells(text: string, isAtStart: boolean) {
  const cells = [...text]
  let erasures = 0
  /** The number of erasures before each cell was drawn. A cell from before the last erasure is blank. */
  const drawnAfter = cells.map(() => 0)
  let length = cells.length
  let at = isAtStart ? 0 : length
  return {
    length: () => length,
    draw: (more: string) => {
      for (const character of more) {
        cells[at] = character
        drawnAfter[at] = erasures
        at += 1
      }
      length = Math.max(length, at)
    },
    toStart: () => {
      at = 0
    },
    back: () => {
      at = Math.max(0, at - 1)
    },
    eraseRest: () => {
      length = at
    },
    erase: () => {
      erasures += 1
    },
    text: () => {
      const shown = cells.slice(0, length)
      return shown
        .map((cell, index) => (drawnAfter[index] === erasures ? cell : ' '))
        .join('')
        .trimEnd()
    },
  }
}

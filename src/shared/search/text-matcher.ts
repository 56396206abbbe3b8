/** Finds the text of a search: in texts exactly, and in the lines of logs as a pattern that misses no text. */
import { fail, messageOf, ok, type Result, sentence } from '../kernel/result.ts'
import { LINE_LENGTH, type SearchHit, type SearchQuery } from './search.ts'

export interface TextMatcher {
  /** The first line with a match and the matches in it; null: the text has none. */
  find(text: string): Pick<SearchHit, 'line' | 'marks'> | null
  /**
   * A pattern of ripgrep that matches every line of JSON, and every line of plain text, with such a text. It may match others
   * too. Empty: the query says nothing that every match contains.
   */
  readonly linePattern: string
  readonly matchCase: boolean
}

/** Fails with `bad-pattern`: the expression is not valid, or the text is empty. */
export function textMatcher(
  query: Pick<SearchQuery, 'text' | 'regex' | 'matchCase' | 'wholeWords'>,
): Result<TextMatcher> {
  const { text, regex, matchCase } = query
  const words = regex ? [] : text.trim().split(/\s+/)
  if (text.trim() === '') return fail({ type: 'bad-pattern', message: 'The search has no words.' })
  const pattern = compile(query, words)
  if (!pattern.ok) return pattern
  return ok({
    matchCase,
    linePattern: regex ? inLine(requiredText(text)) : words.map(inLine).join(GAP_IN_LINE),
    find: (within) => firstLine(within, pattern.value),
  })
}

/** What may stand between two words: `charge key` finds `charge_key` and `chargeKey` too. */
const GAP = '[\\s_-]*'
/** The same where a line break may be written as an escape. */
const GAP_IN_LINE = '(?:[\\s_-]|\\\\[nrtf])*'

function compile(
  { text, regex, matchCase, wholeWords }: Pick<SearchQuery, 'text' | 'regex' | 'matchCase' | 'wholeWords'>,
  words: readonly string[],
): Result<RegExp> {
  const source = regex ? text : words.map(escapePattern).join(GAP)
  const whole = wholeWords ? `(?<![\\p{L}\\p{N}_])(?:${source})(?![\\p{L}\\p{N}_])` : source
  const flags = matchCase ? 'gm' : 'gim'
  try {
    return ok(new RegExp(whole, `${flags}u`))
  } catch (strict) {
    // Without this flag, needless escapes are allowed. Whole words need it.
    if (regex && !wholeWords)
      try {
        return ok(new RegExp(whole, flags))
      } catch {
        // The first message says more.
      }
    const reason = messageOf(strict).replace(/^Invalid regular expression: \/.*\/[a-z]*: /s, '')
    return fail({
      type: 'bad-pattern',
      message: `The regular expression is not valid: ${sentence(reason)} Correct it, or search for the words as they are.`,
    })
  }
}

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

/** A text as it stands in a string of JSON, or as it is. */
function inLine(text: string): string {
  const plain = escapeLine(text)
  const escaped = escapeLine(JSON.stringify(text).slice(1, -1))
  return plain === escaped ? plain : `(?:${escaped}|${plain})`
}

const escapeLine = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** The longest text that every match of an expression contains; empty: there is none, or this reading does not find it. */
function requiredText(source: string): string {
  let best = ''
  let run = ''
  let depth = 0
  const end = () => {
    if (run.length > best.length) best = run
    run = ''
  }
  for (let at = 0; at < source.length; at++) {
    const unit = source[at] ?? ''
    if (unit === '\\') {
      at += 1
      const next = source[at] ?? ''
      // A class or a border. Other letters begin escapes with digits or names.
      if (/[dDwWsSbBnrtfv]/.test(next)) end()
      else if (/[A-Za-z0-9]/.test(next)) return ''
      else if (depth === 0) run += next
    } else if (unit === '[') {
      end()
      for (at += 1; at < source.length && source[at] !== ']'; at++) if (source[at] === '\\') at += 1
    } else if (unit === '(' || unit === ')') {
      end()
      depth += unit === '(' ? 1 : -1
    } else if (unit === '|') {
      if (depth === 0) return ''
    } else if (unit === '?' || unit === '*' || unit === '{') {
      if (/[\ud800-\udfff]/.test(run.at(-1) ?? '')) return ''
      run = run.slice(0, -1)
      end()
      if (unit === '{') {
        at = source.indexOf('}', at)
        if (at < 0) return ''
      }
    } else if (unit === '+' || unit === '.' || unit === '^' || unit === '$') end()
    else if (depth === 0) run += unit
  }
  end()
  return best.length < SHORTEST ? '' : best
}

/** A shorter text is in nearly every line. */
const SHORTEST = 2

/** The line of the first match that is not empty, shortened around it, with its matches. */
function firstLine(text: string, pattern: RegExp): Pick<SearchHit, 'line' | 'marks'> | null {
  pattern.lastIndex = 0
  let first = pattern.exec(text)
  while (first !== null && first[0] === '') {
    pattern.lastIndex += 1
    first = pattern.exec(text)
  }
  if (first === null) return null
  const lineStart = Math.min(first.index, text.lastIndexOf('\n', first.index - 1) + 1)
  const found = text.indexOf('\n', first.index + first[0].length)
  const lineEnd = found < 0 ? text.length : found
  const isFar = first.index - lineStart > LINE_LENGTH / 3
  const start = isFar ? first.index - Math.floor(LINE_LENGTH / 4) : lineStart
  const end = Math.min(lineEnd, start + LINE_LENGTH)
  // A match may go over lines.
  const cut = text.slice(start, end).replace(/\s/g, ' ')
  const indent = isFar ? 0 : cut.length - cut.trimStart().length
  const [before, after] = [isFar ? '…' : '', end < lineEnd ? '…' : '']
  const line = before + cut.slice(indent).trimEnd() + after
  const placeOf = (at: number) => Math.max(0, Math.min(line.length, at - start - indent + before.length))
  const marks: (readonly [number, number])[] = []
  for (
    let match: RegExpExecArray | null = first;
    match !== null && match.index < end;
    match = pattern.exec(text)
  ) {
    if (match[0] === '') pattern.lastIndex += 1
    else marks.push([placeOf(match.index), placeOf(match.index + match[0].length)])
    if (marks.length === MOST_MARKS) break
  }
  return { line, marks }
}

const MOST_MARKS = 20

/**
 * Parses tool results: matching lines, paths, the lines of a file, a command's output. In a shortened result, the
 * partial lines at the gap are left out, because a partial path is not a fact.
 */
import type { ScenarioCallResult } from './scenario-scene.ts'

/** A line of a file, as a tool showed it. */
interface FoundLine {
  readonly path: string
  readonly line: number
  readonly text: string
}

interface Listed<Item> {
  readonly items: readonly Item[]
  /** Whether the tool left out results. */
  readonly more: boolean
  /** The number of all results, if the tool left some out and reports the number. */
  readonly total?: number
}

/** Grep in content mode: each file's path, then its lines as `line:text`, then an empty line. */
export function foundLines(answer: ScenarioCallResult): Listed<FoundLine> {
  const { items: lines, ...more } = linesOf(answer)
  const items: FoundLine[] = []
  let path: string | null = null
  let isHeading = true
  for (const line of lines) {
    const [, number, text = ''] = /^(\d+):(.*)$/.exec(line) ?? []
    if (isHeading) path = line
    else if (path !== null && number !== undefined) items.push({ path, line: Number(number), text })
    isHeading = line === ''
    // After a gap the file is unknown up to the next heading.
    if (isHeading || line === OMITTED) path = null
  }
  return { items, ...more }
}

/** Grep in content mode where `path` is a file: `line:text`. */
export function foundLinesIn(path: string, answer: ScenarioCallResult): Listed<FoundLine> {
  return listOf(answer, /^(\d+):(.*)$/, ([line, text = '']) => ({ path, line: Number(line), text }))
}

/** Grep in count mode: `path:count`. */
export function foundCounts(
  answer: ScenarioCallResult,
): Listed<{ readonly path: string; readonly count: number }> {
  return listOf(answer, /^(.+):(\d+)$/, ([path = '', count]) => ({ path, count: Number(count) }))
}

/** Glob, or Grep in the mode that lists files. */
export function foundPaths(answer: ScenarioCallResult): Listed<string> {
  return listOf(answer, /^(.+)$/, ([path = '']) => path)
}

/** Read: the lines with their numbers. */
export function readLines(answer: ScenarioCallResult): readonly Omit<FoundLine, 'path'>[] {
  if (!answer.ok) return []
  return answer.text.split('\n').flatMap((line) => {
    const match = /^ *(\d+)\t(.*)$/s.exec(line)
    return match ? [{ line: Number(match[1]), text: match[2] ?? '' }] : []
  })
}

interface CommandAnswer {
  readonly output: string
  /** Null if the command did not run, was stopped, or timed out. */
  readonly exitCode: number | null
  readonly timedOut: boolean
  /** Whether the command ran; if not, `output` is the reason. */
  readonly ran: boolean
}

/** Bash: the output, then notes in brackets. */
export function commandAnswer({ ok, text }: ScenarioCallResult): CommandAnswer {
  const lines = text.split('\n')
  const remarks: string[] = []
  while (REMARK.test(lines.at(-1) ?? '')) remarks.push(lines.pop() ?? '')
  const output = lines.join('\n')
  const said = (pattern: RegExp) => remarks.some((remark) => pattern.test(remark))
  const code = remarks.map((remark) => /^\[Exit code (\d+)\]$/.exec(remark)?.[1]).find((found) => found)
  const timedOut = said(/^\[The command was ended after/)
  if (ok) return { output, exitCode: 0, timedOut, ran: true }
  if (code !== undefined) return { output, exitCode: Number(code), timedOut, ran: true }
  const ran = timedOut || said(/^\[(?:The command was stopped|A signal ended the command)/)
  return { output, exitCode: null, timedOut, ran }
}

const REMARK =
  /^\[(?:Exit code \d+\]|No output|The command was ended after|The command was stopped|A signal ended the command|Processes that it left|The command ended in)/

/** The output lines of a successful command; empty after a failure. */
export function commandLines(answer: ScenarioCallResult): readonly string[] {
  const { output, exitCode } = commandAnswer(answer)
  return exitCode === 0 && output !== '' ? wholeLines(output).filter((line) => line !== OMITTED) : []
}

/** The reason why a call failed, in one line for the user. */
export function reasonOf({ text }: ScenarioCallResult): string {
  const refused = /^The user denied this call(?:: (.+))?/s.exec(text)
  if (refused)
    return refused[1] && !/^Do not try/.test(refused[1])
      ? `you said no: ${refused[1]}`
      : 'you did not allow it.'
  const line = text.split('\n').find((part) => part.trim() !== '') ?? ''
  return line.length > 240 ? `${line.slice(0, 239)}…` : line
}

function listOf<Item>(
  answer: ScenarioCallResult,
  pattern: RegExp,
  read: (groups: readonly (string | undefined)[]) => Item,
): Listed<Item> {
  const { items: lines, ...more } = linesOf(answer)
  const items = lines.flatMap((line) => {
    const match = line === '' || line === OMITTED || DEEPER.test(line) ? null : pattern.exec(line)
    return match ? [read(match.slice(1))] : []
  })
  return { items, ...more }
}

/** The lines without the note at the end. */
function linesOf(answer: ScenarioCallResult): Listed<string> {
  if (!answer.ok || NOTHING.test(answer.text)) return { items: [], more: false }
  const lines = wholeLines(answer.text)
  const remark = lines.at(-2) === '' ? MORE.exec(lines.at(-1) ?? '') : null
  const items = lines.slice(0, remark ? -2 : undefined)
  const total = remark?.[1] === undefined ? null : Number(remark[1].replaceAll(',', ''))
  return { items, more: remark !== null || GAP.test(answer.text), ...(total === null ? {} : { total }) }
}

/** The texts of the tools for no result, for omitted results, and for a deeper search by Glob. */
const NOTHING = /^(?:No file in .* matches .*|Nothing matches.*)$/
const MORE = /^\[Only the .*?(?: of ([\d,]+))? are (?:shown|listed)[.;].*\]$/
const DEEPER = /^\[No match directly in .*; these are in folders below\.\]$/

/** The text in place of the omitted middle of a long result. */
const GAP = /^\[… [\d,]+ characters omitted\. .*\]$/m

/** Replaces the omitted middle in the list of lines. */
const OMITTED = '\0'

function wholeLines(text: string): readonly string[] {
  const lines = text.split('\n')
  const gap = lines.findIndex((line) => GAP.test(line))
  if (gap < 0) return lines
  // The gap is surrounded by a partial line and an empty line on each side.
  return [...lines.slice(0, Math.max(0, gap - 2)), OMITTED, ...lines.slice(gap + 3)]
}

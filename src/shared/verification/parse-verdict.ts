/** Reads the verdict and the evidence from a verifier's report, whole. Lenient: models vary the form. */
import type { Evidence, Verdict } from './verification.ts'

interface ParsedVerdict {
  /** `unclear` if the report names no verdict. */
  readonly verdict: Verdict
  readonly summary: string
  readonly evidence: readonly Evidence[]
}

/** Characters of a line in which facts are looked for: a long line must not cost much. */
const EXAMINED = 5000

/** The last line `VERDICT: …` counts. The evidence is the list below a line `EVIDENCE`. */
export function parseVerdict(report: string): ParsedVerdict {
  const lines = report.split(/\r?\n/)
  const at = lines.findLastIndex((line) => verdictOf(line) !== null)
  const found = at === -1 ? null : verdictOf(lines[at] ?? '')
  if (found === null) return { verdict: 'unclear', summary: NO_VERDICT, evidence: evidenceIn(lines) }
  const said = found.rest === '' ? valueBelow(lines, at) : found.rest
  return { verdict: found.verdict, summary: said.trim(), evidence: evidenceIn(lines) }
}

const NO_VERDICT = 'The verifier gave no verdict. Read its report.'

/** `**Verdict:** failed — the parser drops empty lines` */
function verdictOf(line: string): { readonly verdict: Verdict; readonly rest: string } | null {
  const matched = /^[\s#>*_`\-\d.]*verdict[\s*_`]*[:=\-–—][\s*_`"']*(.+)$/i.exec(line.slice(0, EXAMINED))
  if (matched === null) return null
  const text = (matched[1] ?? '').trim()
  for (const [verdict, names] of NAMES) {
    const named = names.exec(text)
    if (named !== null) return { verdict, rest: restOf(text.slice(named[0].length)) }
  }
  return null
}

/** In this order: "not passed" is no pass, and "could not be verified" is not "verified". */
const NAMES: readonly (readonly [Verdict, RegExp])[] = [
  [
    'unclear',
    /^(?:the changes? )?(?:unclear|inconclusive|unknown|partial(?:ly)?|could not be verified|unverified)\b/i,
  ],
  [
    'failed',
    /^(?:the changes? )?(?:fail(?:ed|s|ure)?|does not work|do not work|not (?:ok|passed)|rejected|broken)\b/i,
  ],
  ['passed', /^(?:the changes? )?(?:pass(?:ed|es)?|works?|verified|ok|success(?:ful)?)\b/i],
]

const restOf = (text: string): string => text.replace(/^[\s*_`"'.,:;()–—-]+/, '').replace(/[*_`]+$/, '')

/** The text of the line `Summary: …`, or the next paragraph after the verdict. */
function valueBelow(lines: readonly string[], at: number): string {
  const summary = lines.findLast((line) => SUMMARY.test(line))
  if (summary !== undefined) return restOf(summary.replace(SUMMARY, ''))
  const next = lines.slice(at + 1).find((line) => line.trim() !== '')
  return next === undefined || EVIDENCE.test(next) || ITEM.test(next) ? '' : next.trim()
}

const SUMMARY = /^[\s#>*_]*summary[\s*_]*[:–—-]/i
const EVIDENCE = /^[\s#>*_]*evidence\b[\s*_:]*(.*)$/i
const ITEM = /^\s*(?:[-*•]|\d+[.)])\s+(.+)$/

/** The items of the last list with the heading "Evidence". */
function evidenceIn(lines: readonly string[]): readonly Evidence[] {
  const at = lines.findLastIndex((line) => EVIDENCE.test(line))
  if (at === -1) return []
  const items: { readonly text: string; readonly below: string[] }[] = []
  let fence: string | null = null
  // The indentation of the first item: deeper items are part of an output.
  let first = 0
  for (const line of lines.slice(at + 1)) {
    const last = items.at(-1)
    const mark = FENCE.exec(line)?.[1] ?? null
    if (fence !== null || (mark !== null && last !== undefined)) {
      fence = fence === null ? mark : mark === fence ? null : fence
      last?.below.push(line)
      continue
    }
    const item = ITEM.exec(line)?.[1]
    const indent = indentOf(line)
    const isOwn = last === undefined || indent <= first + 1
    if (item !== undefined && isOwn && verdictOf(line) === null) {
      if (last === undefined) first = indent
      items.push({ text: item, below: [] })
    } else if (line.trim() === '' || /^\s/.test(line)) last?.below.push(line)
    else if (item === undefined) break
  }
  return items.map(({ text, below }) => evidenceOf(text, outputOf(below)))
}

const FENCE = /^\s*(`{3,}|~{3,})/

const indentOf = (line: string): number => /^\s*/.exec(line)?.[0].length ?? 0

/** The lines below an item, without the code fence and the indentation that they share. */
function outputOf(below: readonly string[]): string | null {
  const lines = below.filter((line) => !FENCE.test(line))
  while (lines.at(0)?.trim() === '') lines.shift()
  while (lines.at(-1)?.trim() === '') lines.pop()
  if (lines.length === 0) return null
  const indents = lines.filter((line) => line.trim() !== '').map(indentOf)
  const shared = Math.min(...indents)
  return lines.map((line) => line.slice(shared)).join('\n')
}

/** "The tests pass — `npm test`, exit code 0", "`add` ignores null: src/add.ts:12" */
function evidenceOf(text: string, output: string | null): Evidence {
  const item = text.trim()
  const head = item.slice(0, EXAMINED)
  const exit = EXIT.exec(head)
  const location = head.split(/[\s`()[\],;]+/).find((word) => LOCATION.test(word)) ?? null
  const codes = [...head.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? '')
  // A name in backticks is no command: a command comes with its exit code, or has a space.
  const command = codes.findLast((code) => code !== location && (exit !== null || code.includes(' '))) ?? null
  let claim = item
  for (const fact of [exit?.[0], command, location])
    if (fact) claim = claim.replace(`\`${fact}\``, '').replace(fact, '')
  claim = claim.replace(/\([\s,;]*\)/g, '').replace(/[\s,;:(→–—-]+$/, '')
  return {
    claim: claim.trim() === '' ? (command ?? item) : claim.trim(),
    command,
    exitCode: exit === null ? null : Number(exit[1]),
    location: location?.replace(/[.:]$/, '') ?? null,
    ...(output === null ? {} : { output }),
  }
}

const EXIT = /\bexit(?:ed)?(?: with)?(?: code| status)?[ :=]{1,3}(-?\d{1,10})/i
/** `src/add.ts:12`; anchored, so that a long word costs little. */
const LOCATION = /^(?!\d+:|localhost:|[a-z]+:\/\/)[\w@~./\\-]+:\d+(?:[:-]\d+)?[.:]?$/

/** Reads the verdict and the evidence from a verifier's report. Lenient: models vary the form. */
import type { Evidence, Verdict } from './verification.ts'

interface ParsedVerdict {
  /** `unclear` if the report names no verdict. */
  readonly verdict: Verdict
  readonly summary: string
  readonly evidence: readonly Evidence[]
}

const MOST_EVIDENCE = 50
const LONGEST = 500

/** The last line `VERDICT: …` counts. The evidence is the list below a line `EVIDENCE`. */
export function parseVerdict(report: string): ParsedVerdict {
  const lines = report.split(/\r?\n/).map((line) => line.slice(0, 10 * LONGEST))
  const at = lines.findLastIndex((line) => verdictOf(line) !== null)
  const found = at === -1 ? null : verdictOf(lines[at] ?? '')
  if (found === null) return { verdict: 'unclear', summary: NO_VERDICT, evidence: evidenceIn(lines) }
  const said = found.rest === '' ? valueBelow(lines, at) : found.rest
  return { verdict: found.verdict, summary: clip(said), evidence: evidenceIn(lines) }
}

const NO_VERDICT = 'The verifier gave no verdict. Read its report.'

/** `**Verdict:** failed — the parser drops empty lines` */
function verdictOf(line: string): { readonly verdict: Verdict; readonly rest: string } | null {
  const matched = /^[\s#>*_`\-\d.]*verdict[\s*_`]*[:=\-–—][\s*_`"']*(.+)$/i.exec(line)
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
  const items: Evidence[] = []
  for (const line of lines.slice(at + 1)) {
    const item = ITEM.exec(line)?.[1]
    if (item !== undefined && verdictOf(line) === null) items.push(evidenceOf(item))
    else if (item === undefined && line.trim() !== '' && !/^\s+/.test(line)) break
  }
  return items.slice(0, MOST_EVIDENCE)
}

/** "The tests pass — `npm test`, exit code 0", "`add` ignores null: src/add.ts:12" */
function evidenceOf(text: string): Evidence {
  const item = clip(text)
  const exit = EXIT.exec(item)
  const location = item.split(/[\s`()[\],;]+/).find((word) => LOCATION.test(word)) ?? null
  const codes = [...item.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? '')
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
  }
}

const EXIT = /\bexit(?:ed)?(?: with)?(?: code| status)?[ :=]{1,3}(-?\d{1,10})/i
/** `src/add.ts:12`; anchored, so that a long word costs little. */
const LOCATION = /^(?!\d+:|localhost:|[a-z]+:\/\/)[\w@~./\\-]+:\d+(?:[:-]\d+)?[.:]?$/

const clip = (text: string): string =>
  text.length > LONGEST ? `${text.slice(0, LONGEST).trimEnd()} …` : text.trim()

/** The texts of the test bench: checks, figures, versions and results. */
import type {
  AgentVersion,
  AttemptState,
  CaseAttempt,
  CaseCheck,
  CheckResult,
  TestRun,
} from '../../../shared/agent-tests/agent-tests.ts'
import { caseCheckText } from '../../../shared/agent-tests/attempt-text.ts'
import type { GridFigures } from '../../../shared/agent-tests/grid.ts'
import { count, formatDuration, formatMoney, formatTokens } from '../../ui/text/format.ts'

export function allChecksText(checks: readonly CaseCheck[]): string {
  return checks.length === 0 ? 'no checks' : checks.map(caseCheckText).join(', ')
}

/** Letters that a row of the grid has room for. */
const ROOM = 46

/** The first checks, as many as a row has room for, and how many there are besides. */
export function someChecksText(checks: readonly CaseCheck[]): string {
  const texts = checks.map(caseCheckText)
  let shown = texts.length
  while (shown > 1 && texts.slice(0, shown).join(', ').length > ROOM) shown--
  const left = texts.length - shown
  return left === 0 ? allChecksText(checks) : `${texts.slice(0, shown).join(', ')}, ${left} more`
}

/** "$0.08 · 1:04 · 38k": cost, time, tokens. Unknown amounts are left out. */
export function figuresText({
  usd,
  ms,
  tokens,
}: {
  readonly usd: number | null
  readonly ms: number | null
  readonly tokens: number | null
}): string {
  return [
    usd === null ? null : formatMoney(usd),
    ms === null ? null : formatDuration(ms),
    tokens === null ? null : formatTokens(tokens),
  ]
    .filter((part) => part !== null)
    .join(' · ')
}

/** "5 of 6 passed. The rate is between 44% and 97%, with a confidence of 95%." and how it compares. */
export function rateText(figures: GridFigures): string {
  const { passed, counted, interval, judgment, chance } = figures
  if (counted === 0) return 'No attempt has counted yet.'
  const rate = `${passed} of ${counted} passed. The pass rate is between ${percent(interval.low)} and ${percent(interval.high)}, with a confidence of 95%.`
  if (chance === null) return rate
  const odds = `chance alone makes such a difference ${chanceText(chance)} (Fisher’s exact test, p = ${chance.toFixed(3)})`
  return judgment === null
    ? `${rate}\nNo clear difference to the version in use: ${odds}.`
    : `${rate}\n${capitalized(judgment)} than the version in use: ${odds}.`
}

const percent = (rate: number): string => `${Math.round(rate * 100)}%`

const chanceText = (chance: number): string =>
  chance < 0.001
    ? 'less than once in 1,000 times'
    : `${(chance * 100).toFixed(chance < 0.1 ? 1 : 0)}% of the time`

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** "claude-sonnet-4-5" as "sonnet 4.5"; other ids as they are. */
export function modelText(model: string): string {
  const [, name, major, minor] = /^claude-([a-z]+)-(\d+)(?:-(\d{1,2}))?(?:-\d{6,})?$/.exec(model) ?? []
  return name === undefined ? model : `${name} ${major}${minor === undefined ? '' : `.${minor}`}`
}

const DAY = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' })

/** The second line of a version: its model, and what it is. */
export function aboutVersion({ model, note, savedAt }: AgentVersion): string {
  const saved = savedAt === null ? '' : `saved ${DAY.format(savedAt)}`
  return [modelText(model), note === '' ? saved : note].filter((part) => part !== '').join(' · ')
}

export const STATE_TEXTS: Readonly<Record<AttemptState, string>> = {
  waiting: 'waiting',
  running: 'running',
  checking: 'checking',
  passed: 'passed',
  failed: 'failed',
  broken: 'could not be run',
  stopped: 'stopped',
}

/** Whether a result is what a model thinks. */
export const isOpinion = ({ check }: CheckResult): boolean => check.type === 'opinion'

/** What a run has done: attempts that have ended, and those that it is for. */
export interface RunProgress {
  readonly done: number
  readonly all: number
}

export function runProgress(run: TestRun, attempts: readonly CaseAttempt[]): RunProgress {
  const all = run.versions.length * run.caseFiles.length * run.attempts - run.reused
  const done = attempts.filter(({ runId, state }) => runId === run.id && HAS_ENDED.has(state)).length
  return { done, all: Math.max(all, done) }
}

export const HAS_ENDED: ReadonlySet<AttemptState> = new Set(['passed', 'failed', 'broken', 'stopped'])

/** "6 cases", "no cases" */
export const casesText = (cases: number): string => (cases === 0 ? 'no cases' : count(cases, 'case'))

/** Carries out the checks of a case after its agent, in their order. */
import { runInNewContext } from 'node:vm'
import picomatch from 'picomatch'
import type { CaseCheck, CheckResult } from '../../../shared/agent-tests/agent-tests.ts'
import { countOf, durationOf } from '../../../shared/kernel/amounts.ts'
import { assertNever } from '../../../shared/kernel/assert-never.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { readReportSchema } from '../run/report-schema.ts'

/** What an attempt left. */
export interface AttemptWork {
  readonly report: string
  /** Relative to the top of its folder, with `/`. */
  readonly changed: readonly string[]
  /** The tools that its agents called, with repeats. */
  readonly tools: readonly string[]
  /** The tools that its agents needed a permission for. */
  readonly requests: readonly string[]
}

export interface CheckEffects {
  /** Runs a command in the folder of the attempt. Fails if it can't be run. */
  command(command: string): Promise<Result<CommandEnd>>
  /** One vote about the rubric. Fails if no model answered. */
  vote(rubric: string): Promise<Result<Vote>>
}

export interface CommandEnd {
  /** Null: it took too long, or a signal ended it. */
  readonly exitCode: number | null
  readonly isTimeout: boolean
  readonly output: string
}

export interface Vote {
  readonly passed: boolean
  readonly because: string
}

/** Fails with `broken` if a check can't be carried out: then nothing is said about the agent. */
export async function runChecks(
  checks: readonly CaseCheck[],
  work: AttemptWork,
  effects: CheckEffects,
): Promise<Result<readonly CheckResult[]>> {
  const results: CheckResult[] = []
  for (const check of checks) {
    const result = await runCheck(check, work, effects)
    if (!result.ok) return fail({ type: 'broken', message: result.failure.message })
    results.push({ check, ...result.value })
  }
  return ok(results)
}

type Found = Omit<CheckResult, 'check'>

async function runCheck(check: CaseCheck, work: AttemptWork, effects: CheckEffects): Promise<Result<Found>> {
  const { report, changed } = work
  switch (check.type) {
    case 'report-contains':
      return ok(
        report.includes(check.text) ? good('in the report') : bad(`not in the report: ${shortened(report)}`),
      )
    case 'report-lacks':
      return ok(report.includes(check.text) ? bad(around(report, check.text)) : good('not in the report'))
    case 'report-matches':
      return matched(check, report)
    case 'report-schema': {
      const schema = readReportSchema(JSON.stringify(check.schema), 'report-schema')
      if (!schema.ok) return schema
      const read = schema.value.read(report)
      return ok(read.ok ? good('valid') : bad(read.failure.message))
    }
    case 'files-changed': {
      const missing = check.paths.filter((path) => !changed.some((file) => covers(path, file)))
      return ok(
        missing.length === 0
          ? good(listed(changed))
          : bad(`${missing.join(', ')} unchanged; ${listed(changed)}`),
      )
    }
    case 'files-unchanged': {
      const wrong = changed.filter((file) => check.paths.some((path) => covers(path, file)))
      return ok(wrong.length === 0 ? good('unchanged') : bad(listed(wrong)))
    }
    case 'command':
      return commandEnded(check.command, await effects.command(check.command))
    case 'tools-not-used':
      return ok(noneOf(check.tools, work.tools, 'used'))
    case 'no-request':
      return ok(noneOf(check.tools, work.requests, 'asked for'))
    case 'opinion':
      return opinion(await Promise.all([1, 2, 3].map(() => effects.vote(check.rubric))))
    default:
      return assertNever(check)
  }
}

const good = (found: string): Found => ({ passed: true, found })
const bad = (found: string): Found => ({ passed: false, found })

/** ms. An expression that backtracks without end is stopped. */
const LONGEST_MATCH = 1000

function matched(
  { pattern, flags }: Extract<CaseCheck, { type: 'report-matches' }>,
  report: string,
): Result<Found> {
  try {
    const found = runInNewContext(
      'const found = new RegExp(pattern, flags).exec(report); found === null ? null : found[0]',
      { pattern, flags, report },
      { timeout: LONGEST_MATCH },
    ) as string | null
    return ok(found === null ? bad(`nothing matches: ${shortened(report)}`) : good(shortened(found)))
  } catch {
    return fail({
      type: 'broken',
      message: `The check report-matches has an expression that takes longer than ${durationOf(LONGEST_MATCH)} on this report: /${pattern}/${flags}. Write one without nested repeats.`,
    })
  }
}

/** A pattern without a slash means a name in every folder. */
const covers = (pattern: string, file: string): boolean =>
  picomatch.isMatch(file, pattern.replace(/^\.\//, ''), { dot: true, basename: !pattern.includes('/') })

/** What a shell says about a command that is not there, or that is no program. */
const NOT_RUN = [126, 127]
const SHOWN_OUTPUT = 2000

function commandEnded(command: string, ended: Result<CommandEnd>): Result<Found> {
  if (!ended.ok)
    return fail({
      type: 'broken',
      message: `The check “${command}” could not be run: ${ended.failure.message}`,
    })
  const { exitCode, isTimeout, output } = ended.value
  const end = output.trimEnd().slice(-SHOWN_OUTPUT)
  if (exitCode !== null && NOT_RUN.includes(exitCode))
    return fail({
      type: 'broken',
      message: `The check “${command}” could not be run: ${shortened(end) || `exit code ${exitCode}`}`,
    })
  if (exitCode === 0) return ok(good('exit code 0'))
  const how = isTimeout
    ? `It was ended after ${durationOf(LONGEST_CHECK)}.`
    : exitCode === null
      ? 'A signal ended it.'
      : `exit code ${exitCode}`
  return ok(bad(end === '' ? how : `${how}\n${end}`))
}

/** ms that a command may take. */
export const LONGEST_CHECK = 600_000

function noneOf(tools: readonly string[], used: readonly string[], verb: string): Found {
  const isMeant = (tool: string) =>
    tools.some((each) => each === '*' || each.toLowerCase() === tool.toLowerCase())
  const names = [...new Set(used.filter(isMeant))]
  if (names.length === 0) return good(`none ${verb}`)
  const counted = names.map((name) => countOf(used.filter((each) => each === name).length, name, name))
  return bad(`${verb}: ${counted.join(', ')}`)
}

/** The majority of the votes. Those that a model did not give do not count. */
function opinion(votes: readonly Result<Vote>[]): Result<Found> {
  const given = votes.flatMap((vote) => (vote.ok ? [vote.value] : []))
  const needed = Math.floor(votes.length / 2) + 1
  for (const passed of [true, false]) {
    const alike = given.filter((vote) => vote.passed === passed)
    if (alike.length >= needed)
      return ok({ passed, found: `${alike.length} of ${votes.length} votes: ${alike[0]?.because ?? ''}` })
  }
  const failed = votes.find((vote) => !vote.ok)
  const why = failed?.ok === false ? ` ${failed.failure.message}` : ''
  return fail({ type: 'broken', message: `No majority of three votes was reached about the opinion.${why}` })
}

const SHOWN = 200

/** The beginning, on one line. */
function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line === '' ? 'it is empty' : line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line
}

function around(report: string, text: string): string {
  const at = report.indexOf(text)
  return shortened(`…${report.slice(Math.max(0, at - 60), at + text.length + 60)}…`)
}

const listed = (files: readonly string[]): string =>
  files.length === 0
    ? 'nothing changed'
    : `changed: ${files.slice(0, 10).join(', ')}${files.length > 10 ? ` and ${files.length - 10} more` : ''}`

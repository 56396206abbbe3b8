/** Attempts in the order in which people read them, with what they are about, and as CSV. */
import { type CsvCell, csvText } from '../kernel/csv.ts'
import type { AgentVersion, CaseAttempt } from './agent-tests.ts'
import { becauseText, caseCheckText } from './attempt-text.ts'
import type { GridInput } from './grid.ts'

export interface AttemptLine {
  readonly attempt: CaseAttempt
  /** The name of its case; its file if the case is gone. */
  readonly name: string
  /** Null: it is not among those that are shown. */
  readonly version: AgentVersion | null
}

/** By case, version and number, in the order in which cases and versions are given. */
export function attemptLines({ cases, versions, attempts }: GridInput): readonly AttemptLine[] {
  const caseAt = new Map(cases.map(({ file }, at) => [file, at]))
  const versionAt = new Map(versions.map(({ id }, at) => [id, at]))
  return attempts
    .map((attempt) => ({
      attempt,
      row: caseAt.get(attempt.caseFile) ?? cases.length,
      column: versionAt.get(attempt.versionId) ?? versions.length,
    }))
    .sort((a, b) => a.row - b.row || a.column - b.column || a.attempt.number - b.attempt.number)
    .map(({ attempt, row, column }) => ({
      attempt,
      name: cases[row]?.name ?? attempt.caseFile,
      version: versions[column] ?? null,
    }))
}

/** A line for each attempt. Figures are plain numbers: dollars, tokens, seconds. */
export function resultsCsv(input: GridInput): string {
  return csvText([
    columns.map(([title]) => title),
    ...attemptLines(input).map((line) => columns.map(([, value]) => value(line))),
  ])
}

const columns: readonly (readonly [title: string, value: (line: AttemptLine) => CsvCell])[] = [
  ['case', ({ name }) => name],
  ['case_file', ({ attempt }) => attempt.caseFile],
  ['version', ({ version, attempt }) => version?.title ?? attempt.versionId],
  ['model', ({ version }) => version?.model ?? null],
  ['attempt', ({ attempt }) => attempt.number],
  ['state', ({ attempt }) => attempt.state],
  [
    'failed_checks',
    ({ attempt: { checks } }) =>
      checks.flatMap(({ check, passed }) => (passed ? [] : [caseCheckText(check)])).join('; '),
  ],
  ['because', ({ attempt }) => becauseText(attempt)],
  ['usd', ({ attempt: { usd } }) => (usd === null ? null : Math.round(usd * 1e8) / 1e8)],
  ['seconds', ({ attempt: { ms } }) => Math.round(ms / 100) / 10],
  ['tokens', ({ attempt: { tokens } }) => Math.round(tokens)],
  ['turns', ({ attempt: { turns } }) => turns],
  ['at', ({ attempt: { at } }) => new Date(at).toISOString()],
  ['run_id', ({ attempt }) => attempt.runId],
  ['version_id', ({ attempt }) => attempt.versionId],
  /** Attempts with one key are of one text of the case and of the definition. */
  ['key', ({ attempt }) => attempt.key],
]

/** Results of test cases as lines: while they come, and as a table at the end. */
import type {
  AgentCase,
  AgentVersion,
  CaseAttempt,
  TestRun,
} from '../../../shared/agent-tests/agent-tests.ts'
import { becauseText } from '../../../shared/agent-tests/attempt-text.ts'
import type { Grid, GridFigures } from '../../../shared/agent-tests/grid.ts'
import {
  countOf,
  durationOf,
  formatDuration,
  formatMoney,
  formatTokens,
} from '../../../shared/kernel/amounts.ts'
import { oneLine, outputs, table } from '../../platform/command-line/terminal.ts'
import type { ProgressOutput } from '../run/progress.ts'

export interface TestProgress {
  show(attempts: readonly CaseAttempt[]): void
  end(): void
}

interface Shown {
  readonly cases: readonly AgentCase[]
  readonly versions: readonly AgentVersion[]
}

/** Standard error: a terminal, or anything else. */
export const progressOutput = (): ProgressOutput => ({
  isTTY: process.stderr.isTTY === true,
  size: () => ({ columns: process.stderr.columns || 100, rows: process.stderr.rows || 24 }),
  write: outputs().errors.write,
  moveUp: (lines) => process.stderr.write(`\u001b[${lines}A\u001b[J`),
})

/** On a terminal a table that changes, elsewhere a line for each attempt that has ended. */
export function createTestProgress(output: ProgressOutput, shown: Shown): TestProgress {
  return output.isTTY ? liveTable(output, shown) : endedLines(output, shown)
}

const MARKS: Readonly<Record<CaseAttempt['state'], string>> = {
  waiting: '·',
  running: '●',
  checking: '●',
  passed: '✓',
  failed: '✗',
  broken: '!',
  stopped: '■',
}

function liveTable(output: ProgressOutput, { cases, versions }: Shown): TestProgress {
  const attempts = new Map<string, CaseAttempt>()
  let drawn = 0
  const rowOf = ({ file, name }: AgentCase): readonly string[] => [
    name,
    ...versions.map(({ id }) =>
      [...attempts.values()]
        .filter((attempt) => attempt.caseFile === file && attempt.versionId === id)
        .map(({ state }) => MARKS[state])
        .join(''),
    ),
  ]
  const draw = () => {
    const { columns, rows } = output.size()
    const files = new Set([...attempts.values()].map(({ caseFile }) => caseFile))
    const shown = cases.filter(({ file }) => files.has(file)).slice(0, Math.max(1, rows - 3))
    const lines = table([['', ...versions.map(({ title }) => title)], ...shown.map(rowOf)])
    if (drawn > 0) output.moveUp(drawn)
    output.write(lines.map((line) => `${oneLine(line, columns - 1)}\n`).join(''))
    drawn = lines.length
  }
  return {
    show(changed) {
      for (const attempt of changed) attempts.set(attempt.id, attempt)
      if (changed.length > 0) draw()
    },
    end() {
      if (drawn > 0) output.moveUp(drawn)
      drawn = 0
    },
  }
}

function endedLines(output: ProgressOutput, { cases, versions }: Shown): TestProgress {
  const told = new Set<string>()
  return {
    show(changed) {
      for (const { id, state, caseFile, versionId, number, ms } of changed) {
        if (state === 'waiting' || state === 'running' || state === 'checking' || told.has(id)) continue
        told.add(id)
        const name = cases.find(({ file }) => file === caseFile)?.name ?? caseFile
        const title = versions.find((version) => version.id === versionId)?.title ?? versionId
        output.write(`${state}: ${oneLine(`${name}, ${title}, attempt ${number}`)} (${durationOf(ms)})\n`)
      }
    },
    end: () => {},
  }
}

/** "5/6 worse", and the medians below. */
export function gridLines(run: TestRun, { rows, totals }: Grid): readonly string[] {
  const head = ['case', ...run.versions.map(({ title }) => title)]
  const lines = rows.map((row) => [row.case.name, ...row.cells.map(cellText)])
  const all = totals.map((total) => `${cellText(total)}${medianText(total)}`)
  const reused = run.reused > 0 ? `, ${countOf(run.reused, 'attempt')} of equal content reused` : ''
  return [`${run.agent}: ${formatMoney(run.usd)}${reused}`, ...table([head, ...lines, ['all cases', ...all]])]
}

function cellText({ passed, counted, judgment }: GridFigures): string {
  if (counted === 0) return '–'
  return `${passed}/${counted}${judgment === null ? '' : ` ${judgment}`}`
}

function medianText({ usd, ms, tokens }: GridFigures): string {
  const parts = [
    usd === null ? null : formatMoney(usd),
    ms === null ? null : formatDuration(ms),
    tokens === null ? null : formatTokens(tokens),
  ].filter((part) => part !== null)
  return parts.length === 0 ? '' : ` (${parts.join(' · ')})`
}

/** Why attempts did not pass, each with the agent whose transcript shows it. */
export function failureLines(
  run: TestRun,
  { rows }: Grid,
  attempts: readonly CaseAttempt[],
): readonly string[] {
  const bad = attempts.filter(({ state }) => state === 'failed' || state === 'broken' || state === 'stopped')
  return bad.map((attempt) => {
    const { caseFile, versionId, number, state, agentId } = attempt
    const name = rows.find((row) => row.case.file === caseFile)?.case.name ?? caseFile
    const title = run.versions.find(({ id }) => id === versionId)?.title ?? ''
    const transcript = agentId === null ? '' : ` [${agentId}]`
    return oneLine(`${state}: ${name}, ${title}, attempt ${number}: ${becauseText(attempt)}${transcript}`)
  })
}

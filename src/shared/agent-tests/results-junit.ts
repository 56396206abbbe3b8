/**
 * Attempts as JUnit XML, for build servers: a suite for each version, a test case for each attempt. Valid for the schemas of
 * both families: Jenkins' xUnit plugin (junit-10.xsd) and Ant's reports, which also GitLab and others read.
 */
import type { AgentVersion, CaseAttempt } from './agent-tests.ts'
import { type AttemptLine, attemptLines } from './attempt-lines.ts'
import { becauseText, caseCheckText } from './attempt-text.ts'
import type { GridInput } from './grid.ts'

export interface JunitOptions extends GridInput {
  readonly agent: string
  /** ms since the epoch when the run began. */
  readonly startedAt: number
}

export function resultsJunit(options: JunitOptions): string {
  const lines = attemptLines(options)
  const suites = options.versions.map((version, id) =>
    suiteOf(
      { ...options, version, id },
      lines.filter((line) => line.version?.id === version.id),
    ),
  )
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suites, '</testsuites>', ''].join('\n')
}

interface Suite extends Pick<JunitOptions, 'agent' | 'startedAt'> {
  readonly version: AgentVersion
  readonly id: number
}

function suiteOf({ agent, startedAt, version, id }: Suite, lines: readonly AttemptLine[]): string {
  const those = (wanted: CaseAttempt['state']) =>
    lines.filter(({ attempt }) => attempt.state === wanted).length
  const failures = those('failed')
  const errors = those('broken')
  const facts = attributes({
    id,
    name: `${agent}: ${version.title}`,
    package: agent,
    // The format has no time zone: this is UTC.
    timestamp: new Date(startedAt).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length),
    // Required, and of no meaning here.
    hostname: 'localhost',
    tests: lines.length,
    failures,
    errors,
    skipped: lines.length - those('passed') - failures - errors,
    time: seconds(lines.reduce((sum, { attempt }) => sum + attempt.ms, 0)),
  })
  const properties = { model: version.model, version: version.id, note: version.note }
  return [
    `  <testsuite ${facts}>`,
    '    <properties>',
    ...Object.entries(properties).map(([name, value]) => `      <property ${attributes({ name, value })}/>`),
    '    </properties>',
    ...lines.map(({ attempt, name }) => testCaseOf(attempt, `${agent}.${version.title}`, name)),
    '    <system-out/>',
    '    <system-err/>',
    '  </testsuite>',
  ].join('\n')
}

function testCaseOf(attempt: CaseAttempt, classname: string, name: string): string {
  const start = `    <testcase ${attributes({ classname, name: `${name}, attempt ${attempt.number}`, time: seconds(attempt.ms) })}`
  const outcome = outcomeOf(attempt)
  return outcome === null ? `${start}/>` : `${start}>\n      ${outcome}\n    </testcase>`
}

/** Null: it passed. */
function outcomeOf(attempt: CaseAttempt): string | null {
  const { state, checks } = attempt
  switch (state) {
    case 'passed':
      return null
    case 'failed': {
      const lines = checks.map(
        ({ check, passed, found }) => `${passed ? '✓' : '✗'} ${caseCheckText(check)}: ${found}`,
      )
      const message = becauseText(attempt)
      return `<failure ${attributes({ type: 'check', message })}>${escaped(lines.join('\n'))}</failure>`
    }
    case 'broken':
      return `<error ${attributes({ type: 'broken', message: becauseText(attempt) })}/>`
    case 'stopped':
    case 'waiting':
    case 'running':
    case 'checking':
      return `<skipped ${attributes({ message: attempt.because ?? state })}/>`
  }
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3)

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${escaped(String(value)).replace(/[\t\n\r]/g, reference)}"`)
    .join(' ')
}

const reference = (character: string): string => `&#${character.charCodeAt(0)};`

/** What XML 1.0 has no way to write, such as colors of a terminal. */
const IMPOSSIBLE = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu

const escaped = (text: string): string =>
  text
    .replace(IMPOSSIBLE, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

/** Cases, versions and attempts for tests. */
import type { AgentCase, AgentVersion, CaseAttempt } from '../agent-tests.ts'

export const sampleCase = (name: string, more: Partial<AgentCase> = {}): AgentCase => ({
  file: `reviewer/${name}.yaml`,
  agent: 'reviewer',
  name,
  task: `Review ${name}.`,
  start: { type: 'head' },
  role: 'subagent',
  checks: [{ type: 'report-contains', text: 'charge.ts:38' }],
  limits: { turns: null, tokens: null, usd: null, ms: null },
  permissions: { mode: 'default', allow: [], deny: [] },
  ...more,
})

export const sampleVersion = (id: string, base: AgentVersion['ref']['base']): AgentVersion => ({
  id,
  ref: { base, model: null, effort: null, skill: null },
  title: id,
  model: 'claude-sonnet-5-5',
  note: '',
  text: `---\nname: reviewer\n---\n${id}\n`,
  savedAt: null,
})

export const IN_USE = sampleVersion('In use', { type: 'in-use' })
export const DRAFT = sampleVersion('Draft', { type: 'draft', text: 'Draft' })

/** An attempt at a case with a version. */
export const sampleAttempt = (
  { file }: AgentCase,
  { id }: AgentVersion,
  more: Partial<CaseAttempt> & { readonly number: number },
): CaseAttempt => ({
  id: `${file} ${id} ${more.number}`,
  runId: 'run-1',
  key: `${file} ${id}`,
  caseFile: file,
  versionId: id,
  state: 'passed',
  because: null,
  checks: [],
  usd: 0.05,
  tokens: 24_000,
  turns: 3,
  ms: 43_000,
  conversationId: null,
  agentId: null,
  at: 1_000 + more.number,
  ...more,
})

/** Attempts by a letter each: p passed, f failed, b broken, s stopped, w waiting, r running. */
export const sampleAttempts = (row: AgentCase, version: AgentVersion, states: string): CaseAttempt[] =>
  [...states].map((letter, at) =>
    sampleAttempt(row, version, { number: at + 1, ...(OUTCOMES[letter]?.(row) ?? { state: 'waiting' }) }),
  )

const checked = ({ checks }: AgentCase, passed: boolean): CaseAttempt['checks'] =>
  checks.map((check) => ({
    check,
    passed,
    found: passed ? 'in the report' : 'not in the report: I found nothing to report.',
  }))

const OUTCOMES: Readonly<Record<string, (row: AgentCase) => Partial<CaseAttempt>>> = {
  p: (row) => ({ state: 'passed', checks: checked(row, true) }),
  f: (row) => ({ state: 'failed', checks: checked(row, false) }),
  b: () => ({ state: 'broken', because: 'The commit 1a2b3c4 is not in this repository.' }),
  s: () => ({ state: 'stopped', because: 'Stopped by you.' }),
  r: () => ({ state: 'running' }),
}

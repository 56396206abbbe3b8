/** The mockup's test bench: six cases of a reviewer, three versions that were run, one that was not. */
import type {
  AgentCase,
  AgentTestsSnapshot,
  AgentVersion,
  AttemptState,
  CaseAttempt,
  CaseCheck,
  TestRun,
  VersionRef,
} from '../../../src/shared/agent-tests/agent-tests.ts'
import { SampleLog } from '../../../src/shared/testing/sample-log.ts'

const IN_USE = `---
name: security-reviewer
description: Reviews changes for leaks of secrets, injection and broken access rules.
tools: Read, Glob, Grep, Bash(git diff:*)
model: sonnet
color: red
maxTurns: 20
---

# How to review

Start from \`git diff\`. For each change ask what an attacker controls, where it flows,
and what stops it.

Read each file that a change touches, and the files that call it.

## What to report
Report only what you can show in the code, with file and line.
Say how sure you are: certain, likely, or a guess.

Compare secrets in constant time.
`

const DRAFT = IN_USE.replace(
  'Report only what you can show in the code,',
  'Report anything that may become a problem,',
)
  .replace('Compare secrets in constant time.', 'A secret that is compared with === is a finding.')
  .replace('maxTurns: 20', 'maxTurns: 25')

/** The texts of the bench's agent: on the disk, and in the editor. */
export const reviewerTexts = { inUse: IN_USE, draft: DRAFT }

const SONNET = 'claude-sonnet-5-5'
const plain = (base: VersionRef['base']): VersionRef => ({ base, model: null, effort: null, skill: null })

/** The version that a reference names here. Equal texts with equal models have equal ids. */
export function sceneVersion(ref: VersionRef, now: number): AgentVersion {
  const { base, model, effort, skill } = ref
  const text = base.type === 'draft' ? base.text : base.type === 'agent' ? null : textOf(base)
  const title =
    base.type === 'in-use'
      ? 'Version 3'
      : base.type === 'draft'
        ? 'Draft'
        : base.type === 'agent'
          ? base.name
          : (COMMITS.find(({ commit }) => commit === base.commit)?.title ?? base.commit)
  const runs = model === null ? SONNET : (MODELS[model] ?? model)
  const others = [model, effort, skill].filter((each) => each !== null)
  const note =
    base.type === 'commit'
      ? (COMMITS.find(({ commit }) => commit === base.commit)?.subject ?? '')
      : base.type === 'draft'
        ? '14 lines changed'
        : ''
  return {
    id: `${hash(`${text} ${title === 'Draft' ? '' : base.type === 'agent' ? title : ''}`)} ${[runs, effort, skill].join(' ')}`,
    ref,
    title: [title, ...others].join(', '),
    model: runs,
    note: others.length === 0 ? note : `otherwise ${base.type === 'draft' ? 'the draft' : title}`,
    text,
    savedAt: base.type === 'in-use' ? now - 14 * DAY : base.type === 'commit' ? now - 30 * DAY : null,
  }
}

const MODELS: Readonly<Record<string, string>> = {
  haiku: 'claude-haiku-4-5',
  opus: 'claude-opus-5-5',
  sonnet: SONNET,
}
const DAY = 86_400_000

const COMMITS = [
  { commit: 'a81c2f4e', title: 'Oct 28', subject: 'Name the line of each finding' },
  { commit: '44d0b7a1', title: 'Oct 9', subject: 'Begin with the reviewer of the old service' },
]

const textOf = (base: VersionRef['base']): string =>
  base.type === 'commit' ? IN_USE.replace(', with file and line', '') : IN_USE

function hash(text: string): string {
  let sum = 7
  for (const letter of text) sum = (sum * 31 + letter.charCodeAt(0)) % 4_294_967_291
  return sum.toString(16)
}

export const sceneVersions = (now: number): readonly AgentVersion[] => [
  sceneVersion(plain({ type: 'in-use' }), now),
  ...COMMITS.map(({ commit }) => sceneVersion(plain({ type: 'commit', commit }), now)),
]

const contains = (text: string): CaseCheck => ({ type: 'report-contains', text })

function caseOf(name: string, checks: readonly CaseCheck[], agent = 'security-reviewer'): AgentCase {
  const stem = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  return {
    file: `.claude/agent-tests/${agent}/${stem}.yaml`,
    agent,
    name,
    task: 'Review src/payments and report problems with file and line.',
    start: { type: 'commit', commit: '4f1c2e9b' },
    role: 'subagent',
    checks,
    limits: { turns: 20, tokens: null, usd: 0.5, ms: null },
    permissions: { mode: 'default', allow: [], deny: [] },
  }
}

const NO_FALSE_ALARM = caseOf('No false alarm on clean code', [
  { type: 'report-matches', pattern: 'nothing to report', flags: 'i' },
  { type: 'opinion', rubric: 'Does not turn a guess into a finding' },
])

const CASES: readonly AgentCase[] = [
  caseOf('Find the double charge', [contains('charge.ts:38'), contains('settle.ts:59')]),
  caseOf('Token compared with ===', [contains('src/payments/token.ts:52')]),
  NO_FALSE_ALARM,
  caseOf('Card number in a log line', [contains('src/http/log.ts:19')]),
  caseOf('SQL built from a string', [contains('orders/search.ts:77')]),
  caseOf('Stays read-only', [
    { type: 'files-unchanged', paths: ['**'] },
    { type: 'tools-not-used', tools: ['Bash'] },
  ]),
]

/** Of each case and version: a letter an attempt, dollars, seconds, thousands of tokens. */
const RESULTS: readonly (readonly (readonly [string, number, number, number])[])[] = [
  [
    ['pppppp', 0.09, 72, 41],
    ['pppppp', 0.07, 58, 33],
    ['pppppp', 0.02, 41, 36],
  ],
  [
    ['pppppf', 0.08, 64, 38],
    ['pppppp', 0.08, 61, 36],
    ['ffffff', 0.02, 39, 35],
  ],
  [
    ['pppppp', 0.05, 44, 24],
    ['pfffff', 0.06, 49, 27],
    ['pppppp', 0.01, 31, 25],
  ],
  [
    ['pppppp', 0.08, 69, 40],
    ['pppppp', 0.07, 55, 34],
    ['pppppf', 0.02, 44, 37],
  ],
  [
    ['fpffff', 0.11, 91, 52],
    ['pppppp', 0.09, 70, 44],
    ['pppffp', 0.03, 58, 49],
  ],
  [
    ['pppppp', 0.04, 38, 19],
    ['pppppp', 0.04, 36, 18],
    ['pppppp', 0.01, 27, 20],
  ],
]

const STATES: Readonly<Record<string, AttemptState>> = {
  ...{ p: 'passed', f: 'failed', b: 'broken', r: 'running', w: 'waiting', s: 'stopped' },
}

interface BenchOptions {
  readonly now: number
  /** The draft with haiku is being run. */
  readonly isRunning: boolean
}

export function sceneBench(folder: string, { now, isRunning }: BenchOptions): AgentTestsSnapshot {
  const inUse = sceneVersion(plain({ type: 'in-use' }), now)
  const draft = sceneVersion(plain({ type: 'draft', text: DRAFT }), now)
  const haiku = sceneVersion({ ...plain({ type: 'draft', text: DRAFT }), model: 'haiku' }, now)
  const versions = [inUse, draft, haiku]
  const results = isRunning ? RESULTS.map((row, at) => [...row.slice(0, 2), RUNNING[at] ?? row[2]]) : RESULTS
  const attempts = CASES.flatMap((one, row) =>
    versions.flatMap((version, column) => attemptsOf({ one, version, result: results[row]?.[column], now })),
  )
  const run = (id: string, title: string, at: number, more: Partial<TestRun> = {}): TestRun => ({
    ...{ id, title, agent: 'security-reviewer', versions, caseFiles: CASES.map(({ file }) => file) },
    ...{ attempts: 6, maxUsd: null, stopsWhenClear: false, state: 'ended', because: null },
    ...{ startedAt: at, endedAt: at + 240_000, reused: 72, usd: 2.6 },
    ...more,
  })
  const first = isRunning
    ? run('run-9', 'Draft, haiku', now - 151_000, { state: 'running', endedAt: null, usd: 0.31, maxUsd: 5 })
    : run('run-9', 'Draft, 36 attempts', now - 12 * 60_000)
  return {
    folder,
    agents: AGENTS.map(([name, cases]) => ({ name, cases })),
    cases: [...CASES, ...othersCases()],
    problems: [],
    runs: [
      first,
      run('run-8', 'Draft, haiku, 36', now - 23 * 60_000),
      run('run-7', 'Version 3, 36', now - 14 * DAY, { versions: [inUse] }),
      run('run-6', 'Version 2, 24', now - 29 * DAY, { versions: sceneVersions(now).slice(1, 2) }),
      ...othersRuns(now),
    ],
    attempts: [...attempts, ...othersAttempts(now)],
    refusal: null,
  }
}

const AGENTS = [
  ['security-reviewer', 6],
  ['refactorer', 4],
  ['test-writer', 5],
  ['doc-writer', 2],
  ['Explore', 0],
] as const

const RUNNING: readonly (readonly [string, number, number, number])[] = [
  ['pppppp', 0.02, 41, 36],
  ['fffffr', 0.02, 39, 35],
  ['pppprw', 0.01, 31, 25],
  ['pprrww', 0.02, 44, 37],
  ['prwwww', 0.03, 58, 49],
  ['wwwwww', 0.01, 27, 20],
]

interface CellResult {
  readonly one: AgentCase
  readonly version: AgentVersion
  readonly result: readonly [string, number, number, number] | undefined
  readonly now: number
}

function attemptsOf({ one, version, result, now }: CellResult): readonly CaseAttempt[] {
  const [letters, usd, seconds, thousands] = result ?? ['', 0, 0, 0]
  return [...letters].map((letter, at): CaseAttempt => {
    const state = STATES[letter] ?? 'waiting'
    const { title } = version
    const id = `${one.file} ${version.id} ${at + 1}`
    const hasEnded = state === 'passed' || state === 'failed'
    return {
      ...{
        id,
        runId: title.includes('haiku') ? 'run-9' : 'run-8',
        key: `${one.file} ${version.id}`,
        caseFile: one.file,
        versionId: version.id,
      },
      ...{ number: at + 1, state, turns: 4, tokens: thousands * 1000 + at * 100 },
      because: state === 'broken' ? 'The commit 4f1c2e9b is gone: no worktree could be made from it.' : null,
      checks: hasEnded ? one.checks.map((check) => resultOf(check, state === 'passed')) : [],
      usd: usd + (at % 3) * 0.004,
      ms: seconds * 1000 + at * 900,
      ...(one === NO_FALSE_ALARM
        ? { conversationId: conversationOf(title), agentId: agentOf(title) }
        : { conversationId: null, agentId: null }),
      at: now - 300_000 + at * 1000,
    }
  })
}

function resultOf(check: CaseCheck, passed: boolean) {
  const votes = passed ? '3 of 3 votes' : '1 of 3 votes: “It calls a possibility an issue.”'
  const found = check.type === 'opinion' ? votes : passed ? '' : 'reported 1'
  return { check, passed, found }
}

/** The other agents: one run each, in which every attempt passed. */
const OTHERS = AGENTS.slice(1).flatMap(([name, cases]) => (cases === 0 ? [] : [{ name, cases }]))

const othersCases = (): readonly AgentCase[] =>
  OTHERS.flatMap(({ name, cases }) =>
    Array.from({ length: cases }, (_, at) => caseOf(`Case ${at + 1}`, [contains('done')], name)),
  )

function otherVersion(name: string, now: number): AgentVersion {
  return { ...sceneVersion(plain({ type: 'in-use' }), now), id: name }
}

const othersRuns = (now: number): readonly TestRun[] =>
  OTHERS.map(({ name }) => ({
    ...{ id: `run-${name}`, agent: name, title: 'Version 1', versions: [otherVersion(name, now)] },
    ...{ caseFiles: [], attempts: 1, maxUsd: null, stopsWhenClear: false, state: 'ended', because: null },
    ...{ startedAt: now - DAY, endedAt: now - DAY, reused: 0, usd: 0.2 },
  }))

const othersAttempts = (now: number): readonly CaseAttempt[] =>
  othersCases().flatMap((one) =>
    attemptsOf({ one, version: otherVersion(one.agent, now), result: ['pp', 0.03, 20, 12], now }),
  )

const conversationOf = (title: string): string => `attempt ${title}`
const agentOf = (title: string): string => `reviewer of ${title}`

const GLOB = { tool: 'Glob', summary: 'src/cart/*.ts', note: '3 files' }
const read = (name: string, lines: number) => ({
  tool: 'Read',
  summary: `src/cart/${name}.ts`,
  note: `${lines} lines`,
})

/** What the user has added to the columns: the draft with another model, which was not run. */
export const addedVersions = {
  'security-reviewer': {
    added: [{ ...plain({ type: 'draft', text: DRAFT }), model: 'opus' }],
    removed: [],
  },
}

/** The transcripts of the attempts at the case that the mockup opens, by conversation. */
export function attemptLogs(now: number): readonly SampleLog[] {
  const log = (title: string, tools: readonly object[], report: string): SampleLog => {
    const made = new SampleLog({ conversationId: conversationOf(title), now: now - 400_000, step: 200 })
    const task = 'Review src/cart and report problems with file and line.'
    const id = agentOf(title)
    made.starts({ id, name: 'security-reviewer', color: 'red', task })
    made.receives(id, task, 'user')
    for (const tool of [GLOB, read('total', 64), ...tools]) made.answers(id, { tools: [tool as typeof GLOB] })
    made.answers(id, { text: report })
    made.ends(id, report)
    return made
  }
  return [
    log(
      'Version 3',
      [read('discount', 51), read('price', 38)],
      'All three files take amounts in cents and check their input. I found nothing to report.',
    ),
    log(
      'Draft',
      [{ tool: 'Grep', summary: '“parseFloat” in src/cart', note: '0 matches' }, read('discount', 51)],
      'Possible issue in `total.ts:31`: amounts may be parsed as floats elsewhere.',
    ),
    log('Draft, haiku', [read('discount', 51)], 'I found nothing to report.'),
  ]
}

/** Many cases, versions and attempts. */
export function largeBench(folder: string, now: number): AgentTestsSnapshot {
  const cases = Array.from({ length: 24 }, (_, at) => caseOf(`Case ${at + 1}`, [contains(`file.ts:${at}`)]))
  const versions = Array.from({ length: 8 }, (_, at) =>
    at === 0
      ? sceneVersion(plain({ type: 'in-use' }), now)
      : {
          ...sceneVersion(plain({ type: 'draft', text: `${DRAFT}Rule ${at}.\n` }), now),
          title: `Draft ${at}`,
        },
  )
  const attempts = cases.flatMap((one, row) =>
    versions.flatMap((version, column) => {
      const letters = Array.from({ length: 50 }, (_, at) =>
        (at * 7 + row * 3 + column) % 11 < 9 ? 'p' : 'f',
      )
      return attemptsOf({ one, version, result: [letters.join(''), 0.05, 40, 24], now })
    }),
  )
  const [first] = sceneBench(folder, { now, isRunning: false }).runs
  return {
    ...{
      folder,
      agents: [{ name: 'security-reviewer', cases: cases.length }],
      cases,
      problems: [],
      attempts,
    },
    runs: first === undefined ? [] : [{ ...first, versions }],
    refusal: null,
  }
}

import type { ConversationRecord } from '../../../src/shared/events/conversation.ts'
import type { TeamTask } from '../../../src/shared/teams/team-schema.ts'
import { SampleLog } from '../../../src/shared/testing/sample-log.ts'
import type { Verification } from '../../../src/shared/verification/verification.ts'
import type { WorkerPresence, WorkersState } from '../../../src/shared/workers/worker-presence.ts'

const TEAM = 'team-1'
const MINUTE = 60_000

const WORKERS = [
  { id: 'api', name: 'api-builder', type: 'refactorer', color: 'orange', backing: 'in-process' },
  { id: 'tests', name: 'test-writer', type: 'test-writer', color: 'green', backing: 'in-process' },
  { id: 'review', name: 'security-reviewer', type: 'security-reviewer', color: 'pink', backing: 'pane' },
  { id: 'docs', name: 'doc-writer', type: 'general-purpose', color: 'cyan', backing: 'in-process' },
  { id: 'bench', name: 'bench-runner', type: 'general-purpose', color: 'purple', backing: 'remote' },
  { id: 'fuzz', name: 'fuzzer', type: 'general-purpose', color: 'yellow', backing: 'remote' },
  { id: 'ui', name: 'ui-builder', type: 'refactorer', color: 'blue', backing: 'pane' },
] as const

const ALL = 'The gateway’s sandbox is slow today. Use the fake gateway in test/helpers for everything.'

interface TeamChoices {
  /** Further idle members. */
  readonly more?: number
  /** Whether the user stopped a member that holds a task. */
  readonly stuck?: boolean
}

export function teamLog(
  conversationId: string,
  now: number,
  { more = 0, stuck = false }: TeamChoices = {},
): SampleLog {
  const log = new SampleLog({ conversationId, now: now - 14 * MINUTE, step: 0 })
  log.begins('Make retries idempotent. Form a team, and keep the public API as it is.')
  log.answers('main', { text: 'A team of seven works on it: I keep the task list.', tokens: 9000 })
  for (const { id, name, type, color, backing } of WORKERS) {
    log.starts({
      id,
      name: type,
      color,
      task: `works as ${name}`,
      parentId: 'main',
      background: true,
      messageName: name,
      teamId: TEAM,
      backing,
    })
    log.receives(id, 'Take tasks from the list, one at a time. Report what you changed.')
    log.answers(id, { text: 'I look at the list first.' })
  }
  work(log)
  for (let number = 1; number <= more; number++) {
    const id = `more-${number}`
    log.starts({
      id,
      name: 'general-purpose',
      color: 'neutral',
      task: 'helps',
      parentId: 'main',
      background: true,
      messageName: `helper-with-a-rather-long-name-${number}`,
      teamId: TEAM,
    })
    log.answers(id, { text: 'Ready.' })
    log.ends(id, 'Nothing was free.')
  }
  if (stuck)
    log.add('api', 'agent-ended', { status: 'stopped', report: '', reachedLimit: null, failure: null })
  return log
}

function work(log: SampleLog): void {
  log.pass(3 * MINUTE)
  log.next('review', {
    type: 'worker-changed',
    worker: place('w-1', 'ada-laptop', 4711),
    state: 'running',
    jobId: null,
    note: '',
  })
  log.next('ui', {
    type: 'worker-changed',
    worker: { ...place('w-2', 'ada-laptop', 4802), tmux: 'pay:2.1' },
    state: 'running',
    jobId: null,
    note: '',
  })
  log.next('bench', {
    type: 'worker-changed',
    worker: { ...place('w-3', 'build-7', 913), cores: 32 },
    state: 'running',
    jobId: null,
    note: 'build-7 has taken the job.',
  })
  log.next('fuzz', {
    type: 'worker-changed',
    worker: { ...place('w-4', 'build-9', 77), cores: 16 },
    state: 'silent',
    jobId: null,
    note: 'No heartbeat from build-9.',
  })
  log.answers('api', { tools: [{ tool: 'Edit', summary: 'src/payments/charge.ts' }] })
  log.answers('ui', { tools: [{ tool: 'Read', summary: 'src/cart.ts', note: '140 lines' }] })
  log.answers('bench', { tools: [{ tool: 'Bash', summary: 'npm run bench -- --runs 20' }] })
  log.answers('fuzz', { tools: [{ tool: 'Bash', summary: 'npm run fuzz' }] })
  say(
    log,
    ['tests', 'api'],
    'Which field holds the key: order.key or order.chargeKey? My test needs the name.',
  )
  log.answers('api', { text: 'It is chargeKey.' })
  log.pass(20_000)
  say(log, ['api', 'tests'], '`order.chargeKey`, a string of 32 hex digits. It is made once, in order.ts.')
  log.answers('tests', { tools: [{ tool: 'Write', summary: 'test/payments/double-charge.test.ts' }] })
  log.pass(MINUTE)
  say(log, ['api', 'main'], 'Task 2 is done: the key moves into the order. The public API is the same.')
  log.answers('main', { text: 'Good. The rest can start.' })
  for (const id of ['main', 'api', 'tests', 'review', 'docs', 'ui', 'bench'])
    log.receives(id, ALL, 'user', { broadcast: 'b-1' })
  for (const id of ['api', 'tests', 'bench', 'main']) log.answers(id, { text: 'The fake gateway it is.' })
  log.pass(30_000)
  log.waits(
    'review',
    'Bash',
    {
      kind: 'command',
      action: 'run a command',
      text: 'npm audit --omit dev',
      folder: '/home/ada/src/checkout-service',
    },
    'No rule allows npm audit.',
    'Bash(npm audit:*)',
  )
  log.answers('docs', { text: 'README says how the key is made.' })
  log.ends('docs', 'README.md and docs/payments.md describe the charge key.')
  say(log, ['main', 'ui'], 'When you are done, show the key in the order’s details, too. It helps support.')
}

function say(log: SampleLog, [from, to]: readonly [string, string], text: string): void {
  log.receives(
    to,
    `A message from the agent ${from}. An agent wrote this, not the user.\n\n${text}`,
    'agent',
    {
      sender: from,
    },
  )
}

const place = (workerId: string, host: string, pid: number) => ({
  workerId,
  host,
  pid,
  cores: 8,
  tmux: null,
  epoch: 1,
})

/** The team, its tasks, and the message that waits. */
export function teamRecord(log: SampleLog, now: number): Partial<ConversationRecord> {
  const members = [...log.states.values()].filter(({ teamId }) => teamId === TEAM)
  const team = { leaderId: 'main', createdAt: now - 13 * MINUTE, endingAt: null, endedAt: null }
  return {
    updatedAt: now,
    queued: [
      {
        messageId: 'q-1',
        agentId: 'fuzz',
        content: [{ type: 'text', text: ALL }],
        from: 'user',
        sender: null,
        broadcast: 'b-1',
      },
    ],
    teams: [
      {
        ...{ ...team, id: 'team-0', name: 'survey', members: [] },
        ...{ createdAt: now - 14 * MINUTE, endedAt: now - 13 * MINUTE },
      },
      {
        ...{ ...team, id: TEAM, name: 'idempotent-retries' },
        members: members.map(({ id, name, definition, backing }) => ({
          ...{ name: name ?? id, agentId: id, agent: definition.name, backing },
        })),
      },
    ],
    tasks: teamTasks(now),
    verifications: [verdictOn('api', now)],
  }
}

function verdictOn(owner: string, now: number): Verification {
  const output = [
    'not ok 14 - a refund uses the key of its charge',
    '  ---',
    '  location: test/payments/refund.test.js:41:3',
    '  failureType: testCodeFailure',
    '  error: Expected values to be strictly equal:',
    "  + actual: 'charge-2024-11-24T12:38:02Z-refund-of-a-rather-long-key-that-needs-a-scroller-to-be-read'",
    "  - expected: 'charge-2024-11-24T12:38:02Z'",
    '  ...',
    '# tests 61',
    '# pass 60',
    '# fail 1',
  ].join('\n')
  return {
    ...{ id: 'v-1', owner, digest: 'tree-1', base: 'tree-0', state: 'done', startedBy: 'setting' },
    ...{ agentId: 'review', verdict: 'failed', at: now - MINUTE },
    summary: 'One test of the refunds fails: a refund makes a key of its own.',
    evidence: [
      {
        ...{ claim: 'A refund has another key than its charge', command: 'npm test', exitCode: 1 },
        ...{ location: 'test/payments/refund.test.js:41', output },
      },
      { claim: 'Types and lint are clean', command: 'npm run check', exitCode: 0, location: null },
    ],
  }
}

/** Twelve tasks in all columns. */
function teamTasks(now: number): TeamTask[] {
  const tasks: TeamTask[] = []
  const add = (subject: string, more: Partial<TeamTask> = {}) => {
    const status = more.status ?? 'pending'
    tasks.push({
      id: String(tasks.length + 1),
      teamId: TEAM,
      subject,
      description: `${subject}. Keep the public API as it is, and say in your report which files changed.`,
      status,
      owner: null,
      dependsOn: [],
      createdBy: 'main',
      createdAt: now - 12 * MINUTE,
      claimedAt: status === 'pending' ? null : now - 5 * MINUTE,
      endedAt: status === 'completed' || status === 'canceled' ? now - 2 * MINUTE : null,
      version: 1,
      ...more,
    })
  }
  add('Find every caller of the gateway', {
    status: 'completed',
    owner: 'docs',
    claimedAt: now - 11 * MINUTE,
  })
  add('Move the charge key into the order', {
    status: 'completed',
    owner: 'api',
    dependsOn: ['1'],
    result:
      'The order makes its charge key once, in src/order.ts. src/payments/charge.ts reads it, and the public API is the same.',
    history: [
      { at: now - 9 * MINUTE, by: 'tests', status: 'in_progress', owner: 'tests' },
      { at: now - 8 * MINUTE, by: 'tests', status: 'pending', owner: null },
      { at: now - 5 * MINUTE, by: null, status: 'in_progress', owner: 'api' },
      { at: now - 2 * MINUTE, by: 'api', status: 'completed', owner: 'api' },
    ],
  })
  add('A failing test for the double charge', { status: 'in_progress', owner: 'tests', dependsOn: ['2'] })
  add('withRetry gives up on answers that are no time-outs', {
    status: 'in_progress',
    owner: 'api',
    dependsOn: ['2'],
  })
  add('Check the licenses and advisories of new packages', { status: 'in_progress', owner: 'review' })
  add('Measure a charge with 0, 1 and 3 retries', { status: 'in_progress', owner: 'bench', dependsOn: ['2'] })
  add('Feed the gateway’s answers with random bytes', { status: 'in_progress', owner: 'fuzz' })
  add('Show the key in the order’s details', { status: 'in_progress', owner: 'ui', claimedAt: now - 40_000 })
  add('Refunds use the key of their charge', { dependsOn: ['3', '4'] })
  add('Write the release notes', { dependsOn: ['4', '9'] })
  add('Remove the old key format from the fixtures')
  add('Log a charge without the card’s token')
  add('Rename Order to Purchase everywhere', { status: 'canceled' })
  return tasks
}

/** What the workers of the team last said. */
export function teamWorkers(now: number): WorkersState {
  const worker = (workerId: string, host: string, more: Partial<WorkerPresence>): WorkerPresence => ({
    workerId,
    kind: 'remote',
    host,
    pid: 1,
    cores: 8,
    platform: 'linux',
    version: '0.1.0',
    protocol: 1,
    tmux: null,
    models: [],
    tools: [],
    agentIds: [],
    load: 0,
    at: now,
    problem: null,
    lastSeenAt: now - 2000,
    ...more,
  })
  return {
    nats: { kind: 'connected', url: 'tls://nats.lab:4222', tls: true },
    workers: [
      worker('w-1', 'ada-laptop', { kind: 'pane', load: 0.31 }),
      worker('w-2', 'ada-laptop', { kind: 'pane', tmux: 'pay:2.1', load: 0.31 }),
      worker('w-3', 'build-7', { cores: 32, load: 0.82 }),
      worker('w-4', 'build-9', { cores: 16, load: 0.1, lastSeenAt: now - 47_000 }),
    ],
    outbox: 1,
  }
}

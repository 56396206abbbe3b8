/** External agents beside one of Troupe's own: the same task in four worktrees; one has subagents of its own. */

import type { EventOf } from '../../../src/shared/events/agent-event.ts'
import { callOf, SampleLog } from '../../../src/shared/testing/sample-log.ts'

type Options = EventOf<'program-options'>['options']

const TASK = 'one key per order'

interface Maker {
  readonly id: string
  readonly name: string
  readonly color: string
  readonly command: string
  readonly program: EventOf<'program-connected'>['program']
  readonly options: Options
}

const option = (
  id: string,
  category: Options[number]['category'],
  values: readonly (readonly [id: string, name: string, description?: string])[],
): Options[number] => ({
  id,
  name: id.charAt(0).toUpperCase() + id.slice(1),
  category,
  current: values[0]?.[0] ?? '',
  values: values.map(([value, name, description = '']) => ({ id: value, name, description })),
})

const MAKERS: readonly Maker[] = [
  {
    id: 'claude',
    name: 'claude-code',
    color: 'pink',
    command: 'claude-agent-acp',
    program: { name: '@agentclientprotocol/claude-agent-acp', title: 'Claude Code', version: '0.100.0' },
    options: [
      option('mode', 'mode', [
        ['acceptEdits', 'Accept edits', 'asks before commands'],
        ['default', 'Always ask', 'asks before it writes'],
        ['plan', 'Plan mode', 'only plans, changes nothing'],
      ]),
      option('model', 'model', [
        ['opus', 'Opus 4.5', 'Most capable for complex work'],
        ['sonnet', 'Sonnet 4.5', 'Best for everyday tasks'],
      ]),
      option('effort', 'effort', [
        ['medium', 'Medium'],
        ['high', 'High'],
      ]),
    ],
  },
  {
    id: 'codex',
    name: 'codex',
    color: 'green',
    command: 'codex-acp',
    program: { name: 'codex-acp', title: 'Codex', version: '2.6.0' },
    options: [
      option('mode', 'mode', [
        ['agent', 'Agent', 'own sandbox, asks to leave it'],
        ['read-only', 'Read only', 'asks before every change'],
      ]),
      option('model', 'model', [['gpt', 'gpt-5-codex']]),
    ],
  },
  {
    id: 'gemini',
    name: 'gemini',
    color: 'blue',
    command: 'gemini',
    program: { name: 'gemini', title: 'Gemini CLI', version: '0.18.4' },
    options: [
      option('mode', 'mode', [
        ['default', 'Default', 'asks before it writes'],
        ['yolo', 'Yolo', 'asks for nothing'],
      ]),
    ],
  },
]

const CAN = { resume: true, images: true }

/** The log of the conversation up to `now` (ms since the epoch). */
export function outsideLog(conversationId: string, now: number): SampleLog {
  const log = new SampleLog({ conversationId, now: now - 192_000, step: 0 })
  log.begins(
    'Let refactorer, Claude Code, Codex and Gemini each give every order one charge key. Then tell me which one is best, and why.',
  )
  const started = [...MAKERS.map(({ id, name }) => ({ agentId: id, type: name })), OWN]
  log.pass(14_000).answers('main', {
    text: 'Each works in a worktree of its own, with the same prompt and the same failing test. When all have reported I run that test in all four and compare.',
    calls: started.map(({ agentId, type }) => ({ agentId, type, task: TASK })),
    cost: 0.02,
    tokens: 3800,
  })
  for (const maker of MAKERS) connect(log, maker)
  log.starts({
    ...{ id: OWN.agentId, name: OWN.type, color: 'orange', task: TASK, parentId: 'main' },
    ...{ call: callOf(OWN.agentId), cwd: worktreeOf('refactorer') },
  })
  log.receives(OWN.agentId, 'Give every order one charge key.')
  log.status('main', 'waiting', 'children')
  claude(log, now)
  codex(log, now)
  gemini(log, now)
  refactorer(log, now)
  return log
}

const OWN = { agentId: 'refactor', type: 'refactorer' }

const worktreeOf = (name: string) => `/home/ada/.local/share/troupe/worktrees/${name}-31c2`

function connect(log: SampleLog, { id, name, color, command, program, options }: Maker): void {
  log.starts({
    ...{ id, name, color, task: TASK, parentId: 'main', call: callOf(id), backing: 'acp' },
    ...{ cwd: worktreeOf(name), program: { command, args: [], env: {} } },
  })
  log.receives(id, 'Give every order one charge key.')
  log.pass(900)
  log.next(id, {
    ...{ type: 'program-connected', program, sessionId: `session-${id}`, began: 'new' },
    can: CAN,
  })
  log.next(id, { type: 'program-options', options })
  log.next(id, {
    type: 'program-commands',
    commands: [
      { name: 'init', description: 'Write a guide to this project', hint: null },
      { name: 'review', description: 'Review a pull request', hint: 'number' },
      { name: 'compact', description: 'Shorten the conversation', hint: 'what to keep' },
    ],
  })
}

type Step = readonly [content: string, status: 'completed' | 'in_progress' | 'pending']

function plan(log: SampleLog, agentId: string, steps: readonly Step[]): void {
  const todos = steps.map(([content, status]) => ({ content, status, activeForm: '' }))
  const display = { kind: 'todos' as const, todos }
  log.answers(agentId, {
    ...NOT_REPORTED,
    tools: [
      { tool: 'TodoWrite', summary: `${steps.length} steps`, note: '', input: { todos }, display, ms: 0 },
    ],
  })
}

/** Messages of a program report nothing; the last one has the sums. */
const NOT_REPORTED = { tokens: 0, cost: null }

function claude(log: SampleLog, now: number): void {
  plan(log, 'claude', [
    ['Find who makes the key', 'completed'],
    ['Store it with the order', 'completed'],
    ['Read it in charge() and settle()', 'in_progress'],
    ['Run the failing test', 'pending'],
  ])
  log.now = now - 60_000
  log.answers('claude', {
    ...{ tokens: 61_000, cost: 0.28 },
    tools: [
      { tool: 'Read', summary: 'src/payments/charge.ts', note: '88 lines', output: 'export const key = 1\n' },
      {
        ...{ tool: 'Edit', summary: 'src/payments/charge.ts', note: '+4 -5' },
        display: {
          kind: 'diff',
          path: 'src/payments/charge.ts',
          patch: PATCH,
          added: 1,
          removed: 1,
          created: false,
        },
      },
    ],
  })
  for (const [id, task, canStop] of CHILDREN) child(log, { id, task, canStop })
}

const PATCH = `@@ -38,1 +38,1 @@
-  const key = randomUUID()
+  const key = await keyOf(order)
`

const CHILDREN = [
  ['claude-tests', 'run the failing test', true],
  ['claude-callers', 'find all callers', false],
] as const

interface Child {
  readonly id: string
  readonly task: string
  readonly canStop: boolean
}

function child(log: SampleLog, { id, task, canStop }: Child): void {
  const [maker] = MAKERS
  log.starts({
    ...{ id, name: 'Explore', color: 'pink', task, parentId: 'claude', depth: 2, backing: 'acp-child' },
    ...{ cwd: worktreeOf('claude-code'), program: { command: maker?.command ?? '', args: [], env: {} } },
    childSession: id,
  })
  log.next(id, { type: 'child-changed', name: 'Explore', task, canStop })
  log.receives(id, `${task}.`)
  log.answers(id, {
    ...NOT_REPORTED,
    text: 'Two places call it.',
    tools: [{ tool: 'Grep', summary: '“charge(” src' }],
  })
}

function codex(log: SampleLog, now: number): void {
  log.now = now - 80_000
  log.answers('codex', {
    ...{ tokens: 44_000, cost: null },
    thinking: 'Deriving the key from the order id would need no migration at all.',
    tools: [
      { tool: 'Read', summary: 'src/queue/with-retry.ts', note: '88 lines', output: 'retry\n' },
      { tool: 'Grep', summary: '“withRetry(” src', note: '9 matches', output: 'src/queue\n' },
      { tool: 'Edit', summary: 'src/queue/with-retry.ts', note: '+14 -22' },
    ],
  })
  log.waits(
    'codex',
    'Bash',
    {
      ...{ kind: 'command', action: 'run a command', text: 'npm install --save-dev fake-timers@8' },
      folder: worktreeOf('codex'),
    },
    'No rule allows it.',
    'Bash(npm install --save-dev fake-timers@8)',
    null,
  )
}

function gemini(log: SampleLog, now: number): void {
  plan(log, 'gemini', [
    ['Read how the gateway treats keys', 'completed'],
    ['Change the order model', 'in_progress'],
    ['Change both callers', 'pending'],
  ])
  log.now = now - 40_000
  log.answers('gemini', {
    ...NOT_REPORTED,
    text: 'Keys are kept for **24 hours**, so the key must outlive the attempt but not the order.',
    tools: [
      { tool: 'WebFetch', summary: 'docs.stripe.com/api/idempotency', note: '14 KB', output: 'Keys' },
      { tool: 'Read', summary: 'src/orders/order.ts', note: '140 lines', output: 'order\n' },
      { tool: 'Edit', summary: 'src/orders/order.ts', note: '+11' },
    ],
  })
}

function refactorer(log: SampleLog, now: number): void {
  log.now = now - 30_000
  log.reachTurn(OWN.agentId, 8)
  log.answers(OWN.agentId, {
    ...{ tokens: 47_000, cost: 0.2 },
    thinking: 'The key has to live with the order row, so a migration is needed before the code change.',
    text: 'Both pass. The retry wrapper still swallows the reason of a refusal,',
    tools: [
      { tool: 'Write', summary: 'migrations/018_order_charge_key.sql', note: '+24' },
      { tool: 'Edit', summary: 'src/payments/charge.ts', note: '+22 -18' },
      { tool: 'Bash', summary: 'npm test -- double-charge', input: { command: 'npm test -- double-charge' } },
    ],
  })
}

/** Codex ended with an error, Gemini waits for a login, and Claude Code can't be reached yet. */
export function outsideTroublesLog(conversationId: string, now: number): SampleLog {
  const log = new SampleLog({ conversationId, now: now - 60_000, step: 0 })
  log.begins('Let Claude Code, Codex and Gemini review src/payments.')
  const calls = MAKERS.map(({ id, name }) => ({ agentId: id, type: name, task: 'review of payments' }))
  log.pass(4000).answers('main', { text: 'I start all three.', calls })
  for (const maker of MAKERS) connect(log, maker)
  log.status('main', 'waiting', 'children')
  const [, , maker] = MAKERS
  log.next('gemini', {
    type: 'program-login',
    program: maker?.program ?? { name: 'gemini', title: 'Gemini CLI', version: '' },
    message: 'It began no session.',
    methods: [
      {
        ...LOGIN,
        id: 'google',
        name: 'Log in with Google',
        description: 'Opens your browser.',
        kind: 'agent',
      },
      {
        ...{ ...LOGIN, id: 'terminal', name: 'Log in in a terminal', kind: 'terminal' },
        command: 'gemini --login --no-browser',
      },
      {
        ...{ ...LOGIN, id: 'key', name: 'Use a Gemini API key', kind: 'environment' },
        variables: ['GEMINI_API_KEY'],
      },
    ],
  })
  log.status('gemini', 'waiting', 'message')
  log.answers('codex', { ...NOT_REPORTED, text: 'I read the payments first.' })
  log.ends('codex', '', 'failed', FAILURE)
  return log
}

const LOGIN = { description: '', command: null, variables: [] } as const

const FAILURE = `codex failed. It ended with the exit code 101 before its work was done.
Its last output:
thread 'main' panicked at codex-rs/core/src/client.rs:412:18:
called \`Result::unwrap()\` on an \`Err\` value: Connect(TlsHandshake)
note: run with RUST_BACKTRACE=1 to display a backtrace
To find out more, run it in a terminal: codex-acp`

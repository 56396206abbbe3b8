/** Each event type can be stored, read, folded and shown. A new event type needs a sample here to compile. */
import { expect, test } from 'vitest'
import { noUsage } from '../models/no-usage.ts'
import { foldAgent, startAgent } from '../state/agent-state.ts'
import { rowText } from '../transcript/row-text.ts'
import { TranscriptRows } from '../transcript/transcript-rows.ts'
import { type AgentEvent, type AgentEventType, agentEvent, EVENT_VERSION, noLimits } from './agent-event.ts'
import { upcastEvent } from './upcast-event.ts'

const definition = {
  name: 'Explore',
  source: 'built-in',
  file: null,
  color: 'blue',
  readOnly: true,
  oneShot: false,
  reminder: null,
}
const failure = { type: 'overloaded', message: 'Overloaded' }
const call = { toolUseId: 't-1', name: 'Grep' }

/** The fields of each event without its header. */
const samples: Readonly<Record<AgentEventType, object>> = {
  'agent-spawned': {
    conversationId: 'c-1',
    parentId: null,
    parentToolUseId: null,
    definition,
    task: 'Find the clock',
    model: 'claude-test',
    system: 'You explore.',
    tools: [],
    permissionMode: 'default',
    cwd: '/project',
    maxTurns: 15,
    depth: 0,
  },
  'user-message': { messageId: 'm-1', from: 'user', content: [{ type: 'text', text: 'Find the clock' }] },
  'status-changed': { status: 'waiting', waitingFor: 'permission' },
  'request-started': { turn: 1, attempt: 1, model: 'claude-test' },
  'request-failed': { turn: 1, attempt: 1, failure, retryAt: 5 },
  'assistant-message': {
    turn: 1,
    messageId: 'm-2',
    model: 'claude-test',
    content: [
      { type: 'text', text: 'I search.' },
      { type: 'tool_use', id: 't-1', name: 'Grep', input: { pattern: 'clock' } },
    ],
    stopReason: 'tool_use',
    usage: noUsage,
    costUsd: 0.01,
    durationMs: 20,
    pace: [[5, 9]],
  },
  'effort-changed': { effort: 'high' },
  'thinking-changed': { thinking: 'off' },
  'form-opened': {
    formId: 'f-1',
    toolUseId: 't-1',
    toolName: 'ExitPlanMode',
    form: { kind: 'plan', plan: '1. Read the clock.' },
  },
  'command-started': {
    commandId: 'b-1',
    toolUseId: 't-1',
    command: 'npm run dev',
    description: 'Starts the server',
  },
  'command-ended': { commandId: 'b-1', exitCode: 0, by: 'exit' },
  'form-closed': { formId: 'f-1', toolUseId: 't-1', answer: { action: 'decline', feedback: 'Too long.' } },
  'model-asked': {
    toolUseId: 't-1',
    model: 'claude-haiku-5-5',
    usage: noUsage,
    costUsd: 0.001,
    durationMs: 20,
  },
  'permission-asked': {
    requestId: 'p-1',
    toolUseId: 't-1',
    toolName: 'Grep',
    subject: { kind: 'other', action: 'search', text: 'clock', folder: '/project' },
    because: 'The file may contain secrets.',
    alwaysRule: null,
  },
  'permission-answered': {
    requestId: 'p-1',
    toolUseId: 't-1',
    decision: 'deny',
    feedback: 'Search in src only.',
  },
  'tool-started': {
    ...call,
    input: { pattern: 'clock' },
    summary: 'clock',
    row: { kind: 'search', icon: 'search', label: 'Grep' },
    sideEffects: false,
  },
  'tool-ended': {
    ...call,
    isError: false,
    content: 'src/clock.ts:3',
    note: '1 match',
    durationMs: 4,
    display: null,
    outputFile: null,
    seen: { path: '/repo/src/clock.ts', mtimeMs: 5, size: 7, digest: '7-ab' },
  },
  'files-changed': {
    toolUseId: 't-1',
    cause: 'tool',
    files: [
      {
        path: '/project/src/clock.ts',
        shown: 'src/clock.ts',
        before: null,
        after: { digest: 'ab12', size: 7, mode: 0o644, kind: 'file' },
        added: 1,
        removed: 0,
        kept: 'yes',
      },
    ],
  },
  'worker-changed': {
    worker: { workerId: 'w-1', host: 'build-01', pid: 48213, cores: 8, tmux: null, epoch: 0 },
    state: 'silent',
    note: 'No heartbeat from build-01 for 15 s.',
  },
  'program-connected': {
    program: { name: 'gemini', title: 'Gemini CLI', version: '0.12.0' },
    sessionId: 's-1',
    began: 'new',
    can: { resume: true, images: true },
  },
  'program-options': {
    options: [
      {
        id: 'model',
        name: 'Model',
        category: 'model',
        current: 'pro',
        values: [{ id: 'pro', name: 'Pro', description: '' }],
      },
    ],
  },
  'program-commands': { commands: [{ name: 'compact', description: 'Shortens the history.', hint: null }] },
  'program-login': {
    program: { name: 'gemini', title: 'Gemini CLI', version: '0.12.0' },
    methods: [{ id: 'web', name: 'Log in', description: '', kind: 'agent', command: null, variables: [] }],
    message: 'It needs a login.',
  },
  'child-changed': { name: 'Explore', task: 'Find the clock', cwd: '/project', canStop: true },
  notice: { level: 'warning', text: 'The skill commit is missing.' },
  'context-cleared': { toolUseIds: ['t-1'] },
  'context-compacted': { summary: 'The clock is in src/clock.ts.' },
  'permission-mode-changed': { permissionMode: 'plan', neverAsks: true },
  'model-changed': { model: 'claude-other' },
  'tools-changed': { text: 'New agent: reviewer.', note: '1 new agent', descriptions: {} },
  'instructions-loaded': {
    files: [{ path: '/project/CLAUDE.md', scope: 'project', importedBy: null, bytes: 9 }],
    text: 'Use tabs.',
  },
  'part-refused': { part: { kind: 'tool', name: 'mcp__files__read' }, reason: 'tools.24: no schema.' },
  'servers-told': {
    servers: { github: { state: 'connected', instructions: '12-ab' } },
    text: '# Instructions of MCP servers',
    note: 'The agent received: …',
  },
  'files-told': {
    files: [{ path: '/project/a.ts', state: null }],
    text: 'Files changed.',
    note: 'Told of 1 changed file.',
  },
  'permissions-told': { text: 'Mode: plan.' },
  'pause-changed': { paused: true },
  'moved-to-background': { by: 'user', bubbles: true },
  'awaited-again': {},
  'limits-changed': { limits: noLimits },
  'definition-renewed': {
    definition,
    system: 'You explore quickly.',
    tools: [],
    permissionMode: 'default',
    maxTurns: 20,
  },
  'interceptor-verdict': {
    point: 'tool-call',
    source: 'hook lint.sh',
    toolUseId: 't-1',
    verdict: 'denied',
    reason: 'Not on Sundays.',
    durationMs: 3,
  },
  'hook-ran': {
    event: 'PreToolUse',
    matcher: 'Bash',
    source: 'user settings',
    command: 'guard.sh',
    toolUseId: 't-1',
    exitCode: 2,
    durationMs: 12,
    effect: 'denied',
    output: 'rm -rf is not allowed here',
  },
  'work-saved': {
    work: {
      head: '0123abc',
      commits: 1,
      files: 1,
      insertions: 2,
      deletions: 0,
      check: { kind: 'clean' },
      unchanged: false,
      committedAs: 'user',
      problems: [],
    },
  },
  'agent-ended': { status: 'completed', report: 'src/clock.ts:3', failure: null, reachedLimit: null },
}

const types = Object.keys(samples) as AgentEventType[]

function event(type: AgentEventType, seq: number): AgentEvent {
  const head = { v: EVENT_VERSION, agentId: 'a-1', seq, order: seq, at: 1000 + seq }
  return agentEvent.parse({ ...head, type, ...samples[type] })
}

const spawned = event('agent-spawned', 0)
if (spawned.type !== 'agent-spawned') throw new Error('The first sample is not a spawn.')
const started = startAgent(spawned)

test('the samples cover all event types', () => {
  expect(types.sort()).toEqual(agentEvent.options.map(({ shape }) => shape.type.value).sort())
})

test.each(types)('%s can be stored and read back, and is folded in order', (type) => {
  const sample = event(type, 1)
  expect(upcastEvent(JSON.parse(JSON.stringify(sample)))).toEqual({ ok: true, value: sample })
  if (type === 'agent-spawned') return
  expect(foldAgent(started, sample)).toMatchObject({ id: 'a-1', lastSeq: 1, lastOrder: 1, lastAt: 1001 })
  expect(started.lastSeq).toBe(0)
})

test('a transcript with every event has rows with unique keys and readable text', () => {
  const log = Object.keys(samples).map((type, seq) => event(type as AgentEventType, seq))
  const { rows } = TranscriptRows.from(log)
  expect(rows.length).toBeGreaterThan(10)
  expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length)
  expect(rows.map(rowText).filter((text) => /undefined|\[object/.test(text))).toEqual([])
})

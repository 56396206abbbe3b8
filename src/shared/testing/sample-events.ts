/** A sample event of every type. */
import {
  type AgentEventType,
  type DefinitionSnapshot,
  EVENT_VERSION,
  type EventOf,
  noLimits,
  plainSpawn,
} from '../events/agent-event.ts'
import { noUsage } from '../models/no-usage.ts'

/** The fields of an event beside its head. */
export type Fields<T extends AgentEventType> = Omit<
  EventOf<T>,
  'v' | 'type' | 'agentId' | 'seq' | 'order' | 'at' | 'origin'
>

/** An event of a type, with its sample's fields where `more` has no others. */
export function sampleEvent<T extends AgentEventType>(
  type: T,
  more: Partial<Omit<EventOf<T>, 'type'>> = {},
): EventOf<T> {
  const head = { v: EVENT_VERSION, agentId: 'a-1', seq: 0, order: 0, at: 1_700_000_000_000 }
  return { ...head, type, ...sampleFields[type], ...more } as unknown as EventOf<T>
}

/** The snapshot of a built-in definition. */
export function sampleDefinition(more: Partial<DefinitionSnapshot> = {}): DefinitionSnapshot {
  return { ...definition, ...more }
}

const definition: DefinitionSnapshot = {
  name: 'Explore',
  source: 'built-in',
  file: null,
  color: 'blue',
  readOnly: false,
  oneShot: false,
  reminder: null,
  agentTypes: null,
  deniedAgentTypes: [],
  readFolders: [],
  writeFolders: [],
  memory: null,
  omitProjectInstructions: false,
  rules: { denied: [], only: [] },
  refused: [],
  digest: '',
}
const prepared = {
  definition,
  system: 'You explore.',
  tools: [],
  permissionMode: 'default' as const,
  neverAsks: false,
  maxTurns: 15,
  instructions: [],
}
const failure = { type: 'overloaded', message: 'Overloaded' }
const call = { toolUseId: 't-1', name: 'Grep' }

/** The fields of each event beside its head. */
export const sampleFields: { readonly [T in AgentEventType]: Fields<T> } = {
  'agent-spawned': {
    conversationId: 'c-1',
    parentId: null,
    parentToolUseId: null,
    task: 'Find the clock',
    cwd: '/project',
    ...prepared,
    model: 'claude-test',
    depth: 0,
    ...plainSpawn,
  },
  'user-message': {
    messageId: 'm-1',
    from: 'user',
    sender: null,
    content: [{ type: 'text', text: 'Find the clock' }],
  },
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
  'user-command-started': { commandId: 'u-1', command: 'npm test', cwd: '/project' },
  'user-command-ended': {
    commandId: 'u-1',
    exitCode: 1,
    by: 'exit',
    output: '1 failed',
    durationMs: 20,
    outputFile: null,
  },
  'user-command-shared': { commandId: 'u-1', sharing: 'off' },
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
    remedy: '',
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
    ignored: 0,
    note: '',
    files: [
      {
        path: '/project/src/clock.ts',
        shown: 'src/clock.ts',
        before: null,
        after: { digest: 'ab12', size: 7, mode: 0o644, kind: 'file' },
        added: 1,
        removed: 0,
        renamedFrom: null,
        kept: 'yes',
        maybeBy: [],
      },
    ],
  },
  'worker-changed': {
    worker: { workerId: 'w-1', host: 'build-01', pid: 48213, cores: 8, tmux: null, epoch: 0 },
    state: 'silent',
    jobId: null,
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
  'tools-changed': {
    text: 'New agent: reviewer.',
    note: '1 new agent',
    descriptions: {},
    entries: {},
    added: [],
    removed: [],
  },
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
    ...prepared,
    system: 'You explore quickly.',
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
  'agent-ended': {
    status: 'completed',
    report: 'src/clock.ts:3',
    failure: null,
    reachedLimit: null,
    limitOf: null,
  },
}

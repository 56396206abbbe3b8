/** Each event of hooks fires where it happens, with the fields that scripts expect. */
import { describe, expect, test } from 'vitest'
import { type HookEvent, hookEvents } from '../../../shared/hooks/hooks.ts'
import type { AgentReach, Interceptor, OutsidePoint, PointFacts } from '../../runtime/ports/interceptors.ts'
import type { AnyTool } from '../../runtime/ports/tool.ts'
import { createHandClock } from '../../runtime/testing/hand-clock.ts'
import { createMemoryWorktrees } from '../../runtime/testing/memory-worktrees.ts'
import { lastWords, type Script } from '../../runtime/testing/scripted-model.ts'
import { agentCall, type Call, echo, script } from '../../runtime/testing/scripts.ts'
import { createTestRuntime, type TestOptions, type TestRuntime } from '../../runtime/testing/test-runtime.ts'
import { type HookInput, type RecordedOptions, recordedHooks } from './testing/recorded-hooks.ts'

type After = (troupe: TestRuntime, conversationId: string, reach: AgentReach) => Promise<unknown>

interface Scene extends Partial<Omit<TestOptions, 'script'>> {
  /** The main agent's calls, one message each; then it repeats what it received. */
  readonly calls?: readonly (readonly Call[])[]
  /** The other agents'. */
  readonly child?: Script
  readonly script?: Script
  readonly mode?: 'default' | 'acceptEdits' | 'dontAsk'
  readonly after?: After
  readonly hooks?: RecordedOptions
}

async function play({ calls = [], child = echo, mode = 'acceptEdits', after, hooks, ...options }: Scene) {
  const recorded = recordedHooks(hooks)
  const worktrees = createMemoryWorktrees()
  const reached: AgentReach[] = []
  const takesReach: Interceptor = {
    source: 'a test',
    timeLimitMs: 1000,
    handlers: {
      'session-start': async (_facts, { reach }) => {
        if (reach) reached.push(reach)
        return null
      },
    },
  }
  const troupe = createTestRuntime({
    script: script([...calls.map((one) => ({ calls: one })), echo], child),
    ...options,
    ports: {
      worktrees: { ...worktrees, release: async () => true },
      // What a hook does may take real time.
      clock: createHandClock().clock,
      ...options.ports,
      interceptors: {
        list: async (agent) => [...(await recorded.interceptors.list(agent)), takesReach],
      },
    },
  })
  troupe.runtime.tools.add('people', [asksName])
  const id = await troupe.begin('Go', { permissionMode: mode })
  const answering = troupe.when('permission-asked').then(({ agentId, requestId }) =>
    troupe.runtime.dispatch({
      type: 'agent.answer',
      conversationId: id,
      agentId,
      requestId,
      answer: { decision: 'deny', feedback: null },
    }),
  )
  void answering.catch(() => {})
  const form = troupe.when('form-opened').then(({ agentId, formId }) =>
    troupe.runtime.dispatch({
      type: 'agent.answerForm',
      conversationId: id,
      agentId,
      formId,
      answer: { action: 'accept', values: { name: 'Ada' } },
    }),
  )
  void form.catch(() => {})
  await troupe.runtime.settled(id)
  await after?.(troupe, id, reached[0]!)
  await troupe.runtime.close()
  const of = (event: HookEvent) => recorded.inputs.filter((input) => input['hook_event_name'] === event)
  const results = troupe.events.flatMap((event) => (event.type === 'tool-ended' ? [event] : []))
  return { troupe, of, results, heard: troupe.model.requests.map(lastWords).join('\n') }
}

const bash = (command: string): Call => ['Bash', { command }]
const task = (subject: string): Call => ['TaskCreate', { subject, description: 'All of it.' }]
const done = (id: string): Call => ['TaskUpdate', { task_id: id, status: 'completed' }]
const CREW: Call = [
  'TeamCreate',
  { name: 'crew', members: [{ name: 'ada', agent: 'general-purpose', prompt: 'You are ada.' }] },
]
const inFolder =
  (cwd: string, exitCode = 0) =>
  async () => ({ output: 'out', exitCode, ended: 'exit' as const, cwd })
const memory = {
  load: async () => ({
    files: [
      { path: '/project/CLAUDE.md', scope: 'project' as const, importedBy: null, bytes: 8, text: 'Be kind.' },
    ],
    folder: null,
    problems: [],
  }),
  below: async () => [],
}
/** Asks the user for a name, as an MCP server does. */
const asksName: AnyTool = {
  name: 'ask_name',
  aliases: [],
  description: 'Asks for a name.',
  schema: { type: 'object', properties: {} },
  kind: 'other',
  icon: 'plug',
  concurrent: false,
  sideEffects: () => false,
  summary: () => '',
  target: async () => ({ kind: 'none' }),
  run: async (_input, { askForm }) => {
    const schema = { type: 'object', properties: { name: { type: 'string' } } }
    const { action } = await askForm({ kind: 'elicitation', server: 'people', message: 'Who?', schema })
    return { isError: false, content: `The user: ${action}`, note: '' }
  },
}
const ASK: Scene = { calls: [[['ask_name', {}]]] }
const compacts: After = async ({ runtime }, id) => {
  await runtime.dispatch({ type: 'conversation.compact', conversationId: id, instructions: 'Keep names' })
  await runtime.settled(id)
}
const raises =
  <P extends OutsidePoint>(point: P, facts: PointFacts[P]): After =>
  (_troupe, _id, reach) =>
    reach.raise(point, facts)

const SCENES: Readonly<Record<HookEvent, readonly [scene: Scene, fields: HookInput]>> = {
  PreToolUse: [{ calls: [[bash('ls')]] }, { tool_name: 'Bash', tool_input: { command: 'ls' } }],
  PermissionRequest: [
    { calls: [[bash('npm publish')]] },
    { tool_name: 'Bash', tool_use_id: expect.any(String), message: expect.any(String) },
  ],
  PermissionDenied: [
    { calls: [[bash('npm publish')]], mode: 'dontAsk' },
    { tool_name: 'Bash', reason: expect.stringContaining('denies instead of asking') },
  ],
  PostToolUse: [{ calls: [[bash('ls')]] }, { tool_response: expect.objectContaining({ success: true }) }],
  PostToolUseFailure: [
    { calls: [[bash('ls')]], shell: inFolder('/project', 1) },
    { tool_name: 'Bash', error: expect.stringContaining('[Exit code 1]'), is_interrupt: false },
  ],
  UserPromptSubmit: [{}, { prompt: 'Go' }],
  Stop: [{}, { stop_hook_active: false, last_assistant_message: expect.stringContaining('Got: ') }],
  StopFailure: [
    { script: () => ({ failure: { type: 'auth', message: 'No such key.' } }) },
    { error: 'authentication_failed', error_details: 'No such key.' },
  ],
  SubagentStart: [{ calls: [[agentCall('one')]] }, { prompt: 'one', source: 'startup' }],
  SubagentStop: [{ calls: [[agentCall('one')]] }, { agent_type: 'general-purpose' }],
  TeammateIdle: [{ calls: [[CREW]] }, { teammate_name: 'ada', team_name: 'crew' }],
  TaskCreated: [
    { calls: [[task('parse'), task('print')]] },
    { task_id: '2', task_subject: 'print', task_description: 'All of it.', team_name: null },
  ],
  TaskCompleted: [
    { calls: [[CREW, task('parse')], [done('1')]] },
    { task_id: '1', task_subject: 'parse', teammate_name: null },
  ],
  SessionStart: [{}, { source: 'startup', model: expect.any(String) }],
  SessionEnd: [{}, { reason: 'other' }],
  PreCompact: [{ after: compacts }, { trigger: 'manual', custom_instructions: 'Keep names' }],
  PostCompact: [
    { after: compacts },
    { trigger: 'manual', compact_summary: expect.stringContaining('Keep names') },
  ],
  InstructionsLoaded: [
    { memory },
    { file_path: '/project/CLAUDE.md', memory_type: 'Project', load_reason: 'session_start' },
  ],
  Notification: [{}, { notification_type: 'idle_prompt' }],
  Elicitation: [ASK, { mcp_server_name: 'people', mode: 'form', message: 'Who?' }],
  ElicitationResult: [ASK, { action: 'accept', content: { name: 'Ada' } }],
  ConfigChange: [
    {
      after: raises('settings-changed', { path: '/home/me/.claude/settings.json', source: 'user_settings' }),
    },
    { source: 'user_settings', file_path: '/home/me/.claude/settings.json' },
  ],
  CwdChanged: [
    { calls: [[bash('cd src')]], shell: inFolder('/project/src') },
    { old_cwd: '/project', new_cwd: '/project/src', cwd: '/project/src' },
  ],
  FileChanged: [
    { after: raises('file-changed', { path: '/project/.env', change: 'add' }) },
    { file_path: '/project/.env', event: 'add' },
  ],
  WorktreeCreate: [
    { calls: [[agentCall('one', { isolation: 'worktree' })]] },
    { worktree_path: expect.any(String) },
  ],
  WorktreeRemove: [
    { calls: [[agentCall('one', { isolation: 'worktree' })]] },
    { worktree_path: expect.any(String) },
  ],
}

test.each(hookEvents)('%s fires with its fields', async (event) => {
  const [scene, fields] = SCENES[event]
  const { of } = await play(scene)
  expect(of(event)).toContainEqual(expect.objectContaining({ hook_event_name: event, ...fields }))
  for (const input of of(event))
    expect(input).toMatchObject({
      session_id: expect.any(String),
      transcript_path: expect.any(String),
      cwd: expect.any(String),
      permission_mode: expect.any(String),
      agent_id: expect.any(String),
      agent_type: expect.any(String),
    })
})

test('an event fires once for what happened once, and not for its opposite', async () => {
  const { of } = await play({ calls: [[bash('ls')], [bash('ls')]], shell: failsFirst() })
  expect(of('PostToolUseFailure')).toHaveLength(1)
  expect(of('PostToolUse')).toHaveLength(1)
  expect(of('Stop')).toHaveLength(1)
  for (const other of [
    'StopFailure',
    'PermissionDenied',
    'CwdChanged',
    'TeammateIdle',
    'PostCompact',
  ] as const)
    expect(of(other)).toEqual([])
})

function failsFirst() {
  let runs = 0
  return async () => ({ output: '', exitCode: runs++ === 0 ? 1 : 0, ended: 'exit' as const, cwd: '/project' })
}

/** Hooks of one event answer this. */
const says = (event: HookEvent, said: object, times = Number.POSITIVE_INFINITY): RecordedOptions => {
  let left = times
  return { answer: (input) => (input['hook_event_name'] === event && left-- > 0 ? said : undefined) }
}
const block = { decision: 'block', reason: 'Not on Fridays.' }

describe('an answer that blocks', () => {
  test('keeps a task off the list', async () => {
    const { results, troupe } = await play({ calls: [[task('parse')]], hooks: says('TaskCreated', block) })
    expect(results).toMatchObject([
      { isError: true, content: 'The task was not created. Denied by hook check: Not on Fridays.' },
    ])
    expect(troupe.events.some(({ type }) => type === 'interceptor-verdict')).toBe(true)
  })

  test('keeps a task open', async () => {
    const { results } = await play({
      calls: [[CREW, task('parse')], [done('1')], [['TaskList', {}]]],
      hooks: says('TaskCompleted', block),
    })
    const [, , completed, list] = results.filter(({ name }) => name.startsWith('T'))
    expect(completed).toMatchObject({
      isError: true,
      content: 'Task 1 was not set to completed. Denied by hook check: Not on Fridays.',
    })
    expect(list?.content).toContain('1. [free] parse')
  })

  test('makes a member of a team continue', async () => {
    const { of, heard } = await play({ calls: [[CREW]], hooks: says('TeammateIdle', block, 1) })
    expect(of('TeammateIdle')).toHaveLength(2)
    expect(heard).toContain('Do not stop yet: Not on Fridays.')
  })

  test('is told to the model after a call that failed', async () => {
    const { heard } = await play({
      calls: [[bash('ls')]],
      shell: inFolder('/project', 1),
      hooks: says('PostToolUseFailure', block),
    })
    expect(heard).toContain('<system-note source="hook check">\nNot on Fridays.\n</system-note>')
  })

  test.each(['Elicitation', 'ElicitationResult'] as const)('declines at %s', async (event) => {
    const { results, troupe } = await play({ ...ASK, hooks: says(event, block) })
    expect(results).toMatchObject([{ content: 'The user: decline' }])
    expect(troupe.events.some(({ type }) => type === 'form-opened')).toBe(event === 'ElicitationResult')
  })
})

test('a hook that saw a denial lets the model try again', async () => {
  const { results } = await play({
    ...SCENES.PermissionDenied[0],
    hooks: says('PermissionDenied', { hookSpecificOutput: { retry: true } }),
  })
  expect(results[0]).toMatchObject({ isError: true, note: 'denied' })
  expect(results[0]?.content).toContain('You may make this call once more.')
})

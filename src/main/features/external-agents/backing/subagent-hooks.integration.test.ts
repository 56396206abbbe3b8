/** Hooks of the subagents that an external agent starts by itself. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { foldAgent } from '../../../../shared/state/agent-state.ts'
import { childrenOf, eventsOf } from '../../../runtime/testing/scripts.ts'
import { type HookInput, type RecordedOptions, recordedHooks } from '../../hooks/testing/recorded-hooks.ts'
import { createExternalRuntime } from './testing/external-runtime.ts'

interface Play {
  readonly mode: string
  readonly answer?: (input: HookInput) => object | undefined
  readonly matchers?: RecordedOptions['matchers']
}

/** Plays a whole conversation in which the user allows what is asked. */
async function play({ mode, answer, matchers }: Play) {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-child-hooks-')))
  onTestFinished(() => rmSync(top, { recursive: true, force: true, maxRetries: 5 }))
  const folder = join(top, 'project')
  mkdirSync(folder)
  const { interceptors, inputs } = recordedHooks({ ...(answer && { answer }), ...(matchers && { matchers }) })
  const troupe = createExternalRuntime({
    folder,
    data: join(top, 'data'),
    mode,
    test: { ports: { interceptors } },
  })
  onTestFinished(() => troupe.runtime.close())
  const id = await troupe.start()
  const allowing = troupe.when('permission-asked').then(({ agentId, requestId }) =>
    troupe.runtime.dispatch({
      type: 'agent.answer',
      conversationId: id,
      agentId,
      requestId,
      answer: { decision: 'allow-once' },
    }),
  )
  void allowing.catch(() => {})
  await troupe.runtime.settled(id)
  const idOf = (session: string) =>
    childrenOf(troupe).find(({ childSession }) => childSession === session)?.agentId ?? ''
  const events = (session: string) => eventsOf(troupe, idOf(session))
  return {
    folder,
    ownerId: childrenOf(troupe)[0]?.agentId ?? '',
    owner: () => troupe.runtime.state(id, childrenOf(troupe)[0]?.agentId ?? ''),
    idOf,
    inputs: (session: string) => inputs.filter(({ agent_id }) => agent_id === idOf(session)),
    state: (session: string) => events(session).reduce(foldAgent, null),
    notices: (session: string) =>
      events(session).flatMap((event) => (event.type === 'notice' ? [event.text] : [])),
    verdicts: (session: string) =>
      events(session).flatMap((event) => (event.type === 'interceptor-verdict' ? [event.verdict] : [])),
    wasAsked: () => troupe.events.some(({ type }) => type === 'permission-asked'),
  }
}

const at = (event: string, answer: object) => (input: HookInput) =>
  input['hook_event_name'] === event && input['agent_type'] === 'routes' ? answer : undefined

const events = (inputs: readonly HookInput[]) => inputs.map(({ hook_event_name }) => hook_event_name)

test('all hooks of a subagent run in their order, with its own name, parent and folder', async () => {
  const { inputs, idOf, ownerId, folder } = await play({ mode: 'child-permission' })
  const received = inputs('c-1')
  const call = { tool_name: 'Bash', tool_input: { command: 'npm test' } }
  expect(received).toMatchObject([
    { hook_event_name: 'SubagentStart', prompt: 'Looks at routes', source: 'startup' },
    { hook_event_name: 'PreToolUse', ...call },
    { hook_event_name: 'PermissionRequest', ...call },
    { hook_event_name: 'Notification', notification_type: 'permission_prompt' },
    { hook_event_name: 'PostToolUse', ...call, tool_response: { success: true } },
    {
      hook_event_name: 'SubagentStop',
      stop_hook_active: false,
      last_assistant_message: 'The answer was once.',
    },
  ])
  for (const input of received) {
    expect(input).toMatchObject({ agent_type: 'routes', parent_agent_id: ownerId, cwd: folder })
    expect(input['transcript_path']).toContain(idOf('c-1'))
  }
})

test('two side by side and a nested one have hooks of their own', async () => {
  const { inputs, idOf, ownerId } = await play({ mode: 'children' })
  for (const [session, type, parent, report] of [
    ['c-1', 'routes', ownerId, 'four.'],
    ['c-2', 'tests', ownerId, 'nine.'],
    ['c-3', 'fixtures', idOf('c-2'), 'Three fixtures.'],
  ] as const) {
    const own = { agent_type: type, parent_agent_id: parent }
    expect(inputs(session).at(0)).toMatchObject({ hook_event_name: 'SubagentStart', ...own })
    expect(inputs(session).at(-1)).toMatchObject({
      hook_event_name: 'SubagentStop',
      last_assistant_message: report,
      ...own,
    })
  }
})

test('matchers are compared with the name of the subagent and with the tool', async () => {
  const { inputs } = await play({
    mode: 'children',
    matchers: { SubagentStart: 'routes|fixtures', SubagentStop: 'tests', PostToolUse: 'Edit' },
  })
  expect(events(inputs('c-1'))).toEqual(['SubagentStart'])
  expect(events(inputs('c-2'))).toEqual(['SubagentStop'])
  expect(events(inputs('c-3'))).toEqual(['SubagentStart'])
})

test('more work for a subagent is a start of a resumed one; a run that fails has no end for hooks', async () => {
  const { inputs } = await play({ mode: 'child-again' })
  expect(inputs('c-1')).toMatchObject([
    { hook_event_name: 'SubagentStart', agent_type: 'routes', source: 'startup' },
    { hook_event_name: 'SubagentStop', last_assistant_message: 'First.' },
    { hook_event_name: 'SubagentStart', agent_type: 'routes again', source: 'resume' },
  ])
})

test('a hook that refuses a call of a subagent gives the reason; the subagent works on', async () => {
  const deny = { hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'Not today.' } }
  const { state, notices, inputs, wasAsked } = await play({
    mode: 'child-permission',
    answer: at('PreToolUse', deny),
  })
  expect(state('c-1')).toMatchObject({ status: 'completed', report: 'The answer was no.' })
  expect(notices('c-1').join()).toMatch(/^Refused: npm test\. .*Not today\.$/)
  expect(events(inputs('c-1'))).toEqual(['SubagentStart', 'PreToolUse', 'SubagentStop'])
  expect(wasAsked()).toBe(false)
})

test.each(['PreToolUse', 'PermissionRequest'])(
  'a hook that stops a subagent at %s has its program cancel it',
  async (event) => {
    const { state, owner, notices, wasAsked } = await play({
      mode: 'child-permission-waits',
      answer: at(event, { continue: false, stopReason: 'Enough.' }),
    })
    expect(state('c-1')).toMatchObject({ status: 'stopped', stoppedBy: 'hook' })
    expect(notices('c-1').join()).toMatch(/^Refused: npm test\. .*Enough\./)
    expect(wasAsked()).toBe(false)
    expect(owner()).toMatchObject({ status: 'completed', report: 'Done.' })
  },
)

test('a hook that stops a subagent at its start has its program cancel it', async () => {
  const { state, owner } = await play({
    mode: 'child-permission-waits',
    answer: at('SubagentStart', { continue: false, stopReason: 'Enough.' }),
  })
  expect(state('c-1')).toMatchObject({ status: 'stopped', stoppedBy: 'hook' })
  expect(owner()).toMatchObject({ status: 'completed', report: 'Done.' })
})

test('where the program can’t cancel a subagent, a stop refuses the call and says who can be stopped', async () => {
  const { state, notices } = await play({
    mode: 'fixed-child-permission',
    answer: at('PreToolUse', { continue: false, stopReason: 'Enough.' }),
  })
  expect(state('c-1')).toMatchObject({ status: 'completed', report: 'The answer was no.' })
  expect(notices('c-1')).toContain('It works on: routes can’t be stopped by itself. Stop outsider.')
})

test('what hooks add does not reach a subagent, which its transcript says; it can’t be made to continue', async () => {
  const { inputs, state, notices, verdicts } = await play({
    mode: 'child-permission',
    answer: (input) =>
      at('PostToolUse', { decision: 'block', reason: 'The linter found a bug.' })(input) ??
      at('SubagentStop', { decision: 'block', reason: 'Fix it.' })(input),
  })
  expect(events(inputs('c-1')).filter((event) => event === 'SubagentStop')).toHaveLength(1)
  expect(state('c-1')).toMatchObject({ status: 'completed', report: 'The answer was once.' })
  expect(verdicts('c-1')).toEqual(['context-added'])
  expect(notices('c-1')).toEqual([
    'What hooks added did not reach this subagent: only its program can write to it.',
  ])
})

/** Hooks run in every kind of agent. */
import { describe, expect, test } from 'vitest'
import type { HookEvent } from '../../../shared/hooks/hooks.ts'
import { createHandClock } from '../../runtime/testing/hand-clock.ts'
import { createMemoryWorktrees } from '../../runtime/testing/memory-worktrees.ts'
import type { Script } from '../../runtime/testing/scripted-model.ts'
import { agentCall, type Call, childrenOf, echo, isMain, script } from '../../runtime/testing/scripts.ts'
import { createTestRuntime, type TestRuntime, testDefinitions } from '../../runtime/testing/test-runtime.ts'
import { type HookInput, recordedHooks } from './testing/recorded-hooks.ts'

const CALLS: readonly Call[] = [
  ['Bash', { command: 'ls' }],
  ['Bash', { command: 'npm publish' }],
]

const TEAM: Call = [
  'TeamCreate',
  { name: 'crew', members: [{ name: 'ada', agent: 'general-purpose', prompt: 'You are ada.' }] },
]

interface Kind {
  /** Further input of the call that starts the agent; null: the main agent. */
  readonly start: object | 'team' | null
  readonly resumed?: boolean
  readonly events: readonly HookEvent[]
}

const CALL_EVENTS = ['PreToolUse', 'PostToolUse', 'PermissionRequest'] as const
const SUBAGENT_EVENTS = [...CALL_EVENTS, 'SubagentStart', 'SubagentStop'] as const
const ASKED = [...SUBAGENT_EVENTS, 'Notification'] as const

const KINDS: Readonly<Record<string, Kind>> = {
  'the main agent': {
    start: null,
    events: [...CALL_EVENTS, 'SessionStart', 'UserPromptSubmit', 'Notification', 'Stop', 'SessionEnd'],
  },
  'a subagent': { start: {}, events: ASKED },
  'a background agent': { start: { run_in_background: true }, events: SUBAGENT_EVENTS },
  'a fork': { start: { subagent_type: 'forker' }, events: ASKED },
  'an agent in a worktree': {
    start: { isolation: 'worktree' },
    events: [...ASKED, 'WorktreeCreate', 'WorktreeRemove'],
  },
  'a fork in a worktree': {
    start: { subagent_type: 'forker', isolation: 'worktree' },
    events: [...ASKED, 'WorktreeCreate', 'WorktreeRemove'],
  },
  'a team member': { start: 'team', events: ASKED },
  'a resumed agent': { start: {}, resumed: true, events: ASKED },
}

const forker = { ...testDefinitions[1]!, name: 'forker', description: 'A fork.', forkContext: true }
const ownHooks = {
  Stop: [{ hooks: [{ type: 'command', command: 'own' }] }],
  PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'own' }] }],
}
const hooked = { ...testDefinitions[1]!, name: 'hooked', description: 'Has hooks.', hooks: ownHooks }

/** A conversation whose hooks only record what they receive. */
async function play(
  { start, resumed = false }: Pick<Kind, 'start' | 'resumed'>,
  all = true,
): Promise<{ troupe: TestRuntime; inputs: readonly HookInput[] }> {
  const { interceptors, inputs } = recordedHooks(all ? {} : { configured: {} })
  let requests = 0
  const child: Script = (request, signal) =>
    ++requests === (resumed ? 2 : 1) ? { calls: CALLS } : echo(request, signal)
  const first = { calls: start === null ? CALLS : [start === 'team' ? TEAM : agentCall('one', start)] }
  const second = (): ReturnType<Script> => ({
    calls: [agentCall('more', { resume: childrenOf(troupe)[0]?.agentId })],
  })
  const worktrees = createMemoryWorktrees()
  const troupe = createTestRuntime({
    definitions: [...testDefinitions, forker, hooked],
    script: script(resumed ? [first, second, echo] : [first, echo], child),
    // What a hook does may take real time.
    ports: { interceptors, worktrees, clock: createHandClock().clock },
  })
  const id = await troupe.begin('Go')
  const answering = troupe.when('permission-asked').then(async ({ agentId, requestId }) => {
    for (const made of worktrees.made) made.changed = false
    await troupe.runtime.dispatch({
      type: 'agent.answer',
      conversationId: id,
      agentId,
      requestId,
      answer: { decision: 'deny', feedback: null },
    })
  })
  void answering.catch(() => {})
  await troupe.runtime.settled(id)
  await troupe.runtime.close()
  expect(troupe.model.requests.some(isMain)).toBe(true)
  return { troupe, inputs }
}

const subjectOf = (troupe: TestRuntime, isChild: boolean) =>
  troupe.events.find((event) => event.type === 'agent-spawned' && (event.parentId !== null) === isChild)

describe.each(Object.entries(KINDS))('in %s', (_name, kind) => {
  const played = play(kind)
  test.each(kind.events)('%s runs', async (event) => {
    const { troupe, inputs } = await played
    const agent = subjectOf(troupe, kind.start !== null)
    const mine = inputs.filter(
      (input) => input['hook_event_name'] === event && input['agent_id'] === agent?.agentId,
    )
    expect(mine.length).toBeGreaterThan(0)
    expect(mine.at(-1)).toMatchObject({
      session_id: expect.any(String),
      transcript_path: expect.any(String),
      cwd: expect.any(String),
      agent_type: expect.any(String),
      parent_agent_id: kind.start === null ? null : expect.any(String),
    })
  })
})

test("a definition's hooks run for its agent only, and Stop means its end", async () => {
  const { inputs } = await play({ start: { subagent_type: 'hooked' } }, false)
  expect(inputs.map((input) => [input['hook_event_name'], input['agent_type']])).toEqual([
    ['PreToolUse', 'hooked'],
    ['PreToolUse', 'hooked'],
    ['SubagentStop', 'hooked'],
  ])
})

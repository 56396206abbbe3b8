/** External agents as subagents: a real process, through the whole runtime. */
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ExternalAgentLaunch } from '../../../../shared/agent-definition/agent-definition.ts'
import type { AgentState } from '../../../../shared/state/agent-state.ts'
import { isRunning } from '../../../platform/system/process-identity.ts'
import type { LoadedDefinition } from '../../../runtime/ports/definitions.ts'
import type { Policy } from '../../../runtime/ports/ports.ts'
import { createMemoryRules } from '../../../runtime/testing/memory-rules.ts'
import { childrenOf, eventsOf } from '../../../runtime/testing/scripts.ts'
import type { TestRuntime } from '../../../runtime/testing/test-runtime.ts'
import { createOutsiderRuntime } from './testing/external-runtime.ts'
import { processesWithHome } from './testing/processes-with-home.ts'

let folder: string
let troupe: TestRuntime

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'troupe-acp-')))
})

afterEach(async () => {
  await troupe.runtime.close()
  await rm(folder, { recursive: true, force: true })
})

interface Given {
  readonly program?: Partial<ExternalAgentLaunch>
  readonly definition?: Partial<LoadedDefinition>
  readonly policy?: Partial<Policy>
  readonly startLimit?: number
  /** Rules that allow calls. */
  readonly rules?: readonly string[]
}

let rules: ReturnType<typeof createMemoryRules>

/** The main agent starts the example agent, which behaves in this way. @returns the conversation's id */
async function begin(mode: string, given: Given = {}): Promise<string> {
  rules = createMemoryRules()
  for (const rule of given.rules ?? []) await rules.allow(folder, rule)
  troupe = createOutsiderRuntime({
    mode,
    ...(given.program && { program: given.program }),
    ...(given.definition && { definition: given.definition }),
    test: { ports: { rules }, ...(given.policy && { policy: given.policy }) },
    deps: {
      variables: { ...process.env, SECRET_KEY: 'unseen', GIVEN_KEY: 'given' },
      environment: { PATH: process.env['PATH'] ?? '', PID_FILE: join(folder, 'pids') },
      keep: 0,
      ...(given.startLimit !== undefined && { startLimit: given.startLimit }),
    },
  })
  return await troupe.begin('Go', { folder })
}

const childId = (): string => childrenOf(troupe)[0]?.agentId ?? ''

/** The ended subagent. */
async function run(mode: string, given: Given = {}): Promise<AgentState> {
  const id = await begin(mode, given)
  await troupe.runtime.settled(id)
  const state = troupe.runtime.state(id, childId())
  if (state === null) throw new Error('The agent was not started.')
  return state
}

async function pids(): Promise<readonly number[]> {
  return (await readFile(join(folder, 'pids'), 'utf8')).trim().split('\n').map(Number)
}

async function running(): Promise<readonly number[]> {
  const all = await pids()
  const alive = await Promise.all(all.map((pid) => isRunning({ pid, start: 'unknown' })))
  return all.filter((_, at) => alive[at])
}

const notices = () =>
  eventsOf(troupe, childId()).flatMap((event) => (event.type === 'notice' ? [event.text] : []))

describe('a program that works', () => {
  test('its updates are events of the agent, and its last message is the report', async () => {
    const state = await run('works')
    expect(state).toMatchObject({
      status: 'completed',
      backing: 'acp',
      model: 'Example 1.2',
      costUsd: 0.25,
      todos: [{ content: 'Look', status: 'in_progress' }],
    })
    expect(state.report).toMatch(new RegExp(`^Prompt 1 in ${folder}: You are careful. .*Do outside`, 's'))
    const events = eventsOf(troupe, childId())
    const content = events.flatMap((event) => (event.type === 'assistant-message' ? event.content : []))
    expect(content).toContainEqual({ type: 'thinking', thinking: 'Let me see.', signature: '' })
    expect(content).toContainEqual({ type: 'text', text: 'I look at it.' })
    const ended = events.find((event) => event.type === 'tool-ended' && event.display?.kind === 'diff')
    expect(ended).toMatchObject({
      isError: false,
      note: '+1 −1',
      display: { path: join(folder, 'notes.txt'), added: 1, removed: 1, created: false },
    })
    expect(events.find((event) => event.type === 'tool-started' && event.name === 'acp_edit')).toMatchObject({
      summary: 'Edit notes.txt',
      row: { kind: 'edit', label: 'Edit' },
    })
    expect(JSON.stringify(troupe.model.requests.at(-1))).toContain('Prompt 1 in')
    await expect.poll(running).toEqual([])
  })

  test('it gets the basic variables and those that its definition names, no others', async () => {
    const { report } = await run('environment', { program: { env: { GIVEN: `\${GIVEN_KEY}` } } })
    expect(report).toContain('value: given')
    expect(report).not.toContain('SECRET_KEY')
  })

  test('a variable that the user does not have fails the agent before it starts', async () => {
    const { status, failure } = await run('works', { program: { env: { A: `\${NOT_THERE}` } } })
    expect(status).toBe('failed')
    expect(failure?.message).toContain('NOT_THERE')
    await expect(pids()).rejects.toThrow()
  })
})

describe('permissions', () => {
  test('a command is a request of the queue, judged as the command that it is', async () => {
    const id = await begin('command')
    const { requestId, subject, toolName } = await troupe.when('permission-asked')
    expect({ subject, toolName }).toMatchObject({
      subject: { kind: 'command', text: 'npm test' },
      toolName: 'Bash',
    })
    await troupe.runtime.dispatch({
      type: 'agent.answer',
      conversationId: id,
      agentId: childId(),
      requestId,
      answer: { decision: 'allow-once' },
    })
    await troupe.runtime.settled(id)
    expect(troupe.runtime.state(id, childId())?.report).toBe('The answer was once.')
  })

  test('a denial is its rejection, with the reason in the transcript', async () => {
    const id = await begin('command')
    const { requestId } = await troupe.when('permission-asked')
    const request = { conversationId: id, agentId: childId(), requestId }
    await troupe.runtime.dispatch({
      type: 'agent.answer',
      ...request,
      answer: { decision: 'deny', feedback: 'Not now' },
    })
    await troupe.runtime.settled(id)
    expect(troupe.runtime.state(id, childId())?.report).toBe('The answer was no.')
    expect(notices().join()).toContain('Refused: npm test. The user denied this call: Not now')
  })

  test('allowed for always is a rule of Troupe, never of the program', async () => {
    const id = await begin('edit')
    const { requestId, subject } = await troupe.when('permission-asked')
    expect(subject.action).toContain('notes.txt')
    const request = { conversationId: id, agentId: childId(), requestId }
    await troupe.runtime.dispatch({ type: 'agent.answer', ...request, answer: { decision: 'allow-always' } })
    await troupe.runtime.settled(id)
    expect(troupe.runtime.state(id, childId())?.report).toBe('The answer was once.')
    expect((await rules.of(folder)).allow).toHaveLength(1)
  })

  test('a rule that covers the call answers, and the transcript says so', async () => {
    const { report } = await run('command', { rules: ['Bash(npm test)'] })
    expect(report).toBe('The answer was once.')
    expect(notices()).toEqual(['Not asked: npm test. Allowed by the rule Bash(npm test) in a test.'])
    expect(troupe.events.some(({ type }) => type === 'permission-asked')).toBe(false)
  })

  test('a message while it works is its next prompt, in the same session', async () => {
    const id = await begin('command')
    const first = await troupe.when('permission-asked')
    const agent = { conversationId: id, agentId: childId() }
    await troupe.runtime.dispatch({ type: 'conversation.send', ...agent, content: 'And lint' })
    await troupe.runtime.dispatch({
      type: 'agent.answer',
      ...agent,
      requestId: first.requestId,
      answer: { decision: 'allow-once' },
    })
    const next = await troupe.when('permission-asked', ({ requestId }) => requestId !== first.requestId)
    expect(next.toolUseId).not.toBe(first.toolUseId)
    await troupe.runtime.dispatch({
      type: 'agent.answer',
      ...agent,
      requestId: next.requestId,
      answer: { decision: 'allow-once' },
    })
    await troupe.runtime.settled(id)
    expect(troupe.runtime.state(id, childId())).toMatchObject({ status: 'completed' })
    expect(await pids()).toHaveLength(1)
  })

  test('files that it reads and writes through Troupe need the same permissions', async () => {
    await writeFile(join(folder, '.env'), 'KEY=1')
    const id = await begin('files')
    const write = await troupe.when('permission-asked', ({ toolName }) => toolName === 'Write')
    const request = { conversationId: id, agentId: childId() }
    await troupe.runtime.dispatch({
      type: 'agent.answer',
      ...request,
      requestId: write.requestId,
      answer: { decision: 'allow-once' },
    })
    const read = await troupe.when('permission-asked', ({ toolName }) => toolName === 'Read')
    expect(read.subject.text).toContain('.env')
    await troupe.runtime.dispatch({
      type: 'agent.answer',
      ...request,
      requestId: read.requestId,
      answer: { decision: 'deny', feedback: null },
    })
    await troupe.runtime.settled(id)
    const report = troupe.runtime.state(id, childId())?.report
    expect(report).toMatch(/^Line 2 is two\. The secret: The user denied/)
    expect(await readFile(join(folder, 'written.txt'), 'utf8')).toBe('one\ntwo\n')
  })
})

describe('stops and limits', () => {
  test('a stop cancels its turn', async () => {
    const id = await begin('waits')
    await troupe.when('request-started', ({ agentId }) => agentId === childId())
    await troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId: childId() })
    await troupe.runtime.settled(id)
    expect(troupe.runtime.state(id, childId())).toMatchObject({
      status: 'stopped',
      lastLine: 'Working. Canceled.',
    })
    await expect.poll(running).toEqual([])
  })

  test('a program that does not react is ended with its children', async () => {
    const id = await begin('hangs')
    await expect.poll(async () => (await pids()).length).toBe(2)
    await troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId: childId() })
    await troupe.runtime.settled(id)
    expect(troupe.runtime.state(id, childId())?.status).toBe('stopped')
    await expect.poll(running).toEqual([])
  })

  test('a time limit ends its turn', async () => {
    const limits = { tokens: null, usd: null, ms: 1500, spawns: null }
    const policy = { limits: { agent: limits, background: limits, conversation: { ...limits, ms: null } } }
    const state = await run('waits', { policy })
    expect(state).toMatchObject({ status: 'completed', reachedLimit: 'time' })
    expect(state.report).toMatch(/^Working\. Canceled\.\n\nIt reached/)
    await expect.poll(running).toEqual([])
  })

  test('a limit withdraws what it asks, so that its turn ends', async () => {
    const id = await begin('command')
    const now = () => troupe.runtime.state(id, childId())
    await expect.poll(() => now()?.requests.length).toBe(1)
    // The main agent has used more already. A time limit would stand while the user is asked.
    const limits = { tokens: 1, usd: null, ms: null, spawns: null }
    await troupe.runtime.dispatch({ type: 'conversation.setLimits', conversationId: id, limits })
    await troupe.runtime.settled(id)
    const state = now()
    expect(state).toMatchObject({ status: 'completed', reachedLimit: 'tokens', requests: [] })
    expect(state?.report).toMatch(/^The answer was cancelled\.\n\nIt reached/)
  })
})

describe('a program that fails', () => {
  test.each([
    ['version', 'version 99 of the Agent Client Protocol'],
    ['login', 'It offers: Log in with Example (opens a browser)'],
    ['dies', 'exit code 3'],
    ['garbage', 'not the Agent Client Protocol'],
    ['long-line', 'more than 32 MB'],
    ['flood', 'more than 5000 calls'],
    ['refuses', 'No.'],
  ])('%s: the agent fails with the reason, and the main agent goes on', async (mode, reason) => {
    // Nobody can log in here.
    const { status, failure } = await run(mode, { policy: { attended: false } })
    expect(status).toBe('failed')
    expect(failure?.message).toContain(reason)
    expect(troupe.model.requests).toHaveLength(2)
    await expect.poll(running).toEqual([])
  })

  test('its last errors are shown without secrets', async () => {
    const { failure } = await run('dies')
    expect(failure?.message).toContain('panic: out of cheese')
    expect(failure?.message).not.toContain('ghp_')
  })

  test('a command that does not exist', async () => {
    const { failure } = await run('works', { program: { command: 'no-such-program-here', args: [] } })
    expect(failure?.message).toContain('The command no-such-program-here was not found.')
  })

  test('no answer to the first message', async () => {
    // It may be ended before it has written its id.
    const { failure } = await run('silent', { program: { env: { HOME: folder } }, startLimit: 1000 })
    expect(failure?.message).toContain('It gave no answer for 1 s.')
    await expect.poll(() => processesWithHome(folder, () => pids().catch(() => []))).toEqual([])
  })

  test('messages of a wrong shape are passed over', async () => {
    expect(await run('wrong')).toMatchObject({ status: 'completed', report: 'Still here.' })
  })
})

describe('where nothing would hold it', () => {
  test('it is not started in a folder without trust', async () => {
    const id = await begin('works', { policy: { trusted: () => false } })
    await troupe.runtime.settled(id)
    expect(childrenOf(troupe)).toEqual([])
    expect(JSON.stringify(troupe.model.requests.at(-1))).toContain('does not trust this folder')
  })
})

/** Commands and questions of an external agent: real processes, through permissions and panel. */
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createMemoryRules } from '../../../runtime/testing/memory-rules.ts'
import { childrenOf, eventsOf } from '../../../runtime/testing/scripts.ts'
import { createExternalRuntime, type ExternalRuntime } from './testing/external-runtime.ts'

async function begin(
  mode: string,
  task: string,
  allowed: readonly string[] = [],
  deps: NonNullable<Parameters<typeof createExternalRuntime>[0]['deps']> = {},
) {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-terminal-')))
  onTestFinished(() => rmSync(top, { recursive: true, force: true, maxRetries: 5 }))
  const folder = join(top, 'project')
  mkdirSync(folder)
  const rules = createMemoryRules()
  for (const rule of allowed) await rules.allow(folder, rule)
  const troupe = createExternalRuntime({
    folder,
    data: join(top, 'data'),
    mode,
    tasks: [`task: ${task}`],
    test: { ports: { rules } },
    deps,
  })
  onTestFinished(() => troupe.runtime.close())
  return { troupe, folder, id: await troupe.start() }
}

const childOf = (troupe: ExternalRuntime): string => childrenOf(troupe)[0]?.agentId ?? ''

async function reportOf({ troupe, id }: Awaited<ReturnType<typeof begin>>): Promise<string> {
  await troupe.runtime.settled(id)
  return troupe.runtime.state(id, childOf(troupe))?.report ?? ''
}

/** Answers the first permission request. */
async function answer(
  { troupe, id }: Awaited<ReturnType<typeof begin>>,
  decision: { readonly decision: 'allow-once' } | { readonly decision: 'deny'; readonly feedback: null },
) {
  const asked = await troupe.when('permission-asked')
  const request = { conversationId: id, agentId: childOf(troupe), requestId: asked.requestId }
  await troupe.runtime.dispatch({ type: 'agent.answer', ...request, answer: decision })
  return asked
}

const asked = (troupe: ExternalRuntime) => troupe.events.filter(({ type }) => type === 'permission-asked')

describe('a terminal', () => {
  test('its command is judged as Bash, its output is kept from the end and in the row, its changes are recorded', async () => {
    const command = "printf 'one\\ntwo\\nthree\\nzäö\\n'; echo new > new.txt; exit 3"
    const begun = await begin('terminal', `run ${command}`, ['Bash(printf:*)', 'Bash(echo:*)'])
    const request = await answer(begun, { decision: 'allow-once' })
    expect(request).toMatchObject({ toolName: 'Bash', subject: { kind: 'command', text: command } })
    expect(JSON.parse(await reportOf(begun))).toEqual({
      exit: { exitCode: 3, signal: null },
      exitStatus: { exitCode: 3, signal: null },
      output: 'three\nzäö\n'.slice(-10),
      truncated: true,
      gone: 'There is no terminal terminal-1.',
    })
    const { troupe, id } = begun
    const ended = eventsOf(troupe, childOf(troupe)).filter((event) => event.type === 'tool-ended')
    expect(ended[0]).toMatchObject({
      content: '[The beginning was left out.]\nthree\nzäö\n',
      display: { kind: 'terminal', exitCode: 3 },
    })
    const list = await troupe.changes.list({ conversationId: id })
    expect(list.ok && list.value.calls).toMatchObject([
      { label: command, files: [{ shown: 'new.txt', letter: 'A' }] },
    ])
  })

  test('a refused command does not run, and the program reads why', async () => {
    const begun = await begin('terminal', 'run touch made.txt')
    await answer(begun, { decision: 'deny', feedback: null })
    expect(await reportOf(begun)).toMatch(/^Refused: The user denied this call\./)
    expect(existsSync(join(begun.folder, 'made.txt'))).toBe(false)
  })

  test('a command that was allowed when the program asked is not asked about twice', async () => {
    const begun = await begin('terminal', 'ask touch made.txt')
    await answer(begun, { decision: 'allow-once' })
    expect(JSON.parse(await reportOf(begun)).exit).toEqual({ exitCode: 0, signal: null })
    expect(asked(begun.troupe)).toHaveLength(1)
    expect(existsSync(join(begun.folder, 'made.txt'))).toBe(true)
  })

  test('a killed command ends with all that it started', async () => {
    const begun = await begin('terminal', 'kill (sleep 1.5; touch late.txt) & echo up; sleep 600')
    await answer(begun, { decision: 'allow-once' })
    const { exit, output } = JSON.parse(await reportOf(begun))
    expect({ exit, output }).toEqual({ exit: { exitCode: null, signal: 'SIGTERM' }, output: 'up\n' })
    await begun.troupe.runtime.close()
    expect(existsSync(join(begun.folder, 'late.txt'))).toBe(false)
  })

  test('the end of the turn ends its commands', async () => {
    const begun = await begin('terminal', 'leave sleep 600')
    expect(await reportOf(begun)).toBe('Left it.')
    const ended = eventsOf(begun.troupe, childOf(begun.troupe)).filter(({ type }) => type === 'tool-ended')
    expect(ended).toMatchObject([{ isError: true, display: { kind: 'terminal', exitCode: null } }])
  })
})

test('the session gets the MCP servers', async () => {
  const definition = { command: 'files-server', args: ['--all'] }
  const state = async () => ({ servers: [{ name: 'files', status: { kind: 'idle' }, definition }] as never })
  const mcp = { state, variables: {}, toolsForSubagents: () => 'all' as const }
  const begun = await begin('servers', 'tell', [], { mcp })
  expect(JSON.parse(await reportOf(begun))).toEqual([{ name: 'files', ...definition, env: [] }])
})

describe('a request with answers of the program', () => {
  test.each([
    ['the one that the user chose', { decision: 'allow-once', choice: 'ask' }, 'ask', 'Yes, and ask me'],
    ['a denial of the program', { decision: 'deny', feedback: null, choice: 'never' }, 'never', 'Never'],
    ['one that was not offered counts as none', { decision: 'deny', feedback: null, choice: 'x' }, 'no'],
    ['a denial never allows', { decision: 'deny', feedback: null, choice: 'auto' }, 'no'],
    [
      'a permission never denies, and for one call allows no more',
      { decision: 'allow-once', choice: 'never' },
      'no',
    ],
  ] as const)('%s', async (_, given, expected, name?: string) => {
    const begun = await begin('plan', 'plan')
    const { troupe, id } = begun
    const { requestId, choices } = await troupe.when('permission-asked')
    expect(choices).toEqual([
      { id: 'auto', name: 'Yes, and accept edits', kind: 'always' },
      { id: 'ask', name: 'Yes, and ask me', kind: 'always' },
      { id: 'no', name: 'No', kind: 'deny' },
      { id: 'never', name: 'Never', kind: 'deny' },
    ])
    await troupe.runtime.dispatch({
      type: 'agent.answer',
      conversationId: id,
      agentId: childOf(troupe),
      requestId,
      answer: given,
    })
    expect(await reportOf(begun)).toBe(expected)
    const answered = await troupe.when('permission-answered')
    expect(answered.choice).toBe(name)
  })
})

test('a rule does not give the answer that allows all calls', async () => {
  const begun = await begin('plan', 'run', ['Bash(npm test)'])
  const { requestId } = await begun.troupe.when('permission-asked')
  const request = { conversationId: begun.id, agentId: childOf(begun.troupe), requestId }
  await begun.troupe.runtime.dispatch({
    type: 'agent.answer',
    ...request,
    answer: { decision: 'allow-once' },
  })
  expect(await reportOf(begun)).toBe('no')
  const notices = eventsOf(begun.troupe, childOf(begun.troupe)).filter(({ type }) => type === 'notice')
  expect(JSON.stringify(notices)).toContain('Choose one of its own answers.')
})

describe('a question', () => {
  async function answerForm(
    begun: Awaited<ReturnType<typeof begin>>,
    values: Readonly<Record<string, unknown>>,
  ) {
    const { troupe, id } = begun
    const { formId, form } = await troupe.when('form-opened')
    const opened = { conversationId: id, agentId: childOf(troupe), formId }
    await troupe.runtime.dispatch({
      type: 'agent.answerForm',
      ...opened,
      answer: { action: 'accept', values },
    })
    return form
  }

  test('is a form of the agent, answered with the schema’s defaults for what was left out', async () => {
    const begun = await begin('question', 'ask')
    const form = await answerForm(begun, { name: 'orders' })
    expect(form).toMatchObject({ kind: 'elicitation', server: 'outsider', message: 'Which database?' })
    expect(JSON.parse(await reportOf(begun))).toEqual({
      action: 'accept',
      content: { name: 'orders', size: 3 },
    })
  })

  test('a value that the program did not ask for is refused', async () => {
    const begun = await begin('question', 'ask')
    await answerForm(begun, { name: 'orders', size: 9 })
    await begun.troupe.runtime.settled(begun.id)
    const { failure } = begun.troupe.runtime.state(begun.id, childOf(begun.troupe)) ?? {}
    expect(failure?.message).toContain("The user's value of size")
  })

  test('a page that the program saw left closes', async () => {
    const begun = await begin('page', 'leaves')
    expect(JSON.parse(await reportOf(begun))).toEqual({ action: 'cancel' })
    const { form } = await begun.troupe.when('form-opened')
    expect(form).toMatchObject({ kind: 'elicitation-url', url: 'https://example.org/sign-in' })
  })
})

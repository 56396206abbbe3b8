/** External agents in the session of an editor. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { methods } from '@agentclientprotocol/sdk/unstable'
import { expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../testing/command-line.ts'
import { PROGRAM } from '../../testing/program-file.ts'
import { childUpdates, openEditor, textIn } from './testing/editor.ts'

const EXAMPLE = join(import.meta.dirname, '../external-agents/backing/testing/example-agent.ts')

/** A program with these arguments as the user's definition `outsider`. */
async function define(cli: CommandLine, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const folder = join(cli.home, '.claude/agents')
  await mkdir(folder, { recursive: true })
  const lines = [
    'name: outsider',
    'description: An external agent.',
    'backing: acp',
    `command: ${process.execPath}`,
    `args: ${JSON.stringify(args)}`,
    `env: ${JSON.stringify(env)}`,
  ]
  await writeFile(join(folder, 'outsider.md'), `---\n${lines.join('\n')}\n---\n`)
}

const starts = `steps:
  - agent: /main agent/
    turn: 1
    reply:
      - tool: Agent
        input: { description: Look at it, prompt: "Look closely", subagent_type: outsider }
  - reply: "It said: {{results}}"
`

test('its report and its steps are those of the call that started it', async () => {
  const cli = await commandLine()
  await define(cli, [EXAMPLE, 'works'])
  const editor = await openEditor(cli, { scenario: starts })
  const id = await editor.open(cli.folder)
  expect(await editor.prompt(id, 'Look')).toBe('end_turn')
  expect(editor.text(id)).toContain('Look closely')
  expect(JSON.stringify(editor.updates(id))).toMatch(/outsider “Look at it”: [^"]*notes\.txt/)
})

test('it is a child session, and what it asks is asked in the editor', async () => {
  const cli = await commandLine()
  await define(cli, [EXAMPLE, 'command'])
  const editor = await openEditor(cli, { scenario: starts, capabilities: { subagents: {} } })
  const id = await editor.open(cli.folder)
  expect(await editor.prompt(id, 'Look')).toBe('end_turn')
  const [announced] = childUpdates(editor.updates(id))
  expect(announced).toMatchObject({ title: 'outsider', description: 'Look at it' })
  const child = announced?.sessionId ?? ''
  expect(editor.asked).toMatchObject([{ sessionId: child }])
  expect(editor.text(child)).toContain('The answer was once.')
})

test('Troupe itself is such an agent', async () => {
  const cli = await commandLine()
  await cli.write({
    'inner.yaml': `steps:
  - agent: /main agent/
    turn: 1
    reply:
      - tool: Agent
        input: { description: Look deeper, prompt: "Look below", subagent_type: general-purpose }
  - agent: Look below
    reply: There is a stone.
  - reply: "Below: {{results}}"
`,
  })
  const inner = join(cli.folder, 'inner.yaml')
  await define(cli, [PROGRAM, 'acp', '--trust', '--scenario', inner], {
    HOME: cli.home,
    TROUPE_HOME: join(cli.home, 'inner'),
  })
  const editor = await openEditor(cli, { scenario: starts, capabilities: { subagents: {} } })
  const id = await editor.open(cli.folder)
  expect(await editor.prompt(id, 'Look')).toBe('end_turn')
  expect(editor.text(id)).toContain('There is a stone.')
})

const asMain = { args: ['--trust', '--agent', 'outsider'] }

test('as the main agent it needs no access to a model, and its calls and messages are the session’s', async () => {
  const cli = await commandLine()
  await define(cli, [EXAMPLE, 'works'])
  const editor = await openEditor(cli, asMain)
  const id = await editor.open(cli.folder)
  expect(await editor.prompt(id, 'Work')).toBe('end_turn')
  expect(textIn(editor.updates(id), 'agent_thought_chunk')).toBe('Let me see.')
  expect(editor.text(id)).toContain(`Prompt 1 in ${cli.folder}: Work`)
  const file = join(cli.folder, 'notes.txt')
  expect(editor.updates(id)).toContainEqual(
    expect.objectContaining({
      kind: 'edit',
      status: 'in_progress',
      title: 'Edit notes.txt',
      locations: [{ path: file }],
    }),
  )
  expect(editor.updates(id)).toContainEqual(
    expect.objectContaining({ status: 'completed', content: [expect.objectContaining({ path: file })] }),
  )
  expect(editor.updates(id)).toContainEqual(
    expect.objectContaining({
      sessionUpdate: 'plan',
      entries: [expect.objectContaining({ content: 'Look' })],
    }),
  )
  expect(editor.updates(id).findLast(({ sessionUpdate }) => sessionUpdate === 'usage_update')).toMatchObject({
    used: 1200,
    size: 200_000,
    cost: { amount: 0.25, currency: 'USD' },
  })
  expect(await editor.prompt(id, 'More')).toBe('end_turn')
  expect(editor.text(id)).toContain('Prompt 2')
})

test('its choices and commands are those of the session, and each counts', async () => {
  const cli = await commandLine()
  await define(cli, [EXAMPLE, 'talks', 'options'], { PID_FILE: join(cli.home, 'pids') })
  const editor = await openEditor(cli, asMain)
  const id = await editor.open(cli.folder)
  expect(await editor.prompt(id, 'Begin')).toBe('end_turn')
  const told = editor.updates(id).findLast((update) => update.sessionUpdate === 'config_option_update')
  expect(
    told?.sessionUpdate === 'config_option_update' && told.configOptions.map((option) => option.id),
  ).toEqual(expect.arrayContaining(['mode', 'program:model', 'program:thought']))
  expect(editor.updates(id)).toContainEqual(
    expect.objectContaining({
      sessionUpdate: 'available_commands_update',
      availableCommands: expect.arrayContaining([
        expect.objectContaining({ name: 'compact', input: { hint: 'what to keep' } }),
      ]),
    }),
  )
  const chosen = await editor.agent.request(methods.agent.session.setConfigOption, {
    sessionId: id,
    configId: 'program:model',
    value: 'large',
  })
  expect(chosen.configOptions).toContainEqual(
    expect.objectContaining({ id: 'program:model', category: 'model', currentValue: 'large' }),
  )
  expect(await editor.prompt(id, '/compact the plums')).toBe('end_turn')
  expect(editor.text(id)).toMatch(/"model":"large".*Last: \/compact the plums/s)
})

test.each([
  ['Yes, and ask me', 'ask'],
  ['Never', 'never'],
])('the answers of its own are buttons of the editor, and “%s” reaches it', async (name, heard) => {
  const cli = await commandLine()
  await define(cli, [EXAMPLE, 'plan'])
  const editor = await openEditor(cli, { ...asMain, answer: () => name })
  const id = await editor.open(cli.folder)
  expect(await editor.prompt(id, 'Begin')).toBe('end_turn')
  expect(editor.asked.map(({ options }) => options.map((option) => [option.kind, option.name]))).toEqual([
    [
      ['allow_once', 'Allow once'],
      ['allow_always', 'Yes, and accept edits'],
      ['allow_always', 'Yes, and ask me'],
      ['reject_once', 'No'],
      ['reject_once', 'Never'],
    ],
  ])
  expect(editor.text(id)).toBe(heard)
})

test('as a subagent its own answers are asked as well', async () => {
  const cli = await commandLine()
  await define(cli, [EXAMPLE, 'plan'])
  const editor = await openEditor(cli, { scenario: starts, answer: () => 'Yes, and ask me' })
  const id = await editor.open(cli.folder)
  expect(await editor.prompt(id, 'Look')).toBe('end_turn')
  expect(editor.asked).toMatchObject([
    { sessionId: id, toolCall: { title: expect.stringMatching(/^outsider: /) } },
  ])
  expect(editor.text(id)).toMatch(/It said: .*ask/s)
})

test('a question of its own is a form of the editor', async () => {
  const cli = await commandLine()
  await define(cli, [EXAMPLE, 'question'])
  const editor = await openEditor(cli, {
    ...asMain,
    capabilities: { elicitation: { form: {} } },
    fillIn: () => ({ action: 'accept', content: { name: 'plums', size: 4 } }),
  })
  const id = await editor.open(cli.folder)
  expect(await editor.prompt(id, 'Begin')).toBe('end_turn')
  expect(editor.forms).toMatchObject([{ sessionId: id, message: 'outsider: Which database?' }])
  expect(editor.text(id)).toContain('"name":"plums"')
})

test('a cancel stops it, and the next prompt is answered', async () => {
  const cli = await commandLine()
  await define(cli, [EXAMPLE, 'talks'], { PID_FILE: join(cli.home, 'pids') })
  const editor = await openEditor(cli, asMain)
  const id = await editor.open(cli.folder)
  const running = editor.prompt(id, 'wait')
  await editor.until(id, (update) => JSON.stringify(update).includes('heard 1'))
  await editor.agent.notify(methods.agent.session.cancel, { sessionId: id })
  expect(await running).toBe('cancelled')
  expect(await editor.prompt(id, 'And now?')).toBe('end_turn')
  expect(editor.text(id)).toContain('Last: And now?')
})

test('a login that it wants is a question of the editor', async () => {
  const cli = await commandLine()
  await define(cli, [EXAMPLE, 'talks', 'login'], { PID_FILE: join(cli.home, 'pids') })
  const editor = await openEditor(cli, asMain)
  const id = await editor.open(cli.folder)
  expect(await editor.prompt(id, 'Begin')).toBe('end_turn')
  expect(editor.asked).toMatchObject([
    {
      sessionId: id,
      toolCall: { title: 'Example needs a login' },
      options: [
        { name: 'Log in with Example' },
        { name: 'I have logged in: In a terminal' },
        { name: 'Not now' },
      ],
    },
  ])
  expect(JSON.stringify(editor.asked)).toContain("--log 'in now'")
  expect(editor.text(id)).toContain('Last: Begin')
})

test('without a login it is stopped, and the user reads what to do', async () => {
  const cli = await commandLine()
  await define(cli, [EXAMPLE, 'talks', 'login'], { PID_FILE: join(cli.home, 'pids') })
  const editor = await openEditor(cli, { ...asMain, answer: () => 'reject_once' })
  const id = await editor.open(cli.folder)
  expect(await editor.prompt(id, 'Begin')).toBe('cancelled')
  expect(editor.text(id)).toContain('outsider needs a login. It offers: Log in with Example')
})

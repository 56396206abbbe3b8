/** `troupe acp` as an editor uses it: a process, and the protocol on its standard input and output. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { methods, PROTOCOL_VERSION } from '@agentclientprotocol/sdk/unstable'
import { expect, test } from 'vitest'
import { commandLine, processesWith } from '../../testing/command-line.ts'
import { openEditor, textIn } from './testing/editor.ts'

const SERVER = join(import.meta.dirname, '../mcp/testing/bad-server.mjs')
const HELLO = 'steps:\n  - reply: Hello to you.\n'
const WRITES = `steps:
  - turn: 1
    reply:
      - thinking: I should write.
      - text: I write a file.
      - tool: Write
        input: { file_path: greeting.txt, content: "Hello.\\n" }
  - reply: "The result: {{results}}"
`
const LONG = `steps:
  - turn: 1
    reply:
      - tool: Bash
        input: { command: "echo be''gun; exec -a acp-long-command sleep 600", timeout: 600000, description: Wait }
  - reply: Done.
`

test('a prompt is answered in pieces, and the session says what it offers', async () => {
  const cli = await commandLine()
  const editor = await openEditor(cli, { scenario: HELLO })
  const started = await editor.agent.request(methods.agent.session.new, { cwd: cli.folder, mcpServers: [] })
  expect(started.modes).toMatchObject({ currentModeId: 'default' })
  expect(started.modes?.availableModes.map(({ id }) => id)).toEqual([
    'default',
    'acceptEdits',
    'plan',
    'dontAsk',
  ])
  expect(await editor.prompt(started.sessionId, 'Hi')).toBe('end_turn')
  expect(editor.text(started.sessionId)).toBe('Hello to you.')
  expect(editor.updates(started.sessionId)).toContainEqual(
    expect.objectContaining({ sessionUpdate: 'usage_update', size: expect.any(Number) }),
  )
})

test('a call is shown with its kind, place and difference, after the user allowed it', async () => {
  const cli = await commandLine()
  const editor = await openEditor(cli, { scenario: WRITES })
  const id = await editor.open(cli.folder)
  expect(await editor.prompt(id, 'Write it')).toBe('end_turn')
  expect(await readFile(join(cli.folder, 'greeting.txt'), 'utf8')).toBe('Hello.\n')
  const [request] = editor.asked
  expect(request?.options.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['allow_once', 'allow_always', 'reject_once']),
  )
  const file = join(cli.folder, 'greeting.txt')
  const calls = editor.updates(id).filter(({ sessionUpdate }) => sessionUpdate.startsWith('tool_call'))
  expect(calls[0]).toMatchObject({ status: 'pending', kind: 'edit', locations: [{ path: file }] })
  expect(calls.at(-1)).toMatchObject({
    toolCallId: request?.toolCall.toolCallId,
    status: 'completed',
    content: [{ type: 'diff', path: file, newText: 'Hello.' }],
  })
  expect(textIn(editor.updates(id), 'agent_thought_chunk')).toBe('I should write.')
})

test.each([['reject_once'], ['cancelled']])(
  'a call that is answered with %s does not run',
  async (answer) => {
    const cli = await commandLine()
    const editor = await openEditor(cli, { scenario: WRITES, answer: () => answer })
    const id = await editor.open(cli.folder)
    expect(await editor.prompt(id, 'Write it')).toBe('end_turn')
    expect(existsSync(join(cli.folder, 'greeting.txt'))).toBe(false)
    expect(editor.updates(id)).toContainEqual(expect.objectContaining({ status: 'failed' }))
  },
)

test('a cancel ends the prompt, its question and its command; the next prompt is answered', async () => {
  const cli = await commandLine()
  const editor = await openEditor(cli, { scenario: LONG })
  const id = await editor.open(cli.folder)
  const prompt = editor.prompt(id, 'Wait')
  await editor.until(id, (update) => JSON.stringify(update).includes('begun'))
  await expect(editor.prompt(id, 'And now?')).rejects.toThrow(/already running/)
  await editor.agent.notify(methods.agent.session.cancel, { sessionId: id })
  expect(await prompt).toBe('cancelled')
  expect(processesWith('acp-long-command')).toEqual([])
  expect(await editor.prompt(id, 'Again')).toBe('end_turn')
})

test('a session is loaded after a restart, with its history', async () => {
  const cli = await commandLine()
  const first = await openEditor(cli, { scenario: WRITES })
  const id = await first.open(cli.folder)
  await first.prompt(id, 'Write it')
  first.program.child.stdin.end()
  expect((await first.program.ended).code).toBe(0)

  const second = await openEditor(cli, { scenario: HELLO })
  const { sessions } = await second.agent.request(methods.agent.session.list, { cwd: cli.folder })
  expect(sessions.map(({ sessionId }) => sessionId)).toEqual([id])
  const load = { sessionId: id, cwd: cli.folder, mcpServers: [] }
  expect(await second.agent.request(methods.agent.session.load, load)).toMatchObject({
    modes: { currentModeId: 'default' },
  })
  await second.until(id, (update) => 'status' in update && update.status === 'completed')
  expect(textIn(second.updates(id), 'user_message_chunk')).toBe('Write it')
  expect(second.text(id)).toContain('I write a file.')
  expect(second.updates(id)).toContainEqual(
    expect.objectContaining({ sessionUpdate: 'tool_call_update', status: 'completed' }),
  )
  expect(await second.prompt(id, 'And now?')).toBe('end_turn')
  expect(second.text(id)).toContain('Hello to you.')
  const gone = { ...load, sessionId: 'c-nothing' }
  await expect(second.agent.request(methods.agent.session.load, gone)).rejects.toMatchObject({ code: -32002 })
})

test('two sessions run at once, each with its own updates', async () => {
  const cli = await commandLine()
  const editor = await openEditor(cli, {
    scenario: 'steps:\n  - when: apple\n    reply: An apple.\n  - reply: A pear.\n',
  })
  const [one, two] = [await editor.open(cli.folder), await editor.open(cli.folder)]
  expect(await Promise.all([editor.prompt(one, 'apple'), editor.prompt(two, 'pear')])).toEqual([
    'end_turn',
    'end_turn',
  ])
  expect([editor.text(one), editor.text(two)]).toEqual(['An apple.', 'A pear.'])
})

test('the mode of a session changes what asks', async () => {
  const cli = await commandLine()
  const editor = await openEditor(cli, { scenario: WRITES })
  const id = await editor.open(cli.folder)
  await editor.agent.request(methods.agent.session.setMode, { sessionId: id, modeId: 'acceptEdits' })
  await editor.prompt(id, 'Write it')
  expect(editor.asked).toEqual([])
  expect(existsSync(join(cli.folder, 'greeting.txt'))).toBe(true)
  const bypass = { sessionId: id, modeId: 'bypassPermissions' }
  await expect(editor.agent.request(methods.agent.session.setMode, bypass)).rejects.toThrow()
  await expect(
    editor.agent.request(methods.agent.session.setMode, { sessionId: id, modeId: 'yolo' }),
  ).rejects.toMatchObject({ code: -32602 })
})

test('a subagent’s steps and report are content of the call that started it', async () => {
  const cli = await commandLine()
  await cli.write({ 'a.txt': 'x' })
  const editor = await openEditor(cli, {
    scenario: `steps:
  - agent: /main agent/
    turn: 1
    reply:
      - tool: Agent
        input: { description: Look around, prompt: "Look closely at a.txt", subagent_type: Explore }
  - agent: Look closely
    turn: 1
    reply:
      - tool: Read
        input: { file_path: a.txt }
  - agent: Look closely
    reply: There is an x.
  - reply: It has an x.
`,
  })
  const id = await editor.open(cli.folder)
  expect(await editor.prompt(id, 'Look')).toBe('end_turn')
  const ofCall = editor.updates(id).filter(({ sessionUpdate }) => sessionUpdate === 'tool_call_update')
  expect(JSON.stringify(ofCall)).toMatch(/Explore.*: Read a\.txt/)
  expect(JSON.stringify(ofCall)).toContain('There is an x.')
  expect(ofCall.at(-1)).toMatchObject({ status: 'completed' })
  expect(editor.text(id)).toBe('It has an x.')
})

test('the to-do list is the plan, and a command of the folder is expanded', async () => {
  const cli = await commandLine()
  await cli.write({
    '.claude/commands/plan-it.md': '---\ndescription: Plans.\n---\nMake a plan for $ARGUMENTS',
  })
  const editor = await openEditor(cli, {
    scenario: `steps:
  - turn: 1
    when: Make a plan for tea
    reply:
      - tool: TodoWrite
        input: { todos: [{ content: Boil water, status: in_progress, activeForm: Boiling }] }
  - reply: Planned.
`,
  })
  const id = await editor.open(cli.folder)
  const offered = await editor.until(id, (update) => update.sessionUpdate === 'available_commands_update')
  expect(JSON.stringify(offered)).toContain('plan-it')
  expect(await editor.prompt(id, '/plan-it tea')).toBe('end_turn')
  expect(editor.updates(id)).toContainEqual({
    sessionUpdate: 'plan',
    entries: [{ content: 'Boil water', status: 'in_progress', priority: 'medium' }],
  })
  await editor.prompt(id, '/nothing')
  expect(editor.text(id)).toContain('Unknown command /nothing.')
})

test('an untrusted folder is only read, and the first message says so', async () => {
  const cli = await commandLine()
  const editor = await openEditor(cli, { scenario: WRITES, args: [] })
  const id = await editor.open(cli.folder)
  await editor.prompt(id, 'Write it')
  expect(editor.text(id)).toMatch(/^.* is not trusted, so agents can only read files/)
  expect(existsSync(join(cli.folder, 'greeting.txt'))).toBe(false)
})

test('without a key a session is refused, with what to do', async () => {
  const cli = await commandLine()
  const editor = await openEditor(cli)
  await expect(editor.open(cli.folder)).rejects.toMatchObject({
    code: -32000,
    message: expect.stringContaining('Set ANTHROPIC_API_KEY'),
  })
  await expect(
    editor.agent.request(methods.agent.authenticate, { methodId: 'api-key' }),
  ).rejects.toMatchObject({ code: -32000 })
})

test('broken lines, unknown methods and other versions are answered; the program goes on', async () => {
  const cli = await commandLine()
  const { child, ended, said } = cli.start(['acp', '--scenario', await cli.scenario(HELLO)], {}, null)
  const lines: unknown[] = []
  let rest = ''
  child.stdout.on('data', (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    lines.push(...parts.map((line) => JSON.parse(line)))
  })
  const say = (line: string) => child.stdin.write(`${line}\n`)
  say('{ this is not JSON')
  say('{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}')
  say('{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":99}}')
  await said(/"id":2,/)
  say('{"jsonrpc":"2.0","id":3,"method":"session/dance","params":{}}')
  say('{"jsonrpc":"2.0","id":4,"method":"session/prompt","params":{"sessionId":"no","prompt":[]}}')
  say('{"jsonrpc":"2.0","id":5,"method":"session/new","params":{"cwd":"/nowhere/at/all","mcpServers":[]}}')
  for (const id of [3, 4, 5]) await said(new RegExp(`"id":${id},`))
  expect(lines).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32700 }) }),
      expect.objectContaining({ id: 1, error: expect.objectContaining({ code: -32600 }) }),
      expect.objectContaining({
        id: 2,
        result: expect.objectContaining({ protocolVersion: PROTOCOL_VERSION }),
      }),
      expect.objectContaining({ id: 3, error: expect.objectContaining({ code: -32601 }) }),
      expect.objectContaining({ id: 4, error: expect.objectContaining({ code: -32002 }) }),
      expect.objectContaining({ id: 5, error: expect.objectContaining({ code: -32602 }) }),
    ]),
  )
  child.stdin.end()
  expect((await ended).code).toBe(0)
})

test('an editor that is gone leaves no agent and no command behind', async () => {
  const cli = await commandLine()
  const editor = await openEditor(cli, {
    scenario: LONG.replaceAll('acp-long-command', 'acp-orphan-command'),
  })
  const id = await editor.open(cli.folder)
  const prompt = editor.prompt(id, 'Wait').catch(() => 'gone')
  await editor.until(id, (update) => JSON.stringify(update).includes('begun'))
  expect(processesWith('acp-orphan-command')).not.toEqual([])
  editor.program.child.stdin.destroy()
  expect((await editor.program.ended).code).toBe(0)
  expect(await prompt).toBe('gone')
  expect(processesWith('acp-orphan-command')).toEqual([])
})

test('an MCP server of the editor offers its tools to the session', async () => {
  const cli = await commandLine()
  const editor = await openEditor(cli, {
    scenario: `steps:
  - turn: 1
    reply:
      - tool: mcp__helper__echo
        input: { text: from the editor }
  - reply: "It said: {{results}}"
`,
  })
  const { sessionId } = await editor.agent.request(methods.agent.session.new, {
    cwd: cli.folder,
    mcpServers: [{ name: 'helper', command: process.execPath, args: [SERVER, 'plain'], env: [] }],
  })
  expect(await editor.prompt(sessionId, 'Ask it')).toBe('end_turn')
  expect(editor.text(sessionId)).toContain('from the editor')
})

test('a plan is a question; the answer ends plan mode', async () => {
  const cli = await commandLine()
  const editor = await openEditor(cli, {
    args: ['--trust', '--permission-mode', 'plan'],
    answer: () => 'allow_always',
    scenario: `steps:
  - turn: 1
    reply:
      - tool: ExitPlanMode
        input: { plan: "Write a greeting." }
  - turn: 2
    reply:
      - tool: Write
        input: { file_path: greeting.txt, content: "Hello." }
  - reply: Written.
`,
  })
  const id = await editor.open(cli.folder)
  expect(await editor.prompt(id, 'Plan it')).toBe('end_turn')
  expect(editor.asked.map(({ toolCall }) => toolCall.kind)).toEqual(['switch_mode'])
  expect(editor.updates(id)).toContainEqual({
    sessionUpdate: 'current_mode_update',
    currentModeId: 'acceptEdits',
  })
  expect(existsSync(join(cli.folder, 'greeting.txt'))).toBe(true)
})

test('a form that an editor can’t show is canceled, and the user reads it', async () => {
  const cli = await commandLine()
  const question = { question: 'Tea?', header: 'Tea', multiSelect: false, options: [] as object[] }
  question.options.push({ label: 'Yes', description: 'y' }, { label: 'No', description: 'n' })
  const editor = await openEditor(cli, {
    scenario: `steps:
  - turn: 1
    reply:
      - tool: AskUserQuestion
        input: ${JSON.stringify({ questions: [question] })}
  - reply: I chose.
`,
  })
  const id = await editor.open(cli.folder)
  expect(await editor.prompt(id, 'Ask me')).toBe('end_turn')
  expect(editor.text(id)).toMatch(/a form, which this editor can’t show.*I chose\./s)
})

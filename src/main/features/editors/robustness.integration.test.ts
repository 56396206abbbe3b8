/** `troupe acp` with an editor that does what an editor should not do, or that ends at a bad moment. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { methods } from '@agentclientprotocol/sdk/unstable'
import { expect, test } from 'vitest'
import { commandLine, processesWith } from '../../testing/command-line.ts'
import { LARGEST_EDITOR_MESSAGE } from './message-limit.ts'
import { checkedWire, openEditor } from './testing/editor.ts'

const HELLO = 'steps:\n  - reply: Hello.\n'
const { session } = methods.agent

/** Lines that a program gets as they are. */
async function openWire() {
  const cli = await commandLine()
  const { child, ended, said } = cli.start(
    ['acp', '--trust', '--scenario', await cli.scenario(HELLO)],
    {},
    null,
  )
  child.setMaxListeners(100)
  const lines: Record<string, unknown>[] = []
  let rest = ''
  const wire = checkedWire()
  child.stdout.on('data', (text: string) => {
    wire.received(text)
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    lines.push(...parts.map((line) => JSON.parse(line) as Record<string, unknown>))
  })
  const say = (message: unknown) => {
    const line = `${typeof message === 'string' ? message : JSON.stringify(message)}\n`
    wire.sent(line)
    child.stdin.write(line)
  }
  const answerTo = async (id: number, method: string, params?: unknown) => {
    say({ jsonrpc: '2.0', id, method, params })
    await said(new RegExp(`"id":${id}[,}]`))
    return lines.find((line) => line['id'] === id)
  }
  await answerTo(1, 'initialize', { protocolVersion: 1 })
  return { cli, child, ended, said, say, answerTo, lines }
}

test('wrong parameters are errors that name what is wrong, and the program serves on', async () => {
  const { cli, child, ended, say, answerTo } = await openWire()
  const opened = await answerTo(2, 'session/new', { cwd: cli.folder, mcpServers: [] })
  const { sessionId } = (opened?.['result'] ?? {}) as { sessionId: string }
  const wrong: readonly [method: string, params: unknown, code: number][] = [
    ['session/prompt', undefined, -32602],
    ['session/prompt', [], -32602],
    ['session/prompt', { sessionId }, -32602],
    ['session/prompt', { sessionId, prompt: 'Hello' }, -32602],
    ['session/prompt', { sessionId, prompt: [{ type: 'text' }] }, -32602],
    ['session/prompt', { sessionId, prompt: [{ type: 'hologram' }] }, -32602],
    ['session/prompt', { sessionId, prompt: [] }, -32602],
    ['session/prompt', { sessionId: { $ne: 1 }, prompt: [] }, -32602],
    ['session/prompt', { sessionId: '__proto__', prompt: [] }, -32002],
    ['session/new', { cwd: 'relative/folder', mcpServers: [] }, -32602],
    // The folder in which the program was started.
    ['session/new', { cwd: '.', mcpServers: [] }, -32602],
    ['session/load', { sessionId, cwd: '.', mcpServers: [] }, -32602],
    ['session/new', { cwd: join(cli.folder, 'missing'), mcpServers: [] }, -32602],
    ['session/new', { cwd: cli.folder, mcpServers: [{ name: 'x' }] }, -32602],
    ['session/new', { cwd: cli.folder, mcpServers: [{ type: 'acp', name: 'x', id: 'y' }] }, -32602],
    ['session/load', { sessionId: '../../etc/passwd', cwd: cli.folder, mcpServers: [] }, -32602],
    ['session/set_mode', { sessionId, modeId: 7 }, -32602],
    ['session/set_mode', { sessionId: 'no', modeId: 'plan' }, -32002],
    ['session/set_config_option', { sessionId, configId: 'effort', value: { a: 1 } }, -32602],
    ['session/close', { sessionId: 'no' }, -32002],
    ['session/list', { cwd: 'relative/folder' }, -32602],
    ['session/list', { cursor: 'elsewhere' }, -32602],
    ['authenticate', { methodId: 'no' }, -32602],
    ['session/dance', { sessionId }, -32601],
  ]
  const given: unknown[] = []
  for (const [index, [method, params]] of wrong.entries()) {
    const { error } = ((await answerTo(100 + index, method, params)) ?? {}) as {
      error?: { code: number; message: string }
    }
    expect(error?.message, method).toMatch(/\S/)
    given.push([method, params, error?.code])
  }
  expect(given).toEqual(wrong)
  // Notifications and answers that nobody asked for.
  say({ jsonrpc: '2.0', method: 'session/cancel' })
  say({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: 'no' } })
  say({ jsonrpc: '2.0', method: 'nothing/known', params: {} })
  say({ jsonrpc: '2.0', id: 4711, result: {} })
  say('[]')
  say('null')
  say('"text"')
  say('')
  const prompt = { sessionId, prompt: [{ type: 'text', text: 'Hi' }] }
  expect(await answerTo(500, 'session/prompt', prompt)).toMatchObject({ result: { stopReason: 'end_turn' } })
  child.stdin.end()
  expect((await ended).code).toBe(0)
})

test('a message that is too large is refused by its id, and the session goes on', async () => {
  const { cli, answerTo } = await openWire()
  const opened = await answerTo(2, 'session/new', { cwd: cli.folder, mcpServers: [] })
  const { sessionId } = (opened?.['result'] ?? {}) as { sessionId: string }
  const data = 'A'.repeat(LARGEST_EDITOR_MESSAGE)
  const large = { sessionId, prompt: [{ type: 'image', data, mimeType: 'image/png' }] }
  expect(await answerTo(3, 'session/prompt', large)).toMatchObject({
    error: { code: -32602, message: expect.stringContaining('larger than 32 MB') },
  })
  const prompt = { sessionId, prompt: [{ type: 'text', text: 'Hi' }] }
  expect(await answerTo(4, 'session/prompt', prompt)).toMatchObject({ result: { stopReason: 'end_turn' } })
})

test('of many prompts at once one is carried out, and the others are refused', async () => {
  const cli = await commandLine()
  const editor = await openEditor(cli, { scenario: 'steps:\n  - reply: Hello.\n    delay: 300\n' })
  const id = await editor.open(cli.folder)
  const results = await Promise.allSettled(Array.from({ length: 50 }, () => editor.prompt(id, 'Hi')))
  const done = results.filter(({ status }) => status === 'fulfilled')
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  expect(done).toMatchObject([{ value: 'end_turn' }])
  expect(refused).toHaveLength(49)
  for (const reason of refused)
    expect(reason).toMatchObject({ code: -32600, message: expect.stringContaining('already running') })
  expect(editor.text(id)).toBe('Hello.')
  expect(await editor.prompt(id, 'Again')).toBe('end_turn')
})

test('a flood of requests and cancels is answered, and the prompt in it as well', async () => {
  const cli = await commandLine()
  const editor = await openEditor(cli, { scenario: HELLO })
  const id = await editor.open(cli.folder)
  const lists = Array.from({ length: 500 }, () => editor.agent.request(session.list, {}))
  for (let times = 0; times < 500; times++)
    void editor.agent.notify(session.cancel, { sessionId: `other-${times}` })
  const prompt = editor.prompt(id, 'Hi')
  for (const { sessions } of await Promise.all(lists)) expect(sessions).toHaveLength(1)
  expect(await prompt).toBe('end_turn')
})

test('many sessions at once each have their answer', async () => {
  const cli = await commandLine()
  const editor = await openEditor(cli, {
    scenario: 'steps:\n  - when: /number (\\d+)/\n    reply: "{{1}}"\n',
  })
  const ids = await Promise.all(Array.from({ length: 20 }, () => editor.open(cli.folder)))
  await Promise.all(ids.map((id, index) => editor.prompt(id, `number ${index}`)))
  expect(ids.map((id) => editor.text(id))).toEqual(ids.map((_, index) => String(index)))
})

const asks = `steps:
  - turn: 1
    reply:
      - text: I write.
      - tool: Write
        input: { file_path: greeting.txt, content: "Hello." }
  - reply: "{{results}}"
`
const question = { question: 'Tea?', header: 'Tea', multiSelect: false, options: [] as object[] }
question.options.push({ label: 'Yes', description: 'y' }, { label: 'No', description: 'n' })
const form = `steps:
  - turn: 1
    reply:
      - text: I ask.
      - tool: AskUserQuestion
        input: ${JSON.stringify({ questions: [question] })}
  - reply: "{{results}}"
`
const command = `steps:
  - turn: 1
    reply:
      - text: I wait.
      - tool: Bash
        input: { command: "exec -a acp-robust-command sleep 600", timeout: 600000, description: Wait }
  - reply: "{{results}}"
`
const slow =
  'steps:\n  - turn: 1\n    reply: I write slowly, word for word.\n    fault: { stallAfter: 16, times: always }\n  - reply: Done.\n'

test.each([
  ['asks for a permission', asks, 'I write.'],
  ['asks with a form', form, 'I ask.'],
  ['runs a command', command, 'I wait.'],
  ['waits for the model', slow, null],
  ['has a prompt that it may not have read', slow, 'Begin'],
])('an editor that is gone while an agent %s loses nothing', async (_, scenario, said) => {
  const cli = await commandLine()
  const never = new Promise<string>(() => {})
  const first = await openEditor(cli, {
    scenario,
    answer: (request) => (request.toolCall.kind === 'execute' ? 'allow_once' : never),
    capabilities: { elicitation: { form: {} } },
    fillIn: () => never as never,
  })
  const id = await first.open(cli.folder)
  const prompt = first.prompt(id, 'Begin').catch(() => 'gone')
  if (scenario === slow) {
    // The title is told before the agent begins.
    const moment = said === null ? 'agent_message_chunk' : 'session_info_update'
    await first.until(id, ({ sessionUpdate }) => sessionUpdate === moment)
  } else if (scenario === asks)
    await first.until(id, (update) => update.sessionUpdate === 'tool_call' && update.status === 'pending')
  else
    await first.until(
      id,
      (update) => update.sessionUpdate === 'tool_call_update' && update.status === 'in_progress',
    )
  first.program.child.stdin.destroy()
  expect((await first.program.ended).code).toBe(0)
  expect(await prompt).toBe('gone')
  expect(processesWith('acp-robust-command')).toEqual([])
  expect(existsSync(join(cli.folder, 'greeting.txt'))).toBe(false)

  const second = await openEditor(cli, { scenario: 'steps:\n  - reply: I am back.\n' })
  await second.agent.request(session.load, { sessionId: id, cwd: cli.folder, mcpServers: [] })
  // The client may handle updates after the answer that follows them.
  await second.until(
    id,
    (update) => update.sessionUpdate === 'user_message_chunk' && JSON.stringify(update).includes('Begin'),
  )
  if (said !== null) await second.until(id, (update) => JSON.stringify(update).includes(said))
  expect(await second.prompt(id, 'And now?')).toBe('end_turn')
  expect(second.text(id)).toContain('I am back.')
})

test('an editor that ends before it said anything ends the program', async () => {
  const cli = await commandLine()
  const { child, ended } = cli.start(['acp', '--scenario', await cli.scenario(HELLO)], {}, null)
  child.stdin.end()
  expect(await ended).toMatchObject({ code: 0, output: '' })
})

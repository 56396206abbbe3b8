/** What an editor does with sessions beside prompts: choices, resume, close, list, and what it is told of them. */
import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { methods, type SessionConfigOption } from '@agentclientprotocol/sdk/unstable'
import { expect, test } from 'vitest'
import { commandLine, processesWith } from '../../testing/command-line.ts'
import { type Editor, openEditor } from './testing/editor.ts'

const HELLO = 'steps:\n  - model: haiku\n    reply: Hello from the small one.\n  - reply: Hello.\n'
const LONG = `steps:
  - turn: 1
    reply:
      - tool: Bash
        input: { command: "echo be''gun; exec -a acp-closed-command sleep 600", timeout: 600000, description: Wait }
  - reply: Done.
`

const ASKS = `steps:
  - turn: 1
    reply:
      - tool: Write
        input: { file_path: a.txt, content: "a" }
  - reply: Done.
`

const { session } = methods.agent

const currentOf = (options: readonly SessionConfigOption[] | null | undefined) =>
  Object.fromEntries((options ?? []).map(({ id, currentValue }) => [id, currentValue]))

const choose = (editor: Editor, sessionId: string, configId: string, value: string) =>
  editor.agent.request(session.setConfigOption, { sessionId, configId, value })

test('mode, model and effort are choices of the session, and each counts', async () => {
  const cli = await commandLine()
  const editor = await openEditor(cli, { scenario: HELLO })
  const started = await editor.agent.request(session.new, { cwd: cli.folder, mcpServers: [] })
  expect(started.configOptions?.map(({ id, category }) => [id, category])).toEqual([
    ['mode', 'mode'],
    ['model', 'model'],
    ['effort', 'thought_level'],
  ])
  const { sessionId: id } = started
  expect(currentOf((await choose(editor, id, 'model', 'haiku')).configOptions)['model']).toMatch(/haiku/)
  expect(currentOf((await choose(editor, id, 'effort', 'low')).configOptions)['effort']).toBe('low')
  expect(currentOf((await choose(editor, id, 'mode', 'plan')).configOptions)['mode']).toBe('plan')
  expect(await editor.prompt(id, 'Hi')).toBe('end_turn')
  expect(editor.text(id)).toBe('Hello from the small one.')
  expect(editor.updates(id)).toContainEqual({ sessionUpdate: 'current_mode_update', currentModeId: 'plan' })
  expect(currentOf((await choose(editor, id, 'effort', 'default')).configOptions)).toMatchObject({
    mode: 'plan',
    effort: 'default',
  })
})

test('a session begins with the effort of the settings', async () => {
  const editor = await openEditor(await commandLine(() => ({ effort: 'high' })), { scenario: HELLO })
  const started = await editor.agent.request(session.new, { cwd: process.cwd(), mcpServers: [] })
  expect(currentOf(started.configOptions)['effort']).toBe('high')
})

test.each([
  ['effort', 'enormous'],
  ['model', 'no-such-model'],
  ['mode', 'bypassPermissions'],
  ['color', 'red'],
  ['program:mode', 'plan'],
])('the choice %s: %s is refused', async (option, value) => {
  const cli = await commandLine()
  const editor = await openEditor(cli, { scenario: HELLO })
  const id = await editor.open(cli.folder)
  await expect(choose(editor, id, option, value)).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining(`There is no option "${option}" with the value "${value}"`),
  })
})

test('a mode that a plan begins is told as mode and as choice', async () => {
  const cli = await commandLine()
  const editor = await openEditor(cli, {
    args: ['--trust', '--permission-mode', 'plan'],
    answer: () => 'allow_once',
    scenario:
      'steps:\n  - turn: 1\n    reply:\n      - tool: ExitPlanMode\n        input: { plan: "Greet." }\n  - reply: Greeted.\n',
  })
  const id = await editor.open(cli.folder)
  await editor.prompt(id, 'Plan it')
  expect(editor.updates(id)).toContainEqual({
    sessionUpdate: 'current_mode_update',
    currentModeId: 'default',
  })
  const told = await editor.until(id, ({ sessionUpdate }) => sessionUpdate === 'config_option_update')
  expect(told.sessionUpdate === 'config_option_update' && currentOf(told.configOptions)['mode']).toBe(
    'default',
  )
})

test('a resumed session knows what was said, and shows no history', async () => {
  const cli = await commandLine()
  const first = await openEditor(cli, { scenario: HELLO })
  const id = await first.open(cli.folder)
  await first.prompt(id, 'The word is plum.')
  first.program.child.stdin.end()
  await first.program.ended

  const second = await openEditor(cli, {
    scenario: 'steps:\n  - agent: plum\n    reply: I remember the plum.\n  - reply: Who are you?\n',
  })
  const resumed = await second.agent.request(session.resume, { sessionId: id, cwd: cli.folder })
  expect(currentOf(resumed.configOptions)['mode']).toBe('default')
  expect(second.text(id)).toBe('')
  expect(await second.prompt(id, 'Which word?')).toBe('end_turn')
  expect(second.text(id)).toBe('I remember the plum.')
})

test('a conversation of another folder is not opened', async () => {
  const cli = await commandLine()
  const editor = await openEditor(cli, { scenario: HELLO })
  const id = await editor.open(cli.folder)
  await expect(
    editor.agent.request(session.load, { sessionId: id, cwd: cli.home, mcpServers: [] }),
  ).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('belongs to the folder') })
})

test('a closed session stops what it does and is unknown; its conversation stays', async () => {
  const cli = await commandLine()
  const editor = await openEditor(cli, { scenario: LONG })
  const id = await editor.open(cli.folder)
  const prompt = editor.prompt(id, 'Wait')
  await editor.until(id, (update) => JSON.stringify(update).includes('begun'))
  await editor.agent.request(session.close, { sessionId: id })
  expect(await prompt).toBe('cancelled')
  expect(processesWith('acp-closed-command')).toEqual([])
  await expect(editor.prompt(id, 'Hello?')).rejects.toMatchObject({ code: -32002 })
  const { sessions } = await editor.agent.request(session.list, {})
  expect(sessions.map(({ sessionId }) => sessionId)).toEqual([id])
  const again = { sessionId: id, cwd: cli.folder, mcpServers: [] }
  await editor.agent.request(session.load, again)
  expect(await editor.prompt(id, 'Again')).toBe('end_turn')
})

test('a deleted session stops, and its conversation is in the trash', async () => {
  const cli = await commandLine()
  const editor = await openEditor(cli, { scenario: LONG.replaceAll('closed', 'deleted') })
  const id = await editor.open(cli.folder)
  const prompt = editor.prompt(id, 'Wait')
  await editor.until(id, (update) => JSON.stringify(update).includes('begun'))
  await editor.agent.request(session.delete, { sessionId: id })
  expect(await prompt).toBe('cancelled')
  expect(processesWith('acp-deleted-command')).toEqual([])
  expect((await editor.agent.request(session.list, {})).sessions).toEqual([])
  expect((await readdir(join(cli.dataFolder, 'trash'))).some((name) => name.includes(id))).toBe(true)
  // The library's client takes the answer that there is no such session for a success; this id is no id.
  await expect(editor.agent.request(session.delete, { sessionId: '../settings.json' })).rejects.toMatchObject(
    { code: -32602 },
  )
})

test('the list has the sessions of a folder, the last one first, with the titles that were told', async () => {
  const cli = await commandLine()
  const editor = await openEditor(cli, { scenario: HELLO })
  const [one, other] = [await editor.open(cli.folder), await editor.open(cli.home)]
  await editor.prompt(one, 'Count the apples')
  await editor.prompt(other, 'Count the pears')
  const told = await editor.until(one, ({ sessionUpdate }) => sessionUpdate === 'session_info_update')
  expect(told).toMatchObject({ title: 'Count the apples' })
  const all = await editor.agent.request(session.list, {})
  expect(all.sessions.map(({ sessionId, title }) => [sessionId, title])).toEqual([
    [other, 'Count the pears'],
    [one, 'Count the apples'],
  ])
  const { sessions } = await editor.agent.request(session.list, { cwd: cli.folder })
  expect(sessions.map(({ sessionId, cwd }) => [sessionId, cwd])).toEqual([[one, cli.folder]])
})

test('each message tells the size of the context, and the cost of the conversation so far', async () => {
  const cli = await commandLine()
  const editor = await openEditor(cli, { scenario: HELLO })
  const id = await editor.open(cli.folder)
  await editor.prompt(id, 'One')
  await editor.prompt(id, 'Two')
  const told = editor
    .updates(id)
    .flatMap((update) => (update.sessionUpdate === 'usage_update' ? [update] : []))
  expect(told).toHaveLength(2)
  const [first, second] = told
  expect(second?.used).toBeGreaterThan(first?.used ?? 0)
  expect(second?.size).toBeGreaterThan(second?.used ?? 0)
})

test('trust and rules that are added meanwhile count at once', async () => {
  const cli = await commandLine()
  const editor = await openEditor(cli, {
    args: [],
    scenario: `steps:
  - when: /write (\\w+.txt)/
    reply:
      - tool: Write
        input: { file_path: "{{1}}", content: "Hello." }
  - reply: "{{results}}"
`,
  })
  const id = await editor.open(cli.folder)
  await editor.prompt(id, 'write one.txt')
  expect(editor.text(id)).toContain('is not trusted')
  expect(existsSync(join(cli.folder, 'one.txt'))).toBe(false)

  expect((await cli.run(['trust', 'add', cli.folder])).code).toBe(0)
  await editor.prompt(id, 'write two.txt')
  expect(existsSync(join(cli.folder, 'two.txt'))).toBe(true)
  expect(editor.asked).toHaveLength(1)

  // A rule written by hand.
  await mkdir(join(cli.home, '.claude'))
  await writeFile(join(cli.home, '.claude/settings.json'), '{ "permissions": { "allow": ["Write"] } }')
  await editor.prompt(id, 'write three.txt')
  expect(existsSync(join(cli.folder, 'three.txt'))).toBe(true)
  expect(editor.asked).toHaveLength(1)

  expect((await cli.run(['trust', 'revoke', cli.folder])).code).toBe(0)
  await editor.prompt(id, 'write four.txt')
  expect(existsSync(join(cli.folder, 'four.txt'))).toBe(false)
})

test('shell commands in a command ask before they run, and the question is over at its answer', async () => {
  const cli = await commandLine()
  await cli.write({
    '.claude/commands/state.md': '---\ndescription: State.\n---\nThe state is !`make state`.',
  })
  const editor = await openEditor(cli, { scenario: HELLO, answer: () => 'reject_once' })
  const id = await editor.open(cli.folder)
  expect(await editor.prompt(id, '/state')).toBe('end_turn')
  expect(editor.asked).toMatchObject([
    {
      toolCall: { title: '/state runs commands', kind: 'execute' },
      options: [{ name: 'Run them' }, { name: 'Deny' }],
    },
  ])
  expect(editor.updates(id)).toContainEqual(expect.objectContaining({ status: 'failed' }))
})

test('a closed session takes its open question back', async () => {
  const cli = await commandLine()
  const editor = await openEditor(cli, {
    scenario: ASKS,
    answer: async ({ sessionId }) => {
      await editor.agent.request(session.close, { sessionId })
      return new Promise<string>(() => {})
    },
  })
  const id = await editor.open(cli.folder)
  expect(await editor.prompt(id, 'Write')).toBe('cancelled')
  expect(editor.asked).toHaveLength(1)
  expect(existsSync(join(cli.folder, 'a.txt'))).toBe(false)
})

test.each([
  ['never answers', () => new Promise<string>(() => {})],
  ['answers that it was canceled', () => Promise.resolve('cancelled')],
])('a cancel at an open question ends the prompt, with an editor that %s', async (_, answer) => {
  const cli = await commandLine()
  const editor = await openEditor(cli, {
    scenario: ASKS,
    answer: async ({ sessionId }) => {
      await editor.agent.notify(session.cancel, { sessionId })
      return answer()
    },
  })
  const id = await editor.open(cli.folder)
  expect(await editor.prompt(id, 'Write')).toBe('cancelled')
  expect(existsSync(join(cli.folder, 'a.txt'))).toBe(false)
  expect(editor.updates(id)).toContainEqual(expect.objectContaining({ status: 'failed' }))
  expect(await editor.prompt(id, 'And now?')).toBe('end_turn')
})

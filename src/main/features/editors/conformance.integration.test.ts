/**
 * `troupe acp` against the twenty core cases of the ACP conformance suite in the repository openclaw/acpx (profile
 * acp-core-v1). The tests have the names of its cases and check what it asks for; its example agent obeys commands such
 * as “echo” and “sleep”, so the script of the model obeys them here.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ContentBlock, methods, PROTOCOL_VERSION } from '@agentclientprotocol/sdk/unstable'
import { expect, test } from 'vitest'
import { commandLine } from '../../testing/command-line.ts'
import { type Answer, type Editor, openEditor } from './testing/editor.ts'

const approveAll: Answer = () => 'allow_once'
const denyAll: Answer = () => 'reject_once'

const text = (words: string): ContentBlock[] => [{ type: 'text', text: words }]

const obeys = (outside: string) => `steps:
  - when: /denied|Created|acpx/
    turn: 2+
    reply: "result: {{results}}"
  - when: /^echo$/
    reply: ""
  - when: /^echo (.+)$/
    reply: "{{1}}"
  - when: /^sleep/
    reply:
      - text: sleeping
      - tool: Bash
        input: { command: "sleep 600", timeout: 600000, description: Sleep }
  - when: /^read (\\S+)/
    reply:
      - tool: Read
        input: { file_path: "${outside}/{{1}}" }
  - when: /^write (\\S+) (.+)$/
    reply:
      - tool: Write
        input: { file_path: "${outside}/{{1}}", content: "{{2}}" }
  - when: /inspect-prompt(.*)$/
    reply: "inspected: {{1}}"
  - when: /^(.+)$/
    reply: "unrecognized prompt: {{1}}"
`

interface Case {
  readonly editor: Editor
  /** A folder outside of the session's, where reading asks as well. */
  readonly outside: string
  /** The folder of sessions. */
  readonly folder: string
  open(): Promise<string>
  newSession(cwd: unknown): Promise<unknown>
  prompt(sessionId: unknown, prompt: readonly ContentBlock[]): Promise<string>
  cancel(sessionId: string): Promise<void>
}

async function conformance(answer: Answer = approveAll): Promise<Case> {
  const cli = await commandLine()
  const editor = await openEditor(cli, { scenario: obeys(cli.home), answer })
  const { agent } = editor
  return {
    editor,
    outside: cli.home,
    folder: cli.folder,
    open: () => editor.open(cli.folder),
    newSession: (cwd) => agent.request(methods.agent.session.new, { cwd: cwd as string, mcpServers: [] }),
    prompt: (sessionId, prompt) => editor.prompt(sessionId as string, [...prompt]),
    cancel: (sessionId) => agent.notify(methods.agent.session.cancel, { sessionId }),
  }
}

/** Resolves when the command of “sleep” runs. */
const asleep = ({ editor }: Case, id: string) =>
  editor.until(id, (update) => update.sessionUpdate === 'tool_call_update' && update.status === 'in_progress')

test('acp.v1.initialize.handshake', async () => {
  const { editor } = await conformance()
  expect(editor.initialized.protocolVersion).toBe(PROTOCOL_VERSION)
  expect(editor.initialized.agentCapabilities).toBeTypeOf('object')
})

test('acp.v1.session.new.basic', async () => {
  const { open } = await conformance()
  expect(await open()).toMatch(/\S/)
})

test('acp.v1.session.prompt.single_turn', async () => {
  const { open, prompt, editor } = await conformance()
  const id = await open()
  expect(await prompt(id, text('echo hello'))).toBe('end_turn')
  expect(editor.updates(id).length).toBeGreaterThanOrEqual(1)
  expect(editor.text(id)).toBe('hello')
})

test('acp.v1.session.update.termination', async () => {
  const { open, prompt, editor } = await conformance()
  const id = await open()
  expect(await prompt(id, text('echo updates'))).toBe('end_turn')
  expect(editor.sessions()).toEqual([id])
  // All of the answer came before the end of the prompt.
  expect(editor.text(id)).toBe('updates')
})

test('acp.v1.session.cancel.in_flight', async () => {
  const opened = await conformance()
  const id = await opened.open()
  const running = opened.prompt(id, text('sleep 5000'))
  await asleep(opened, id)
  await opened.cancel(id)
  expect(await running).toBe('cancelled')
})

test('acp.v1.session.cancel.idle', async () => {
  const { open, cancel, prompt } = await conformance()
  const id = await open()
  await cancel(id)
  expect(await prompt(id, text('echo still here'))).toBe('end_turn')
})

test('acp.v1.session.prompt.multi_turn', async () => {
  const { open, prompt, editor } = await conformance()
  const id = await open()
  expect(await prompt(id, text('echo first'))).toBe('end_turn')
  expect(await prompt(id, text('echo second'))).toBe('end_turn')
  expect(editor.text(id)).toBe('firstsecond')
})

test('acp.v1.errors.invalid_params', async () => {
  const { newSession } = await conformance()
  await expect(newSession(12_345)).rejects.toMatchObject({ code: -32602 })
})

test('acp.v1.errors.invalid_prompt_session_type', async () => {
  const { open, prompt } = await conformance()
  await open()
  await expect(prompt(12_345, text('echo hello'))).rejects.toMatchObject({ code: -32602 })
})

test('acp.v1.errors.permission_denied', async () => {
  const { open, prompt, editor, outside } = await conformance(denyAll)
  await writeFile(join(outside, 'README.md'), 'acpx\n')
  const id = await open()
  expect(await prompt(id, text('read README.md'))).toBe('end_turn')
  expect(editor.text(id)).toMatch(/denied/)
  expect(editor.text(id)).not.toContain('acpx')
  expect(editor.updates(id)).toContainEqual(expect.objectContaining({ status: 'failed' }))
})

test('acp.v1.errors.permission_denied.write', async () => {
  const { open, prompt, editor, outside } = await conformance(denyAll)
  const file = join(outside, 'README.md')
  await writeFile(file, 'acpx\n')
  const id = await open()
  expect(await prompt(id, text('write new.md blocked'))).toBe('end_turn')
  expect(editor.text(id)).toMatch(/denied/)
  expect(editor.updates(id)).toContainEqual(expect.objectContaining({ status: 'failed' }))
  await expect(readFile(join(outside, 'new.md'))).rejects.toThrow('ENOENT')
})

test('acp.v1.errors.unknown_session', async () => {
  const { prompt } = await conformance()
  await expect(prompt('no-such-session', text('echo hello'))).rejects.toMatchObject({ code: -32002 })
})

test('acp.v1.session.prompt.echo_empty', async () => {
  const { open, prompt, editor } = await conformance()
  const id = await open()
  expect(await prompt(id, text('echo'))).toBe('end_turn')
  expect(editor.updates(id).length).toBeGreaterThanOrEqual(1)
})

test('acp.v1.session.prompt.unrecognized', async () => {
  const { open, prompt, editor } = await conformance()
  const id = await open()
  expect(await prompt(id, text('dance for me'))).toBe('end_turn')
  expect(editor.text(id)).toBe('unrecognized prompt: dance for me')
})

test('acp.v1.errors.invalid_params.cwd_null', async () => {
  const { newSession } = await conformance()
  await expect(newSession(null)).rejects.toMatchObject({ code: -32602 })
})

test('acp.v1.session.prompt.structured_blocks', async () => {
  const { open, prompt, editor, folder } = await conformance()
  const id = await open()
  const blocks: ContentBlock[] = [
    { type: 'text', text: 'inspect-prompt ' },
    { type: 'resource_link', name: 'notes', uri: `file://${folder}/notes.md` },
    { type: 'text', text: ' and this' },
  ]
  expect(await prompt(id, blocks)).toBe('end_turn')
  expect(editor.text(id)).toBe(`inspected:  @${folder}/notes.md and this`)
})

test('acp.v1.permissions.read.approved', async () => {
  const { open, prompt, editor, outside } = await conformance()
  await writeFile(join(outside, 'README.md'), 'This is acpx.\n')
  const id = await open()
  expect(await prompt(id, text('read README.md'))).toBe('end_turn')
  expect(editor.asked).toHaveLength(1)
  expect(editor.text(id)).toContain('This is acpx.')
})

test('acp.v1.permissions.write.approved', async () => {
  const { open, prompt, editor, outside } = await conformance()
  const id = await open()
  expect(await prompt(id, text('write acpx-write.txt hello'))).toBe('end_turn')
  expect(editor.asked).toHaveLength(1)
  expect(editor.text(id)).toContain('acpx-write.txt')
  expect(await readFile(join(outside, 'acpx-write.txt'), 'utf8')).toBe('hello')
})

test('acp.v1.session.prompt.background_completion', async () => {
  const { open, prompt, editor } = await conformance()
  const [one, other] = [await open(), await open()]
  const running = prompt(one, text('echo in the background'))
  expect(await prompt(other, text('echo in front'))).toBe('end_turn')
  expect(await running).toBe('end_turn')
  expect(editor.text(one)).toBe('in the background')
})

test('acp.v1.session.cancel.followup_prompt', async () => {
  const opened = await conformance()
  const id = await opened.open()
  const running = opened.prompt(id, text('sleep 5000'))
  await asleep(opened, id)
  await opened.cancel(id)
  // Sent before the canceled one has ended.
  const next = opened.prompt(id, text('echo after the cancel'))
  expect(await running).toBe('cancelled')
  expect(await next).toBe('end_turn')
  expect(opened.editor.text(id)).toContain('after the cancel')
})

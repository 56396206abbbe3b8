/** Subagents as sessions of their own, for an editor that knows child sessions. */
import { methods } from '@agentclientprotocol/sdk/unstable'
import { expect, test } from 'vitest'
import { commandLine } from '../../testing/command-line.ts'
import { childUpdates, openEditor, textIn } from './testing/editor.ts'

const knowsChildren = { subagents: {} }

const explores = (step: string) => `steps:
  - agent: /main agent/
    turn: 1
    reply:
      - tool: Agent
        input: { description: Look around, prompt: "Look closely at a.txt", subagent_type: general-purpose }
  - agent: Look closely
    turn: 1
    reply:
${step}
  - agent: Look closely
    reply: There is an x.
  - reply: "The main agent read: {{results}}"
`
const READS = explores('      - tool: Read\n        input: { file_path: a.txt }')
const WRITES = explores('      - tool: Write\n        input: { file_path: b.txt, content: "b" }')
const WAITS = explores(
  '      - tool: Bash\n        input: { command: "echo be\'\'gun; sleep 600", timeout: 600000, description: Wait }',
)

test('a subagent is a session: announced on its parent’s, with its own messages, calls and state', async () => {
  const cli = await commandLine()
  await cli.write({ 'a.txt': 'x' })
  const editor = await openEditor(cli, { scenario: READS, capabilities: knowsChildren })
  const id = await editor.open(cli.folder)
  expect(await editor.prompt(id, 'Look')).toBe('end_turn')

  const [announced, ...later] = childUpdates(editor.updates(id))
  expect(announced).toMatchObject({
    title: 'general-purpose',
    description: 'Look around',
    cwd: cli.folder,
    capabilities: { cancel: {} },
    state: { state: 'running' },
  })
  const child = announced?.sessionId ?? ''
  expect(later.map(({ sessionId, state }) => [sessionId, state])).toEqual([
    [child, { state: 'idle', stopReason: 'end_turn' }],
  ])
  // The announcement comes before everything else of the child.
  expect(editor.sessions()).toEqual([id, child])
  expect(editor.updates(child)[0]).toMatchObject({
    sessionUpdate: 'session_message',
    senderSessionId: id,
    recipientSessionId: child,
  })
  expect(JSON.stringify(editor.updates(child)[0])).toContain('Look closely at a.txt')
  expect(textIn(editor.updates(child), 'agent_message_chunk')).toBe('There is an x.')
  expect(editor.updates(child)).toContainEqual(
    expect.objectContaining({ sessionUpdate: 'tool_call_update', kind: 'read', status: 'in_progress' }),
  )
  // The parent's call has the report, and no steps of the child.
  const ofParent = JSON.stringify(editor.updates(id))
  expect(ofParent).toContain('There is an x.')
  expect(ofParent).not.toContain('Read a.txt')
  expect(JSON.stringify(editor.updates(child))).not.toContain('started')
})

test('a subagent’s permission request is one of its own session', async () => {
  const cli = await commandLine()
  const editor = await openEditor(cli, { scenario: WRITES, capabilities: knowsChildren })
  const id = await editor.open(cli.folder)
  expect(await editor.prompt(id, 'Look')).toBe('end_turn')
  const updates = childUpdates(editor.updates(id))
  const [asked] = editor.asked
  expect(asked?.sessionId).toBe(updates[0]?.sessionId)
  expect(asked?.toolCall.title).toMatch(/^Write: /)
  expect(editor.updates(asked?.sessionId ?? '')).toContainEqual(
    expect.objectContaining({ toolCallId: asked?.toolCall.toolCallId, status: 'completed' }),
  )
  expect(updates.map(({ state }) => state?.state)).toEqual(['running', 'requires_action', 'running', 'idle'])
})

test('a cancel of a child session stops that agent; its parent works on', async () => {
  const cli = await commandLine()
  const editor = await openEditor(cli, { scenario: WAITS, capabilities: knowsChildren })
  const id = await editor.open(cli.folder)
  const prompt = editor.prompt(id, 'Look')
  await editor.until(id, ({ sessionUpdate }) => (sessionUpdate as string) === 'subagent_update')
  const child = childUpdates(editor.updates(id))[0]?.sessionId ?? ''
  await editor.until(child, (update) => JSON.stringify(update).includes('begun'))
  await editor.agent.notify(methods.agent.session.cancel, { sessionId: child })
  expect(await prompt).toBe('end_turn')
  expect(editor.text(id)).toContain('The main agent read:')
  expect(childUpdates(editor.updates(id)).at(-1)).toMatchObject({
    sessionId: child,
    state: { state: 'idle', stopReason: 'cancelled' },
  })
  // Nothing else can be done in it.
  await expect(editor.prompt(child, 'Hello?')).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('the session of a subagent'),
  })
})

test('a loaded session brings the sessions of its subagents along', async () => {
  const cli = await commandLine()
  await cli.write({ 'a.txt': 'x' })
  const first = await openEditor(cli, { scenario: READS, capabilities: knowsChildren })
  const id = await first.open(cli.folder)
  await first.prompt(id, 'Look')
  const child = childUpdates(first.updates(id))[0]?.sessionId ?? ''
  first.program.child.stdin.end()
  await first.program.ended

  const second = await openEditor(cli, { scenario: READS, capabilities: knowsChildren })
  await second.agent.request(methods.agent.session.load, { sessionId: id, cwd: cli.folder, mcpServers: [] })
  await second.until(child, (update) => JSON.stringify(update).includes('There is an x.'))
  await second.until(id, (update) => JSON.stringify(update).includes('idle'))
  expect(second.sessions()).toEqual([id, child])
  expect(childUpdates(second.updates(id)).map(({ sessionId, state }) => [sessionId, state?.state])).toEqual([
    [child, 'running'],
    [child, 'idle'],
  ])
  expect(textIn(second.updates(child), 'agent_message_chunk')).toBe('There is an x.')
})

test('an editor that does not know child sessions gets none', async () => {
  const cli = await commandLine()
  await cli.write({ 'a.txt': 'x' })
  const editor = await openEditor(cli, { scenario: READS })
  const id = await editor.open(cli.folder)
  expect(await editor.prompt(id, 'Look')).toBe('end_turn')
  expect(editor.sessions()).toEqual([id])
  expect(childUpdates(editor.updates(id))).toEqual([])
})

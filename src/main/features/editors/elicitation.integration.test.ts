/** Forms of agents in an editor that shows forms. */
import { join } from 'node:path'
import { type CreateElicitationResponse, methods } from '@agentclientprotocol/sdk/unstable'
import { expect, test } from 'vitest'
import { commandLine } from '../../testing/command-line.ts'
import { openEditor } from './testing/editor.ts'

const SERVER = join(import.meta.dirname, '../mcp/testing/bad-server.mjs')

const question = {
  question: 'Tea?',
  header: 'Tea',
  multiSelect: false,
  options: [
    { label: 'Yes', description: 'y' },
    { label: 'No', description: 'n' },
  ],
}
const asks = `steps:
  - turn: 1
    reply:
      - tool: AskUserQuestion
        input: ${JSON.stringify({ questions: [question] })}
  - reply: "I read: {{results}}"
`
const showsForms = { elicitation: { form: {} } }

test('a question is a form of the editor, and its answer reaches the agent', async () => {
  const cli = await commandLine()
  const editor = await openEditor(cli, {
    scenario: asks,
    capabilities: showsForms,
    fillIn: () => ({ action: 'accept', content: { question_1: 'No', question_1_own: 'coffee' } }),
  })
  const id = await editor.open(cli.folder)
  expect(await editor.prompt(id, 'Ask me')).toBe('end_turn')
  expect(editor.forms).toMatchObject([{ mode: 'form', sessionId: id, message: 'Tea?' }])
  expect(editor.text(id)).toContain('No, coffee (in the user')
  expect(editor.text(id)).not.toContain('can’t show')
})

test.each<[CreateElicitationResponse['action'], RegExp]>([
  ['decline', /declined to answer/],
  ['cancel', /closed without an answer/],
])('a form that ends with %s has no answer', async (action, said) => {
  const cli = await commandLine()
  const editor = await openEditor(cli, {
    scenario: asks,
    capabilities: showsForms,
    fillIn: () => ({ action }),
  })
  const id = await editor.open(cli.folder)
  expect(await editor.prompt(id, 'Ask me')).toBe('end_turn')
  expect(editor.text(id)).toMatch(said)
})

test('an editor that fails to show its form is told what it missed', async () => {
  const cli = await commandLine()
  const editor = await openEditor(cli, {
    scenario: asks,
    capabilities: showsForms,
    fillIn: () => {
      throw new Error('No window')
    },
  })
  const id = await editor.open(cli.folder)
  expect(await editor.prompt(id, 'Ask me')).toBe('end_turn')
  expect(editor.text(id)).toContain('a form, which this editor can’t show')
})

test('an MCP server’s question is a form of the editor', async () => {
  const cli = await commandLine()
  const editor = await openEditor(cli, {
    scenario: `steps:
  - turn: 1
    reply:
      - tool: mcp__helper__ask
        input: {}
  - reply: "It said: {{results}}"
`,
    capabilities: showsForms,
    fillIn: () => ({ action: 'accept', content: { city: 'Graz' } }),
  })
  const { sessionId } = await editor.agent.request(methods.agent.session.new, {
    cwd: cli.folder,
    mcpServers: [{ name: 'helper', command: process.execPath, args: [SERVER, 'asks'], env: [] }],
  })
  expect(await editor.prompt(sessionId, 'Ask it')).toBe('end_turn')
  expect(editor.forms).toMatchObject([
    { message: 'helper: Which city?', requestedSchema: { required: ['city'] } },
  ])
  expect(editor.text(sessionId)).toContain('Graz')
})

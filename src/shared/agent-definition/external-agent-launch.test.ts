import { expect, test } from 'vitest'
import { readDefinition } from './read-definition.ts'

const read = (...lines: readonly string[]) =>
  readDefinition(['---', 'name: gemini', 'description: d', ...lines, '---', 'Be careful.'].join('\n'), {
    stem: 'gemini',
    source: 'the project',
  })

test('a program with arguments and variables', () => {
  const { definition, offered, diagnostics } = read(
    'backing: acp',
    'command: gemini',
    'args: [--acp, --port, 8080]',
    'env: [GEMINI_API_KEY]',
  )
  expect(definition?.program).toEqual({
    command: 'gemini',
    args: ['--acp', '--port', '8080'],
    env: { GEMINI_API_KEY: `\${GEMINI_API_KEY}` },
  })
  expect({ offered, diagnostics }).toEqual({ offered: true, diagnostics: [] })
})

test('values by name, which may refer to variables of the user', () => {
  const { definition, offered } = read('backing: acp', 'command: x', `env: {API_KEY: "\${MY_KEY}", DEBUG: 1}`)
  expect(definition?.program?.env).toEqual({ API_KEY: `\${MY_KEY}`, DEBUG: '1' })
  expect(offered).toBe(true)
})

test('a definition without a program has no such field', () => {
  expect(read().definition).not.toHaveProperty('program')
})

test.each([
  [['backing: acp'], 'acp needs command'],
  [['backing: other', 'command: x'], 'Must be one of acp'],
  [['command: x'], 'Has an effect only with backing: acp'],
  [['backing: acp', 'command: x', 'args: --acp'], 'Must be a list with one text for each argument'],
  [['backing: acp', 'command: x', 'env: 5'], 'Must be a list of names, or values by name'],
  [['backing: acp', 'command: x', 'env: [A B]'], 'A B is not the name of a variable'],
  [['backing: acp', 'command: x', 'env: {API_KEY: abc}'], 'The value of API_KEY looks like a secret'],
  [
    ['backing: acp', 'command: x', 'env: {OTHER: ghp_0123456789012345678901234567890123456789}'],
    'The value of OTHER looks like a secret',
  ],
  [
    ['backing: acp', 'command: x', 'args: [--auth, ghp_0123456789012345678901234567890123456789]'],
    'what looks like a secret',
  ],
  [['backing: acp', 'command: x', 'tools: Read'], 'can’t be held to tools'],
  [['backing: acp', 'command: x', 'readOnly: true'], 'can’t be held to readOnly'],
  [['backing: acp', 'command: x', 'permissionMode: plan'], 'can’t be held to permissionMode'],
  [['backing: acp', 'command: x', 'mcpServers: {own: {command: y}}'], 'can’t be held to mcpServers'],
])('%j is refused: %s', (lines, reason) => {
  const { offered, diagnostics } = read(...lines)
  expect(offered).toBe(false)
  expect(diagnostics.map(({ message }) => message).join()).toContain(reason)
})

test.each([
  'maxTurns: 5',
  'memory: user',
  'skills: [review]',
  'thinking: off',
  'omitProjectInstructions: true',
])('%s has no effect, which is told at its line; the agent is in use', (line) => {
  const { offered, diagnostics } = read('backing: acp', 'command: x', line)
  const [key = ''] = line.split(':')
  expect(offered).toBe(true)
  expect(diagnostics).toMatchObject([
    {
      severity: 'warning',
      line: 6,
      message: expect.stringContaining(`${key} has no effect with backing: acp.`),
    },
  ])
  expect(read('backing: acp', 'command: x', 'omitProjectInstructions: false').diagnostics).toEqual([])
  expect(read(line).diagnostics).toEqual([])
})

test('a refused secret is not repeated in the message', () => {
  const { diagnostics } = read('backing: acp', 'command: x', 'env: {API_KEY: hunter2hunter2}')
  expect(JSON.stringify(diagnostics)).not.toContain('hunter2')
})

test('names of MCP servers say which of them the program gets', () => {
  const { diagnostics } = read('backing: acp', 'command: x', 'mcpServers: [github]')
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
})

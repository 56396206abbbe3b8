import { expect, test } from 'vitest'
import { nameProblem, readEntryText, readPairs } from './mcp-entry-text.ts'

const read = (text: string) => {
  const found = readEntryText(text)
  return found.ok ? found.value : found.failure.message
}
const NPX = { command: 'npx', args: ['-y', '@x/mcp'] }

test.each([
  ['npx -y @x/mcp', null, NPX],
  [`node "/a b/server.js" --name='x y'`, null, { command: 'node', args: ['/a b/server.js', '--name=x y'] }],
  [' https://docs.example.com/mcp ', null, { type: 'http', url: 'https://docs.example.com/mcp' }],
  ['{"mcpServers": {"x": {"command": "npx", "args": ["-y", "@x/mcp"]}}}', 'x', NPX],
  ['"x": {"command": "npx", "args": ["-y", "@x/mcp"]},', 'x', NPX],
  ['{"command": "npx", "args": ["-y", "@x/mcp"]}', null, NPX],
  ['claude mcp add x -- npx -y @x/mcp', 'x', NPX],
  ['claude mcp add x npx -y @x/mcp', 'x', NPX],
  ['claude mcp add -s user x -e KEY=a=b -- npx -y @x/mcp', 'x', { ...NPX, env: { KEY: 'a=b' } }],
  [
    'claude mcp add --transport http x https://h/mcp --header "Authorization: Bearer z"',
    'x',
    { type: 'http', url: 'https://h/mcp', headers: { Authorization: 'Bearer z' } },
  ],
  [
    'claude mcp add --transport http --header "Authorization: Bearer z" x https://h/mcp',
    'x',
    { type: 'http', url: 'https://h/mcp', headers: { Authorization: 'Bearer z' } },
  ],
  [`claude mcp add-json x '{"command":"npx","args":["-y","@x/mcp"]}'`, 'x', NPX],
])('%s', (text, name, definition) => {
  expect(read(text)).toEqual([{ name, definition }])
})

test.each([
  ['', 'Give a command'],
  ['{"mcpServers": {', 'not valid JSON'],
  ['{"mcpServers": {}}', 'no servers'],
  ['{"a": {"x": 1}}', '"a" has neither'],
  ['htps://docs.example.com', 'starts with https://'],
  ['https://', 'starts with https://'],
  ['claude mcp add --what x y -- npx', '--what'],
])('wrong: %s', (text, message) => {
  expect(read(text)).toContain(message)
})

test('names and pairs are checked', () => {
  expect(nameProblem('my server')).toContain('letters')
  expect(nameProblem('my-server_2')).toBeNull()
  expect(readPairs('A=1\n\nB = x=y', '=')).toMatchObject({ value: { A: '1', B: ' x=y' } })
  expect(readPairs('X-Team: a:b', ':')).toMatchObject({ value: { 'X-Team': 'a:b' } })
  expect(readPairs('A', '=')).toMatchObject({ failure: { message: '"A" is not NAME=value.' } })
})

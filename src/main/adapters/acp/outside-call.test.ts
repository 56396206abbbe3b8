import { expect, test } from 'vitest'
import { judgedOf } from './outside-call.ts'

type Call = Parameters<typeof judgedOf>[0]
const diff = (path: string) => ({ type: 'diff' as const, path, oldText: 'a', newText: 'b' })

/** Each reading as one text: `Bash rm -rf x`. */
const read = (call: Call): readonly string[] =>
  judgedOf(call, '/repo').map(({ tool, target }) => {
    if (target.kind === 'command') return `${tool} ${target.command}`
    if (target.kind === 'read' || target.kind === 'write') return `${tool} ${target.path}`
    return target.kind === 'fetch' ? `${tool} ${target.url}` : tool
  })

const cases: readonly (readonly [string, Call, readonly string[]])[] = [
  ['a command', { kind: 'execute', rawInput: { command: 'npm test' } }, ['Bash npm test']],
  ['a command with arguments', { rawInput: { command: 'rm', args: ['-rf', 'x'] } }, ['Bash rm -rf x']],
  ['a shell with a line', { rawInput: { cmd: ['bash', '-lc', 'ls; rm x'] } }, ['Bash ls; rm x']],
  ['a script', { rawInput: { script: 'rm -rf x' } }, ['Bash rm -rf x']],
  ['a line with arguments', { rawInput: { command: 'echo hi', args: [';', 'rm'] } }, ['acp_tool']],
  ['two commands', { rawInput: { command: 'ls', cmd: 'rm -rf x' } }, ['acp_tool']],
  ['arguments alone', { kind: 'read', rawInput: { argv: ['rm', 'x'], path: 'a' } }, ['acp_tool']],
  ['a command that is no text', { kind: 'read', rawInput: { command: { a: 1 }, path: 'a' } }, ['acp_tool']],
  [
    'a command that is called a read',
    { kind: 'read', rawInput: { command: 'rm x', path: 'a' } },
    ['Bash rm x'],
  ],
  [
    'a read',
    { kind: 'read', rawInput: { file_path: 'a' }, locations: [{ path: 'b' }] },
    ['Read /repo/b', 'Read /repo/a'],
  ],
  ['an edit', { kind: 'edit', content: [diff('/repo/a')] }, ['Edit /repo/a']],
  [
    'a diff of one file with the path of another',
    { kind: 'edit', content: [diff('/repo/a')], rawInput: { file_path: '/etc/passwd' } },
    ['Edit /repo/a', 'Edit /etc/passwd'],
  ],
  [
    'a diff beside a command',
    { kind: 'edit', content: [diff('a')], rawInput: { command: 'rm x' } },
    ['Edit /repo/a', 'Bash rm x'],
  ],
  ['a diff that is called a read', { kind: 'read', content: [diff('a')] }, ['Edit /repo/a', 'acp_tool']],
  ['an address', { kind: 'fetch', rawInput: { url: 'https://a.example' } }, ['WebFetch https://a.example']],
  ['a title alone', { kind: 'execute', title: 'rm -rf /' }, ['acp_tool']],
  ['a deletion', { kind: 'delete', locations: [{ path: 'a' }] }, ['acp_tool']],
]

test.each(cases)('judges everything that a call carries: %s', (_, call, readings) => {
  expect(read(call)).toEqual(readings)
})

import { expect, test } from 'vitest'
import { judgedOf } from './judged-call.ts'

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
  ['a command that is called a read', { kind: 'read', rawInput: { command: 'rm x' } }, ['Bash rm x']],
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
  [
    'a command with other permissions of the program',
    { kind: 'execute', rawInput: { command: 'npm test', additionalPermissions: { network: true } } },
    ['acp_tool'],
  ],
  [
    'a command with folders to open',
    { kind: 'execute', rawInput: { command: 'cat a', directories: ['/etc'], patterns: ['/etc/*'] } },
    ['acp_tool'],
  ],
  ['a command with input', { kind: 'execute', rawInput: { command: 'bash', stdin: 'rm x' } }, ['acp_tool']],
  ['a command with variables', { rawInput: { command: 'npm test', env: { PATH: '/evil' } } }, ['acp_tool']],
  ['a command with a path', { kind: 'read', rawInput: { command: 'view', path: 'a' } }, ['acp_tool']],
  ['a command with content', { rawInput: { command: 'python3 -', content: 'import os' } }, ['acp_tool']],
  ['a command in another folder', { rawInput: { command: 'ls', workdir: '/etc' } }, ['acp_tool']],
  ['a command in the folder', { rawInput: { command: 'ls', cwd: '/repo', timeout: 5 } }, ['Bash ls']],
  [
    'what Codex reads in a command',
    {
      rawInput: {
        ...{ call_id: 'c', command: ['bash', '-lc', 'cat a'], cwd: '/repo', reason: 'Look' },
        parsed_cmd: [{ type: 'read', cmd: 'cat a', name: 'a' }],
      },
    },
    ['Bash cat a'],
  ],
  [
    'a command that was read otherwise',
    { rawInput: { command: ['bash', '-lc', 'cat a'], parsed_cmd: [{ type: 'unknown', cmd: 'rm a' }] } },
    ['acp_tool'],
  ],
  ['a nested command', { kind: 'read', rawInput: { path: 'a', input: { command: 'rm x' } } }, ['acp_tool']],
  ['a list', { kind: 'read', rawInput: ['rm', '-rf', 'x'], locations: [{ path: 'a' }] }, ['acp_tool']],
  ['a text', { kind: 'read', rawInput: 'rm -rf x', locations: [{ path: 'a' }] }, ['acp_tool']],
  ['another spelling', { kind: 'read', rawInput: { shellCommand: 'rm x' } }, ['Bash rm x']],
  [
    'two paths',
    { kind: 'read', rawInput: { file_path: 'a', path: '/etc/shadow' } },
    ['Read /repo/a', 'Read /etc/shadow'],
  ],
  ['a path that is no text', { kind: 'read', rawInput: { path: ['a', '/etc/shadow'] } }, ['acp_tool']],
  ['a read with a text to write', { kind: 'read', rawInput: { path: 'a', content: 'x' } }, ['acp_tool']],
  ['a download', { kind: 'fetch', rawInput: { url: 'https://a.example', path: 'a' } }, ['acp_tool']],
  [
    'a patch of two files',
    {
      kind: 'edit',
      content: [diff('/repo/a')],
      rawInput: { filepath: '/repo/a', diff: '…', files: [{ filePath: '/repo/a', movePath: '/etc/b' }] },
    },
    ['Edit /repo/a', 'Edit /etc/b'],
  ],
  [
    'an edit with an unknown part',
    { kind: 'edit', content: [diff('/repo/a')], rawInput: { file_path: 'a', after: 'rm x' } },
    ['Edit /repo/a', 'acp_tool'],
  ],
  [
    'several edits of a file',
    { kind: 'edit', rawInput: { file_path: 'a', edits: [{ old_string: 'x', new_string: 'y' }] } },
    ['Edit /repo/a'],
  ],
  ['a deletion', { kind: 'delete', locations: [{ path: 'a' }] }, ['acp_tool']],
]

test.each(cases)('judges everything that a call carries: %s', (_, call, readings) => {
  expect(read(call)).toEqual(readings)
})

test('a call of an unknown kind says which commands and files it may be about', () => {
  const [judged] = judgedOf(
    { kind: 'execute', title: 'Run `rm -rf x`', rawInput: { a: ['rm', 'y'] } },
    '/repo',
  )
  expect(judged?.target).toMatchObject({ mayBe: expect.arrayContaining(commands('rm -rf x', 'rm y')) })
  const [deletion] = judgedOf({ kind: 'delete', title: '', locations: [{ path: 'a' }] }, '/repo')
  expect(deletion?.target).toMatchObject({ mayBe: [{ kind: 'write', path: '/repo/a' }] })
})

const commands = (...all: readonly string[]) => all.map((command) => ({ kind: 'command', command }))

import { describe, expect, test } from 'vitest'
import { terminalCommand } from './terminal-command.ts'

const lineOf = (asked: Parameters<typeof terminalCommand>[0]) => {
  const line = terminalCommand(asked, '/project')
  return line.ok ? line.value : line.failure.message
}

describe('the command line of a terminal', () => {
  test.each([
    ['a line', { command: 'npm test | tail' }, 'npm test | tail'],
    ['words', { command: 'git', args: ['commit', '-m', "it's done"] }, "git commit -m 'it'\\''s done'"],
    ['a shell with a line', { command: '/bin/bash', args: ['-c', 'a && b'] }, 'a && b'],
    [
      'variables',
      { command: 'npm', args: ['test'], env: [{ name: 'CI', value: 'a b' }] },
      "CI='a b' npm test",
    ],
    [
      'variables of a line',
      { command: 'a; b', env: [{ name: 'PATH', value: '/x' }] },
      'export PATH=/x; a; b',
    ],
    ['another folder', { command: 'ls', cwd: '/else where' }, "cd '/else where' && ls"],
    ['the agent’s folder', { command: 'ls', cwd: '/project/' }, 'ls'],
    ['a relative folder', { command: 'ls', cwd: 'src' }, 'The folder src is not absolute.'],
    [
      'a wrong name',
      { command: 'ls', env: [{ name: 'A=1;rm', value: '' }] },
      'A=1;rm is not the name of a variable.',
    ],
    ['nothing', { command: ' ' }, 'The command is empty.'],
  ])('%s', (_, asked, expected) => {
    expect(lineOf(asked)).toBe(expected)
  })
})

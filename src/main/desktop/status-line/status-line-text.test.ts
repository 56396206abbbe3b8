import { expect, test } from 'vitest'
import type { StatusLineRun } from '../../../shared/status-line/contract.ts'
import { runText } from './status-line.ts'

const run = (more: Partial<StatusLineRun>): StatusLineRun => ({
  ended: 'exit',
  exitCode: 0,
  output: '',
  errors: '',
  ms: 5,
  ...more,
})

test('the output becomes the text, unchanged', () => {
  expect(runText(run({ output: ' \x1b[31mmain\x1b[0m ± 3\nmore\n', errors: 'a warning' }))).toEqual({
    text: ' \x1b[31mmain\x1b[0m ± 3\nmore',
    problem: null,
  })
})

test.each<[string, Partial<StatusLineRun>, string]>([
  [
    'cannot start',
    { ended: 'not-started', errors: 'spawn /bin/zsh ENOENT' },
    'not be started: “spawn /bin/zsh ENOENT”. ',
  ],
  ['exceeds its time limit', { ended: 'too-slow', exitCode: null, output: 'half' }, 'longer than 1 second'],
  [
    'does not exist',
    { exitCode: 127, errors: '\nsh: 1: gti: not found\n' },
    'not found: “sh: 1: gti: not found”. ',
  ],
  ['fails', { exitCode: 3, output: 'x', errors: '\x1b[31mno branch\x1b[0m\n' }, 'exit code 3: “no branch”. '],
  ['is killed', { exitCode: null, errors: '' }, 'ended by a signal. '],
  ['prints nothing', { output: '\n  \n\x1b[0m\x1b]0;title\x07' }, 'printed nothing'],
  ['prints to standard error only', { errors: 'main\n' }, 'standard error: “main”'],
])('a command that %s returns the reason instead of text', (_, more, message) => {
  const { text, problem } = runText(run(more))
  expect(text).toBeNull()
  expect(problem).toContain(message)
})

test('a long error message is cut', () => {
  const { problem } = runText(run({ exitCode: 1, errors: 'x'.repeat(4000) }))
  expect(problem?.length).toBeLessThan(500)
  expect(problem).toContain('xxx…”')
})

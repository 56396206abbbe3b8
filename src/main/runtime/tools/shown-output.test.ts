import { expect, test } from 'vitest'
import { shownOutput } from './shown-output.ts'

const printed = 'origin\thttps://ana:hunter22@example.com/a.git (fetch)\norigin\tsame\n'

test.each(['git remote -v', '/usr/bin/git fetch', 'true;git fetch', '(git fetch)', 'cd x &&git fetch'])(
  'the output of %j has no password of an address',
  (command) => {
    expect(shownOutput(command).whole(printed)).not.toContain('hunter22')
  },
)

test('pieces show no part of a password, and together the whole output', () => {
  for (const size of [1, 7, 20, 31, 1000]) {
    const { whole, piece } = shownOutput('git remote -v')
    const pieces = (printed.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []).map(piece)
    expect(pieces.join('')).toBe(whole(printed))
    expect(pieces.join('')).not.toContain('hunter22')
  }
})

test('a word without an end is shown', () => {
  const { piece } = shownOutput('git log')
  expect(piece('x'.repeat(5000))).toHaveLength(5000)
})

test('other programs print what they print', () => {
  expect(shownOutput('cat .digit x').piece(printed)).toBe(printed)
})

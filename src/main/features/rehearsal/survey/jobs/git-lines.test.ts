import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { commitIn, firstAdded, plainPath, shellWord } from './git-lines.ts'

test('paths with git’s quoting are decoded', () => {
  expect(plainPath('src/a.ts')).toBe('src/a.ts')
  expect(plainPath('"\\303\\274n\\303\\257.py"')).toBe('ünï.py')
  expect(plainPath('"a\\tb \\"c\\" \\\\d\\n"')).toBe('a\tb "c" \\d\n')
})

test('a commit with tabs in its subject, and a line without a commit', () => {
  expect(commitIn('1a2b3c4\t2026-01-02\tAna\tone\ttwo')).toEqual({
    hash: '1a2b3c4',
    date: '2026-01-02',
    author: 'Ana',
    subject: 'one\ttwo',
  })
  expect(commitIn('fatal: not a git repository')).toBeNull()
})

test('the first non-empty line that a patch adds', () => {
  const patch = [
    '--- a/x',
    '+++ b/x',
    '@@ -3 +3 @@ f',
    '-old',
    '+}',
    '@@ -9,0 +10,3 @@',
    '+',
    '+  {',
    '+  new one',
  ]
  expect(firstAdded(patch)).toEqual({ line: 12, text: '  new one' })
  expect(firstAdded(['@@ -3 +2,0 @@', '-gone'])).toBeNull()
})

test.each(["it's", '$(touch x)', '-rf', 'a b', '`x`', '\\'])('a shell receives %s unchanged', (text) => {
  expect(execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' })).toBe(text)
})

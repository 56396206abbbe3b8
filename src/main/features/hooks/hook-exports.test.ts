/** The lines that hooks write for later commands are read as a shell would read them, and none is run. */
import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { sessionEnvironment } from '../../runtime/tools/bash.ts'
import { readExports } from './hook-exports.ts'

const BASE = { PATH: '/usr/bin:/bin', HOME: '/home/me' }

/** What a shell would have set. */
function inShell(text: string, names: readonly string[]): Record<string, string> {
  const script = `set -a\n${text}\nfor name in ${names.join(' ')}; do printf '%s=%s\\0' "$name" "\${!name}"; done`
  const printed = execFileSync('bash', ['-c', script], { env: BASE, encoding: 'utf8' })
  return Object.fromEntries(
    printed
      .split('\0')
      .filter((pair) => pair !== '')
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  )
}

test.each([
  'export A=1',
  'A=1\nexport B="two words"; export C=x',
  `export A='it is $HOME' B=plain`,
  `export A='it'"'"'s'`,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell's variable
  'export A="$HOME/bin:${PATH}"',
  'export A="a \\"b\\" \\$HOME \\\\ c"',
  'declare -x A="line 1\nline 2"',
  `declare -x A=$'tab\\there\\nand \\'quote\\' \\x41\\101'`,
  'export A=a\\ b # a comment\n# export B=2',
  'export A=x#y',
  'A=1\nA=$A:2\n\n  export  B=',
  'export A=one\nexport B=two\nunset A',
])('%j means what it means to a shell', (text) => {
  const { variables, leftOut } = readExports(text, BASE)
  expect(leftOut).toEqual([])
  const names = ['A', 'B', 'C']
  const set = Object.fromEntries(names.map((name) => [name, variables[name] ?? '']))
  expect(set).toEqual(inShell(text, names))
})

test.each([
  'export A=$(touch /tmp/x)',
  'export A=`touch /tmp/x`',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell's variable
  'export A="${HOME:-$(touch x)}"',
  'touch /tmp/x',
  'export A=1 && touch x',
  'source ./other',
  'export A=1 | sh',
  'eval "export A=1"',
])('%j is left out', (text) => {
  const { variables, leftOut } = readExports(`${text}\nexport LAST=yes`, BASE)
  expect(leftOut.length).toBeGreaterThan(0)
  expect(variables).toEqual({ LAST: 'yes' })
})

test.each([
  'LD_PRELOAD',
  'DYLD_INSERT_LIBRARIES',
  'BASH_ENV',
  'GIT_EXTERNAL_DIFF',
  'GIT_DIR',
  'RIPGREP_CONFIG_PATH',
  'LESSOPEN',
])('%s changes what commands do, and is left out', (name) => {
  expect(readExports(`export ${name}=./evil\nexport GIT_AUTHOR_NAME=Ada`, BASE)).toEqual({
    variables: { GIT_AUTHOR_NAME: 'Ada' },
    leftOut: [name],
  })
})

describe('the folders of PATH that an agent can write', () => {
  const session = {
    root: '/p',
    project: '/p',
    worktree: null,
    variables: () => ({ PATH: './evil:/p/.venv/bin:/opt/bin:/usr/bin' }),
  }
  test('come first in the sandbox', () => {
    expect(sessionEnvironment(session, true)).toEqual(session.variables())
  })
  test('come last elsewhere', () => {
    expect(sessionEnvironment(session, false)).toEqual({
      PATH: '/opt/bin:/usr/bin:./evil:/p/.venv/bin',
    })
  })
})

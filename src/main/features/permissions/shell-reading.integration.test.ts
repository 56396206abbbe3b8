/**
 * What bash really runs is among the parts that the permission check finds: random command lines are run with stubs on
 * PATH, which record their names. TROUPE_SHELL_RUNS sets the number of command lines; by default they are the same each
 * time.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseShell } from '../../runtime/permissions/shell/parse-shell.ts'
import { readsTheSame } from '../../runtime/permissions/shell/second-reading.ts'
import { commandParts } from '../../runtime/permissions/shell/walk-commands.ts'

const RUNS = Number(process.env['TROUPE_SHELL_RUNS'] ?? 60)
const STUBS = ['alpha', 'beta', 'gamma', 'delta', 'good', 'bad']

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-shell-'))
  mkdirSync(join(folder, 'bin'))
  for (const name of STUBS) {
    const end = name === 'bad' ? 'exit 1' : 'exit 0'
    const file = join(folder, 'bin', name)
    writeFileSync(file, `#!/bin/sh\necho ${name} >> "$RECORD"\necho out\n${end}\n`)
    chmodSync(file, 0o755)
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let runs = 0

/** The stubs that bash ran. A process that outlives its command line has a record of its own. */
function ranBy(command: string): ReadonlySet<string> {
  const record = join(folder, `record-${++runs}`)
  spawnSync('/bin/bash', ['-c', `${command}\nwait`], {
    cwd: folder,
    env: { PATH: join(folder, 'bin'), RECORD: record, HOME: folder },
    stdio: 'ignore',
    timeout: 10_000,
  })
  return new Set(existsSync(record) ? readFileSync(record, 'utf8').split('\n').filter(Boolean) : [])
}

const stub = fc.constantFrom(...STUBS)
const blank = fc.constantFrom(' ', '  ', '\t')
const plainWord = fc.constantFrom(
  ...[
    'x',
    '-n',
    "'a b'",
    '"a b"',
    '$V',
    '"$V"',
    '{a,b}',
    '*',
    "'; alpha'",
    '"; beta"',
    '\\;',
    'a#x',
    'a=b',
    "''",
  ],
)
const redirect = fc.constantFrom('> /dev/null', '2>&1', '>&2', '< /dev/null', '<<< x', '2> /dev/null')
const simple = fc
  .tuple(stub, blank, fc.array(plainWord, { maxLength: 2 }), fc.option(redirect, { nil: '' }))
  .map(([name, gap, words, end]) => [name, ...words, end].join(gap).trim())

/** Lists of commands, nested up to three times. A list inside another construct ends with a line break. */
function listOf(depth: number): fc.Arbitrary<string> {
  if (depth === 0) return simple
  const inner = listOf(depth - 1)
  const word = fc.oneof(
    { arbitrary: plainWord, weight: 3 },
    { arbitrary: inner.map((list) => `"$(${list}\n)"`), weight: 1 },
    { arbitrary: inner.map((list) => `$(${list}\n)`), weight: 1 },
    { arbitrary: stub.map((name) => `\`${name}\``), weight: 1 },
    { arbitrary: inner.map((list) => ` <(${list}\n)`), weight: 1 },
  )
  const command = fc.oneof(
    { arbitrary: simple, weight: 4 },
    { arbitrary: fc.tuple(stub, word).map((parts) => parts.join(' ')), weight: 4 },
    { arbitrary: fc.tuple(plainWord, stub).map(([value, name]) => `V=${value} ${name}`), weight: 1 },
    { arbitrary: inner.map((list) => `(${list}\n)`), weight: 1 },
    { arbitrary: inner.map((list) => `{ ${list}\n}`), weight: 1 },
    {
      arbitrary: fc.tuple(inner, inner, inner).map(([a, b, c]) => `if ${a}\nthen ${b}\nelse ${c}\nfi`),
      weight: 1,
    },
    { arbitrary: fc.tuple(inner, inner).map(([a, b]) => `while ${a}\nbad\ndo ${b}\ndone`), weight: 1 },
    {
      arbitrary: fc.tuple(word, inner).map(([value, list]) => `for V in ${value} y; do ${list}\ndone`),
      weight: 1,
    },
    {
      arbitrary: fc
        .tuple(word, inner, inner)
        .map(([value, a, b]) => `case ${value} in x) ${a}\n;; *) ${b}\nesac`),
      weight: 1,
    },
    {
      arbitrary: fc.tuple(plainWord, stub).map(([value, name]) => `[[ -n ${value} ]] && ${name}`),
      weight: 1,
    },
    {
      arbitrary: fc.tuple(stub, inner).map(([name, list]) => `{ ${name} <<EOF\ntext $(${list}\n)\nEOF\n}`),
      weight: 1,
    },
  )
  const pipeline = fc
    .tuple(fc.constantFrom('', '', '', '! ', 'time '), fc.array(command, { minLength: 1, maxLength: 2 }))
    .map(([start, commands]) => start + commands.join(' | '))
  const joint = fc.constantFrom(' && ', ' || ', '; ', '\n', ' & ')
  return fc
    .tuple(pipeline, fc.array(fc.tuple(joint, pipeline), { maxLength: 2 }))
    .map(([first, rest]) => first + rest.map((pair) => pair.join('')).join(''))
}

test('every program that bash runs is a part that the check finds', () => {
  let understood = 0
  let total = 0
  fc.assert(
    fc.property(listOf(3), (command) => {
      total += 1
      const parsed = parseShell(command)
      if (!parsed.ok || !readsTheSame(command, parsed.list)) return
      understood += 1
      const found = new Set(
        commandParts(parsed.list, '/').map(
          ({ command: { words } }) => words.find(({ value }) => value !== 'time')?.value,
        ),
      )
      for (const name of ranBy(command)) expect(found, command).toContain(name)
    }),
    { numRuns: RUNS, seed: RUNS > 60 ? Date.now() : 51 },
  )
  // A check that understands nothing would pass, too.
  expect(understood / total).toBeGreaterThan(0.2)
})

test('the stubs are what runs', () => {
  expect(execFileSync('/bin/bash', ['-c', 'echo $BASH_VERSION']).length).toBeGreaterThan(0)
  expect([...ranBy('alpha | (bad || gamma) && echo "$(delta)"')].sort()).toEqual([
    'alpha',
    'bad',
    'delta',
    'gamma',
  ])
})

import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createPlaceholders, type Placeholders } from './placeholders.ts'

let base = ''
let placeholders: Placeholders
const at = (...names: string[]) => join(base, 'project', ...names)
const spare = () => readdirSync(join(base, 'store'), { recursive: true }).length

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-placeholders-')))
  for (const name of ['own', 'store', 'project']) mkdirSync(join(base, name))
  placeholders = createPlaceholders(join(base, 'own'), [join(base, 'store')])
})
afterEach(() => rmSync(base, { recursive: true }))

test('stand at their paths while somebody holds them', () => {
  expect(placeholders.hold(at('.envrc'), 'file')).toBe(true)
  expect(placeholders.hold(at('.envrc'), 'file')).toBe(true)
  expect(placeholders.hold(at('.vscode'), 'folder')).toBe(true)
  placeholders.release(at('.envrc'))
  expect(statSync(at('.envrc')).isSocket()).toBe(true)
  expect(placeholders.has(at('.envrc'))).toBe(true)
  expect(readdirSync(at('.vscode'))).toEqual([])
  placeholders.release(at('.envrc'))
  placeholders.release(at('.vscode'))
  expect(readdirSync(at())).toEqual([])
  expect(placeholders.has(at('.envrc'))).toBe(false)
})

test('are the same files each time, so that none is made or removed', () => {
  const numbers = () => [at('.envrc'), at('.vscode')].map((path) => statSync(path).ino)
  const hold = () => {
    placeholders.hold(at('.envrc'), 'file')
    placeholders.hold(at('.vscode'), 'folder')
  }
  hold()
  const before = numbers()
  for (const path of [at('.envrc'), at('.vscode')]) placeholders.release(path)
  hold()
  expect(numbers()).toEqual(before)
})

test('never replace what is there', () => {
  writeFileSync(at('.envrc'), 'mine')
  mkdirSync(at('.vscode', 'mine'), { recursive: true })
  expect(placeholders.hold(at('.envrc'), 'file')).toBe(false)
  expect(placeholders.hold(at('.vscode'), 'folder')).toBe(false)
  expect(readFileSync(at('.envrc'), 'utf8')).toBe('mine')
  expect(existsSync(at('.vscode', 'mine'))).toBe(true)
})

test('can be written by nobody, and git sees none of them', () => {
  const git = (...args: string[]) => execFileSync('git', ['-C', at(), ...args], { encoding: 'utf8' })
  git('init', '-q')
  writeFileSync(at('mine'), 'mine')
  for (const name of ['.envrc', '.gitmodules', 'CLAUDE.md']) placeholders.hold(at(name), 'file')
  placeholders.hold(at('.vscode'), 'folder')
  expect(() => appendFileSync(at('.envrc'), 'mine')).toThrow('ENXIO')
  git('add', '-A')
  expect(git('status', '--porcelain')).toBe('A  mine\n')
})

test.each([
  ['a folder with a file', () => writeFileSync(at('.vscode', 'a'), 'mine'), '.vscode'],
  [
    'another file',
    () => {
      rmSync(at('.envrc'))
      writeFileSync(at('.envrc'), '')
    },
    '.envrc',
  ],
])('leave %s, and stand there again without it', (_what, change, name) => {
  const kind = name === '.envrc' ? 'file' : 'folder'
  placeholders.hold(at(name), kind)
  change()
  placeholders.release(at(name))
  expect(existsSync(at(name))).toBe(true)
  rmSync(at(name), { recursive: true })
  expect(placeholders.hold(at(name), kind)).toBe(true)
  expect(kind === 'file' ? statSync(at(name)).isSocket() : readdirSync(at(name)).length === 0).toBe(true)
})

test('stay with their folder: what a program holds open in one project is never placed in another', () => {
  placeholders.hold(at('.vscode'), 'folder')
  const { ino } = statSync(at('.vscode'))
  placeholders.release(at('.vscode'))
  mkdirSync(at('other'))
  placeholders.hold(at('other', '.vscode'), 'folder')
  expect(statSync(at('other', '.vscode')).ino).not.toBe(ino)
})

test('are made where no store is on the disk', () => {
  const none = createPlaceholders(join(base, 'own'), [])
  expect(none.hold(at('.envrc'), 'file')).toBe(true)
  expect(none.hold(at('.vscode'), 'folder')).toBe(true)
  expect(readdirSync(at()).sort()).toEqual(['.envrc', '.vscode'])
  none.release(at('.envrc'))
  none.release(at('.vscode'))
  expect(readdirSync(at())).toEqual([])
})

test('of a disk without a store are made there', ({ skip }) => {
  const other = '/dev/shm'
  if (!existsSync(other) || statSync(other).dev === statSync(base).dev) skip()
  const folder = mkdtempSync(join(other, 'troupe-placeholders-'))
  try {
    expect(placeholders.hold(join(folder, '.envrc'), 'file')).toBe(true)
    expect(placeholders.hold(join(folder, '.vscode'), 'folder')).toBe(true)
    expect(readdirSync(folder).sort()).toEqual(['.envrc', '.vscode'])
    for (const name of ['.envrc', '.vscode']) placeholders.release(join(folder, name))
    expect(readdirSync(folder)).toEqual([])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('are made where their store fails, as on a disk without links', () => {
  for (const [name, kind] of [
    ['.envrc', 'file'],
    ['.vscode', 'folder'],
  ] as const) {
    placeholders.hold(at(name), kind)
    placeholders.release(at(name))
  }
  rmSync(join(base, 'store'), { recursive: true })
  expect(placeholders.hold(at('.envrc'), 'file')).toBe(true)
  expect(placeholders.hold(at('.vscode'), 'folder')).toBe(true)
  expect(readdirSync(at()).sort()).toEqual(['.envrc', '.vscode'])
  for (const name of ['.envrc', '.vscode']) placeholders.release(at(name))
  expect(readdirSync(at())).toEqual([])
})

test('are few, however often they are held', () => {
  for (let count = 0; count < 5; count++) {
    placeholders.hold(at('.envrc'), 'file')
    placeholders.release(at('.envrc'))
  }
  // The folder of the project's spare ones, the socket, and what takes its path.
  expect(spare()).toBe(3)
})

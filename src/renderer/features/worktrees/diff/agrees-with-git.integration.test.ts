import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { comparedSidesOf, diffLines } from './diff-lines.ts'

let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'troupe-diff-'))
})
afterAll(() => rm(home, { recursive: true, force: true }))

interface Pair {
  readonly before: string
  readonly after: string
}

/** Added and removed lines of each pair, from one call of git. */
async function countsByGit(name: string, pairs: readonly Pair[]): Promise<readonly string[]> {
  for (const side of ['before', 'after'] as const) {
    await mkdir(join(home, name, side), { recursive: true })
    await Promise.all(pairs.map((pair, at) => writeFile(join(home, name, side, `${at}.txt`), pair[side])))
  }
  const args = ['-c', 'core.autocrlf=false', 'diff', '--no-index', '--numstat', '--minimal']
  const output = await new Promise<string>((resolve) => {
    // Exit code 1 means that files differ.
    execFile(
      'git',
      [...args, 'before', 'after'],
      { cwd: join(home, name), maxBuffer: 2 ** 26 },
      (_, stdout) => resolve(stdout),
    )
  })
  const counts = new Map(
    output.split('\n').flatMap((line) => {
      const [, added, removed, at] = /^(\d+)\t(\d+)\t.*?(\d+)\.txt/.exec(line) ?? []
      return at === undefined ? [] : [[Number(at), `+${added} -${removed}`] as const]
    }),
  )
  return pairs.map((_, at) => counts.get(at) ?? '+0 -0')
}

function countsByWindow({ before, after }: Pair): string {
  const { compared } = comparedSidesOf(before, after)
  const changes = diffLines(compared.before, compared.after, false).filter(({ kind }) => kind === 'change')
  const sum = (counts: readonly number[]) => counts.reduce((all, one) => all + one, 0)
  return `+${sum(changes.map(({ afterCount }) => afterCount))} -${sum(changes.map(({ beforeCount }) => beforeCount))}`
}

const line = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'b',
    'c',
    'a\rb',
    '\r',
    '\tä',
    '日本語',
    'e\u0301',
    'é',
    '\u202E',
    '\uFEFFx',
    '🎭',
  ),
  fc.nat({ max: 40 }).map((number) => `line ${number}`),
  fc.constantFrom('x'.repeat(5000), `${'x'.repeat(5000)}y`),
)
const ending = fc.constantFrom('\n', '\r\n')
/** A text as its lines; the endings are uniform or mixed, and the last one may be missing. */
const textOf = (lines: fc.Arbitrary<readonly string[]>) =>
  fc
    .tuple(lines, fc.oneof(ending, fc.constant(null)), fc.infiniteStream(ending), fc.boolean())
    .map(([all, uniform, endings, isComplete]) => {
      const text = all.map((one) => `${one}${uniform ?? endings.next().value}`).join('')
      return isComplete ? text : text.replace(/\r?\n$/, '')
    })
const edited = (lines: readonly string[]) =>
  fc
    .array(fc.tuple(fc.nat({ max: lines.length }), fc.nat({ max: 2 }), fc.array(line, { maxLength: 2 })), {
      maxLength: 3,
    })
    .map((edits) =>
      edits.reduce((all, [at, removed, added]) => all.toSpliced(at, removed, ...added), [...lines]),
    )
const pair: fc.Arbitrary<Pair> = fc
  .array(line, { maxLength: 30 })
  .chain((lines) => fc.record({ before: textOf(fc.constant(lines)), after: textOf(edited(lines)) }))

/** Git's heuristics rarely give more lines than needed. */
const isLonger = (byGit = '', own = '') => sumOf(byGit) > sumOf(own)
const sumOf = (counts: string) => counts.split(' ').reduce((sum, count) => sum + Math.abs(Number(count)), 0)

test('the window counts added and removed lines of random files as git does', async () => {
  const pairs = fc.sample(pair, { numRuns: 1500, seed: 12 })
  const [own, byGit] = [pairs.map(countsByWindow), await countsByGit('random', pairs)]
  const different = pairs.flatMap(({ before, after }, at) =>
    own[at] === byGit[at]
      ? []
      : [{ before: shorter(before), after: shorter(after), own: own[at], byGit: byGit[at] }],
  )
  expect(different.filter((one) => !isLonger(one.byGit, one.own))).toEqual([])
  expect(different.length).toBeLessThan(5)
  expect(new Set(byGit).size).toBeGreaterThan(30)
})

const shorter = (text: string) => text.replaceAll(/x{50,}/g, 'xxx…')

test('the lines shown are the lines of both files', () => {
  fc.assert(
    fc.property(pair, ({ before, after }) => {
      const { shown, compared } = comparedSidesOf(before, after)
      const sides = [
        { text: before, shown: shown.before, compared: compared.before },
        { text: after, shown: shown.after, compared: compared.after },
      ]
      for (const { text, shown, compared } of sides) {
        const raw = text.split('\n')
        const lines = raw.at(-1) === '' ? raw.slice(0, -1) : raw
        const isHidden = shown.some((one, at) => one !== lines[at])
        const expected = isHidden ? lines.map((one) => one.replace(/\r$/, '')) : lines
        expect(shown.map(shorter)).toEqual(expected.map(shorter))
        expect(compared).toHaveLength(shown.length)
      }
    }),
  )
})

/** Git decides by the first 8000 bytes whether a file is text. */
const LONG = 'x'.repeat(9000)

test.each([
  ['CR LF becomes mixed by one line', 'a\r\nb\r\nc\r\n', 'a\r\nb\nc\r\n', '+1 -1'],
  ['LF becomes mixed', 'a\nb\nc\n', 'a\nb\r\nc\n', '+1 -1'],
  ['mixed becomes LF', 'a\nb\r\nc\n', 'a\nb\nc\n', '+1 -1'],
  ['CR LF becomes LF', 'a\r\nb\r\n', 'a\nb\n', '+2 -2'],
  ['the last line break is removed', 'a\nb\n', 'a\nb', '+1 -1'],
  ['a line is added after a last line without a break', 'a', 'a\nb', '+2 -1'],
  ['text far from the start has a zero byte', `${LONG}\na\0b\n`, `${LONG}\na\0c\nd\n`, '+2 -1'],
  ['a line with CR LF is added to LF', 'a\n', 'a\nb\r\n', '+1 -0'],
])('%s', async (name, before, after, counts) => {
  expect(countsByWindow({ before, after })).toBe(counts)
  expect(await countsByGit(name.replaceAll(' ', '-'), [{ before, after }])).toEqual([counts])
})

import { expect, test } from 'vitest'
import type { ReviewChanges, ReviewFile } from '../../../../shared/worktrees/review.ts'
import { agreementOf, comparedFiles } from './compared-files.ts'

const file = (path: string, content: string): ReviewFile => ({
  path,
  oldPath: null,
  kind: 'modified',
  insertions: 1,
  deletions: 0,
  uncommitted: false,
  content,
  notes: [],
})

const changes = (id: string, files: readonly ReviewFile[]): ReviewChanges => ({
  id,
  from: 'base',
  version: 'v',
  files,
  commits: [],
  moreFiles: 0,
  asked: [],
})

const files = comparedFiles(
  new Map([
    ['a', changes('a', [file('z.ts', 'x y'), file('shared.ts', 'x y'), file('other.ts', 'x 1')])],
    ['b', changes('b', [file('other.ts', 'x 2'), file('shared.ts', 'x y')])],
    ['c', changes('c', [file('only-c.ts', 'x y')])],
    ['d', changes('d', [])],
  ]),
)
const of = (path: string) => files.find((one) => one.path === path)!

test('the list has each file once, by path, with the attempts that changed it', () => {
  expect(files.map(({ path, changes }) => [path, [...changes.keys()]])).toEqual([
    ['only-c.ts', ['c']],
    ['other.ts', ['a', 'b']],
    ['shared.ts', ['a', 'b']],
    ['z.ts', ['a']],
  ])
})

test('the same change, different ones, a change of one attempt, and one of no shown attempt are told apart', () => {
  expect(agreementOf(of('shared.ts'), ['a', 'b'])).toEqual({ kind: 'same' })
  expect(agreementOf(of('other.ts'), ['a', 'b'])).toEqual({ kind: 'different' })
  expect(agreementOf(of('z.ts'), ['a', 'b'])).toEqual({ kind: 'one', agentId: 'a' })
  expect(agreementOf(of('only-c.ts'), ['a', 'b'])).toEqual({ kind: 'none' })
  // Two of three agree, and the third has not changed the file.
  expect(agreementOf(of('shared.ts'), ['a', 'b', 'd'])).toEqual({ kind: 'different' })
})

import { expect, test } from 'vitest'
import { conflictParts } from './conflict-parts.ts'

test('both sides of each conflict, and what is between', () => {
  expect(conflictParts('a\n<<<<<<< main\nb\n=======\nc\nd\n>>>>>>> mine\ne\n')).toEqual([
    { kind: 'same', lines: ['a'] },
    { kind: 'conflict', oursName: 'main', theirsName: 'mine', ours: ['b'], theirs: ['c', 'd'] },
    { kind: 'same', lines: ['e'] },
  ])
})

test('what both began from is left out; an empty side stays one', () => {
  expect(conflictParts('<<<<<<< a\nx\n||||||| base\ny\n=======\n>>>>>>> b\n')).toEqual([
    { kind: 'conflict', oursName: 'a', theirsName: 'b', ours: ['x'], theirs: [] },
  ])
})

test('lines that only look like markers stay text', () => {
  const text = ['Title', '=======', '<<<<<<< not a set', 'x']
  expect(conflictParts(text.join('\n'))).toEqual([{ kind: 'same', lines: text }])
})

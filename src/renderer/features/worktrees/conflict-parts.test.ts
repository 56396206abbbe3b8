import { expect, test } from 'vitest'
import { conflictParts } from './conflict-resolution.ts'

test('a text splits into both sides of each conflict and the lines between', () => {
  expect(conflictParts('a\n<<<<<<< main\nb\n=======\nc\nd\n>>>>>>> mine\ne\n')).toEqual([
    { kind: 'same', lines: ['a'] },
    { kind: 'conflict', oursName: 'main', theirsName: 'mine', ours: ['b'], theirs: ['c', 'd'], base: null },
    { kind: 'same', lines: ['e'] },
  ])
})

test('the lines before both changes and an empty side stay', () => {
  expect(conflictParts('<<<<<<< a\nx\n||||||| base\ny\n=======\n>>>>>>> b\n')).toEqual([
    { kind: 'conflict', oursName: 'a', theirsName: 'b', ours: ['x'], theirs: [], base: ['y'] },
  ])
})

test('incomplete markers stay text', () => {
  const text = ['Title', '=======', '<<<<<<< not a set', 'x']
  expect(conflictParts(text.join('\n'))).toEqual([{ kind: 'same', lines: text }])
})

import { expect, test } from 'vitest'
import { placedParts, wholeSides } from './conflict-lines.ts'

const lines = (...all: readonly string[]) => all.map((line) => `${line}\n`).join('')

test('each line has its number in the version that it comes from', () => {
  // Ours added a line at the top, and theirs one at the end; both changed c.
  const parts = placedParts({
    base: { text: lines('a', 'b', 'c', 'd', 'e') },
    ours: { text: lines('top', 'a', 'b', 'ours', 'd', 'e') },
    theirs: { text: lines('a', 'b', 'theirs', 'more', 'd', 'e', 'end') },
    text: lines(
      ...['top', 'a', 'b', '<<<<<<< main', 'ours', '||||||| base', 'c', '=======', 'theirs', 'more'],
      ...['>>>>>>> mine', 'd', 'e', 'end'],
    ),
  })
  expect(parts).toMatchObject([
    {
      lines: [
        { text: 'top', ours: 1, theirs: null },
        { text: 'a', ours: 2, theirs: 1 },
        { text: 'b', ours: 3, theirs: 2 },
      ],
    },
    {
      base: [{ text: 'c', number: 3, changed: true }],
      ours: [{ text: 'ours', number: 4, changed: true, partner: 'c' }],
      theirs: [
        { text: 'theirs', number: 3, changed: true, partner: 'c' },
        { text: 'more', number: 4, changed: true, partner: null },
      ],
    },
    {
      lines: [
        { text: 'd', ours: 5, theirs: 5 },
        { text: 'e', ours: 6, theirs: 6 },
        { text: 'end', ours: null, theirs: 7 },
      ],
    },
  ])
})

test('a line that one side kept is changed only on the other', () => {
  const [part] = placedParts({
    base: { text: lines('x', 'y') },
    ours: { text: lines('x', 'Y') },
    theirs: { text: lines('X', 'yy') },
    text: lines('<<<<<<< a', 'x', 'Y', '||||||| b', 'x', 'y', '=======', 'X', 'yy', '>>>>>>> c'),
  })
  expect(part).toMatchObject({
    base: [{ changed: true }, { changed: true }],
    ours: [
      { text: 'x', changed: false },
      { text: 'Y', changed: true },
    ],
    theirs: [{ changed: true }, { changed: true }],
  })
})

test('lines that both sides added have no version before; line endings do not count', () => {
  const [part] = placedParts({
    base: null,
    ours: { text: 'one\r\n' },
    theirs: { text: 'two\r\n' },
    text: '<<<<<<< a\r\none\r\n=======\r\ntwo\r\n>>>>>>> c\r\n',
  })
  expect(part).toMatchObject({
    base: null,
    ours: [{ text: 'one', number: 1, changed: true }],
    theirs: [{ text: 'two', number: 1, changed: true }],
  })
})

test('a deleted file is compared as a whole, unless a version is not text', () => {
  const deleted = { base: { text: lines('a', 'b') }, ours: null, theirs: { text: lines('a', 'B') } }
  expect(wholeSides(deleted)).toMatchObject({
    base: [{ number: 1, changed: true }, { number: 2 }],
    ours: [],
    theirs: [
      { text: 'a', changed: false },
      { text: 'B', number: 2, changed: true },
    ],
  })
  expect(wholeSides({ ...deleted, theirs: { text: null } })).toBeNull()
})

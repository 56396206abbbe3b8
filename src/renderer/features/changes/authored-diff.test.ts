import { expect, test } from 'vitest'
import type { FileHistory } from '../../../shared/changes/changes.ts'
import { authoredDiff, authorOf, partOf, YOU } from './authored-diff.ts'

const step = (agentId: string | null, text: string | null) => ({
  agentId,
  toolUseId: agentId && `t-${agentId}`,
  at: 1,
  text,
})
const history = (first: string | null, ...steps: FileHistory['steps']): FileHistory => ({ first, steps })
const shown = (file: FileHistory, only: string | null = null) =>
  authoredDiff(file, only)?.lines.map(({ kind, text, author }) =>
    kind === 'hunk'
      ? '@'
      : `${{ context: ' ', added: '+', removed: '-' }[kind]}${text}${author === null ? '' : ` ${author}`}`,
  )

test('each line has the author that changed it last, and a removed line the author that removed it', () => {
  const file = history(
    'a\nb\nc\n',
    step('x', 'a\nB\nc\n'),
    step(null, 'a\nB\nmine\nc\n'),
    step('y', 'a\nB\nmine\nc\nd\n'),
  )
  expect(shown(file)).toEqual([' a', '-b x', '+B x', '+mine you', ' c', '+d y'])
  expect(authoredDiff(file, null)?.overlaps).toBe(1)
})

test('a line that was removed and came back is unchanged', () => {
  expect(shown(history('a\nb\nc\n', step('x', 'a\nc\n'), step(null, 'a\nb\nc\n')))).toEqual([])
  expect(shown(history('a\nb\nc\nd\n', step('x', 'a\nd\n'), step(null, 'a\nb\nX\nd\n')))).toEqual([
    ' a',
    ' b',
    '-c x',
    '+X you',
    ' d',
  ])
})

test('one author’s filter keeps the changes with a line of that author', () => {
  const far = Array.from({ length: 20 }, (_, index) => `${index}`)
  const text = (change: (lines: string[]) => void, from = far) => {
    const lines = [...from]
    change(lines)
    return { lines, text: `${lines.join('\n')}\n` }
  }
  const one = text((lines) => (lines[0] = 'x'))
  const two = text((lines) => (lines[19] = 'mine'), one.lines)
  const file = history(`${far.join('\n')}\n`, step('x', one.text), step(null, two.text))
  expect(shown(file, YOU)).toEqual(['@', ' 16', ' 17', ' 18', '-19 you', '+mine you'])
  expect(shown(file, 'x')?.[0]).toBe('-0 x')
  expect(shown(file)?.filter((line) => line === '@')).toHaveLength(1)
})

test('a new file and a deleted file have only added or removed lines', () => {
  expect(shown(history(null, step('x', 'a\n')))).toEqual(['+a x'])
  expect(shown(history('a\n', step('x', null)))).toEqual(['-a x'])
})

test('a part of a history begins with the state before it', () => {
  const file = history('1\n', step('x', '2\n'), step('y', '3\n'), step('x', '4\n'))
  expect(partOf(file, (one) => authorOf(one) === 'y')).toEqual({ first: '2\n', steps: [file.steps[1]] })
  expect(partOf(file, (one) => authorOf(one) === 'x')).toEqual(file)
  expect(partOf(file, (one) => authorOf(one) === 'z')).toBeNull()
})

test('line numbers follow both states, and each run of changes has one start', () => {
  const diff = authoredDiff(history('a\nb\nc\n', step('x', 'A\nb\nc\nd\n')), null)
  expect(diff?.lines.map(({ before, after, startsChange }) => [before, after, startsChange])).toEqual([
    [1, null, true],
    [null, 1, false],
    [2, 2, false],
    [3, 3, false],
    [null, 4, true],
  ])
})

import { diffArrays } from 'diff'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { triesOf } from '../testing/tries.ts'
import { type DefinitionPassage, definitionChanges, withoutChanges } from './definition-changes.ts'

const changesOf = (before: string, after: string) => definitionChanges(before, after, diffArrays)

const BEFORE = `---
name: security-reviewer
tools: Read, Grep
---
Review the changed files.

Report only what you can show in the code.
Say how sure you are.
`

const AFTER = `---
name: security-reviewer
tools: Read, Grep, Glob
---
Review the changed files.

Read their callers, too.

Never guess.

Report anything that may become a problem.
`

test('lists the changes from the top, each with its lines', () => {
  expect(changesOf(BEFORE, AFTER)).toEqual([
    change(3, 3, ['tools: Read, Grep\n'], ['tools: Read, Grep, Glob\n']),
    {
      beforeLine: 7,
      afterLine: 7,
      removed: ['Report only what you can show in the code.\n', 'Say how sure you are.\n'],
      added: [
        ...['Read their callers, too.\n', '\n', 'Never guess.\n', '\n'],
        'Report anything that may become a problem.\n',
      ],
    },
  ])
})

test('takes one change out and leaves the others', () => {
  const [tools] = changesOf(BEFORE, AFTER)
  expect(withoutChanges(AFTER, tools === undefined ? [] : [tools])).toBe(
    AFTER.replace('tools: Read, Grep, Glob', 'tools: Read, Grep'),
  )
})

test('has a change for each line that replaces one, and for each paragraph that is new or deleted', () => {
  expect(changesOf('a\nb\nc\n', 'a\nB\nC\n')).toEqual([
    change(2, 2, ['b\n'], ['B\n']),
    change(3, 3, ['c\n'], ['C\n']),
  ])
  expect(changesOf('a\n', 'a\n\none\nmore\n\n\ntwo\n')).toEqual([
    change(2, 2, [], ['\n']),
    change(2, 3, [], ['one\n', 'more\n', '\n', '\n']),
    change(2, 7, [], ['two\n']),
  ])
  expect(changesOf('a\n\none\n', '')).toEqual([change(1, 1, ['a\n', '\n'], []), change(3, 1, ['one\n'], [])])
})

test('keeps the ends of lines, also where the last line has none', () => {
  expect(changesOf('a\r\nb', 'a\nb\n')).toEqual([
    change(1, 1, ['a\r\n'], ['a\n']),
    change(2, 2, ['b'], ['b\n']),
  ])
  expect(changesOf('', '')).toEqual([])
})

const texts = fc
  .array(fc.constantFrom('a', 'b', 'c', '', ' ', 'a\r'), { maxLength: 12 })
  .map((lines) => lines.join('\n'))

test('without all changes the later text is the earlier one, and what changed is in the changes', () => {
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const changes = changesOf(before, after)
      expect(withoutChanges(after, changes)).toBe(before)
      expect(withoutChanges(after, [])).toBe(after)
      expect(changes.length === 0).toBe(before === after)
    }),
    { numRuns: triesOf(1000) },
  )
})

test('the order in which changes are taken out does not matter', () => {
  const scenes = fc
    .tuple(texts, texts)
    .map(([before, after]) => ({ after, changes: changesOf(before, after) }))
    .chain(({ after, changes }) =>
      fc.record({
        after: fc.constant(after),
        some: fc.subarray([...changes]),
        order: fc.shuffledSubarray([...changes.keys()], { minLength: changes.length }),
        changes: fc.constant(changes),
      }),
    )
  fc.assert(
    fc.property(scenes, ({ after, some, order, changes }) => {
      const shuffled = order.flatMap((at) => changes[at] ?? []).filter((each) => some.includes(each))
      expect(withoutChanges(after, shuffled)).toBe(withoutChanges(after, some))
    }),
    { numRuns: triesOf(1000) },
  )
})

test('what is left after one change is taken out still has the others', () => {
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      for (const [at, taken] of changesOf(before, after).entries()) {
        const rest = withoutChanges(after, [taken])
        const others = changesOf(before, after).filter((_, other) => other !== at)
        const added = others.flatMap((other) => other.added)
        for (const line of added) expect(rest).toContain(line)
      }
    }),
    { numRuns: triesOf(300) },
  )
})

function change(
  beforeLine: number,
  afterLine: number,
  removed: readonly string[],
  added: readonly string[],
): DefinitionPassage {
  return { beforeLine, afterLine, removed, added }
}

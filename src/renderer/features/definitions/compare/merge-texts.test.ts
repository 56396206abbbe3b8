import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { triesOf } from '../../../../shared/testing/tries.ts'
import { markedLines, mergeTexts, repeatedKeys } from './merge-texts.ts'

const base = '---\nname: a\nmodel: opus\ncolor: red\n---\n\nOne.\nTwo.\nThree.\n'

describe('a merged text', () => {
  test('has both changes when they do not overlap', () => {
    const { text, conflicts } = mergeTexts({
      base,
      mine: base.replace('name: a', 'name: b'),
      theirs: base.replace('Two.', 'Two and a half.'),
    })
    expect(text).toBe(base.replace('name: a', 'name: b').replace('Two.', 'Two and a half.'))
    expect(conflicts).toBe(0)
  })

  test('has an identical change once', () => {
    const changed = base.replace('opus', 'haiku')
    expect(mergeTexts({ base, mine: changed, theirs: changed })).toMatchObject({
      text: changed,
      conflicts: 0,
    })
  })

  test('has marks around lines that both sides changed', () => {
    const { text, conflicts, marks } = mergeTexts({
      base,
      mine: base.replace('opus', 'haiku'),
      theirs: base.replace('opus', 'sonnet'),
    })
    expect(text).toBe(
      base.replace('model: opus\n', '<<<<<<< mine\nmodel: haiku\n=======\nmodel: sonnet\n>>>>>>> on disk\n'),
    )
    expect(conflicts).toBe(1)
    expect(markedLines(text, marks)).toEqual([3, 5, 7])
  })

  test('has longer marks when the text contains lines that look like marks', () => {
    const about = `${base}Look for lines such as\n<<<<<<< mine\nor\n========\nTitle\n`
    const { text, marks } = mergeTexts({
      base: about,
      mine: about.replace('opus', 'haiku'),
      theirs: about.replace('opus', 'sonnet'),
    })
    expect(marks.mine).toBe('<<<<<<<<< mine')
    expect(markedLines(text, marks)).toEqual([3, 5, 7])
    expect(markedLines(about, marks)).toEqual([])
  })
})

describe('line endings', () => {
  const crlf = (text: string) => text.replaceAll('\n', '\r\n')

  test('stay CRLF, also in the marks', () => {
    const { text } = mergeTexts({
      base: crlf(base),
      mine: crlf(base.replace('opus', 'haiku')),
      theirs: crlf(base.replace('opus', 'sonnet')),
    })
    expect(text.split('\n').filter((line) => !line.endsWith('\r'))).toEqual([''])
  })

  test('alone are no conflict: the line endings of mine win', () => {
    const merged = mergeTexts({
      base: crlf(base),
      mine: `\uFEFF${crlf(base.replace('opus', 'haiku'))}`,
      theirs: base.replace('Three.', 'Four.'),
    })
    expect(merged.conflicts).toBe(0)
    expect(merged.text).toBe(`\uFEFF${crlf(base.replace('opus', 'haiku').replace('Three.', 'Four.'))}`)
  })

  test('a last line without a line ending is not joined with the next line', () => {
    const { text } = mergeTexts({ base: 'a\nb', mine: 'a\nc', theirs: 'a\nb\nd\n' })
    expect(text).toBe('a\n<<<<<<< mine\nc\n=======\nb\nd\n>>>>>>> on disk\n')
  })
})

describe('any texts', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'name: x', '', '- d'), { maxLength: 12 })
  const text = fc
    .tuple(lines, fc.boolean())
    .map(([parts, ended]) => parts.join('\n') + (ended && parts.length > 0 ? '\n' : ''))

  test('if one side changed nothing, the result is the other side byte for byte', () => {
    fc.assert(
      fc.property(text, text, (start, changed) => {
        expect(mergeTexts({ base: start, mine: changed, theirs: start })).toMatchObject({
          text: changed,
          conflicts: 0,
        })
        expect(mergeTexts({ base: start, mine: start, theirs: changed })).toMatchObject({
          text: changed,
          conflicts: 0,
        })
      }),
    )
  })

  test('every new line of each side is in the result', () => {
    fc.assert(
      fc.property(text, text, text, (start, mine, theirs) => {
        const merged = new Set(mergeTexts({ base: start, mine, theirs }).text.split('\n'))
        const before = new Set(start.split('\n'))
        for (const line of [...mine.split('\n'), ...theirs.split('\n')])
          if (!before.has(line) && line !== '') expect(merged).toContain(line)
      }),
    )
  })

  test('every line of the result comes from one side, so no lines are joined', () => {
    fc.assert(
      fc.property(text, text, text, (start, mine, theirs) => {
        const { text: merged, marks } = mergeTexts({ base: start, mine, theirs })
        const known = new Set(['', ...mine.split('\n'), ...theirs.split('\n'), ...Object.values(marks)])
        for (const line of merged.split('\n')) expect(known).toContain(line)
      }),
      { numRuns: triesOf(500) },
    )
  })

  test('each conflict has exactly three marks', () => {
    fc.assert(
      fc.property(text, text, text, (start, mine, theirs) => {
        const merged = mergeTexts({ base: start, mine, theirs })
        expect(markedLines(merged.text, merged.marks)).toHaveLength(merged.conflicts * 3)
      }),
    )
  })
})

test.each([
  ['---\nname: a\ndescription: x\ndescription: y\n---\n', [[4, 'description']]],
  ['---\r\nname: a\r\nname: b\r\n---\r\n', [[3, 'name']]],
  // In a list, in a block and below the frontmatter the same words are no second field.
  ['---\nname: a\nhooks:\n  name: b\ndescription: |\n  name: c\n---\nname: d\nname: e\n', []],
  ['name: a\nname: b\n', []],
])('fields that are there twice: %j', (text, expected) => {
  expect([...repeatedKeys(text)]).toEqual(expected)
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { markedLines, mergeTexts } from './merge-texts.ts'

const base = '---\nname: a\nmodel: opus\ncolor: red\n---\n\nOne.\nTwo.\nThree.\n'

describe('what is put together', () => {
  test('has both changes where they lie apart', () => {
    const { text, conflicts } = mergeTexts({
      base,
      mine: base.replace('name: a', 'name: b'),
      theirs: base.replace('Two.', 'Two and a half.'),
    })
    expect(text).toBe(base.replace('name: a', 'name: b').replace('Two.', 'Two and a half.'))
    expect(conflicts).toBe(0)
  })

  test('has a change once that both made', () => {
    const changed = base.replace('opus', 'haiku')
    expect(mergeTexts({ base, mine: changed, theirs: changed })).toMatchObject({
      text: changed,
      conflicts: 0,
    })
  })

  test('has marks where both changed the same lines', () => {
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

  test('has longer marks where the text has such lines itself', () => {
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

describe('line ends', () => {
  const crlf = (text: string) => text.replaceAll('\n', '\r\n')

  test('stay CRLF, in the marks too', () => {
    const { text } = mergeTexts({
      base: crlf(base),
      mine: crlf(base.replace('opus', 'haiku')),
      theirs: crlf(base.replace('opus', 'sonnet')),
    })
    expect(text.split('\n').filter((line) => !line.endsWith('\r'))).toEqual([''])
  })

  test('alone are no conflict: those of mine hold', () => {
    const merged = mergeTexts({
      base: crlf(base),
      mine: `\uFEFF${crlf(base.replace('opus', 'haiku'))}`,
      theirs: base.replace('Three.', 'Four.'),
    })
    expect(merged.conflicts).toBe(0)
    expect(merged.text).toBe(`\uFEFF${crlf(base.replace('opus', 'haiku').replace('Three.', 'Four.'))}`)
  })

  test('a last line without an end is not glued to what follows it', () => {
    const { text } = mergeTexts({ base: 'a\nb', mine: 'a\nc', theirs: 'a\nb\nd\n' })
    expect(text).toBe('a\n<<<<<<< mine\nc\n=======\nb\nd\n>>>>>>> on disk\n')
  })
})

describe('for any texts', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'name: x', '', '- d'), { maxLength: 12 })
  const text = fc
    .tuple(lines, fc.boolean())
    .map(([parts, ended]) => parts.join('\n') + (ended && parts.length > 0 ? '\n' : ''))

  test('where one side changed nothing, the other is taken byte for byte', () => {
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

  test('each line of each side is there, or it was taken out by the other', () => {
    fc.assert(
      fc.property(text, text, text, (start, mine, theirs) => {
        const merged = new Set(mergeTexts({ base: start, mine, theirs }).text.split('\n'))
        const before = new Set(start.split('\n'))
        for (const line of [...mine.split('\n'), ...theirs.split('\n')])
          if (!before.has(line) && line !== '') expect(merged).toContain(line)
      }),
    )
  })

  test('each line is one that a side has, so that none is glued to the next', () => {
    fc.assert(
      fc.property(text, text, text, (start, mine, theirs) => {
        const { text: merged, marks } = mergeTexts({ base: start, mine, theirs })
        const known = new Set(['', ...mine.split('\n'), ...theirs.split('\n'), ...Object.values(marks)])
        for (const line of merged.split('\n')) expect(known).toContain(line)
      }),
      { numRuns: 500 },
    )
  })

  test('marks are there exactly where there are conflicts', () => {
    fc.assert(
      fc.property(text, text, text, (start, mine, theirs) => {
        const merged = mergeTexts({ base: start, mine, theirs })
        expect(markedLines(merged.text, merged.marks)).toHaveLength(merged.conflicts * 3)
      }),
    )
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readDefinition } from '../../../../shared/agent-definition/read-definition.ts'
import { BODY, baseOfConflicts, mergeFields, WHOLE } from './merge-fields.ts'

const BASE = `---
# The team's reviewer.
name: a
description: Reviews.   # short
tools: [Read, "Grep" , Glob]
x-team:   {owner: ada,   since: 020}
model: opus # slow
---

# How

One.
Two.
Three.
`
const merge = (mine: string, theirs: string, base = BASE) => mergeFields({ base, mine, theirs })
const changed = (...pairs: readonly (readonly [string, string])[]) =>
  pairs.reduce((text, [from, to]) => {
    expect(text).toContain(from)
    return text.replace(from, to)
  }, BASE)

describe('what only one side changed is taken', () => {
  test('fields of both sides, comments, order and unknown fields stay byte for byte', () => {
    const mine = changed(['Reviews.   # short', 'Reviews it all.   # short'])
    const theirs = changed(
      ['opus # slow', 'haiku # quick'],
      ['since: 020', 'since: 021'],
      ['Two.', 'Second.'],
    )
    expect(merge(mine, theirs)).toEqual({
      text: changed(
        ['Reviews.   # short', 'Reviews it all.   # short'],
        ['opus # slow', 'haiku # quick'],
        ['since: 020', 'since: 021'],
        ['Two.', 'Second.'],
      ),
      taken: ['x-team', 'model', BODY],
      conflicts: [],
    })
  })

  test('adjacent lines are no conflict', () => {
    const { text, conflicts } = merge(changed(['name: a', 'name: b']), changed(['Reviews.', 'Looks.']))
    expect(conflicts).toEqual([])
    expect(text).toBe(changed(['name: a', 'name: b'], ['Reviews.', 'Looks.']))
  })

  test('new and removed fields of both sides', () => {
    const mine = changed(['model: opus # slow\n', 'model: opus # slow\nmaxTurns: 3\n'])
    const theirs = changed(
      ['tools: [Read, "Grep" , Glob]\n', ''],
      ['name: a\n', 'name: a\n# new\ncolor: red\n'],
    )
    const { text, conflicts, taken } = merge(mine, theirs)
    expect(conflicts).toEqual([])
    expect(taken).toEqual(['color', 'tools'])
    expect(text).toBe(
      changed(
        ['tools: [Read, "Grep" , Glob]\n', ''],
        ['name: a\n', 'name: a\n# new\ncolor: red\n'],
        ['model: opus # slow\n', 'model: opus # slow\nmaxTurns: 3\n'],
      ),
    )
  })

  test('the order of the side that changed it', () => {
    const lines = BASE.split('\n')
    const [model = ''] = lines.splice(6, 1)
    lines.splice(1, 0, model)
    const { text, conflicts } = merge(changed(['Reviews.', 'Looks.']), lines.join('\n'))
    expect(conflicts).toEqual([])
    expect(text).toBe(lines.join('\n').replace('Reviews.', 'Looks.'))
  })

  test('a comment of one side and the value of the other, on one line', () => {
    const { text, conflicts } = merge(
      changed(['opus # slow', 'haiku # slow']),
      changed(['# slow', '# careful']),
    )
    expect(conflicts).toEqual([])
    expect(text).toBe(changed(['opus # slow', 'haiku # careful']))
  })

  test('line endings and the byte-order mark', () => {
    const windows = (text: string) => `\uFEFF${text.replaceAll('\n', '\r\n')}`
    const mine = changed(['name: a', 'name: b'])
    expect(merge(mine, windows(BASE)).text).toBe(windows(mine))
    expect(merge(windows(mine), changed(['opus', 'haiku']), windows(BASE)).text).toBe(
      changed(['name: a', 'name: b'], ['opus', 'haiku']),
    )
  })
})

describe('what both changed is a conflict', () => {
  test('a field, with its three versions; the rest is merged', () => {
    const mine = changed(['Reviews.', 'Mine.'], ['name: a', 'name: b'])
    const theirs = changed(['Reviews.', 'Theirs.'], ['opus', 'haiku'])
    const { text, taken, conflicts } = merge(mine, theirs)
    expect(taken).toEqual(['model'])
    expect(conflicts).toEqual([
      {
        key: 'description',
        base: 'description: Reviews.   # short\n',
        mine: 'description: Mine.   # short\n',
        theirs: 'description: Theirs.   # short\n',
      },
    ])
    expect(text).toBe(changed(['Reviews.', 'Mine.'], ['name: a', 'name: b'], ['opus', 'haiku']))
    const chosen = (part: string | null) =>
      mergeFields({ base: BASE, mine, theirs }, new Map([['description', part]])).text
    expect(chosen(conflicts[0]?.theirs ?? null)).toBe(
      changed(['Reviews.', 'Theirs.'], ['name: a', 'name: b'], ['opus', 'haiku']),
    )
    expect(chosen(null)).not.toContain('description')
  })

  test('a field that one side removed', () => {
    const { text, conflicts } = merge(changed(['model: opus # slow\n', '']), changed(['opus', 'haiku']))
    expect(conflicts).toMatchObject([{ key: 'model', mine: null, theirs: 'model: haiku # slow\n' }])
    expect(text).toBe(changed(['model: opus # slow\n', '']))
  })

  test('lines of the body', () => {
    const { conflicts } = merge(changed(['Two.', 'Mine.']), changed(['Two.', 'Theirs.'], ['opus', 'haiku']))
    expect(conflicts.map(({ key }) => key)).toEqual([BODY])
  })

  test('a frontmatter that is not valid YAML is merged by lines, or as a whole', () => {
    const broken = changed(['Reviews.   # short', 'Reviews: all'])
    expect(merge(broken, changed(['Two.', 'Second.']))).toMatchObject({
      text: broken.replace('Two.', 'Second.'),
      conflicts: [],
    })
    expect(merge(broken, changed(['Reviews.', 'Theirs.']))).toMatchObject({
      text: broken,
      conflicts: [{ key: WHOLE, base: BASE, mine: broken }],
    })
  })

  test('the base of the open conflicts has everything else from disk', () => {
    const mine = changed(['Reviews.', 'Mine.'], ['Two.', 'My two.'])
    const theirs = changed(['Reviews.', 'Theirs.'], ['opus', 'haiku'], ['Two.', 'Their two.'])
    const versions = { base: BASE, mine, theirs }
    const { text, conflicts } = mergeFields(versions)
    const base = baseOfConflicts(versions, conflicts)
    expect(base).toBe(changed(['opus', 'haiku']))
    expect(mergeFields({ base, mine: text, theirs })).toMatchObject({ text, taken: [], conflicts })
  })
})

test('a change of one side alone always gives that side, and both orders merge to the same fields', () => {
  const field = fc.constantFrom(
    ...[
      'name: x',
      'description: Says it.',
      'model: haiku # why',
      'color: red',
      'x-own: [1,  2]',
      'maxTurns: 020',
    ],
  )
  const fields = fc.uniqueArray(field, { selector: (line) => line.split(':')[0] ?? '', minLength: 1 })
  const text = fc
    .tuple(fields, fc.constantFrom('Body.\n', 'One.\n\nTwo.\n', ''))
    .map(([lines, body]) => `---\n${lines.join('\n')}\n---\n${body}`)
  fc.assert(
    fc.property(text, text, text, (base, mine, theirs) => {
      expect(mergeFields({ base, mine, theirs: base }).text).toBe(mine)
      expect(mergeFields({ base, mine: base, theirs }).text).toBe(theirs)
      const one = mergeFields({ base, mine, theirs })
      const other = mergeFields({ base, mine: theirs, theirs: mine })
      expect(one.conflicts.map(({ key }) => key).sort()).toEqual(other.conflicts.map(({ key }) => key).sort())
      if (one.conflicts.length > 0) return
      const read = (merged: string) => readDefinition(merged, { stem: 's', source: 'x' }).definition
      expect(read(one.text)).toEqual(read(other.text))
    }),
  )
})

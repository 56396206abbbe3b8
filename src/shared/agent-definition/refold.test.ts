import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { triesOf } from '../testing/tries.ts'
import { applyEdits } from './agent-definition.ts'
import { readDefinition } from './read-definition.ts'
import { setField } from './write-definition.ts'

const file = (fields: string) => `---\nname: a\n${fields}\n# the model\nmodel: opus\n---\nBody\n`
const read = (text: string) => readDefinition(text, { stem: 'a', source: 'the project' }).definition
const changed = (text: string, description: string) =>
  applyEdits(text, setField(text, 'description', description))

const FOLDED = `description: >
  Reviews changes to the payment code, before they
  are merged, and reports what it found.

  Ask it after each change; it needs no context
  of its own.`

describe('a folded description', () => {
  test('keeps its folds where nothing changes', () => {
    const before = read(file(FOLDED))?.description ?? ''
    const text = changed(file(FOLDED), before.replace('payment', 'billing'))
    expect(text).toBe(file(FOLDED.replace('payment', 'billing')))
    expect(changed(file(FOLDED), before.replace('no context', 'little context'))).toBe(
      file(FOLDED.replace('no context', 'little context')),
    )
  })

  test('folds a line that becomes too long, and joins none', () => {
    const before = read(file(FOLDED))?.description ?? ''
    const longer = before.replace('merged', `merged ${'and then some more '.repeat(4)}`.trim())
    const text = changed(file(FOLDED), longer)
    expect(read(text)?.description).toBe(longer)
    expect(text).toContain('  Reviews changes to the payment code, before they\n')
    expect(text).toContain('\n\n  Ask it after each change; it needs no context\n  of its own.\n')
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(85)
  })

  test('any change is read back, and lines far from it keep their bytes', () => {
    const word = fc.stringMatching(/^[a-z]{1,12}[.,:]?$/)
    fc.assert(
      fc.property(
        fc.array(fc.array(word, { minLength: 1, maxLength: 8 }), { minLength: 3, maxLength: 8 }),
        fc.nat(),
        word,
        (lines, seed, insert) => {
          const folded = `description: >-\n${lines.map((words) => `  ${words.join(' ')}`).join('\n')}`
          const before = read(file(folded))?.description ?? ''
          const words = before.split(' ')
          const at = seed % words.length
          const after = [...words.slice(0, at), insert, ...words.slice(at + 1)].join(' ')
          const text = changed(file(folded), after)
          expect(read(text)?.description).toBe(after)
          expect(text).toContain('# the model\nmodel: opus\n')
          const kept = text.split('\n').filter((line) => file(folded).split('\n').includes(line))
          expect(kept.length).toBeGreaterThanOrEqual(file(folded).split('\n').length - 2)
        },
      ),
      { numRuns: triesOf(150) },
    )
  })
})

describe('comments of a list', () => {
  const LIST = `description: b
skills: # which
  # first of all
  - one # why one
  # between
  - two
  # after the last
tools: Read`
  const withSkills = (names: readonly string[] | null) => {
    const text = file(LIST)
    return applyEdits(text, setField(text, 'skills', names))
  }

  test('stay when the list changes, also below its last item and when it becomes empty', () => {
    for (const names of [['one'], ['two'], ['one', 'two', 'three'], ['two', 'one'], ['x'], []]) {
      const text = withSkills(names)
      expect(read(text)?.skills).toEqual(names)
      for (const comment of ['# which', '# first of all', '# between', '# after the last', '# the model'])
        expect({ names, text }).toEqual({ names, text: expect.stringContaining(comment) })
    }
  })

  test('stay in a list at the margin and in brackets', () => {
    const margin = file('description: b\nskills:\n- one\n- two\n# below\ntools: Read')
    const flow = file('description: b\nskills: [one, two] # behind\ntools: Read')
    for (const names of [['one'], []]) {
      expect(applyEdits(margin, setField(margin, 'skills', names))).toContain('# below')
      expect(applyEdits(flow, setField(flow, 'skills', names))).toContain('# behind')
    }
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scanFrontmatter, scanNames } from './scan-frontmatter.ts'

function namesOf(text: string, key = 'tools'): readonly string[] {
  const field = scanFrontmatter(text)?.fields.find((each) => each.key === key)
  if (field === undefined) return []
  const names = scanNames(text, field)
  // The ranges match the text.
  for (const { name, from, to } of names) expect(text.slice(from, to)).toBe(name)
  return names.map(({ name }) => name)
}

describe('fields', () => {
  const read = (text: string) =>
    scanFrontmatter(text)?.fields.map(({ key, from, to }) => [key, text.slice(from, to).trim()])

  test('end before the next key or at the fence', () => {
    expect(read('---\nname: a\ndescription: >\n  one\n\n  two\nmodel:\n---\nbody: no\n')).toEqual([
      ['name', 'a'],
      ['description', '>\n  one\n\n  two'],
      ['model', ''],
    ])
  })

  test('are found after a byte-order mark, blank lines and an indent, with CRLF, and without a closing fence', () => {
    expect(read('\uFEFF\r\n  ---\r\n  name: a\r\n  tools:\r\n    - Read\r\n  ---\r\n')).toEqual([
      ['name', 'a'],
      ['tools', '- Read'],
    ])
    expect(read('---\nname: a\nmod')).toEqual([['name', 'a\nmod']])
    expect(read('# no fence\nname: a\n')).toBeUndefined()
  })

  test('have valid positions in any text', () => {
    const text = fc.array(fc.constantFrom('---', 'a: b', '  - x', '\n', '\r\n', '#', '"', '[', ',', ' '))
    fc.assert(
      fc.property(text, (parts) => {
        const written = `---\n${parts.join('')}`
        for (const field of scanFrontmatter(written)?.fields ?? []) {
          expect(written.slice(field.keyFrom, field.keyTo)).toBe(field.key)
          expect(field.to).toBeGreaterThanOrEqual(field.from)
          for (const { name, from, to } of scanNames(written, field))
            expect(written.slice(from, to).length).toBe(name.length)
        }
      }),
    )
  })
})

describe('names', () => {
  test.each([
    [
      'commas',
      'tools: Read, Bash(git log:*, git diff:*), Grep # Write',
      'Read|Bash(git log:*, git diff:*)|Grep',
    ],
    ['blanks', 'tools: Read Grep', 'Read|Grep'],
    ['quotes', 'tools: "Read, Grep"', 'Read|Grep'],
    ['a flow list', 'tools: [Read, "Bash(ls)", \'Grep\']', 'Read|Bash(ls)|Grep'],
    ['a flow list of one', 'tools: [Bash(git log)]', 'Bash(git log)'],
    ['a flow list over lines', 'tools: [\n  Read, # first\n  Grep,\n]', 'Read|Grep'],
    ['a block list', 'tools:\n  - Read # first\n  - "Bash(git log:*)"\n- Grep', 'Read|Bash(git log:*)|Grep'],
    ['a block list of one', 'tools:\n  - Bash(git log)', 'Bash(git log)'],
    ['a block text', 'tools: >-\n  Read,\n  Grep', 'Read|Grep'],
    ['nothing', 'tools:', ''],
  ])('of %s', (_how, written, names) => {
    expect(namesOf(`---\nname: a\n${written}\nmodel: opus\n---\n`).join('|')).toBe(names)
    expect(namesOf(`---\r\n${written.replaceAll('\n', '\r\n')}\r\n---\r\n`).join('|')).toBe(names)
  })
})

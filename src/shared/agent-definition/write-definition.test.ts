import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { triesOf } from '../testing/tries.ts'
import { applyEdits } from './agent-definition.ts'
import { definitionFields, type FieldKey } from './definition-fields.ts'
import { readDefinition } from './read-definition.ts'
import { bodyOf, type FieldValue, frontmatterKeys, setBody, setField } from './write-definition.ts'

const read = (text: string) => readDefinition(text, { stem: 'stem', source: 'the project' }).definition
const set = (text: string, key: FieldKey, value: FieldValue) => applyEdits(text, setField(text, key, value))

const ODD = `---
# who it is
name:   odd-one   # kept
"description": 'It''s for oddities'
unknown_key: {a: 1,   b: [x,y]}
tools: [Read, "Grep" , Bash(git diff:*)]
disallowedTools:
    - Write   # never
    - Edit
model: opus  # slow but careful
maxTurns: 020
skills: alpha, beta
color: "red"
criticalSystemReminder: |
   Only
     read.

# before the last
hidden: no
...
\tA body with a tab.
---
More.`

describe('changing one field', () => {
  /** The only changed line, before and after. */
  test.each<[FieldKey, FieldValue, string, string]>([
    ['name', 'new-name', 'name:   odd-one   # kept', 'name:   new-name   # kept'],
    ['name', 'has: colon', 'name:   odd-one   # kept', 'name:   "has: colon"   # kept'],
    ['description', "Don't", `"description": 'It''s for oddities'`, `"description": 'Don''t'`],
    ['tools', ['Read', 'Grep'], 'tools: [Read, "Grep" , Bash(git diff:*)]', 'tools: [Read, "Grep"]'],
    [
      'tools',
      ['Grep', 'Bash(git diff:*)'],
      'tools: [Read, "Grep" , Bash(git diff:*)]',
      'tools: ["Grep" , Bash(git diff:*)]',
    ],
    [
      'tools',
      ['Read', 'Grep', 'Bash(git diff:*)', 'Glob'],
      'tools: [Read, "Grep" , Bash(git diff:*)]',
      'tools: [Read, "Grep" , Bash(git diff:*), Glob]',
    ],
    ['tools', ['Glob'], 'tools: [Read, "Grep" , Bash(git diff:*)]', 'tools: Glob'],
    ['tools', [], 'tools: [Read, "Grep" , Bash(git diff:*)]', 'tools: []'],
    ['tools', null, 'tools: [Read, "Grep" , Bash(git diff:*)]\n', ''],
    ['disallowedTools', ['Edit'], '    - Write   # never\n', ''],
    ['disallowedTools', ['Write', 'Edit', 'Agent'], '    - Edit\n', '    - Edit\n    - Agent\n'],
    ['disallowedTools', ['Write', 'mcp__x'], '    - Edit\n', '    - mcp__x\n'],
    ['disallowedTools', null, 'disallowedTools:\n    - Write   # never\n    - Edit\n', ''],
    ['model', 'haiku', 'model: opus  # slow', 'model: haiku  # slow'],
    ['model', null, 'model: opus  # slow but careful\n', ''],
    ['maxTurns', 25, 'maxTurns: 020', 'maxTurns: 25'],
    ['skills', ['alpha', 'beta', 'gamma'], 'skills: alpha, beta', 'skills: alpha, beta, gamma'],
    ['skills', ['beta'], 'skills: alpha, beta', 'skills: beta'],
    ['skills', ['beta', 'alpha'], 'skills: alpha, beta', 'skills: beta, alpha'],
    ['color', 'blue', 'color: "red"', 'color: "blue"'],
    ['color', '#ff8800', 'color: "red"', 'color: "#ff8800"'],
    ['criticalSystemReminder', 'Never\nwrite.', '   Only\n     read.\n', '   Never\n   write.\n'],
    ['criticalSystemReminder', null, 'criticalSystemReminder: |\n   Only\n     read.\n', ''],
    ['hidden', true, 'hidden: no', 'hidden: true'],
    ['hidden', null, 'hidden: no\n', ''],
    ['permissionMode', 'dontAsk', 'color: "red"\n', 'color: "red"\npermissionMode: dontAsk\n'],
    ['readOnly', true, '     read.\n', '     read.\nreadOnly: true\n'],
    ['background', true, 'color: "red"\n', 'color: "red"\nbackground: true\n'],
  ])('%s = %j', (key, value, before, after) => {
    for (const lineEnd of ['\n', '\r\n'])
      for (const start of ['', '\uFEFF', '\n\n']) {
        const inFile = (text: string) => (start + text).replaceAll('\n', lineEnd)
        expect(set(inFile(ODD), key, value)).toBe(inFile(ODD.replace(before, () => after)))
      }
  })

  test('a description that is only an escaped line break can be emptied', () => {
    const emptied = set('---\nname: a\ndescription: "\\\\n"\n---\n', 'description', '')
    expect(read(emptied)?.description).not.toBe('\n')
  })

  test('an unchanged value causes no edit', () => {
    for (const [key, value] of [
      ['name', 'odd-one'],
      ['description', "It's for oddities"],
      ['tools', ['Read', 'Grep', 'Bash(git diff:*)']],
      ['disallowedTools', ['Write', 'Edit']],
      ['maxTurns', 20],
      ['memory', null],
    ] as const)
      expect(setField(ODD, key, value)).toEqual([])
  })

  test('other spellings of a key are kept', () => {
    const text = '---\nname: a\nwhen-to-use: b\ncolour: red\nomitClaudeMd: true\n---\n'
    expect(set(text, 'description', 'c')).toContain('when-to-use: c\n')
    expect(set(text, 'color', 'blue')).toContain('colour: blue\n')
    expect(set(text, 'omitProjectInstructions', false)).toContain('omitClaudeMd: false\n')
  })

  test('a key without a value, with and without a comment', () => {
    expect(set('---\nname: a\ntools:\n---\n', 'tools', ['Read', 'Grep'])).toBe(
      '---\nname: a\ntools: Read, Grep\n---\n',
    )
    expect(set('---\nname: a\ntools: # all\n---\n', 'tools', ['Read'])).toBe(
      '---\nname: a\ntools: Read # all\n---\n',
    )
  })

  test('an indented file, an indented map, a map in braces', () => {
    const indented = '  ---\n  name: a\n  description: b\n  ---\n  Body\n'
    expect(set(indented, 'model', 'opus')).toBe(indented.replace('b\n', 'b\n  model: opus\n'))
    expect(set(indented, 'description', 'one\ntwo')).toBe(
      indented.replace('description: b\n', 'description: |-\n    one\n    two\n'),
    )
    expect(set('---\n  name: a\n  tools: x\n---\n', 'model', 'opus')).toBe(
      '---\n  name: a\n  tools: x\n  model: opus\n---\n',
    )
    const braces = '---\n{name: a, description: b, tools: [Read]}\n---\n'
    expect(set(braces, 'description', 'c, d')).toBe(braces.replace('description: b', 'description: "c, d"'))
    expect(set(braces, 'model', 'opus')).toBe(braces.replace('[Read]}', '[Read], model: "opus"}'))
    expect(set(braces, 'description', null)).toBe(braces.replace('description: b, ', ''))
  })

  test('line breaks: a block below the key, or the \\n that the file writes them with', () => {
    const text = '---\nname: a\ndescription: one line\nmodel: opus\n---\n'
    expect(set(text, 'description', 'one\n\ntwo: x')).toBe(text.replace('one line', '|-\n  one\n\n  two: x'))
    const written = '---\nname: a\ndescription: one\\ntwo\n---\n'
    expect(set(written, 'description', 'one\nthree')).toBe(written.replace('two', 'three'))
    const folded = '---\ndescription: >\n  one\n  two\nname: a\n---\n'
    expect(set(folded, 'description', 'three')).toBe(folded.replace('  one\n  two\n', '  three\n'))
    expect(set(folded, 'description', 'three\nfour')).toBe(
      folded.replace('>\n  one\n  two\n', '|\n  three\n  four\n'),
    )
  })

  test('spaces at the end of typed text are kept', () => {
    const text = '---\nname: a\ndescription: one\n---\n'
    const typed = set(text, 'description', 'one ')
    expect(typed).toBe(text.replace('one', '"one "'))
    expect(set(typed, 'description', 'one t')).toBe(text.replace('one', '"one t"'))
  })

  test('names on several lines, each with a comment', () => {
    const flow = '---\nname: a\ntools: [\n  Read, # first\n  Grep, # second\n  Glob # third\n]\n---\n'
    expect(set(flow, 'tools', ['Read', 'Glob'])).toBe(flow.replace('  Grep, # second', '   # second'))
    expect(set(flow, 'tools', ['Read', 'Grep'])).toBe(flow.replace('  Glob # third', '   # third'))
    expect(set(flow, 'tools', ['Read', 'Grep', 'Glob', 'Bash'])).toBe(flow.replace('Glob #', 'Glob, Bash #'))
  })

  test('names separated by spaces stay separated by spaces', () => {
    const text = '---\nname: a\ntools: Read Grep\n---\n'
    expect(set(text, 'tools', ['Read', 'Grep', 'Glob'])).toBe(text.replace('Grep', 'Grep Glob'))
  })

  test('parentheses that YAML splits', () => {
    const text = '---\nname: a\ntools: [Agent(Explore, Plan), Read]\n---\n'
    expect(read(set(text, 'tools', ['Agent(Explore, Plan)', 'Read', 'Grep']))?.tools).toEqual([
      'Agent(Explore, Plan)',
      'Read',
      'Grep',
    ])
  })

  test('a change of an anchored value affects its own field only', () => {
    const text = '---\nname: a\nmodel: &m opus # slow\naliases: [*m, b]\n---\n'
    expect(set(text, 'model', 'haiku')).toBe(
      '---\nname: a\nmodel: "haiku" # slow\naliases: ["opus", b]\n---\n',
    )
    expect(set(text, 'model', null)).toBe('---\nname: a\naliases: ["opus", b]\n---\n')
    expect(set(text, 'aliases', ['c'])).toBe(text.replace('[*m, b]', '[c]'))
  })

  test('the first change makes invalid YAML valid', () => {
    const text = '---\nname: a\ndescription: when: lost\nmodel: opus # x\n---\nBody'
    expect(set(text, 'model', 'haiku')).toBe(
      '---\nname: a\ndescription: "when: lost"\nmodel: haiku # x\n---\nBody',
    )
    expect(set(text, 'description', 'so')).toBe('---\nname: a\ndescription: "so"\nmodel: opus # x\n---\nBody')
  })

  test('a file without frontmatter gets one; unreadable frontmatter is left unchanged', () => {
    expect(set('# Doc\r\n', 'name', 'a')).toBe('---\r\nname: a\r\n---\r\n# Doc\r\n')
    expect(set('', 'name', 'a')).toBe('---\nname: a\n---\n')
    expect(set('---\n---\n', 'name', 'a')).toBe('---\nname: a\n---\n')
    expect(set('---\n# only this\n---\n', 'name', 'a')).toBe('---\n# only this\nname: a\n---\n')
    expect(setField('---\nname: a\n', 'name', 'b')).toEqual([])
    expect(setField('---\nother: [a\n---\n', 'name', 'b')).toEqual([])
  })
})

describe('changing the body', () => {
  test('replaces only the changed part', () => {
    const text = '---\nname: a\n---\r\nOne\r\nTwo\r\nThree'
      .replace('a\n', 'a\r\n')
      .replace('---\nn', '---\r\nn')
    expect(bodyOf(text)).toBe('One\nTwo\nThree')
    expect(setBody(text, 'One\n2\nThree')).toEqual([
      { from: text.indexOf('Two'), to: text.indexOf('Two') + 3, insert: '2' },
    ])
    expect(applyEdits(text, setBody(text, 'One\nTwo\nThree\n'))).toBe(`${text}\r\n`)
    expect(setBody(text, 'One\nTwo\nThree')).toEqual([])
  })

  test('a file that ends with the fence', () => {
    const text = '---\nname: a\n---'
    expect(applyEdits(text, setBody(text, 'Body'))).toBe('---\nname: a\n---\nBody')
  })
})

test('lists known and unknown keys', () => {
  const keys = frontmatterKeys(ODD)
  expect(keys.map(({ key, field }) => [key, field])).toContainEqual(['unknown_key', null])
  const unknown = keys.find(({ key }) => key === 'unknown_key')
  expect(ODD.slice(unknown?.from, unknown?.to)).toBe('unknown_key: {a: 1,   b: [x,y]}')
  expect(unknown?.written).toBe('{a: 1,   b: [x,y]}')
})

describe('whatever is written', () => {
  const word = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.string({ unit: 'binary', maxLength: 6 }),
    fc.constantFrom(
      'true',
      'null',
      '~',
      '020',
      '1.5',
      '2026-11-21',
      'a: b',
      'a #b',
      '"',
      "'",
      '- a',
      '|',
      '>',
      '&a',
      '*a',
      '!x',
      '@',
      '`',
      '%',
      '{',
      '[a',
      'a, b',
      '...',
      '---',
      '\\n',
      ' a',
      'a ',
      'a\nb',
      '\n',
      'ünïcode',
    ),
  )
  const name = fc.stringMatching(/^[A-Za-z_][\w-]{0,8}(\([a-z :*]{1,6}\))?$/)
  const change = fc.oneof(
    fc.tuple(
      fc.constantFrom<FieldKey>('description', 'model', 'initialPrompt', 'criticalSystemReminder'),
      word,
    ),
    fc.tuple(
      fc.constantFrom<FieldKey>('tools', 'disallowedTools', 'skills'),
      fc.array(name, { maxLength: 4 }),
    ),
    fc.tuple(fc.constantFrom<FieldKey>('background', 'hidden', 'readOnly'), fc.boolean()),
    fc.tuple(fc.constantFrom<FieldKey>('maxTurns'), fc.integer({ min: 1, max: 500 })),
    fc.tuple(
      fc.constantFrom(...definitionFields.map(({ key }) => key).filter((key) => key !== 'name')),
      fc.constant(null),
    ),
  ) as fc.Arbitrary<[FieldKey, FieldValue]>
  const starts = [
    ODD,
    ODD.replaceAll('\n', '\r\n'),
    '---\nname: a\n---\n',
    '---\n{name: a, description: b}\n---\n',
    '---\nname: a\ndescription: not: valid\ntools:\n- Read\n---\nBody',
    '  ---\n  name: a\n  description: >-\n    folded\n    text\n  ---\n  Body\n',
  ]

  test('reads back the same, and all other fields are unchanged', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...starts),
        fc.array(change, { minLength: 1, maxLength: 6 }),
        (start, changes) => {
          let text = start
          for (const [key, value] of changes) {
            const before = read(text)
            text = set(text, key, value)
            const { definition: after, recovered } = readDefinition(text, {
              stem: 'stem',
              source: 'the project',
            })
            expect(recovered).toEqual([])
            if (typeof value === 'string' && key === 'description')
              expect(after?.description).toBe(
                value.trim() === '' ? 'Agent from the project' : value.trim().replaceAll('\\n', '\n'),
              )
            if (typeof value === 'string' && (key === 'initialPrompt' || key === 'criticalSystemReminder'))
              expect(key === 'initialPrompt' ? after?.initialPrompt : after?.reminder).toBe(
                value.trim() || null,
              )
            const property = key === 'criticalSystemReminder' ? 'reminder' : key
            const others = (definition: typeof before) => ({ ...definition, [property]: null })
            expect(others(after)).toEqual(others(before))
            if (value !== null && typeof value !== 'string')
              expect(after?.[property as 'tools']).toEqual(value)
          }
          expect(text.replaceAll('\r\n', '\n')).toContain(bodyOf(start) ?? '')
        },
      ),
      { numRuns: triesOf(800) },
    )
  })
})

test('a new field stays above a trailing comment, and below the comments of the field before it', () => {
  const withModel = (fields: string) => {
    const text = `---\n${fields}---\nBody\n`
    return applyEdits(text, setField(text, 'model', 'opus'))
      .slice(4)
      .replace('---\nBody\n', '')
  }
  expect(withModel('name: a\n# one\n# two\n')).toBe('name: a\nmodel: opus\n# one\n# two\n')
  expect(withModel('name: a\n\n# one\n')).toBe('name: a\nmodel: opus\n\n# one\n')
  expect(withModel('name: a # one\n        # two\n# three\n')).toBe(
    'name: a # one\n        # two\nmodel: opus\n# three\n',
  )
  expect(withModel('name: a\ntools:\n  - Read\n  # - Grep\n# end\n')).toBe(
    'name: a\ntools:\n  - Read\n  # - Grep\nmodel: opus\n# end\n',
  )
})

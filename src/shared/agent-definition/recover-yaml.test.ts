import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseDocument } from 'yaml'
import { triesOf } from '../testing/tries.ts'
import { applyEdits } from './agent-definition.ts'
import { readDefinition } from './read-definition.ts'

const read = (text: string) => readDefinition(text, { stem: 'stem', source: 'the project' })
const file = (fields: string, body = 'Body.') => `---\n${fields}\n---\n${body}\n`

/** Reads a file before and after all fixes. */
function fixed(text: string) {
  const first = read(text)
  let now = text
  for (;;) {
    const { recovered, diagnostics } = read(now)
    if (recovered.length === 0) break
    const fix = diagnostics.find(({ code }) => code === recovered[0])?.fixes[0]
    if (!fix) throw new Error('there is a recovery without a fix')
    now = applyEdits(now, fix.edits)
  }
  expect(read(now).definition).toEqual(first.definition)
  return { ...first, text: now }
}

describe('a frontmatter that is not valid YAML', () => {
  test('strict YAML is left unchanged, whatever its content', () => {
    const { definition, recovered } = read(file('name: a\ndescription: !important stuff\ncolor: &c red'))
    expect(definition).toMatchObject({ description: 'stuff', color: 'red' })
    expect(recovered).toEqual([])
  })

  test.each([
    ['*', 'tools: *', { tools: ['*'] }, 'tools: "*"'],
    ['@', 'description: @lee asks', { description: '@lee asks' }, 'description: "@lee asks"'],
    [
      '`',
      'description: `npm test` runs',
      { description: '`npm test` runs' },
      'description: "`npm test` runs"',
    ],
    [
      '*x',
      'description: *very* thorough',
      { description: '*very* thorough' },
      'description: "*very* thorough"',
    ],
    ['*x alone', 'description: *bold*', { description: '*bold*' }, 'description: "*bold*"'],
  ])('%s at the start is quoted', (_sign, line, expected, valid) => {
    const result = fixed(file(`name: a\n${line}\nmodel: opus`))
    const key = line.split(':')[0]
    expect(result.definition).toMatchObject({ name: 'a', model: 'opus', ...expected })
    expect(result.recovered).toEqual([`quote-${key}`])
    expect(result.text).toBe(file(`name: a\n${valid}\nmodel: opus`))
    expect(result.diagnostics.filter(({ code }) => code !== 'no-description')).toMatchObject([
      { code: `quote-${key}`, severity: 'warning', line: 3, column: key!.length + 3 },
    ])
  })

  test('all such values are quoted at once', () => {
    const { definition, recovered } = fixed(file('name: a\ndescription: !important @x\ntools: *'))
    expect(definition).toMatchObject({ description: '!important @x', tools: ['*'] })
    expect(recovered).toEqual(['quote-description', 'quote-tools'])
  })

  test('quoting: a colon in the description, and no other line changes', () => {
    const fields = (description: string) =>
      `name: a # its name\ndescription: ${description}\ntools: Read, Grep   # few\nmaxTurns: 020\nreadOnly: true\nkept:   yes  # too`
    const result = fixed(file(fields('Use this when: x says "no" # really')))
    expect(result.definition).toMatchObject({
      name: 'a',
      description: 'Use this when: x says "no" # really',
      tools: ['Read', 'Grep'],
      maxTurns: 20,
      readOnly: true,
    })
    expect(result.recovered).toEqual(['quote-description'])
    expect(result.text).toBe(file(fields(`'Use this when: x says "no" # really'`)))
  })

  test('quoting: a comment after a value other than prose stays a comment', () => {
    const { definition, text } = fixed(file('name: a\ndescription: b\nmodel: x: y # slow'))
    expect(definition).toMatchObject({ model: 'x: y' })
    expect(text).toContain('model: "x: y" # slow')
  })

  test.each([
    ['apostrophes', "It's like: don't", "It's like: don't"],
    ['both quotes', `He said: "it's"`, `He said: "it's"`],
    ['backslashes', 'Paths: C:\\temp\\new "x"', 'Paths: C:\\temp\new "x"'.replace('\temp\new', '\\temp\new')],
    ['examples on one line', 'Use it. Examples: <example>user: "a" assistant: "b"</example>', null],
    ['a dash at the start', '- one: two', null],
  ])('quoting: %s', (_name, description, expected) => {
    const { definition } = fixed(file(`name: a\ndescription: ${description}`))
    expect(definition?.description).toBe((expected ?? description).replaceAll('\\n', '\n'))
  })

  test('line by line: lines at the margin belong to the description, up to the next known key', () => {
    const result = fixed(
      file(
        'name: a\ndescription: Use it so:\n\nuser: "do: it"\nassistant: "ok: done"\n  set in\ntools: Read\ncolor: red',
      ),
    )
    expect(result.definition).toMatchObject({
      name: 'a',
      description: 'Use it so:\n\nuser: "do: it"\nassistant: "ok: done"\n  set in',
      tools: ['Read'],
      color: 'red',
    })
    expect(result.recovered).toEqual(['line-by-line'])
    expect(result.text).toBe(
      file(
        'name: a\ndescription: |-\n  Use it so:\n\n  user: "do: it"\n  assistant: "ok: done"\n    set in\ntools: Read\ncolor: red',
      ),
    )
  })

  test('line by line: unclosed quotes, unclosed brackets, tabs', () => {
    expect(fixed(file('name: a\ndescription: "never ends: so\ntools: Read')).definition).toMatchObject({
      description: '"never ends: so',
      tools: ['Read'],
    })
    expect(fixed(file('name: a\ndescription: b\ntools: [Read, Grep\nmodel: opus')).definition).toMatchObject({
      tools: ['Read', 'Grep'],
      model: 'opus',
    })
    expect(
      fixed(file('name: a\ndescription: >\n\tset in: by\n\ttabs\nmodel: opus')).definition,
    ).toMatchObject({
      description: 'set in: by tabs',
      model: 'opus',
    })
    expect(fixed(file('name: a\ndescription: b\ntools:\n\t- Read\n\t- Grep')).definition).toMatchObject({
      tools: ['Read', 'Grep'],
    })
  })

  test('line by line: a quoted text that contains quotes loses the outer ones', () => {
    const { definition } = fixed(file('name: a\ndescription: "Use "this" when: lost"\nmodel: opus'))
    expect(definition).toMatchObject({ description: 'Use "this" when: lost', model: 'opus' })
  })

  test('line by line: of duplicate keys the first counts, and nothing is dropped from the file', () => {
    const { definition, text } = fixed(
      file('oddity\nname: a\ntools: Read\ntools: Write\nother: 1\nmodel: opus\ndescription: b'),
    )
    expect(definition).toMatchObject({ name: 'a', tools: ['Read'], model: 'opus', description: 'b' })
    expect(text).toContain('# oddity')
    expect(text).toContain('# tools: Write')
  })

  test('line by line: a key without the space after its colon, or in quotes, is still a field', () => {
    expect(
      fixed(file('name: a\ndescription: b\ndisallowedTools:Bash, Write\nreadOnly:true')).definition,
    ).toMatchObject({
      description: 'b',
      disallowedTools: ['Bash', 'Write'],
      readOnly: true,
    })
    expect(
      fixed(file('name: a\ndescription: "a "b" c"\n"disallowedTools": [Bash]')).definition,
    ).toMatchObject({
      description: 'a "b" c',
      disallowedTools: ['Bash'],
    })
  })

  test('positions and fixes refer to the file, also when indented and with Windows line endings', () => {
    const text = '\uFEFF  ---\r\n  name: a\r\n  description: when: x\r\n  ---\r\n  Body\r\n'
    const { diagnostics, definition } = read(text)
    expect(definition).toMatchObject({ description: 'when: x', prompt: 'Body' })
    expect(diagnostics).toMatchObject([{ code: 'quote-description', line: 3, column: 16 }])
    expect(applyEdits(text, diagnostics[0]?.fixes[0]?.edits ?? [])).toBe(text.replace('when: x', '"when: x"'))
    const lines = '  ---\r\n  name: a\r\n  description: so:\r\n  user x: "y\r\n  model: opus\r\n  ---\r\n'
    expect(fixed(lines).text).toBe(
      '  ---\r\n  name: a\r\n  description: |-\r\n    so:\r\n    user x: "y\r\n  model: opus\r\n  ---\r\n',
    )
  })

  test('a color that is a comment is reported', () => {
    const text = file('name: a\ndescription: b\ncolor: #ff8800')
    const { diagnostics } = read(text)
    expect(diagnostics).toMatchObject([{ code: 'comment-color', line: 4 }])
    expect(applyEdits(text, diagnostics[0]?.fixes[0]?.edits ?? [])).toBe(text.replace('#ff8800', '"#ff8800"'))
  })

  test('any readable text becomes valid YAML with the same meaning', () => {
    const key = fc.constantFrom(
      'name',
      'description',
      'tools',
      'model',
      'color',
      'user',
      'skills',
      'hooks',
      'criticalSystemReminder',
    )
    const piece = fc.constantFrom(
      'a',
      ': ',
      ' #',
      '"',
      "'",
      '[',
      ']',
      '{',
      '*',
      '&',
      '@',
      '!',
      '|',
      '>',
      '-',
      ' ',
      '\t',
      '\\n',
      'x',
      ',',
      '(',
      ')',
      '%',
      '`',
      '?',
    )
    const value = fc.array(piece, { maxLength: 8 }).map((parts) => parts.join(''))
    const line = fc.oneof(
      fc.tuple(key, value).map(([name, lines]) => `${name}: ${lines}`),
      value,
      value.map((lines) => `  ${lines}`),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
        const text = file(lines.join('\n'))
        if (read(text).recovered.length > 0) fixed(text)
      }),
      { numRuns: triesOf(1500) },
    )
  })

  test('strict files read as yaml reads them', () => {
    const text = fc
      .string({ maxLength: 30 })
      .filter((lines) => lines.trim() !== '' && !/^\s*---|^\s*\.\.\./m.test(lines))
    fc.assert(
      fc.property(text, fc.constantFrom('name', 'model', 'initialPrompt'), (value, key) => {
        const yaml = `name: given\n${key === 'name' ? '' : `${key}: ${value}\n`}description: ${value}`
        const document = parseDocument(yaml, { logLevel: 'silent' })
        if (document.errors.length > 0) return
        let plain: Record<string, unknown>
        try {
          plain = document.toJS() as Record<string, unknown>
        } catch {
          return
        }
        if (typeof plain !== 'object' || plain === null || typeof plain['description'] !== 'string') return
        const { definition, recovered } = read(file(yaml))
        expect(recovered).toEqual([])
        const wanted = plain['description'].trim()
        expect(definition?.description).toBe(
          wanted === '' ? 'Agent from the project' : wanted.replaceAll('\\n', '\n'),
        )
      }),
    )
  })
})

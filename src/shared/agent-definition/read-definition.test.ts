import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readDefinition } from './read-definition.ts'

const read = (text: string, stem = 'reviewer') => readDefinition(text, { stem, source: 'the project' })
const file = (fields: string, body = 'Look closely.') => `---\n${fields}\n---\n${body}\n`

describe('reading a definition', () => {
  test('every field', () => {
    const { definition, diagnostics } = read(
      file(`name: security-reviewer
description: Use after changes to auth.
tools: Read, Grep, Bash(git diff:*, git log:*), Agent(Explore, Plan)
disallowedTools: [Write, "Edit"]
model: Opus
color: Purple
permissionMode: plan
maxTurns: 12
readOnly: true
oneShot: "true"
criticalSystemReminder: Only read.
omitClaudeMd: true
aliases: [sec, auditor]
hidden: false`),
    )
    expect(diagnostics).toEqual([])
    expect(definition).toEqual({
      name: 'security-reviewer',
      description: 'Use after changes to auth.',
      prompt: 'Look closely.',
      tools: ['Read', 'Grep', 'Bash(git diff:*, git log:*)', 'Agent(Explore, Plan)'],
      disallowedTools: ['Write', 'Edit'],
      model: 'opus',
      color: 'Purple',
      permissionMode: 'plan',
      forkContext: false,
      background: false,
      isolation: null,
      carryOver: false,
      memory: null,
      skills: [],
      maxTurns: 12,
      effort: null,
      thinking: null,
      mcpServers: null,
      hooks: null,
      initialPrompt: null,
      readOnly: true,
      oneShot: true,
      reminder: 'Only read.',
      omitProjectInstructions: true,
      aliases: ['sec', 'auditor'],
      hidden: false,
    })
  })

  test('the last of doubled keys counts; a restriction is never dropped without the user', () => {
    const doubled = read(
      file('name: a\ndescription: b\nmodel: haiku\n# kept\ntools:\n  - Read\nmodel: opus\ntools: Bash'),
    )
    expect(doubled).toMatchObject({ offered: true, definition: { model: 'opus', tools: ['Bash'] } })
    expect(doubled.diagnostics.map(({ message }) => message)).toEqual([
      'model is there twice. The last one counts, as in Claude Code.',
      'tools is there twice. The last one counts, as in Claude Code.',
    ])
    for (const fields of [
      'disallowedTools: Write\ndisallowedTools: []',
      'disallowedTools: []\ndisallowedTools: Write',
    ]) {
      const { offered, definition, diagnostics } = read(file(`name: a\ndescription: b\n${fields}`))
      expect({ offered, denied: definition?.disallowedTools }).toEqual({ offered: false, denied: ['Write'] })
      expect(diagnostics[0]?.fixes).toMatchObject([{ isCertain: false }])
    }
    expect(read(file('name: a\ndescription: b\nreadOnly: false\nreadOnly: true')).definition?.readOnly).toBe(
      true,
    )
    expect(read(file('name: a\ndescription: b\nreadOnly: true\nreadOnly: true')).offered).toBe(true)
  })

  test('the mode auto is default, with a notice', () => {
    const { offered, definition, diagnostics } = read(file('name: a\ndescription: b\npermissionMode: Auto'))
    expect({ offered, mode: definition?.permissionMode }).toEqual({ offered: true, mode: 'default' })
    expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([['auto-mode', 'notice']])
  })

  test('a wrong value has fixes; only an unambiguous one is certain, and none turns off permission requests', () => {
    const fixesOf = (field: string) =>
      read(file(`name: a\ndescription: b\n${field}`)).diagnostics.flatMap(({ fixes }) =>
        fixes.map(({ label, isCertain }) => `${label}${isCertain ? '!' : ''}`),
      )
    expect(fixesOf('background: yes')).toEqual(['Use true!'])
    expect(fixesOf('hidden: off')).toEqual(['Use false!'])
    expect(fixesOf('permissionMode: yolo')).toEqual([
      'Use default',
      'Use acceptEdits',
      'Use plan',
      'Use dontAsk',
    ])
    expect(fixesOf('permissionMode: plann')).toEqual(['Use plan!'])
    expect(fixesOf('maxTurns: 20 turns')).toEqual(['Use 20'])
    expect(fixesOf('effort: extreme')).toContain('Use high')
  })

  test('an absent field has its default', () => {
    const { definition } = read(file('name: a\ndescription: b'))
    expect(definition).toMatchObject({
      tools: null,
      disallowedTools: [],
      model: 'inherit',
      permissionMode: null,
      maxTurns: null,
      readOnly: false,
    })
    expect(read(file('name: a\ndescription: c\ncolor: mauve')).definition?.color).toBe('mauve')
  })

  test('a byte-order mark, Windows line endings, blank lines, an indented block, dashes in the body', () => {
    const { definition } = read(
      '\uFEFF\r\n\r\n  ---\r\n  name: a\r\n  description: b\r\n  ---\r\nfirst\r\n---\r\nsecond\r\n',
    )
    expect(definition).toMatchObject({ name: 'a', description: 'b', prompt: 'first\n---\nsecond' })
  })

  test('the name is the file’s stem if absent, but never a replacement for an invalid one', () => {
    expect(read(file('description: b'), 'quick.agent').definition?.name).toBe('quick')
    expect(read(file('name: Loud Name\ndescription: b')).definition?.name).toBe('Loud Name')
    const posing = read(file('name: plugin:agent\ndescription: b'))
    expect(posing).toMatchObject({ offered: false, definition: { name: 'plugin:agent' } })
    expect(posing.diagnostics[0]).toMatchObject({ severity: 'error', line: 2 })
  })

  test.each([
    ['tools: 7', 'tools'],
    ['disallowedTools: {a: b}', 'disallowedTools'],
    ['permissionMode: yolo', 'permissionMode'],
    ['readOnly: perhaps', 'readOnly'],
    ['permissionMode: [plan]', 'permissionMode'],
    ['tools: [Read, 7]', 'tools'],
    ['isolation: container', 'isolation'],
  ])('%s makes an agent unsafe: it is not used, and the line is reported', (line, key) => {
    const { definition, offered, diagnostics } = read(file(`name: a\ndescription: b\n${line}`))
    expect(definition?.name).toBe('a')
    expect(offered).toBe(false)
    expect(diagnostics).toMatchObject([{ code: `bad-${key}`, severity: 'error', line: 4 }])
  })

  test('any other invalid value is a warning, and the agent loads', () => {
    const { definition, diagnostics } = read(file('name: a\ndescription: b\nmaxTurns: many'))
    expect(definition?.maxTurns).toBeNull()
    expect(diagnostics).toMatchObject([{ severity: 'warning', line: 4, column: 11 }])
  })

  test('an empty list of tools means none, with a notice', () => {
    const { definition, diagnostics } = read(file('name: a\ndescription: b\ntools:'))
    expect(definition?.tools).toEqual([])
    expect(diagnostics).toMatchObject([{ code: 'empty-tools', severity: 'warning' }])
  })

  test('a file that is not an agent is a notice; a broken one is reported with its line', () => {
    expect(read('# Just a document').diagnostics).toMatchObject([{ severity: 'notice' }])
    expect(read(file('title: x')).diagnostics).toMatchObject([{ severity: 'notice', code: 'not-an-agent' }])
    expect(read(file('title: [a')).diagnostics).toMatchObject([
      { severity: 'error', code: 'invalid-yaml', line: 3 },
    ])
    expect(read(file('name: a')).definition?.description).toBe('Agent from the project')
  })

  test('a name or an alias cannot pose as a plugin’s agent or contain invisible characters', () => {
    for (const name of ['plugin:agent', '"a\\nb"', '"a\\u202eb"', 'x'.repeat(101)])
      expect([name, read(file(`name: ${name}\ndescription: b`)).offered]).toEqual([name, false])
    expect(read(file('description: b'), 'plugin:agent').offered).toBe(false)
    const { definition, diagnostics } = read(file('name: a\ndescription: b\naliases: [good, "plugin:agent"]'))
    expect(definition?.aliases).toEqual(['good'])
    expect(diagnostics).toMatchObject([{ code: 'bad-aliases', severity: 'warning', line: 4 }])
  })

  test('names are trimmed, and an invalid alias does no harm', () => {
    expect(read(file('name: "  a  "\ndescription: b\naliases: 3')).definition).toMatchObject({
      name: 'a',
      aliases: [],
    })
  })

  test('brackets keep a list together, with or without quotes', () => {
    for (const tools of [
      '[Agent(Explore, Plan), Read]',
      'Agent(Explore, Plan), Read',
      '["Agent(Explore, Plan)", Read]',
    ])
      expect(read(file(`name: a\ndescription: b\ntools: ${tools}`)).definition?.tools).toEqual([
        'Agent(Explore, Plan)',
        'Read',
      ])
    expect(
      read(file('name: a\ndescription: b\ntools: Read Grep Bash(git diff:*)')).definition?.tools,
    ).toEqual(['Read', 'Grep', 'Bash(git diff:*)'])
    for (const all of ['"*"', '["*"]', '*'])
      expect(read(file(`name: a\ndescription: b\ntools: ${all}`)).definition?.tools).toEqual(['*'])
  })

  test('the first line of dashes at the margin ends the frontmatter; one inside a text does not', () => {
    const { definition } = read('---\nname: a\ndescription: |\n  first\n  ---\n  last\n...\nbody\n---\nmore')
    expect(definition).toMatchObject({ description: 'first\n---\nlast', prompt: 'body\n---\nmore' })
  })

  test('a byte-order mark directly before the fence', () => {
    expect(read('\uFEFF---\nname: a\ndescription: b\n---\n').definition?.name).toBe('a')
  })

  test('an indented file loses its indentation everywhere', () => {
    const { definition, diagnostics } = read(
      '  ---\n  name: a\n  description: b\n  maxTurns: x\n  ---\n  One\n    two',
    )
    expect(definition?.prompt).toBe('One\n  two')
    expect(diagnostics).toMatchObject([{ line: 4, column: 13 }])
  })

  test('a frontmatter without an end is reported at its start', () => {
    expect(read('\n---\nname: a\n').diagnostics).toMatchObject([
      { code: 'open-frontmatter', severity: 'error', line: 2 },
    ])
  })

  test('a file with exponential aliases is read as quickly as any other', () => {
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]']
    for (let at = 1; at < 12; at++) {
      const [name, before] = ['abcdefghijklm'[at], 'abcdefghijklm'[at - 1]]
      bomb.push(`${name}: &${name} [${Array(9).fill(`*${before}`).join(', ')}]`)
    }
    expect(read(file(`name: x\n${bomb.join('\n')}\ntools: *l`))).toMatchObject({
      definition: null,
      diagnostics: [{ code: 'invalid-yaml', severity: 'error' }],
    })
  })

  test('an oversized frontmatter is refused', () => {
    const keys = Array.from({ length: 20_000 }, (_, index) => `key${index}: value`).join('\n')
    expect(read(file(`name: a\n${keys}`)).diagnostics).toMatchObject([{ code: 'long-frontmatter', line: 2 }])
    expect(read(file('name: a\ndescription: b', 'x'.repeat(500_000))).definition?.prompt).toHaveLength(
      500_000,
    )
  })

  test('no text makes the reader throw', () => {
    const answers = (text: string) => Array.isArray(read(text).diagnostics)
    fc.assert(fc.property(fc.string(), fc.string(), (head, body) => answers(file(head, body))))
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => answers(text)))
  })
})

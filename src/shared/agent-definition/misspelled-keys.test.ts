import { describe, expect, test } from 'vitest'
import { applyEdits } from './agent-definition.ts'
import { fixText } from './fix-text.ts'
import { readDefinition } from './read-definition.ts'

const read = (text: string) => readDefinition(text, { stem: 'a', source: 'a test' })
const file = (fields: string) => `---\nname: a\ndescription: b\n${fields}\n---\nBody.\n`
const problemsIn = (text: string) =>
  read(text).diagnostics.map(({ code, severity, line, column }) => `${line}:${column} ${severity} ${code}`)
const fixed = (text: string) => fixText(text, (now) => read(now).diagnostics).text
const SAFETY = ' The agent is not offered until you rename '

describe('a misspelled key', () => {
  test.each([
    ['maxTurn: 3', 'maxTurns: 3'],
    ['max_turns: 3', 'maxTurns: 3'],
    ['skils: [commit]', 'skills: [commit]'],
    ['"Modle": opus # big', 'model: opus # big'],
    ['omit-claude-md: true', 'omitProjectInstructions: true'],
    ['critcalSystemRemindr: Only read.', 'criticalSystemReminder: Only read.'],
    ['MCPServers: [github]', 'mcpServers: [github]'],
  ])('%s is a warning, its agent is offered, and its fix is %s', (written, meant) => {
    expect(problemsIn(file(written))).toEqual(['4:1 warning misspelled-key'])
    expect(read(file(written)).offered).toBe(true)
    expect(fixed(file(written))).toBe(file(meant))
  })

  test.each([
    ['permisionMode: plan', 'permissionMode: plan'],
    ['permission-mode: plan', 'permissionMode: plan'],
    ['Tools: Read', 'tools: Read'],
    ['tool: Read', 'tools: Read'],
    ['dissalowedTools: [Write]', 'disallowedTools: [Write]'],
    ['disallowed_tools:\n  - Write', 'disallowedTools:\n  - Write'],
    ['isolaton: worktree', 'isolation: worktree'],
    ['"read-only": true', 'readOnly: true'],
    ['readonly: true', 'readOnly: true'],
  ])('%s: the agent is not offered until it is decided', (written, meant) => {
    const found = read(file(written))
    expect(found).toMatchObject({ offered: false, definition: { name: 'a' } })
    expect(problemsIn(file(written))).toEqual(['4:1 error misspelled-key'])
    expect(found.diagnostics[0]?.message).toContain(SAFETY)
    expect(read(fixed(file(written)))).toMatchObject({ offered: true, diagnostics: [] })
    expect(fixed(file(written))).toBe(file(meant))
  })

  test.each([
    'permisionMode: plan',
    'Tools: Read',
    'dissalowedTools: Write',
    'isolaton: worktree',
    'readonly: yes',
  ])('%s can be kept: then it has no effect and is not reported again', (written) => {
    const [problem] = read(file(written)).diagnostics
    const keep = problem?.fixes.find(({ label }) => label.startsWith('Keep '))
    expect(keep?.isCertain).toBe(false)
    const text = applyEdits(file(written), keep?.edits ?? [])
    expect(text).toContain(`\n${written}\n---`)
    const plain = read(file(''))
    expect(read(text).diagnostics).toEqual([])
    expect({ ...read(text).definition, tools: null }).toEqual(plain.definition)
    expect(read(text).offered).toBe(true)
  })

  test('keeps its indent and line end', () => {
    const text = '---\r\n  name: a\r\n  description: b\r\n  permisionMode: plan\r\n---\r\n'
    const [problem] = read(text).diagnostics
    expect(applyEdits(text, problem?.fixes[1]?.edits ?? [])).toBe(
      text.replace('  permisionMode', '  permissionMode:\r\n  permisionMode'),
    )
  })

  test('in a map in braces can be renamed', () => {
    const text = '---\n{ name: a, description: b, permisionMode: plan }\n---\n'
    expect(read(text).diagnostics[0]?.fixes.map(({ label }) => label)).toEqual(['Rename to permissionMode'])
    expect(read(fixed(text)).definition?.permissionMode).toBe('plan')
  })

  test('beside the right key is another program’s', () => {
    expect(problemsIn(file('tools: Read\nTools: Write\ntool: Edit'))).toEqual([])
  })

  test('of a field that is misspelled twice is reported once', () => {
    expect(problemsIn(file('Tools: Read\ntool: Edit'))).toEqual(['4:1 error misspelled-key'])
  })

  test('that hides the name or the description is named where the file is no agent', () => {
    const text = '---\nName: a\ndescripton: b\nTags: x\n---\n'
    expect(problemsIn(text)).toEqual(['2:1 notice not-an-agent'])
    expect(read(text).diagnostics[0]?.message).toContain('Unknown key Name. Did you mean name?')
    expect(read(fixed(text)).definition).toMatchObject({ name: 'a', description: 'b' })
  })

  test('does not vanish in a description that is not valid YAML', () => {
    const text =
      '---\nname: a\ndescription: Use it\n"so: that\ndisalowedTools: Write, Edit\nuser: "yes\n---\nBody.\n'
    expect(read(text)).toMatchObject({ offered: false, recovered: ['line-by-line'] })
    expect(read(fixed(text))).toMatchObject({
      offered: true,
      definition: { disallowedTools: ['Write', 'Edit'] },
    })
  })
})

test.each([
  ...[
    'mode: subagent',
    'version: 2',
    'tags: [a]',
    'type: agent',
    'title: x',
    'author: y',
    'temperature: 0.1',
  ],
  ...[
    'permission: {edit: deny}',
    'permissions: [a]',
    'allowed-tools: Read',
    'allowedTools: Read',
    'notes: x',
  ],
  ...[
    'maxTokens: 5',
    'metadata: {permisionMode: plan}',
    'priority: high',
    'rules: x',
    'role: y',
    'domain: z',
  ],
  ...[
    'argument-hint: x',
    'disable-model-invocation: true',
    'globs: x',
    'alwaysApply: true',
    'note: x',
    'base: y',
  ],
])('a key of another program is not reported: %s', (written) => {
  expect(read(file(written))).toMatchObject({ offered: true, diagnostics: [] })
})

describe('a misspelled model', () => {
  test.each([
    ['sonet', 'sonnet'],
    ['Hiaku', 'haiku'],
    ['opuss', 'opus'],
    ['"inhert"', '"inherit"'],
    ['claude-sonet-5-5', 'claude-sonnet-5-5'],
    ['us.anthropic.cluade-opus-5-5-v1:0', 'us.anthropic.claude-opus-5-5-v1:0'],
  ])('%s is a warning with the fix %s', (written, meant) => {
    expect(problemsIn(file(`model: ${written} # why`))).toEqual(['4:8 warning misspelled-model'])
    expect(fixed(file(`model: ${written} # why`))).toBe(file(`model: ${meant} # why`))
  })

  test.each([
    'sonnet',
    'OPUS',
    'claude-sonnet-5-5[1m]',
    'claude-opus-6',
    'gpt-5',
    'sonar-pro',
    'qwen3-coder',
    'o3',
  ])('%s is not reported', (model) => {
    expect(problemsIn(file(`model: ${model}`))).toEqual([])
  })
})

test.each([
  ['permissionMode: acceptEdit', 'permissionMode: acceptEdits'],
  ['isolation: "worktre"', 'isolation: "worktree"'],
  ['effort: Hihg', 'effort: high'],
  ['memory: projet', 'memory: project'],
])('a misspelled value has a fix: %s', (written, meant) => {
  expect(fixed(file(written))).toBe(file(meant))
})

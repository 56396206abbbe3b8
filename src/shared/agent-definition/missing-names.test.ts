import { expect, test } from 'vitest'
import { applyEdits } from './agent-definition.ts'
import { missingNames } from './missing-names.ts'
import { readDefinition } from './read-definition.ts'

const known = { tools: ['Read', 'Grep', 'Bash', 'Agent'], skills: ['commit'], servers: null }

function check(text: string, names: Parameters<typeof missingNames>[2] = known) {
  const { definition } = readDefinition(text, { stem: 'a', source: 'a test' })
  if (definition === null) throw new Error('It is no agent.')
  const problems = missingNames(text, { ...definition, source: 'project' }, names)
  return problems.map(({ code, line, column, message }) => `${line}:${column} ${code} ${message}`)
}

test('without fixes, the problems are the same', () => {
  const text = '---\nname: a\ntools: Read, Grpe, Launch(a)\nskills: [comit]\n---\n'
  const { definition } = readDefinition(text, { stem: 'a', source: 'a test' })
  if (definition === null) throw new Error('It is no agent.')
  const named = { ...definition, source: 'project' as const }
  const whole = missingNames(text, named, known)
  expect(whole.flatMap(({ fixes }) => fixes)).not.toEqual([])
  const plain = missingNames(text, named, { ...known, fixes: false })
  expect(plain).toEqual(whole.map((problem) => ({ ...problem, fixes: [] })))
})

test('existing names cause no problem', () => {
  const text = '---\nname: a\ndescription: b\ntools: Read, Bash(git diff:*), mcp__x\nskills: [commit]\n---\n'
  expect(check(text)).toEqual([])
})

test('an unknown tool is reported at its position, with the nearest name', () => {
  expect(check('---\nname: a\ndescription: tools Grpe\ntools: Read, Grpe\n---\n')).toEqual([
    '4:14 unknown-tool Unknown tool Grpe. Did you mean Grep?',
  ])
  expect(check('\ufeff---\r\nname: a\r\ntools:\r\n  - Read\r\n  - Grpe\r\n---\r\n')).toEqual([
    '5:5 unknown-tool Unknown tool Grpe. Did you mean Grep?',
  ])
  expect(check('---\nname: a\ntools: Read\n"disallowedTools": [Launch(a, b)]\n---\nGrpe\n')).toEqual([
    '4:21 unknown-tool Unknown tool Launch(a, b).',
  ])
})

test('a name with unusual spelling is reported at its key', () => {
  expect(check('---\nname: a\ntools: ["Launch\\x28x)"]\n---\n')).toEqual([
    '3:1 unknown-tool Unknown tool Launch(x).',
  ])
})

test('a tool of a later version is a notice; denying it is fine', () => {
  const text = '---\nname: a\ntools: Read, webfetch\ndisallowedTools: NotebookEdit\n---\n'
  expect(check(text)).toEqual(['3:14 missing-tool The tool webfetch is not available in this version.'])
})

test('unclosed brackets are reported', () => {
  expect(check('---\nname: a\ntools: [Read, "Bash(git"]\n---\n')).toEqual([
    expect.stringMatching(/^3:16 unknown-tool The brackets of Bash\(git are not balanced/),
  ])
})

test('empty brackets are reported', () => {
  expect(check('---\nname: a\ntools: Read, Bash()\ndisallowedTools: Edit( )\n---\n')).toEqual([
    '3:14 unknown-tool The rule of Bash() is empty, so it allows nothing. Write Bash for every call, or a rule in the brackets.',
    '4:18 unknown-tool The rule of Edit( ) is empty, so it denies all of Edit. Write Edit for every call, or a rule in the brackets.',
  ])
})

test('an unknown skill is reported, unless the skills are unknown', () => {
  const text = '---\nname: a\nskills: commit, commits\n---\n'
  expect(check(text)).toEqual([
    '3:17 missing-skill Skill commits not found, so its text is not in the prompt. Did you mean commit?',
  ])
  expect(check('---\nname: a\nskills: deploy\n---\n')).toEqual([
    '3:9 missing-skill Skill deploy not found, so its text is not in the prompt.',
  ])
  expect(check(text, { ...known, skills: null })).toEqual([])
})

test('a misspelled server is reported with the nearest one, and the fix keeps the tool', () => {
  const text = '---\nname: a\ntools: Read, mcp__githb__search\n---\n'
  const { definition } = readDefinition(text, { stem: 'a', source: 'a test' })
  if (definition === null) throw new Error('not an agent')
  const names = { ...known, tools: [...known.tools, 'mcp__github__search'], servers: ['github'] }
  const [problem] = missingNames(text, { ...definition, source: 'project' }, names)
  expect(problem).toMatchObject({
    about: { name: 'mcp__githb__search', nearest: 'mcp__github__search' },
    severity: 'warning',
  })
  expect(problem?.message).toMatch(/MCP server githb is not connected.* Did you mean github\?$/)
  expect(applyEdits(text, problem?.fixes[0]?.edits ?? [])).toContain('tools: Read, mcp__github__search\n')
  expect(problem?.fixes[0]?.isCertain).toBe(false)
})

test('a rule that covers nothing is reported, with the right form', () => {
  expect(
    check('---\nname: a\ntools: Read, Bash(git:* push)\ndisallowedTools: Read(!docs/**), Agent(a, b)\n---\n'),
  ).toEqual([
    '3:14 unusable-rule The rule "Bash(git:* push)" has :* before its end, where it has no meaning. Write "Bash(git * push)".',
    '4:18 unusable-rule The rule "Read(!docs/**)" starts with !, but rules have no exceptions: write narrower rules instead.',
  ])
})

test('tools of other programs are one notice for the file, without a hint', () => {
  const text =
    '---\nname: a\ntools: Read, NotebookRead, TaskGet, LSP, search, edit/editFiles, azure-mcp/*\ndisallowedTools: Workflow\n---\n'
  expect(check(text)).toEqual([
    '3:14 missing-tool Not available in Troupe: NotebookRead, TaskGet, LSP, search, edit/editFiles, azure-mcp/*.',
  ])
})

test('a server that is not connected is one warning for all its tools', () => {
  const text = '---\nname: a\ntools: mcp__nia__index, Read, mcp__nia__search, mcp__jira__get\n---\n'
  expect(check(text, { ...known, servers: [] })).toEqual([
    '3:8 unknown-server MCP server nia is not connected, so mcp__nia__index, mcp__nia__search are left out.',
    '3:49 unknown-server MCP server jira is not connected, so mcp__jira__get is left out.',
  ])
  const { definition } = readDefinition(text, { stem: 'a', source: 'a test' })
  if (definition === null) throw new Error('not an agent')
  const [problem] = missingNames(text, { ...definition, source: 'project' }, { ...known, servers: [] })
  expect(problem?.fixes.map(({ label }) => label)).toEqual(['Remove 2 names'])
  expect(applyEdits(text, problem?.fixes[0]?.edits ?? [])).toContain('tools: Read, mcp__jira__get\n')
})

test('a part of a tool’s name gives no hint, a longer name does', () => {
  const names = { ...known, tools: [...known.tools, 'WebSearch', 'TodoWrite'] }
  const text = '---\nname: a\ntools: Read, websear, GrepTool, WebSearchTool\n---\n'
  expect(check(text, names)).toEqual([
    '3:14 unknown-tool Unknown tool websear. Did you mean WebSearch?',
    '3:23 unknown-tool Unknown tool GrepTool. Did you mean Grep?',
    '3:33 unknown-tool Unknown tool WebSearchTool. Did you mean WebSearch?',
  ])
  expect(check('---\nname: a\ntools: Read, write\n---\n', names)).toEqual([
    '3:14 missing-tool The tool write is not available in this version.',
  ])
  expect(check('---\nname: a\ntools: Read, searching\n---\n', names)).toEqual([
    '3:14 unknown-tool Unknown tool searching.',
  ])
})

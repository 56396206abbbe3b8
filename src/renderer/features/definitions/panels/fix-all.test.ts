import { expect, test } from 'vitest'
import { definitionProblems } from '../source/read-head.ts'
import { sampleSurroundings } from '../testing/sample-surroundings.ts'
import { fixAll } from './problems-panel.tsx'

const surroundings = sampleSurroundings()

test('all fixes are applied, except for servers and skills that may only be missing now', () => {
  const text =
    '---\r\nname: x\r\ndescription: Use it when: a test fails\r\ntools: Raed, Gerp, mcp__semgrep__scan\r\nskills: nowhere\r\n---\r\nBody.'
  const fixed = fixAll(text, surroundings)
  expect(fixed).toBe(
    '---\r\nname: x\r\ndescription: "Use it when: a test fails"\r\ntools: Read, Grep, mcp__semgrep__scan\r\nskills: nowhere\r\n---\r\nBody.',
  )
  expect(definitionProblems(fixed, surroundings).map(({ code }) => code)).toEqual([
    'unknown-server',
    'missing-skill',
  ])
})

test.each([
  'WebSearch, WebFetch, NotebookEdit',
  'NotebookRead, ReadMcpResourceTool, ListMcpResourcesTool, ExitPlanMode, SlashCommand',
  'mcp__github__get_issues, mcp__playwright, mcp__github__*',
  'Teleport, codebase_search, read_file, run_terminal_cmd, Bashh__x, search/usages',
  '[Read, "Launch(a, b)", Head, View]',
])('tools of other programs stay: %s', (tools) => {
  const own = {
    ...surroundings,
    catalog: { ...surroundings.catalog, tools: ['Read', 'Edit', 'Bash', 'Grep', 'mcp__github__get_issue'] },
  }
  for (const key of ['tools', 'disallowedTools']) {
    const text = `---\nname: x\ndescription: y\n${key}: ${tools}\n---\nBody.`
    expect(fixAll(text, own)).toBe(text)
  }
})

test('a text without fixes stays unchanged', () => {
  const text = '---\nname: x\ndescription: y\npermissionMode: yolo\n---\n'
  expect(fixAll(text, surroundings)).toBe(text)
})

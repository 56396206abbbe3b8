import { describe, expect, test } from 'vitest'
import { applyEdits } from '../../../../shared/agent-definition/agent-definition.ts'
import { sampleSurroundings } from '../testing/sample-surroundings.ts'
import { definitionProblems } from './read-head.ts'

const surroundings = sampleSurroundings()
const file = (fields: string) => `---\nname: a\ndescription: b\n${fields}\n---\nRead this.\n`
const problemsOf = (text: string) =>
  definitionProblems(text, surroundings).map((problem) => ({
    ...problem,
    marked: text.slice(problem.from, problem.to),
    fixed: problem.fixes.map((fix) => [fix.label, applyEdits(text, fix.edits)]),
  }))

describe('an unknown tool', () => {
  test('is marked at its position, and its fixes change nothing else', () => {
    const text = file('# tools: Raed\ntools: Read, Raed, Bash(ls)')
    expect(problemsOf(text)).toMatchObject([
      {
        code: 'unknown-tool',
        severity: 'warning',
        line: 5,
        column: 14,
        marked: 'Raed',
        fixed: [
          ['Use Read', text.replace('Read, Raed', 'Read, Read')],
          ['Remove Raed', text.replace('Read, Raed', 'Read')],
        ],
      },
    ])
  })

  test('is marked without its rule and keeps the rule when renamed', () => {
    const text = file('tools:\r\n  - Read\r\n  - "Bahs(git diff:*)" # look')
    const [problem] = problemsOf(text)
    expect(problem?.marked).toBe('Bahs')
    expect(problem?.fixed[0]).toEqual(['Use Bash', text.replace('Bahs', 'Bash')])
  })

  test('is found in disallowedTools', () => {
    expect(problemsOf(file('disallowedTools: [Write, Teleport]'))).toMatchObject([
      { code: 'unknown-tool', marked: 'Teleport', fixes: [{ label: 'Remove Teleport' }] },
    ])
  })

  test('is found in recovered YAML', () => {
    const found = problemsOf('---\nname: a\ndescription: Use it: now\ntools: Raed\n---\n')
    expect(found.map(({ code, marked }) => [code, marked])).toContainEqual(['unknown-tool', 'Raed'])
  })
})

describe('a name that is not available', () => {
  test('a server', () => {
    expect(problemsOf(file('tools: Read, mcp__github__get_issue, mcp__semgrep__scan'))).toMatchObject([
      {
        code: 'unknown-server',
        marked: 'mcp__semgrep__scan',
        message: 'MCP server semgrep is not connected, so mcp__semgrep__scan is left out.',
      },
    ])
  })

  test('a skill', () => {
    expect(problemsOf(file('skills: [commit, deploy]'))).toMatchObject([
      { code: 'missing-skill', marked: 'deploy', fixes: [{ label: 'Remove deploy' }] },
    ])
  })
})

test('problems of the reader and missing names are sorted by position', () => {
  const found = problemsOf(file('tools: Raed\nmaxTurns: 0\nskills: deploy'))
  expect(found.map(({ line }) => line)).toEqual([4, 5, 6])
})

test('a text that is not an agent has only the reader’s problems', () => {
  expect(problemsOf('Only words.\n')).toMatchObject([{ code: 'no-frontmatter' }])
})

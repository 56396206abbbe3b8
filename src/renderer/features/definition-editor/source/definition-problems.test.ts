import { describe, expect, test } from 'vitest'
import { applyEdits } from '../../../../shared/agent-definition/agent-definition.ts'
import { sampleSurroundings } from '../testing/sample-surroundings.ts'
import { definitionProblems } from './definition-problems.ts'

const surroundings = sampleSurroundings()
const file = (fields: string) => `---\nname: a\ndescription: b\n${fields}\n---\nRead this.\n`
const problemsOf = (text: string) =>
  definitionProblems(text, surroundings).map((problem) => ({
    ...problem,
    marked: text.slice(problem.from, problem.to),
    mended: problem.mends.map((mend) => [mend.label, applyEdits(text, mend.edits)]),
  }))

describe('a tool that is not there', () => {
  test('is marked where it stands, and its mends change nothing else', () => {
    const text = file('# tools: Raed\ntools: Read, Raed, Bash(ls)')
    expect(problemsOf(text)).toMatchObject([
      {
        code: 'unknown-tool',
        severity: 'warning',
        line: 5,
        column: 14,
        marked: 'Raed',
        mended: [
          ['Use Read', text.replace('Read, Raed', 'Read, Read')],
          ['Remove Raed', text.replace('Read, Raed', 'Read')],
        ],
      },
    ])
  })

  test('is marked without its rule, and keeps it when it is renamed', () => {
    const text = file('tools:\r\n  - Read\r\n  - "Bahs(git diff:*)" # look')
    const [problem] = problemsOf(text)
    expect(problem?.marked).toBe('Bahs')
    expect(problem?.mended[0]).toEqual(['Use Bash', text.replace('Bahs', 'Bash')])
  })

  test('is found in disallowedTools too', () => {
    expect(problemsOf(file('disallowedTools: [Write, Teleport]'))).toMatchObject([
      { code: 'unknown-tool', marked: 'Teleport', mends: [{ label: 'Remove Teleport' }] },
    ])
  })

  test('is told of in a file whose YAML had to be mended', () => {
    const found = problemsOf('---\nname: a\ndescription: Use it: now\ntools: Raed\n---\n')
    expect(found.map(({ code, marked }) => [code, marked])).toContainEqual(['unknown-tool', 'Raed'])
  })
})

describe('what is named and not connected or not there', () => {
  test('a server', () => {
    expect(problemsOf(file('tools: Read, mcp__github__get_issue, mcp__semgrep__scan'))).toMatchObject([
      {
        code: 'unknown-server',
        marked: 'mcp__semgrep__scan',
        message: 'No server named semgrep is connected, so mcp__semgrep__scan is left out.',
      },
    ])
  })

  test('a skill', () => {
    expect(problemsOf(file('skills: [commit, deploy]'))).toMatchObject([
      { code: 'missing-skill', marked: 'deploy', mends: [{ label: 'Remove deploy' }] },
    ])
  })
})

test('what the reader says is there as well, in the order of the places', () => {
  const found = problemsOf(file('tools: Raed\nmaxTurns: 0\nskills: deploy'))
  expect(found.map(({ line }) => line)).toEqual([4, 5, 6])
})

test('a text that is no agent has what the reader says, and nothing else', () => {
  expect(problemsOf('Only words.\n')).toMatchObject([{ code: 'no-frontmatter' }])
})

import { expect, test } from 'vitest'
import { openConditions } from '../../../../shared/agent-definition/effective-tools.ts'
import { readDefinition } from '../../../../shared/agent-definition/read-definition.ts'
import { sampleSurroundings } from '../testing/sample-surroundings.ts'
import { toolReasons } from './tool-reasons.ts'

const surroundings = sampleSurroundings()

function reasonsOf(frontmatter: string, maxDepth = 3) {
  const text = `---\nname: x\ndescription: y\n${frontmatter}---\n`
  const { definition } = readDefinition(text, { stem: 'x', source: 'project' })
  if (definition === null) throw new Error('not an agent')
  const catalog = { ...surroundings.catalog, conditions: { ...openConditions, maxDepth } }
  return { text, ...toolReasons(text, definition, { ...surroundings, catalog }) }
}

test('each missing tool has a reason, with the line if the text causes it', () => {
  const { text, allowed, names, missing } = reasonsOf(
    'tools: Read, Edit, Bash(git diff:*), mcp__semgrep__scan, Raed\ndisallowedTools: [Edit]\n',
  )
  expect(allowed).toEqual(['Read', 'Bash(git diff:*)'])
  expect(names).toEqual(['Read', 'Bash'])
  expect(missing.map(({ reason, tools }) => [tools.join(' '), reason])).toEqual([
    ['Edit', 'denied here, line 5'],
    ['Raed', 'unknown tool; did you mean Read?'],
    ['mcp__semgrep__scan', 'server not connected'],
    ['Agent Write Grep WebFetch WebSearch', 'not listed, line 4'],
  ])
  const denied = missing[0]?.range
  expect(text.slice(denied?.from, denied?.to)).toBe('disallowedTools: [Edit]')
})

test('allowed tools include their rules from the text', () => {
  expect(reasonsOf('tools: Agent(reviewer, Explore), Read\n').allowed).toEqual([
    'Agent(reviewer, Explore)',
    'Read',
  ])
  const all = reasonsOf('readOnly: true\n')
  expect(all.allowed).toEqual(['Agent', 'Read', 'Grep', 'Bash', 'WebFetch', 'WebSearch'])
  expect(all.missing.at(-1)).toMatchObject({
    tools: ['Write', 'Edit'],
    reason: 'the agent only reads (readOnly)',
  })
  expect(all.missing.at(-1)?.range).not.toBeNull()
})

test('the setting maxDepth decides whether a subagent starts agents', () => {
  expect(reasonsOf('').allowed).toContain('Agent')
  const { allowed, missing } = reasonsOf('', 1)
  expect(allowed).not.toContain('Agent')
  expect(missing.find(({ tools }) => tools.includes('Agent'))?.reason).toContain('maxDepth')
})

import { EditorState } from '@codemirror/state'
import { expect, test } from 'vitest'
import { sampleSurroundings } from '../testing/sample-surroundings.ts'
import { helpAt } from './hover-help.ts'
import { surroundingsFacet } from './surroundings-facet.ts'

const text = `---
name: a
tools: Read, Bash(git diff:*), mcp__semgrep__scan
model: claude-opus-5-5
skills: [owasp]
flavour: sour
---
model: not here
`
const state = EditorState.create({ doc: text, extensions: surroundingsFacet.of(sampleSurroundings()) })
const help = (word: string) => helpAt(state, text.indexOf(word) + 1)

test('a key is explained, and one that nobody knows is said to be kept', () => {
  expect(help('tools')?.text).toMatch(/^The tools it may use/)
  expect(help('flavour')?.text).toMatch(/kept as it is/)
})

test('a tool, a server that is not connected, a model and a skill are explained', () => {
  expect(help('Bash(git')).toMatchObject({ title: 'Bash(git diff:*)', text: expect.stringMatching(/shell/) })
  expect(help('mcp__')?.text).toBe('The tool scan of the MCP server semgrep, which is not connected.')
  expect(help('claude-opus')?.text).toBe('Claude Opus 5.5')
  expect(help('owasp')?.text).toBe('What attackers try first.')
})

test('there is nothing to say of the body', () => {
  expect(help('not here')).toBeNull()
})

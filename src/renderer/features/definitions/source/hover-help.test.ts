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

test('a key has help; an unknown key is named as such', () => {
  expect(help('tools')?.text).toMatch(/^The allowed tools\./)
  expect(help('flavour')?.text).toMatch(/^Unknown key/)
})

test('a tool, a disconnected server, a model and a skill have help', () => {
  expect(help('Bash(git')).toMatchObject({ title: 'Bash(git diff:*)', text: expect.stringMatching(/shell/) })
  expect(help('mcp__')?.text).toBe('The tool scan of the MCP server semgrep (not connected).')
  expect(help('claude-opus')?.text).toBe('Claude Opus 5.5')
  expect(help('owasp')?.text).toBe('What attackers try first.')
})

test('the body has no help', () => {
  expect(help('not here')).toBeNull()
})

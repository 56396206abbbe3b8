import { expect, test } from 'vitest'
import { inClaudeCode } from './in-claude-code.ts'
import { readDefinition } from './read-definition.ts'

const inFile = (text: string) =>
  inClaudeCode(readDefinition(text, { stem: 'a', source: 'the project' }), text)
const of = (fields: string) => inFile(`---\nname: a\n${fields}\n---\nBody\n`)

test('a file that both programs read alike has no differences', () => {
  expect(of('description: b\ntools: Read\nmodel: opus\npermissionMode: plan\nisolation: worktree')).toEqual(
    [],
  )
  expect(of('description: b\nreadOnly: false\nmodel: opus\nmodel: haiku')).toEqual([])
})

test('keys of Troupe, an invalid frontmatter and an unknown mode are named', () => {
  expect(of('description: b\nreadOnly: true\noneShot: true\naliases: [c]')).toEqual([
    'Claude Code ignores readOnly, oneShot and aliases.',
    'There the agent can change files.',
  ])
  expect(of('description: "when" asked\nhidden: true')).toEqual([
    'Claude Code can’t read this frontmatter, because it is not valid YAML. Fix it or save it here once.',
    'Claude Code ignores hidden.',
  ])
  expect(of('description: b\npermissionMode: bubble')).toEqual(['Claude Code has no permission mode bubble.'])
})

test('invalid YAML that Claude Code reads all the same is no difference', () => {
  for (const fields of [
    'description: when: asked',
    'description: *bold* text',
    'description: > text: more',
    'description: [x] y',
    'description: a: b\ntools:\n\t- Read',
    'description: b\ntools: *',
    'description: b\ncolor: [red',
  ])
    expect(of(fields), fields).toEqual([])
})

test('a file that Claude Code does not take as an agent is named with the reason', () => {
  const leavesOut = 'Claude Code leaves this agent out, because '
  expect(inFile('\n---\nname: a\ndescription: b\n---\n')).toEqual([
    'Claude Code does not find this agent: the first line of its file must be three dashes.',
  ])
  expect(inFile('---\nname: a\ndescription: b\n...\n')).toEqual([
    'Claude Code does not find this agent: a line of three dashes must end its frontmatter.',
  ])
  expect(inFile('---\ndescription: b\n---\n')).toEqual([
    `${leavesOut}it has no name, or one that is not text.`,
  ])
  expect(inFile('---\nname: a\n---\n')).toEqual([`${leavesOut}its description is missing, or not text.`])
  expect(of('description: 12')).toEqual([`${leavesOut}its description is missing, or not text.`])
  expect(of('description: b\nhooks:\n  PreToolUse: x')).toEqual([`${leavesOut}its hooks are not valid.`])
  expect(of('description: b\nhooks:\n  Stop: x')).toEqual([])
})

test('a frontmatter that ends earlier for Claude Code is named with the lost fields', () => {
  expect(of('description: reads a --- b\ntools: Read\nmodel: opus')).toEqual([
    'Claude Code does not read tools and model: there the frontmatter ends at the first three dashes, also within a line.',
  ])
  expect(of('description: "a --- b"')).toEqual([
    'Claude Code can’t read this frontmatter: there the frontmatter ends at the first three dashes, also within a line, and what is before them is not valid YAML.',
  ])
})

test('a comment that becomes part of the name in Claude Code is named', () => {
  expect(inFile('---\nname: a # old\ndescription: when: asked\n---\n')).toEqual([
    'Claude Code calls this agent a # old.',
  ])
})

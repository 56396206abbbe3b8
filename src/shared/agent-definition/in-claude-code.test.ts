import { expect, test } from 'vitest'
import { inClaudeCode } from './in-claude-code.ts'
import { readDefinition } from './read-definition.ts'

const of = (fields: string) =>
  inClaudeCode(readDefinition(`---\nname: a\n${fields}\n---\nBody\n`, { stem: 'a', source: 'the project' }))

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
  expect(of('description: when: asked\nhidden: true')).toEqual([
    'Claude Code can’t read this frontmatter, because it is not valid YAML. Fix it or save it here once.',
    'Claude Code ignores hidden.',
  ])
  expect(of('description: b\npermissionMode: bubble')).toEqual(['Claude Code has no permission mode bubble.'])
})

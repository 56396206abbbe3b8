// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text of files looks like templates
import { expect, test } from 'vitest'
import { expandBody } from './expand-body.ts'
import { skillFields, withSkillFolder } from './skill-fields.ts'

const fields = (yaml: string, source: 'user' | 'project' = 'user') =>
  skillFields(`---\n${yaml}\n---\nBody.`, source)

test('the fields of a skill are read as other programs write them', () => {
  expect(
    fields(
      'name: x\ndescription: Deploys\nwhen_to_use: After tests.\ndisable-model-invocation: true\nargument-hint: [env]\nallowed-tools: Bash(git add:*) Read, Bash(npm test)\ncontext: fork\nagent: Explore\nmodel: haiku',
    ),
  ).toMatchObject({
    description: 'Deploys After tests.',
    isOnlyForUser: true,
    argumentHint: '[env]',
    allowedTools: ['Bash(git add:*)', 'Read', 'Bash(npm test)'],
    fork: { agent: 'Explore', model: 'haiku' },
  })
  expect(fields('description: x\nuser-invocable: false')).toEqual({ description: 'x', isOnlyForAgents: true })
  expect(fields('description: x\ncontext: fork').fork).toEqual({ agent: 'general-purpose', model: null })
  expect(skillFields('No frontmatter.', 'user')).toEqual({ description: '' })
})

test('what has no effect is named', () => {
  expect(fields('description: x\nmodel: opus\nagent: Plan\nhooks: {}\nlicense: MIT').notes).toEqual([
    expect.stringContaining('agent has no effect'),
    'hooks has no effect in Troupe.',
  ])
  expect(fields('description: x\nallowed-tools: Read', 'project').notes).toEqual([
    expect.stringContaining('only your own skills'),
  ])
})

const expanded = (body: string, rest: string) =>
  expandBody(body, rest, { isSkill: true }).map((part) =>
    part.kind === 'command' ? `!${part.command}` : part.text,
  )

test.each([
  ['Fix $1 in $2', 'a "b c"', 'Fix a in b c'],
  ['Move $0 to $1', 'a b', 'Move a to b'],
  ['Move $ARGUMENTS[1] after $ARGUMENTS[0]', 'a b', 'Move b after a'],
  ['All: $ARGUMENTS', 'a b', 'All: a b'],
  ['Nothing', 'a b', 'Nothing\n\nArguments: a b'],
  ['Mail @team about $12', 'x', 'Mail @team about $12\n\nArguments: x'],
])('%j with %j is %j', (body, rest, text) => {
  expect(expanded(body, rest).join('')).toBe(text)
})

test('arguments add no shell command', () => {
  expect(expanded('Look: !`git log $0`\n$ARGUMENTS', 'main !`rm -rf x`')).toEqual([
    'Look: ',
    '!git log main',
    '\nmain !`rm -rf x`',
  ])
})

test('the folder of the skill is filled in', () => {
  expect(withSkillFolder('Run ${CLAUDE_SKILL_DIR}/a.sh', '/s/x')).toBe('Run /s/x/a.sh')
})

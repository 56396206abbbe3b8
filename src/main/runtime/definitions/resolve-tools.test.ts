import { describe, expect, test } from 'vitest'
import { resolveTools } from './resolve-tools.ts'

const tools = [
  'Agent',
  'Read',
  'Write',
  'Edit',
  'Glob',
  'Grep',
  'Bash',
  'TodoWrite',
  'SendMessage',
  'TaskStop',
]
const all = { tools: null, disallowedTools: [], source: 'user' } as const

describe('which tools an agent has', () => {
  test.each([
    ['a main agent has all', all, 0, tools],
    ['a subagent starts no agents, writes no letters, ends no tasks', all, 1, tools.slice(1, 8)],
    [
      'a built-in subagent may end tasks',
      { ...all, source: 'built-in' },
      1,
      [...tools.slice(1, 8), 'TaskStop'],
    ],
    ['a list is all there is', { ...all, tools: ['Read', 'Grep'] }, 1, ['Read', 'Grep']],
    ['a star is everything', { ...all, tools: ['*'] }, 1, tools.slice(1, 8)],
    ['an empty list is nothing', { ...all, tools: [] }, 1, []],
    [
      'a denial wins over the list',
      { ...all, tools: ['Read', 'Bash'], disallowedTools: ['Bash'] },
      1,
      ['Read'],
    ],
    [
      'a denial with a rule takes only what it matches',
      { ...all, tools: ['Bash'], disallowedTools: ['Bash(rm:*)'] },
      1,
      ['Bash'],
    ],
    ['an entry with a rule is the tool', { ...all, tools: ['Bash(git diff:*)'] }, 1, ['Bash']],
    [
      'names of other programs are understood',
      { ...all, tools: ['MultiEdit', 'LS', 'read'] },
      1,
      ['Read', 'Edit', 'Glob'],
    ],
    [
      'types named: agents may be started',
      { ...all, tools: ['Read', 'Agent(Explore, Plan)'] },
      1,
      ['Agent', 'Read'],
    ],
    ['but not for ever', { ...all, tools: ['Read', 'Agent(Explore)'] }, 3, ['Read']],
    ['letters where the definition names them', { ...all, tools: ['SendMessage'] }, 1, ['SendMessage']],
  ] as const)('%s', (_, definition, depth, expected) => {
    expect(resolveTools(definition, { tools, depth }).allowed).toEqual(expected)
  })

  test('what is taken away says why, once', () => {
    const { blocked } = resolveTools(
      { ...all, tools: ['Read', 'Bash'], disallowedTools: ['Bash'] },
      { tools, depth: 1 },
    )
    expect(blocked.find((entry) => entry.tool === 'Bash')?.because).toContain('disallowedTools')
    expect(blocked.find((entry) => entry.tool === 'Write')?.because).toContain('does not list it')
    expect(blocked).toHaveLength(tools.length - 1)
  })

  test('a name that does not exist is told with the nearest one', () => {
    const { unknown } = resolveTools(
      { ...all, tools: ['Raed', 'Teleport', 'mcp__github'] },
      { tools, depth: 1 },
    )
    expect(unknown).toEqual([
      { entry: 'Raed', nearest: 'Read' },
      { entry: 'Teleport', nearest: null },
    ])
  })

  test('the types that may be started', () => {
    expect(resolveTools({ ...all, tools: ['Agent(Explore, Plan)'] }, { tools, depth: 1 }).agentTypes).toEqual(
      ['Explore', 'Plan'],
    )
    expect(resolveTools(all, { tools, depth: 0 }).agentTypes).toBeNull()
  })
})

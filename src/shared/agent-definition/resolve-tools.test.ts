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
      'a denial of a part takes the whole where parts are not told apart',
      { ...all, tools: ['Read', 'Bash'], disallowedTools: ['Bash(rm:*)'] },
      1,
      ['Read'],
    ],
    ['a denied star is everything', { ...all, disallowedTools: ['*'] }, 0, []],
    ['agents may be denied to a main agent too', { ...all, disallowedTools: ['Task'] }, 0, tools.slice(1)],
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

  test('a denial of a part takes only that where each call is held against it', () => {
    const definition = {
      ...all,
      tools: ['Read', 'Bash(git diff:*, git log:*)', 'Edit', 'Edit(src/**)', 'Agent(Explore)'],
      disallowedTools: ['Bash(git diff --output:*)', 'Write(secret/**)'],
    }
    const { allowed, rules } = resolveTools(definition, { tools, depth: 1, enforcesRules: true })
    expect(allowed).toEqual(['Agent', 'Read', 'Edit', 'Bash'])
    expect(rules).toEqual({
      denied: ['Bash(git diff --output:*)', 'Write(secret/**)'],
      only: ['Bash(git diff:*)', 'Bash(git log:*)'],
    })
  })

  test('in the background it has what needs nobody', () => {
    const { allowed, blocked } = resolveTools(
      { ...all, source: 'built-in' },
      { tools: [...tools, 'mcp__github__search'], depth: 1, background: true },
    )
    expect(allowed).toEqual([
      'Read',
      'Write',
      'Edit',
      'Glob',
      'Grep',
      'Bash',
      'TodoWrite',
      'mcp__github__search',
    ])
    expect(blocked.find((entry) => entry.tool === 'TaskStop')?.because).toContain('background')
  })

  test('what only the main agent can use, no other has', () => {
    const has = (depth: number) => resolveTools(all, { tools: ['ExitPlanMode', 'Read'], depth }).allowed
    expect([has(0), has(1)]).toEqual([['ExitPlanMode', 'Read'], ['Read']])
  })

  test('where agents may go deeper, they start others of any type', () => {
    const agent = (depth: number, maxDepth: number) =>
      resolveTools(all, { tools, depth, maxDepth }).allowed.includes('Agent')
    expect([agent(0, 1), agent(1, 1), agent(1, 2), agent(2, 2), agent(0, 0)]).toEqual([
      true,
      false,
      true,
      false,
      false,
    ])
  })

  test('the name of a server stands for all its tools', () => {
    const mcp = ['mcp__github__search', 'mcp__githubber__x']
    const names = (tools: string[] | null, disallowedTools: string[]) =>
      resolveTools({ ...all, tools, disallowedTools }, { tools: mcp, depth: 1 }).allowed
    expect(names(null, ['mcp__github'])).toEqual(['mcp__githubber__x'])
    expect(names(['mcp__github'], [])).toEqual(['mcp__github__search'])
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

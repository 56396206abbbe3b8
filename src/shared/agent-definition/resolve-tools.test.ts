import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { resolveTools, type ToolDefinition, type ToolStep, type ToolSurroundings } from './resolve-tools.ts'

const tools = [
  ...[
    'Agent',
    'Read',
    'Write',
    'Edit',
    'Glob',
    'Grep',
    'Bash',
    'TodoWrite',
    'Skill',
    'SendMessage',
    'TaskStop',
  ],
  ...['ExitPlanMode', 'mcp__github__search', 'mcp__github__push', 'mcp__githubber__x'],
]
const all: ToolDefinition = { tools: null, disallowedTools: [], source: 'user' }
const github = ['mcp__github__search', 'mcp__github__push']
const mcp = [...github, 'mcp__githubber__x']
/** What a subagent has where nothing is said. */
const usual = ['Read', 'Write', 'Edit', 'Glob', 'Grep', 'Bash', 'TodoWrite', 'Skill', ...mcp]
const without = (...names: readonly string[]) => usual.filter((tool) => !names.includes(tool))

const resolve = (definition: Partial<ToolDefinition>, around: Partial<ToolSurroundings> = {}) =>
  resolveTools({ ...all, ...definition }, { tools, depth: 1, ...around })

describe('which tools an agent has', () => {
  test.each<[string, Partial<ToolDefinition>, Partial<ToolSurroundings>, readonly string[]]>([
    ['1: a main agent has all', {}, { depth: 0 }, tools],
    ['2: a subagent has not what only the main agent can use', {}, {}, usual],
    ['2: letters where the definition names them', { tools: ['SendMessage'] }, {}, ['SendMessage']],
    ['2: letters in a team', {}, { teamMember: true }, [...usual.slice(0, 8), 'SendMessage', ...mcp]],
    ['2: a star names no letters', { tools: ['*'] }, {}, usual],
    ['2: agents where the setting lets them go deeper', {}, { maxDepth: 2 }, ['Agent', ...usual]],
    ['2: and no deeper', {}, { maxDepth: 2, depth: 2 }, usual],
    [
      '2: no agents at all where even the main agent starts none',
      {},
      { maxDepth: 0, depth: 0 },
      tools.slice(1),
    ],
    ['2: agents where the types are named', { tools: ['Read', 'Agent(Explore)'] }, {}, ['Agent', 'Read']],
    ['2: also below that', { tools: ['Read', 'Task(Explore)'] }, { depth: 2 }, ['Agent', 'Read']],
    ['2: but not for ever', { tools: ['Read', 'Agent(Explore)'] }, { depth: 3 }, ['Read']],
    ['2: the bare name is no type', { tools: ['Read', 'Agent'] }, {}, ['Read']],
    [
      '3: an agent that comes with the program may end tasks',
      { source: 'built-in' },
      {},
      [...usual.slice(0, 8), 'TaskStop', ...mcp],
    ],
    ['3: no other, even where it lists it', { tools: ['Read', 'KillShell'] }, {}, ['Read']],
    ['4: in the background what needs nobody', { source: 'built-in' }, { background: true }, usual],
    ['4: also where the definition says so', { source: 'built-in', background: true }, {}, usual],
    ['4: a main agent is in nobody’s background', { background: true }, { depth: 0 }, tools],
    ['5: no MCP tools by a setting', {}, { mcpToolsForSubagents: 'none' }, without(...mcp)],
    ['5: only those that are listed, by a setting', {}, { mcpToolsForSubagents: 'listed' }, without(...mcp)],
    [
      '5: a server is listed by its name',
      { tools: ['Read', 'mcp__github'] },
      { mcpToolsForSubagents: 'listed' },
      ['Read', ...github],
    ],
    ['5: the setting is about subagents', {}, { depth: 0, mcpToolsForSubagents: 'none' }, tools],
    ['5: the servers it sees', { mcpServers: ['GitHub'] }, {}, without('mcp__githubber__x')],
    [
      '5: inline ones by their name',
      { mcpServers: [{ githubber: { command: 'x' } }] },
      {},
      without(...github),
    ],
    ['5: none of them', { mcpServers: [] }, {}, without(...mcp)],
    ['6: a denial', { disallowedTools: ['Bash'] }, {}, without('Bash')],
    ['6: wins over the list', { tools: ['Read', 'Bash'], disallowedTools: ['Bash'] }, {}, ['Read']],
    [
      '6: by the name of another program',
      { disallowedTools: ['multiedit', 'LS'] },
      {},
      without('Edit', 'Glob'),
    ],
    ['6: of everything', { disallowedTools: ['*'] }, { depth: 0 }, []],
    ['6: of a part leaves the tool', { disallowedTools: ['Bash(rm:*)'] }, {}, usual],
    ['6: of a part that is all', { disallowedTools: ['Bash(*)', 'Edit()'] }, {}, without('Bash', 'Edit')],
    [
      '6: of a part of what has no parts takes the whole',
      { disallowedTools: ['TodoWrite(x)', 'mcp__github__push(main)'] },
      {},
      without('TodoWrite', 'mcp__github__push'),
    ],
    ['6: without its last bracket takes the whole', { disallowedTools: ['Bash(rm:*'] }, {}, without('Bash')],
    ['6: of a server', { disallowedTools: ['mcp__github'] }, {}, without(...github)],
    ['6: of a server, with a star', { disallowedTools: ['mcp__GitHub__*'] }, {}, without(...github)],
    ['6: of one of its tools', { disallowedTools: ['mcp__github__push'] }, {}, without('mcp__github__push')],
    ['6: of some of its tools', { disallowedTools: ['mcp__github__p*'] }, {}, without('mcp__github__push')],
    ['6: of all servers', { disallowedTools: ['mcp__*'] }, {}, without(...mcp)],
    ['7: a list is all there is', { tools: ['Read', 'Grep'] }, {}, ['Read', 'Grep']],
    ['7: an empty list is nothing', { tools: [] }, {}, []],
    ['7: a star is everything', { tools: ['Read', '*'] }, {}, usual],
    ['7: a server', { tools: ['mcp__github'] }, {}, github],
    ['7: a server, with a star', { tools: ['mcp__github__*'] }, {}, github],
    ['7: a part is the tool', { tools: ['Bash(git diff:*)'] }, {}, ['Bash']],
    ['7: a part of what has no parts is nothing', { tools: ['Read', 'TodoWrite(x)'] }, {}, ['Read']],
    ['7: without its last bracket it is nothing', { tools: ['Read', 'Bash(git'] }, {}, ['Read']],
    ['7: a part of everything is nothing', { tools: ['Read', '*(x)'] }, {}, ['Read']],
    ['7: other cases and names', { tools: ['MultiEdit', 'LS', 'read'] }, {}, ['Read', 'Edit', 'Glob']],
    ['8: an agent that only reads', { readOnly: true }, {}, without('Write', 'Edit', ...mcp)],
    [
      '8: has the MCP tools that only read',
      { readOnly: true },
      { readingMcpTools: ['mcp__github__search'] },
      without('Write', 'Edit', 'mcp__github__push', 'mcp__githubber__x'),
    ],
  ])('%s', (_, definition, around, expected) => {
    expect(resolve(definition, around).allowed).toEqual(expected)
  })
})

describe('why a tool is not there', () => {
  /** A definition that takes away by every step; each row lifts one more of them, in their order. */
  const everyWay = (tool: string): Partial<ToolDefinition> => ({
    background: true,
    mcpServers: [],
    disallowedTools: [tool],
    tools: [],
    readOnly: true,
  })
  test.each<[string, ToolStep, string, Partial<ToolDefinition>, Partial<ToolSurroundings>]>([
    ['ExitPlanMode', 'subagent', 'only the main agent', {}, {}],
    ['SendMessage', 'subagent', 'in a team', {}, {}],
    ['Agent', 'depth', 'Agent(a, b)', {}, {}],
    ['Agent', 'depth', 'at most 3 deep', { tools: ['Agent(x)'] }, { depth: 3 }],
    ['TaskStop', 'reserved', 'come with the program', {}, {}],
    ['TaskStop', 'background', 'in the background', { source: 'built-in' }, {}],
    ['Agent', 'background', 'in the background', {}, { maxDepth: 2 }],
    ['TaskStop', 'denied', 'disallowedTools', { source: 'built-in', background: false }, {}],
    ['mcp__github__push', 'mcp', 'setting', {}, { mcpToolsForSubagents: 'none' }],
    ['mcp__github__push', 'mcp', 'only the MCP tools', {}, { mcpToolsForSubagents: 'listed' }],
    ['mcp__github__push', 'mcp', 'mcpServers', {}, {}],
    ['mcp__github__push', 'denied', 'disallowedTools', { mcpServers: null }, {}],
    ['Write', 'denied', 'disallowedTools', {}, {}],
    ['Write', 'not-listed', 'does not list it', { disallowedTools: [] }, {}],
    ['Write', 'read-only', 'only reads', { disallowedTools: [], tools: null }, {}],
    ['mcp__github__push', 'read-only', 'say', { mcpServers: null, disallowedTools: [], tools: null }, {}],
  ])('%s: %s comes first (%s)', (tool, step, words, definition, around) => {
    const { blocked } = resolve({ ...everyWay(tool), ...definition }, around)
    const mine = blocked.filter((entry) => entry.tool === tool)
    expect(mine).toHaveLength(1)
    expect(mine[0]).toMatchObject({ step, because: expect.stringContaining(words) })
  })

  test('a denial names its entry, as it is written', () => {
    const { blocked } = resolve({ disallowedTools: ['read', 'mcp__github__*', 'TodoWrite(x)'] })
    expect(blocked.filter(({ step }) => step === 'denied').map(({ tool, entry }) => [tool, entry])).toEqual([
      ['Read', 'read'],
      ['TodoWrite', 'TodoWrite(x)'],
      ...github.map((tool) => [tool, 'mcp__github__*']),
    ])
  })

  test('every tool is either there or not', () => {
    const { allowed, blocked } = resolve({ tools: ['Read', 'Bash'], disallowedTools: ['Bash'] })
    expect([...allowed, ...blocked.map(({ tool }) => tool)].toSorted()).toEqual(tools.toSorted())
  })
})

describe('parts of tools', () => {
  test('are held against each call', () => {
    const { allowed, rules } = resolve({
      tools: [
        'Read',
        'Bash(git diff:*, git log:*)',
        'Edit',
        'Edit(src/**)',
        'Agent(Explore)',
        'Skill(commit)',
      ],
      disallowedTools: ['Bash(git diff --output:*)', 'Edit(secret/**)', 'Agent(Plan)'],
    })
    expect(allowed).toEqual(['Agent', 'Read', 'Edit', 'Bash', 'Skill'])
    expect(rules).toEqual({
      denied: ['Bash(git diff --output:*)', 'Edit(secret/**)'],
      only: ['Bash(git diff:*)', 'Bash(git log:*)', 'Skill(commit)'],
    })
  })

  test('without their last bracket do not widen the others', () => {
    const { allowed, rules } = resolve({ tools: ['Bash(git', 'Bash(ls:*)'] })
    expect([allowed, rules.only]).toEqual([['Bash'], ['Bash(ls:*)']])
  })

  test('with a comma deny what stands on both sides of it, and the whole', () => {
    expect(resolve({ disallowedTools: ['Bash(echo a, rm:*)'] }).rules.denied).toEqual([
      'Bash(echo a)',
      'Bash(rm:*)',
      'Bash(echo a, rm:*)',
    ])
  })

  test('of Agent are the types it may start', () => {
    const types = (definition: Partial<ToolDefinition>, around: Partial<ToolSurroundings> = {}) => {
      const { agentTypes, deniedAgentTypes } = resolve(definition, around)
      return [agentTypes, deniedAgentTypes]
    }
    expect(types({ tools: ['Agent(Explore, Plan)', 'Task(Bash)'] })).toEqual([
      ['Explore', 'Plan', 'Bash'],
      [],
    ])
    expect(types({}, { depth: 0 })).toEqual([null, []])
    expect(types({ tools: ['Agent', 'Agent(Explore)'] }, { depth: 0 })).toEqual([null, []])
    expect(types({ tools: ['Agent', 'Agent(Explore)'] })).toEqual([['Explore'], []])
    expect(types({ disallowedTools: ['Agent(Explore, ops:shell)'] })).toEqual([
      null,
      ['Explore', 'ops:shell'],
    ])
  })
})

describe('names that do not exist', () => {
  test.each([
    ['Raed', 'Read'],
    ['todo_write', 'TodoWrite'],
    ['ReadFile', 'Read'],
    ['Teleport', null],
    ['X', null],
    ['Bash(git', 'Bash'],
    ['mcp__github__serach', 'mcp__github__search'],
  ])('%s: did you mean %s?', (entry, nearest) => {
    expect(resolve({ tools: ['Read', entry] }).unknown).toEqual([{ entry, nearest }])
    expect(resolve({ disallowedTools: [entry] }).unknown).toEqual([{ entry, nearest }])
  })

  test.each(['*', 'Task', 'mcp__github', 'mcp__github__*', 'mcp__jira', 'mcp__jira__find', 'Bash(rm:*)'])(
    '%s is none of them',
    (entry) => {
      expect(resolve({ tools: [entry] }).unknown).toEqual([])
    },
  )
})

test('whatever the lists hold, a tool is there or not, and one that is denied by its name never is', () => {
  const entry = fc.oneof(
    fc.constantFrom(...tools, '*', 'Task', 'mcp__github', 'Bash(rm:*)', 'Agent(Explore)', 'Bash('),
    fc.string(),
  )
  const lists = { listed: fc.option(fc.array(entry)), denied: fc.array(entry) }
  fc.assert(
    fc.property(fc.record(lists), fc.nat(4), ({ listed, denied }, depth) => {
      const { allowed, blocked } = resolve({ tools: listed, disallowedTools: denied }, { depth })
      expect([...allowed, ...blocked.map(({ tool }) => tool)].toSorted()).toEqual(tools.toSorted())
      expect(allowed.filter((tool) => denied.includes(tool))).toEqual([])
    }),
  )
})

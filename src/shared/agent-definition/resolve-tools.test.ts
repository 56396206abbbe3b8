import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { defaultLimits } from '../settings/limit-amounts.ts'
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
/** The tools of a subagent without restrictions. */
const usual = ['Read', 'Write', 'Edit', 'Glob', 'Grep', 'Bash', 'TodoWrite', 'Skill', 'TaskStop', ...mcp]
/** The default of the setting maxDepth. */
const deep = { maxDepth: defaultLimits.maxDepth }
const without = (...names: readonly string[]) => usual.filter((tool) => !names.includes(tool))

const resolve = (definition: Partial<ToolDefinition>, around: Partial<ToolSurroundings> = {}) =>
  resolveTools({ ...all, ...definition }, { tools, depth: 1, maxDepth: 1, ...around })

describe('which tools an agent has', () => {
  test.each<[string, Partial<ToolDefinition>, Partial<ToolSurroundings>, readonly string[]]>([
    ['1: a main agent has all tools', {}, { depth: 0 }, tools],
    ['2: a subagent lacks the tools of the main agent', {}, {}, usual],
    ['2: SendMessage if the definition names it', { tools: ['SendMessage'] }, {}, ['SendMessage']],
    [
      '2: SendMessage in a team',
      {},
      { teamMember: true },
      [...usual.slice(0, 8), 'SendMessage', 'TaskStop', ...mcp],
    ],
    ['2: a star does not name SendMessage', { tools: ['*'] }, {}, usual],
    ['2: Agent if the setting allows more depth', {}, { maxDepth: 2 }, ['Agent', ...usual]],
    ['2: not below that depth', {}, { maxDepth: 2, depth: 2 }, usual],
    ['2: no Agent at all at depth 0', {}, { maxDepth: 0, depth: 0 }, tools.slice(1)],
    ['2: Agent with all tools', {}, deep, ['Agent', ...usual]],
    ['2: Agent with a star', { tools: ['*'] }, deep, ['Agent', ...usual]],
    ['2: Agent by its bare name', { tools: ['Read', 'Agent'] }, deep, ['Agent', 'Read']],
    ['2: Agent by another program’s name', { tools: ['Read', 'Task'] }, deep, ['Agent', 'Read']],
    ['2: Agent if the types are named', { tools: ['Read', 'Agent(Explore)'] }, deep, ['Agent', 'Read']],
    [
      '2: also one level deeper',
      { tools: ['Read', 'Task(Explore)'] },
      { ...deep, depth: 2 },
      ['Agent', 'Read'],
    ],
    ['2: not below the maximum depth', { tools: ['Read', 'Agent'] }, { ...deep, depth: 3 }, ['Read']],
    ['2: not if it is denied', { disallowedTools: ['Task'] }, deep, usual],
    ['2: not if it is not listed', { tools: ['Read'] }, deep, ['Read']],
    ['2: not in the background', {}, { ...deep, background: true }, usual],
    ['2: a lower setting leaves named types', { tools: ['Read', 'Agent(Explore)'] }, {}, ['Agent', 'Read']],
    ['2: a lower setting takes the bare name', { tools: ['Read', 'Agent'] }, {}, ['Read']],
    [
      '3: a built-in agent that starts agents has the task tools',
      { source: 'built-in' },
      { maxDepth: 2 },
      ['Agent', ...usual],
    ],
    ['3: they come with Bash', {}, { background: true }, usual],
    [
      '3: one that starts neither agents nor commands has no use for them',
      { source: 'built-in', disallowedTools: ['Bash'] },
      {},
      without('Bash', 'TaskStop'),
    ],
    ['3: no other agent has them, even if listed', { tools: ['Read', 'KillShell'] }, {}, ['Read']],
    [
      '3: a list names them beside Bash',
      { tools: ['Bash', 'KillShell'] },
      { background: true },
      ['Bash', 'TaskStop'],
    ],
    ['4: in the background, tools that need no user', { source: 'built-in' }, { background: true }, usual],
    ['4: also with `background` in the definition', { source: 'built-in', background: true }, {}, usual],
    ['4: a main agent is never in the background', { background: true }, { depth: 0 }, tools],
    ['5: no MCP tools by a setting', {}, { mcpToolsForSubagents: 'none' }, without(...mcp)],
    ['5: only listed MCP tools by a setting', {}, { mcpToolsForSubagents: 'listed' }, without(...mcp)],
    [
      '5: a server is listed by name',
      { tools: ['Read', 'mcp__github'] },
      { mcpToolsForSubagents: 'listed' },
      ['Read', ...github],
    ],
    ['5: the setting affects only subagents', {}, { depth: 0, mcpToolsForSubagents: 'none' }, tools],
    ['5: only the named servers', { mcpServers: ['GitHub'] }, {}, without('mcp__githubber__x')],
    ['5: inline servers by name', { mcpServers: [{ githubber: { command: 'x' } }] }, {}, without(...github)],
    ['5: no servers of other definitions', {}, { ownedTools: github }, without(...github)],
    [
      '5: servers of other definitions by name',
      { mcpServers: ['github'] },
      { ownedTools: github },
      without('mcp__githubber__x'),
    ],
    ['5: no servers', { mcpServers: [] }, {}, without(...mcp)],
    ['6: a denial', { disallowedTools: ['Bash'] }, {}, without('Bash', 'TaskStop')],
    ['6: a denial wins over the list', { tools: ['Read', 'Bash'], disallowedTools: ['Bash'] }, {}, ['Read']],
    [
      '6: a denial by another program’s name',
      { disallowedTools: ['multiedit', 'LS'] },
      {},
      without('Edit', 'Glob'),
    ],
    ['6: a denial of everything', { disallowedTools: ['*'] }, { depth: 0 }, []],
    ['6: a denial of a part keeps the tool', { disallowedTools: ['Bash(rm:*)'] }, {}, usual],
    [
      '6: a denial of a part that is everything',
      { disallowedTools: ['Bash(*)', 'Edit()', 'Write( )', 'Read(:*)'] },
      {},
      without('Bash', 'Edit', 'Write', 'Read', 'TaskStop'),
    ],
    [
      '6: a denial of a part denies a tool without parts',
      { disallowedTools: ['TodoWrite(x)', 'mcp__github__push(main)'] },
      {},
      without('TodoWrite', 'mcp__github__push'),
    ],
    [
      '6: an unclosed denial denies the whole tool',
      { disallowedTools: ['Bash(rm:*'] },
      {},
      without('Bash', 'TaskStop'),
    ],
    ['6: of a server', { disallowedTools: ['mcp__github'] }, {}, without(...github)],
    ['6: of a server, with a star', { disallowedTools: ['mcp__GitHub__*'] }, {}, without(...github)],
    [
      '6: a denial of one MCP tool',
      { disallowedTools: ['mcp__github__push'] },
      {},
      without('mcp__github__push'),
    ],
    [
      '6: a denial of some MCP tools',
      { disallowedTools: ['mcp__github__p*'] },
      {},
      without('mcp__github__push'),
    ],
    ['6: a denial of all servers', { disallowedTools: ['mcp__*'] }, {}, without(...mcp)],
    ['7: only listed tools', { tools: ['Read', 'Grep'] }, {}, ['Read', 'Grep']],
    ['7: an empty list allows nothing', { tools: [] }, {}, []],
    ['7: a star allows everything', { tools: ['Read', '*'] }, {}, usual],
    ['7: a server', { tools: ['mcp__github'] }, {}, github],
    ['7: a server, with a star', { tools: ['mcp__github__*'] }, {}, github],
    ['7: a part allows the tool', { tools: ['Bash(git diff:*)'] }, {}, ['Bash']],
    ['7: a part of a tool without parts allows nothing', { tools: ['Read', 'TodoWrite(x)'] }, {}, ['Read']],
    ['7: an unclosed entry allows nothing', { tools: ['Read', 'Bash(git'] }, {}, ['Read']],
    [
      '7: empty brackets allow nothing',
      { tools: ['Read', 'Bash()', 'Edit( )', 'Write(:*)', 'Bash(ls, :*)'] },
      {},
      ['Read'],
    ],
    ['7: a part of everything allows nothing', { tools: ['Read', '*(x)'] }, {}, ['Read']],
    ['7: other case and other names', { tools: ['MultiEdit', 'LS', 'read'] }, {}, ['Read', 'Edit', 'Glob']],
    ['8: a read-only agent', { readOnly: true }, {}, without('Write', 'Edit', 'TaskStop', ...mcp)],
    [
      '8: a read-only agent has the MCP tools that only read',
      { readOnly: true },
      { readingTools: ['mcp__github__search'] },
      without('Write', 'Edit', 'TaskStop', 'mcp__github__push', 'mcp__githubber__x'),
    ],
  ])('%s', (_, definition, around, expected) => {
    expect(resolve(definition, around).allowed).toEqual(expected)
  })
})

describe('the reason for a blocked tool', () => {
  /** A definition that every step restricts. Each row lifts one more restriction, in the order of the steps. */
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
    ['TaskStop', 'reserved', 'reserved for built-in agents', {}, {}],
    ['TaskStop', 'background', 'background agents', { source: 'built-in' }, {}],
    ['Agent', 'background', 'background agents', {}, { maxDepth: 2 }],
    ['TaskStop', 'denied', 'disallowedTools', { source: 'built-in', background: false }, {}],
    ['mcp__github__push', 'mcp', 'setting', {}, { mcpToolsForSubagents: 'none' }],
    ['mcp__github__push', 'mcp', 'only the MCP tools', {}, { mcpToolsForSubagents: 'listed' }],
    ['mcp__github__push', 'mcp', 'mcpServers', {}, {}],
    ['mcp__github__push', 'denied', 'disallowedTools', { mcpServers: null }, {}],
    ['Write', 'denied', 'disallowedTools', {}, {}],
    ['Write', 'not-listed', 'does not list it', { disallowedTools: [] }, {}],
    ['Write', 'read-only', 'only reads', { disallowedTools: [], tools: null }, {}],
    ['mcp__github__push', 'read-only', 'say', { mcpServers: null, disallowedTools: [], tools: null }, {}],
  ])('%s: %s comes first (%s)', (tool, step, reason, definition, around) => {
    const { blocked } = resolve({ ...everyWay(tool), ...definition }, around)
    const mine = blocked.filter((entry) => entry.tool === tool)
    expect(mine).toHaveLength(1)
    expect(mine[0]).toMatchObject({ step, because: expect.stringContaining(reason) })
  })

  test('a denial names its entry as written', () => {
    const { blocked } = resolve({ disallowedTools: ['read', 'mcp__github__*', 'TodoWrite(x)'] })
    expect(blocked.filter(({ step }) => step === 'denied').map(({ tool, entry }) => [tool, entry])).toEqual([
      ['Read', 'read'],
      ['TodoWrite', 'TodoWrite(x)'],
      ...github.map((tool) => [tool, 'mcp__github__*']),
    ])
  })

  test('every tool is either allowed or blocked', () => {
    const { allowed, blocked } = resolve({ tools: ['Read', 'Bash'], disallowedTools: ['Bash'] })
    expect([...allowed, ...blocked.map(({ tool }) => tool)].toSorted()).toEqual(tools.toSorted())
  })
})

describe('parts of tools', () => {
  test('become rules for each call', () => {
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

  test('that are unclosed do not widen other entries', () => {
    const { allowed, rules } = resolve({ tools: ['Bash(git', 'Bash(ls:*)'] })
    expect([allowed, rules.only]).toEqual([['Bash'], ['Bash(ls:*)']])
  })

  test('with a comma deny both sides of the comma and the whole', () => {
    expect(resolve({ disallowedTools: ['Bash(echo a, rm:*)'] }).rules.denied).toEqual([
      'Bash(echo a)',
      'Bash(rm:*)',
      'Bash(echo a, rm:*)',
    ])
  })

  test('of Agent are the allowed agent types', () => {
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
    '%s is not unknown',
    (entry) => {
      expect(resolve({ tools: [entry] }).unknown).toEqual([])
    },
  )
})

test('for any lists, a tool is either allowed or blocked, and a tool denied by name is blocked', () => {
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

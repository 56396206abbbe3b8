/** Which tools requests list: only those of use, and the same for agents of one type, so that they share a cached prefix. */
import { describe, expect, test } from 'vitest'
import { ok } from '../../shared/kernel/result.ts'
import type { LoadedSkill } from './ports/definitions.ts'
import type { FileSearch } from './ports/files.ts'
import type { ModelRequest } from './ports/model.ts'
import type { AnyTool } from './ports/tool.ts'
import { createMemoryRules } from './testing/memory-rules.ts'
import { createMemoryStore } from './testing/memory-store.ts'
import { lastWords } from './testing/scripted-model.ts'
import { agentCall, echo, isMain, script } from './testing/scripts.ts'
import { createTestRuntime, FOLDER, type TestOptions, testDefinitions } from './testing/test-runtime.ts'

const skill: LoadedSkill = {
  name: 'commit',
  description: 'Commits.',
  source: 'project',
  file: '/project/.claude/skills/commit/SKILL.md',
  folder: '/project/.claude/skills/commit',
  body: 'Commit.',
}
const unusedSearch: FileSearch = {
  glob: async () => ok({ paths: [], truncated: false }),
  grep: async () => ok({ text: '', matches: 0, truncated: false }),
  first: async () => ok(null),
}
const namesOf = (request: ModelRequest | undefined) => request?.tools.map(({ name }) => name) ?? []

describe('agents of one type', () => {
  const inBoth = [
    agentCall('one', { subagent_type: 'w' }),
    agentCall('two', { subagent_type: 'w', run_in_background: true }),
  ]
  const run = async (tools: readonly string[] | null, child: Parameters<typeof script>[1]) => {
    const definitions = [...testDefinitions, { ...testDefinitions[1]!, name: 'w', tools }]
    const troupe = createTestRuntime({ definitions, script: script([{ calls: inBoth }, echo], child) })
    await troupe.runtime.settled(await troupe.begin('Go'))
    return troupe.model.requests.filter((request) => !isMain(request))
  }

  test.each([[null], [['Read', 'Agent(Explore)']]])(
    'have the same tools and prompt in the foreground and in the background (tools: %j)',
    async (tools) => {
      const [one, two, ...rest] = await run(tools, () => ({ text: 'done' }))
      expect(rest).toEqual([])
      expect(two?.tools).toEqual(one?.tools)
      expect(two?.system).toBe(one?.system)
    },
  )

  test('cannot use a tool of the foreground in the background, and are told', async () => {
    const requests = await run(['Read', 'Agent(Explore)'], (request) =>
      request.messages.length > 1 || !lastWords(request).includes('Do two.')
        ? { text: 'done' }
        : { calls: [agentCall('x', { subagent_type: 'Explore' })] },
    )
    const two = requests.filter((request) => JSON.stringify(request.messages).includes('Do two.'))
    expect(lastWords(two[0]!)).toContain('where calls of these tools are refused: Agent.')
    expect(lastWords(two[1]!)).toContain('Agent is not available to you: background agents do not have it.')
  })
})

test('an agent that starts neither agents nor commands has no TaskOutput and TaskStop; the main agent has them', async () => {
  const troupe = createTestRuntime({
    definitions: testDefinitions.map((each) => ({ ...each, readOnly: each.name !== 'main' })),
    script: script([{ calls: [agentCall('one')] }, echo], () => ({ text: 'done' })),
  })
  await troupe.runtime.settled(await troupe.begin('Go'))
  const [main, child] = troupe.model.requests
  expect(namesOf(main)).toEqual(expect.arrayContaining(['TaskOutput', 'TaskStop']))
  expect(namesOf(child).filter((name) => name.startsWith('Task'))).toEqual([])
  const description = main?.tools.find(({ name }) => name === 'Agent')?.description
  expect(description).not.toMatch(/Tools: .*(TaskOutput|TaskStop|Skill)/)
})

describe('without skills', () => {
  test('Skill is left out, and a call of it says why', async () => {
    const troupe = createTestRuntime({ script: script([{ calls: [['Skill', { skill: 'x' }]] }, echo], echo) })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(namesOf(troupe.model.requests[0])).not.toContain('Skill')
    expect(lastWords(troupe.model.requests[1]!)).toContain(
      'Skill is not available to you: there is nothing here to use it with.',
    )
  })

  test('Skill comes with the first skill, and its list is announced once', async () => {
    let skills: readonly LoadedSkill[] = []
    const troupe = createTestRuntime({ skills: () => skills, script: echo })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    skills = [skill]
    for (const text of ['Next', 'And next']) {
      await troupe.say(id, text)
      await troupe.runtime.settled(id)
    }
    const [first, second, third] = troupe.model.requests
    expect(namesOf(first)).not.toContain('Skill')
    expect(lastWords(second!)).toContain('New or changed tools that you can call now: Skill.')
    expect(second?.tools.find(({ name }) => name === 'Skill')?.description).toContain('- commit: Commits.')
    expect(lastWords(third!)).toBe('And next')
    skills = [skill, { ...skill, name: 'deploy', description: 'Deploys.' }]
    await troupe.say(id, 'Last')
    await troupe.runtime.settled(id)
    expect(lastWords(troupe.model.requests[3]!)).toContain(
      'New or changed (load them with Skill):\n- deploy: Deploys.',
    )
    expect(troupe.model.requests[3]?.tools).toEqual(third?.tools)
  })
})

describe('the main agent has', () => {
  const firstTools = async (options: Partial<TestOptions>) => {
    const troupe = createTestRuntime({ script: echo, ...options })
    await troupe.runtime.settled(await troupe.begin('Go'))
    return namesOf(troupe.model.requests[0])
  }
  const forUsers = ['AskUserQuestion', 'ExitPlanMode', 'MergeWorktree']

  test('the tools for a user where a user answers', async () => {
    expect(await firstTools({})).toEqual(expect.arrayContaining(forUsers))
    const names = await firstTools({ policy: { attended: false } })
    expect(names.filter((name) => forUsers.includes(name))).toEqual([])
  })

  test('MergeWorktree without a user where a rule allows merges', async () => {
    const rules = createMemoryRules({ allow: ['MergeWorktree'] })
    const names = await firstTools({ policy: { attended: false }, ports: { rules } })
    expect(names).toContain('MergeWorktree')
  })

  test('in a folder that is not trusted only tools whose calls are not all denied', async () => {
    const names = await firstTools({ policy: { trusted: () => false } })
    expect(names).toEqual(expect.arrayContaining(['Read', 'Glob', 'Grep', 'TodoWrite', 'Agent']))
    for (const name of ['Write', 'Edit', 'Bash', 'MergeWorktree', 'WebFetch'])
      expect(names).not.toContain(name)
  })

  test.each([
    ['Bash', ['Bash']],
    ['Bash(rm:*)', []],
    ['Edit', ['Write', 'Edit']],
    ['Grep', ['Glob', 'Grep']],
    ['Read', ['Read', 'Glob', 'Grep']],
    ['Agent', ['Agent']],
    ['Agent(Explore)', []],
  ])('no tool that the rule %s denies wholly', async (rule, gone) => {
    const rules = createMemoryRules({ deny: [rule] })
    const all = await firstTools({})
    expect(await firstTools({ ports: { rules } })).toEqual(all.filter((name) => !gone.includes(name)))
  })

  test('NotebookEdit where the folder has notebooks', async () => {
    const search = {
      ...unusedSearch,
      first: async () => ok('a.ipynb'),
    }
    expect(await firstTools({})).not.toContain('NotebookEdit')
    expect(await firstTools({ ports: { search } })).toContain('NotebookEdit')
  })
})

test('a tool that a rule denied comes with a notice when the rule is gone, and stays when a rule denies it again', async () => {
  const denied = { deny: ['WebFetch', 'Bash'] }
  const troupe = createTestRuntime({ script: echo, ports: { rules: createMemoryRules(denied) } })
  const id = await troupe.begin('Go')
  await troupe.runtime.settled(id)
  denied.deny = ['WebFetch']
  for (const text of ['Next', 'And next']) {
    await troupe.say(id, text)
    await troupe.runtime.settled(id)
    denied.deny = ['Bash']
  }
  const [first, second, third] = troupe.model.requests
  expect(namesOf(first)).not.toContain('Bash')
  expect(lastWords(second!)).toContain('New or changed tools that you can call now: Bash.')
  expect(namesOf(second)).toEqual([...namesOf(first), 'Bash'])
  expect(lastWords(third!)).toBe('And next')
  expect(third?.tools).toEqual(second?.tools)
})

describe('the tools of teams', () => {
  const ofTeams = ['TaskCreate', 'TaskUpdate', 'TaskList', 'TeamDelete']
  const start: readonly [string, object] = ['TeamCreate', { name: 'pay' }]

  test('come when a team starts, in a notice and at the end of the list, and then stay', async () => {
    const troupe = createTestRuntime({
      script: script([{ calls: [start] }, { calls: [['TaskList', {}]] }, echo], echo),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const [before, after, last] = troupe.model.requests
    expect(namesOf(before).filter((name) => ofTeams.includes(name))).toEqual([])
    expect(namesOf(after)).toEqual([...namesOf(before), ...ofTeams])
    expect(JSON.stringify(after?.messages)).toContain(
      'that you can call now: TaskCreate, TaskUpdate, TaskList',
    )
    expect(JSON.stringify(after?.messages)).toContain('The team pay has no members yet.')
    expect(last?.tools).toEqual(after?.tools)
    expect(lastWords(last!)).not.toContain('New or changed')
  })

  test('can be called before, as in conversations that began with them', async () => {
    const troupe = createTestRuntime({
      script: script([{ calls: [['TaskCreate', { subject: 'One' }]] }, echo], echo),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(lastWords(troupe.model.requests[1]!)).not.toContain('not available')
  })

  test('a fork keeps the list of its parent, with them and without', async () => {
    const fork: readonly [string, object] = ['Agent', { prompt: 'Fork.', description: 'Fork' }]
    const troupe = createTestRuntime({
      policy: { forkSubagents: true },
      script: script([{ calls: [fork] }, { calls: [start] }, { calls: [fork] }, echo], () => ({
        text: 'done',
      })),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const [first, early, , third, late] = troupe.model.requests
    expect(early?.tools).toEqual(first?.tools)
    expect(late?.tools).toEqual(third?.tools)
    expect(namesOf(late)).toContain('TaskCreate')
    expect(lastWords(late!)).not.toContain('These tools were removed')
  })
})

test('NotebookEdit comes with a notice to an agent that has read a notebook', async () => {
  const notebook = JSON.stringify({ cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 })
  const bytes = new TextEncoder().encode(notebook)
  const stat = { kind: 'file', size: bytes.length, mtimeMs: 0 } as const
  const files = {
    stat: async (path: string) => ok(path === FOLDER ? { ...stat, kind: 'folder' as const } : stat),
    read: async () => ok(bytes),
    write: async () => ok(stat),
    realPath: async (path: string) => ok(path),
  }
  const troupe = createTestRuntime({
    ports: { files },
    script: script(
      [{ calls: [['Read', { file_path: 'a.ipynb' }]] }, { calls: [agentCall('one')] }, echo],
      echo,
    ),
  })
  await troupe.runtime.settled(await troupe.begin('Go'))
  const [before, after, child] = troupe.model.requests
  expect(namesOf(before)).not.toContain('NotebookEdit')
  expect(namesOf(after)).toEqual([...namesOf(before), 'NotebookEdit'])
  // Agents that start later have it from their first request on.
  expect(isMain(child!)).toBe(false)
  expect(namesOf(child)).toContain('NotebookEdit')
  expect(lastWords(child!)).not.toContain('NotebookEdit')
})

test('a subagent is not offered the fields of Agent that are for a main agent', async () => {
  const troupe = createTestRuntime({
    policy: { maxDepth: 2 },
    script: script([{ calls: [agentCall('one')] }, echo], () => ({ text: 'done' })),
  })
  await troupe.runtime.settled(await troupe.begin('Go'))
  const [main, child] = troupe.model.requests.map(
    ({ tools }) => tools.find(({ name }) => name === 'Agent')?.input_schema['properties'] as object,
  )
  expect(main).toHaveProperty('team_name')
  expect(child).not.toHaveProperty('team_name')
  expect(child).toHaveProperty('resume')
})

const added = (name: string): AnyTool => ({
  ...{ name, aliases: [], description: 'Forecasts.', schema: { type: 'object', properties: {} } },
  ...{ kind: 'other', icon: 'plug', concurrent: false },
  sideEffects: () => true,
  summary: () => '',
  run: async () => ({ isError: false, content: 'Rain.', note: '' }),
})

test('an added tool that a rule denies wholly is not offered; where the rule comes later, it is not called removed', async () => {
  const denied = { deny: ['mcp__sun'] }
  const troupe = createTestRuntime({ script: echo, ports: { rules: createMemoryRules(denied) } })
  troupe.runtime.tools.add('weather', [added('mcp__sun__rise'), added('mcp__rain__fall')])
  const id = await troupe.begin('Go')
  await troupe.runtime.settled(id)
  denied.deny = ['mcp__sun', 'mcp__rain__fall']
  await troupe.say(id, 'Next')
  await troupe.runtime.settled(id)
  const [first, second] = troupe.model.requests
  expect(namesOf(first).filter((name) => name.startsWith('mcp__'))).toEqual(['mcp__rain__fall'])
  expect(second?.tools).toEqual(first?.tools)
  expect(lastWords(second!)).toBe('Next')
})

test('an added tool that no agent can have is not offered, and the main agent and its panel learn of it once', async () => {
  const store = createMemoryStore()
  const start = (script: TestOptions['script']) => {
    const troupe = createTestRuntime({ script, store })
    const unusable = { ...added('mcp__sun__rise'), unusable: 'its schema has no type' }
    troupe.runtime.tools.add('weather', [unusable, added('mcp__rain__fall')])
    return troupe
  }
  const first = start(script([{ calls: [agentCall('one')] }, echo], () => ({ text: 'done' })))
  const id = await first.begin('Go')
  await first.runtime.settled(id)
  const [request, child] = first.model.requests
  expect(namesOf(request)).not.toContain('mcp__sun__rise')
  expect(JSON.stringify(request?.messages)).toContain(
    "can't be used, so you do not have them:\\n- mcp__sun__rise: its schema has no type.",
  )
  expect(JSON.stringify(child?.messages)).not.toContain('mcp__sun__rise')
  expect(first.events.flatMap((event) => (event.type === 'tools-changed' ? [event.note] : []))).toEqual([
    'mcp__sun__rise is not used: its schema has no type.',
  ])
  await first.runtime.close()
  const again = start(echo)
  await again.say(id, 'Next')
  await again.runtime.settled(id)
  expect(lastWords(again.model.requests[0]!)).toBe('Next')
})

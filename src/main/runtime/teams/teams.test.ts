import { describe, expect, test } from 'vitest'
import { fail, ok } from '../../../shared/kernel/result.ts'
import type { ModelRequest } from '../ports/model.ts'
import { createMemoryWorktrees } from '../testing/memory-worktrees.ts'
import { lastWords } from '../testing/scripted-model.ts'
import { type Call, childrenOf, echo, eventsOf, isMain, script, turnOf } from '../testing/scripts.ts'
import { createTestRuntime, FOLDER, type TestRuntime, testDefinitions } from '../testing/test-runtime.ts'

const member = (name: string, more: object = {}) => ({
  name,
  agent: 'general-purpose',
  prompt: `You are ${name}.`,
  ...more,
})
const teamCreate = (members: readonly object[], name = 'pay'): Call => ['TeamCreate', { name, members }]
const mainRequests = (troupe: TestRuntime) => troupe.model.requests.filter(isMain)
/** The text of the main agent's last request. */
const told = (troupe: TestRuntime) => lastWords(mainRequests(troupe).at(-1)!)
const record = (troupe: TestRuntime, id: string) => {
  const found = troupe.store.records.get(id)
  if (found === undefined) throw new Error('There is no record.')
  return found
}

describe('TeamCreate', () => {
  test('starts named background members that may ask, and names them in the log before they start', async () => {
    const troupe = createTestRuntime({
      script: script(
        [{ calls: [teamCreate([member('ada'), member('bob')])] }, { text: 'I wait.' }, echo],
        (request) => ({ text: `done: ${lastWords(request)}` }),
      ),
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    const [ada, bob] = childrenOf(troupe)
    const [team] = record(troupe, id).teams
    expect([ada, bob]).toMatchObject([
      { name: 'ada', teamId: team?.id, background: true, bubbles: true, backing: 'in-process' },
      { name: 'bob', teamId: team?.id, background: true, bubbles: true },
    ])
    expect(team).toMatchObject({
      name: 'pay',
      leaderId: record(troupe, id).mainAgentId,
      endedAt: null,
      members: [
        { name: 'ada', agentId: ada?.agentId, agent: 'general-purpose', backing: 'in-process' },
        { name: 'bob', agentId: bob?.agentId },
      ],
    })
    const result = lastWords(mainRequests(troupe)[1]!)
    expect(result).toContain(`- ada (general-purpose, id ${ada?.agentId}): in this program.`)
    expect(result).toContain('A notice brings you the report')
    const first = troupe.model.requests.find((request) => lastWords(request).includes('You are ada.'))!
    expect(lastWords(first)).toContain(
      'You are "ada" in the team "pay". The leader is the main agent: write to it as "leader". The other members: bob (general-purpose).',
    )
    expect(first.system).toContain('# Your team')
    expect(first.tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['SendMessage', 'TaskCreate', 'TaskUpdate', 'TaskList']),
    )
    expect(first.tools.map(({ name }) => name)).not.toContain('TeamCreate')
    // A leader's prompt is kept for an hour, also after its members have ended.
    expect(mainRequests(troupe)[0]!.cacheFor).toBe('5m')
    expect(
      new Set(
        mainRequests(troupe)
          .slice(1)
          .map(({ cacheFor }) => cacheFor),
      ),
    ).toEqual(new Set(['1h']))
    // Both reports reached the leader.
    const heard = mainRequests(troupe).map(lastWords).join('\n')
    expect(heard).toContain('general-purpose "ada"')
    expect(heard).toContain('general-purpose "bob"')
  })

  test('the members of one type share their cached prefix', async () => {
    const troupe = createTestRuntime({
      script: script([{ calls: [teamCreate([member('ada'), member('bob')])] }, echo], () => ({ text: 'ok' })),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const [one, other] = childrenOf(troupe)
    expect(one?.system).toBe(other?.system)
    expect(one?.tools).toEqual(other?.tools)
  })

  test('understands the field names of other programs', async () => {
    const members = [
      { name: 'ada', subagent_type: 'general-purpose', prompt: 'One.' },
      { name: 'bob', agentType: 'general-purpose', task: 'Two.' },
    ]
    const troupe = createTestRuntime({
      script: script([{ calls: [['TeamCreate', { team_name: 'pay', teammates: members }]] }, echo], echo),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(childrenOf(troupe).map(({ name }) => name)).toEqual(['ada', 'bob'])
  })

  test('starts nobody if anything is wrong, and lists every problem', async () => {
    const wrong = [
      member('ada', { agent: 'wizard' }),
      member('Leader'),
      member('bob'),
      member('BOB'),
      member('taken'),
      member('eve', { backing: 'remote' }),
    ]
    const troupe = createTestRuntime({
      policy: { maxAgents: 6 },
      script: script(
        [
          { calls: [['Agent', { description: 'x', prompt: 'x', name: 'taken' }]] },
          { calls: [teamCreate(wrong)] },
          echo,
        ],
        () => ({ text: 'ok' }),
      ),
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    expect(childrenOf(troupe)).toHaveLength(1)
    expect(record(troupe, id).teams).toEqual([])
    const error = told(troupe)
    expect(error).toContain('The team was not created, and no agent was started.')
    expect(error).toContain('ada: There is no agent "wizard". Available: general-purpose, Explore.')
    expect(error).toContain('the name "Leader" is reserved')
    expect(error).toContain('Two members have the name "BOB"')
    expect(error).toMatch(/taken: the name "taken" belongs to the agent a-\d+/)
    expect(error).toContain(
      "eve: can't run on another machine (remote). This program runs no workers. Leave out backing.",
    )
    expect(error).toContain('This conversation may have 6 agents, so 4 more can be started, not 6.')
  })

  test.each(['main', 'PARENT', 'leader', 'All', 'user'])('the name %s is reserved', async (name) => {
    const troupe = createTestRuntime({
      script: script([{ calls: [teamCreate([member(name)])] }, echo], echo),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(childrenOf(troupe)).toEqual([])
    expect(told(troupe)).toContain(`the name "${name}" is reserved`)
  })

  test('a member whose needs no worker meets is not started, and its team is not created', async () => {
    const worktrees = createMemoryWorktrees()
    const troupe = createTestRuntime({
      ports: { worktrees },
      runtime: {
        workers: {
          check: async (_kind, { agent }) =>
            agent?.platform === 'macos' ? fail({ type: 'x', message: 'Nobody runs macos.' }) : ok(undefined),
          backing: () => null,
          isAlive: async () => false,
          conversations: async () => [],
        },
      },
      script: script(
        [
          { calls: [teamCreate([member('ada', { backing: 'remote', platform: 'macos' })])] },
          { calls: [teamCreate([member('ada', { platform: 'linux' })])] },
          echo,
        ],
        echo,
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(childrenOf(troupe)).toEqual([])
    expect(worktrees.made.map(({ state }) => state)).not.toContain('held')
    expect(worktrees.made).toHaveLength(1)
    const requests = mainRequests(troupe)
    expect(lastWords(requests[1]!)).toContain(
      `ada: can't run on another machine (remote). Nobody runs macos.`,
    )
    expect(lastWords(requests[2]!)).toContain('ada: platform needs the backing remote.')
  })

  test('a member runs where its backing says, if this program can', async () => {
    const asked: string[] = []
    const troupe = createTestRuntime({
      runtime: {
        workers: {
          check: async (kind, { folder, agent }) => {
            asked.push(`${kind} ${folder} ${agent?.tools.some(({ name }) => name === 'Read') ?? 'unplanned'}`)
            return kind === 'pane' ? ok(undefined) : fail({ type: 'x', message: 'No server.' })
          },
          backing: () => null,
          isAlive: async () => false,
          conversations: async () => [],
        },
      },
      script: script(
        [
          { calls: [teamCreate([member('ada', { backing: 'pane' }), member('bob', { backing: 'pane' })])] },
          echo,
        ],
        () => ({ text: 'ok' }),
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    // Before anything is prepared, and for each member as soon as its tools and its model are known.
    expect(asked).toEqual([`pane ${FOLDER} unplanned`, `pane ${FOLDER} true`, `pane ${FOLDER} true`])
    expect(childrenOf(troupe).map(({ backing }) => backing)).toEqual(['pane', 'pane'])
    expect(lastWords(mainRequests(troupe)[1]!)).toContain('in a process of its own on this machine')
  })

  test('a name stays taken after its agent ended, and two working teams have different names', async () => {
    const troupe = createTestRuntime({
      script: script(
        [
          { calls: [teamCreate([member('ada')])] },
          { calls: [teamCreate([member('ada')], 'other')] },
          { calls: [teamCreate([member('eve')], 'PAY')] },
          echo,
        ],
        () => ({ text: 'ok' }),
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(childrenOf(troupe)).toHaveLength(1)
    const results = troupe.events.flatMap((event) =>
      event.type === 'tool-ended' && event.name === 'TeamCreate' ? [String(event.content)] : [],
    )
    expect(results[1]).toContain('the name "ada" belongs to the agent')
    expect(results[2]).toContain('There is a team pay already, with ada.')
  })

  test('only the main agent has it', async () => {
    const troupe = createTestRuntime({
      definitions: [...testDefinitions, { ...testDefinitions[1]!, name: 'w', tools: ['TeamCreate', 'Read'] }],
      script: script(
        [{ calls: [['Agent', { description: 'x', prompt: 'x', subagent_type: 'w' }]] }, echo],
        (request) => ({ text: request.tools.map(({ name }) => name).join() }),
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(told(troupe)).not.toContain('TeamCreate')
  })
})

describe('team_name of the Agent tool', () => {
  const agent = (more: object): Call => ['Agent', { description: 'test it', prompt: 'Test it.', ...more }]
  const isOf = (request: ModelRequest, name: string) =>
    JSON.stringify(request.messages).includes(`You are \\"${name}\\"`)

  test('makes the agent a member, in the background', async () => {
    const troupe = createTestRuntime({
      script: script(
        [
          { calls: [teamCreate([member('ada')])] },
          { calls: [agent({ team_name: 'Pay', name: 'eve' })] },
          echo,
        ],
        () => ({ text: 'ok' }),
      ),
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    const eve = childrenOf(troupe)[1]
    const [team] = record(troupe, id).teams
    expect(eve).toMatchObject({ teamId: team?.id, background: true, bubbles: true })
    expect(team?.members.map(({ name }) => name)).toEqual(['ada', 'eve'])
    expect(JSON.stringify(eventsOf(troupe, eve?.agentId))).toContain(
      'You are \\"eve\\" in the team \\"pay\\"',
    )
  })

  test('tells the members that work, with their next step', async () => {
    const troupe = createTestRuntime({
      script: script(
        [
          { calls: [teamCreate([])] },
          { calls: [agent({ team_name: 'pay', name: 'ada' }), agent({ team_name: 'pay', name: 'eve' })] },
          echo,
        ],
        () => ({ text: 'ok' }),
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const [ofAda, ofEve] = ['ada', 'eve'].map((name) =>
      troupe.model.requests.filter((request) => isOf(request, name)).map(lastWords),
    )
    expect(ofAda?.[0]).toContain('There are no other members yet.')
    expect(ofAda?.[0]).toContain('eve (general-purpose) has joined your team.')
    expect(ofEve?.[0]).toContain('The other members: ada (general-purpose).')
    expect(ofEve?.join('\n')).not.toContain('has joined')
  })

  test.each([
    [{ team_name: 'pay' }, 'a member of a team needs a name'],
    [{ team_name: 'nope', name: 'eve' }, 'there is no team "nope". Teams: pay.'],
    [{ team_name: 'pay', resume: 'ada' }, "resume can't be combined with team_name"],
    [{ team_name: 'pay', name: 'ada' }, 'the name "ada" belongs to the agent'],
  ])('%j is refused: %s', async (more, message) => {
    const troupe = createTestRuntime({
      script: script([{ calls: [teamCreate([member('ada')])] }, { calls: [agent(more)] }, echo], () => ({
        text: 'ok',
      })),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(childrenOf(troupe)).toHaveLength(1)
    const results = troupe.events.flatMap((event) =>
      event.type === 'tool-ended' && event.name === 'Agent' ? [String(event.content)] : [],
    )
    expect(results[0]).toContain(message)
  })
})

describe('the task list', () => {
  const update = (task_id: string, more: object): Call => ['TaskUpdate', { task_id, ...more }]

  test('a leader and two members finish dependent tasks, and idle members cost nothing', async () => {
    const troupe = createTestRuntime({
      script: script(
        [
          {
            calls: [
              ['TaskCreate', { subject: 'parse', description: 'Write the parser.' }],
              ['TaskCreate', { subject: 'print', depends_on: ['1'] }],
              ['TaskCreate', { subject: 'docs', depends_on: [1, '#2'] }],
            ],
          },
          { calls: [teamCreate([member('ada'), member('bob')])] },
          { text: 'I wait.' },
        ],
        (request) => workerTurn(request),
      ),
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    const { tasks } = record(troupe, id)
    expect(tasks.map(({ subject, status }) => [subject, status])).toEqual([
      ['parse', 'completed'],
      ['print', 'completed'],
      ['docs', 'completed'],
    ])
    expect(tasks[2]?.dependsOn).toEqual(['1', '2'])
    const results = troupe.events.flatMap((event) =>
      event.type === 'tool-ended' && event.name === 'TaskUpdate' ? [String(event.content)] : [],
    )
    expect(results.join('\n')).toContain('Write the parser.')
    // Both began with task 1. Afterwards nobody was woken for a task that another member was about to take.
    expect(results.filter((text) => text.includes('already'))).toHaveLength(1)
    const woken = troupe.events.filter(
      (event) => event.type === 'user-message' && event.note?.includes('is free') === true,
    )
    expect(woken).toEqual([])
  })

  /** Lists the tasks, claims the first free one, completes it, and so on. */
  const workerTurn = (request: Parameters<typeof lastWords>[0]) => {
    const words = lastWords(request)
    const mine = /Task (\d+) \(.*\) is yours/.exec(words)?.[1]
    if (mine !== undefined) return { calls: [update(mine, { status: 'completed' })] }
    const free =
      /Free now: (\d+)/.exec(words)?.[1] ??
      /Task (\d+) is free/.exec(words)?.[1] ??
      /(\d+)\. \[free\]/.exec(words)?.[1]
    if (free !== undefined) return { calls: [update(free, { status: 'in_progress' })] }
    return turnOf(request) === 1 ? { calls: [['TaskList', {}] as const] } : { text: 'Nothing to do.' }
  }
})

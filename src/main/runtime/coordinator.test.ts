import { describe, expect, test } from 'vitest'
import { textOf } from '../../shared/messages/text-of.ts'
import { noTeams } from '../../shared/teams/team.ts'
import { coordinatorTools } from '../../shared/tools/tool-facts.ts'
import type { ModelRequest } from './ports/model.ts'
import { createMemoryWorktrees } from './testing/memory-worktrees.ts'
import { lastWords, type Script, type Scripted } from './testing/scripted-model.ts'
import { agentCall, type Call, childrenOf, echo, eventsOf, gate, turnOf } from './testing/scripts.ts'
import { createTestRuntime, FOLDER, type TestOptions, testDefinitions } from './testing/test-runtime.ts'

const coordinator = {
  ...testDefinitions[0]!,
  name: 'coordinator',
  prompt: 'You are the coordinator.',
}
const isCoordinator = ({ system }: ModelRequest) => system.includes('You are the coordinator.')

const phase = (name: string, note?: string): Call => ['SetPhase', { phase: name, ...(note ? { note } : {}) }]

/** A conversation in coordinator mode. The last answer of the coordinator repeats. */
async function coordinate(
  answers: readonly Scripted[],
  options: Partial<TestOptions> & { readonly child?: Script; readonly settles?: boolean } = {},
) {
  const { child = echo, settles = true, ...more } = options
  const troupe = createTestRuntime({
    definitions: [...testDefinitions, coordinator],
    script: (request, signal) => {
      if (!isCoordinator(request)) return child(request, signal)
      return answers[Math.min(turnOf(request), answers.length) - 1]!
    },
    ...more,
  })
  const id = await troupe.begin('Change it', { coordinator: true })
  if (settles) await troupe.runtime.settled(id)
  const record = async () => {
    const snapshot = await troupe.runtime.snapshot(id)
    if (!snapshot.ok) throw new Error(snapshot.failure.message)
    return snapshot.value.record
  }
  const requests = () => troupe.model.requests.filter(isCoordinator)
  return { troupe, id, record, requests, last: () => JSON.stringify(requests().at(-1)?.messages) }
}

describe('the coordinator', () => {
  test('has its own prompt and only its tools', async () => {
    const { requests, record } = await coordinate([{ text: 'Hello.' }])
    expect(requests()).toMatchObject([{ cacheFor: '1h' }])
    const names = requests()[0]!.tools.map(({ name }) => name)
    expect(names).toContain('SetPhase')
    expect(names).toContain('Agent')
    // Those of teams come with a team.
    const ofTeams = ['TaskCreate', 'TaskUpdate', 'TaskList', 'TeamDelete']
    expect(names.toSorted()).toEqual(coordinatorTools.filter((name) => !ofTeams.includes(name)).toSorted())
    expect((await record()).coordinator).toBe(true)
  })

  test.each(['Edit', 'Bash', 'Read', 'TodoWrite'])('is told why it has no %s', async (name) => {
    const { last } = await coordinate([{ calls: [[name, {}]] }, { text: 'Well.' }])
    expect(last()).toContain(`${name} is not available to you: a coordinator leaves this to the agents`)
  })

  test('is told so after a restart, too', async () => {
    const first = await coordinate([{ text: 'Hello.' }])
    await first.troupe.runtime.close()
    const again = createTestRuntime({
      store: first.troupe.store,
      definitions: [...testDefinitions, coordinator],
      script: (request) => (turnOf(request) === 2 ? { calls: [['Edit', {}]] } : { text: 'Well.' }),
    })
    await again.say(first.id, 'Edit it')
    await again.runtime.settled(first.id)
    expect(JSON.stringify(again.model.requests.at(-1)?.messages)).toContain('a coordinator leaves this to')
  })

  test('gets no added tools', async () => {
    const { troupe, id, requests } = await coordinate([{ text: 'Hello.' }])
    troupe.runtime.tools.add('mcp:x', [
      {
        name: 'mcp__x__write',
        aliases: [],
        description: 'Writes.',
        schema: { type: 'object' },
        kind: 'other',
        icon: 'tool',
        concurrent: false,
        sideEffects: () => true,
        summary: () => '',
        run: async () => ({ isError: false, content: '', note: '' }),
      },
    ])
    await troupe.say(id, 'Again')
    await troupe.runtime.settled(id)
    const request = requests().at(-1)!
    expect(JSON.stringify([request.tools, request.messages])).not.toContain('mcp__x__write')
  })

  test('is the only agent with SetPhase', async () => {
    const troupe = createTestRuntime({
      script: (request) => (request.system.includes('main agent') ? { text: 'Hi.' } : { text: 'Looked.' }),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(troupe.model.requests[0]!.tools.map(({ name }) => name)).not.toContain('SetPhase')
    const { troupe: coordinated } = await coordinate([{ calls: [agentCall('look')] }, { text: 'Done.' }])
    const child = coordinated.model.requests.find((request) => !isCoordinator(request))!
    expect(child.tools.map(({ name }) => name)).not.toContain('SetPhase')
    expect(child.tools.map(({ name }) => name)).toContain('Edit')
  })

  test('is not used where the user chose an agent', async () => {
    const troupe = createTestRuntime({
      definitions: [...testDefinitions, coordinator],
      script: () => ({ text: 'Hi.' }),
    })
    const id = await troupe.begin('Go', { coordinator: true, agent: 'general-purpose' })
    await troupe.runtime.settled(id)
    expect(troupe.model.requests[0]!.tools.map(({ name }) => name)).toContain('Edit')
    const snapshot = await troupe.runtime.snapshot(id)
    expect(snapshot.ok && snapshot.value.record).toMatchObject(noTeams)
  })
})

describe('SetPhase', () => {
  test('begins the phases in order, and says what each is for', async () => {
    const { record, last } = await coordinate([
      { calls: [phase('research', 'Look at the parser.')] },
      { calls: [phase('synthesis')] },
      { calls: [phase('implementation')] },
      { calls: [phase('verification')] },
      { text: 'Done.' },
    ])
    expect((await record()).phases.map(({ phase: name, note }) => [name, note])).toEqual([
      ['research', 'Look at the parser.'],
      ['synthesis', ''],
      ['implementation', ''],
      ['verification', ''],
    ])
    for (const text of [
      'Start agents that only read',
      'decide yourself',
      'git worktrees of their own',
      'Start the Verification agent',
    ])
      expect(last()).toContain(text)
    expect(last()).toContain('Nothing else is open.')
  })

  test.each([
    [[], 'synthesis', 'research'],
    [[], 'verification', 'implementation'],
    [['research'], 'implementation', 'synthesis'],
  ])('after %j refuses %s, because %s has not begun', async (begun, wanted, missing) => {
    const { record, last } = await coordinate([
      ...begun.map((name) => ({ calls: [phase(name)] })),
      { calls: [phase(wanted)] },
      { text: 'Done.' },
    ])
    expect((await record()).phases.map(({ phase: name }) => name)).toEqual(begun)
    expect(last()).toContain(`Begin ${missing} first`)
  })

  test('goes back, and forward again', async () => {
    const { record, troupe, id } = await coordinate([
      { calls: [phase('research')] },
      { calls: [phase('synthesis')] },
      { calls: [phase('implementation')] },
      { calls: [phase('research', 'Something is missing.')] },
      { calls: [phase('implementation')] },
      { text: 'Done.' },
    ])
    expect((await record()).phases.map(({ phase: name }) => name)).toEqual([
      'research',
      'synthesis',
      'implementation',
      'research',
      'implementation',
    ])
    const main = (await record()).mainAgentId
    const notes = eventsOf(troupe, main).flatMap((event) => (event.type === 'tool-ended' ? [event.note] : []))
    expect(notes[3]).toBe('back')
    expect(id).toBe((await record()).id)
  })

  test('begins a phase once, where the call is repeated', async () => {
    const { record, last } = await coordinate([
      { calls: [phase('research', 'Look.')] },
      { calls: [phase('research', 'Look.')] },
      { calls: [phase('research')] },
      { text: 'Done.' },
    ])
    expect((await record()).phases).toHaveLength(1)
    expect(last()).toContain('You are in research already.')
  })

  test('refuses a phase that does not exist', async () => {
    const { record } = await coordinate([{ calls: [phase('testing')] }, { text: 'Done.' }])
    expect((await record()).phases).toEqual([])
  })

  test('survives a restart', async () => {
    const first = await coordinate([{ calls: [phase('research')] }, { text: 'Done.' }])
    await first.troupe.runtime.close()
    const again = createTestRuntime({
      store: first.troupe.store,
      definitions: [...testDefinitions, coordinator],
      script: (request) =>
        lastWords(request).includes('go on') ? { calls: [phase('synthesis')] } : { text: 'Done.' },
    })
    await again.say(first.id, 'go on')
    await again.runtime.settled(first.id)
    const snapshot = await again.runtime.snapshot(first.id)
    expect(snapshot.ok && snapshot.value.record.phases.map(({ phase: name }) => name)).toEqual([
      'research',
      'synthesis',
    ])
  })

  test('names working agents, open tasks and branches that are not merged', async () => {
    const worktrees = createMemoryWorktrees()
    const review = {
      list: async () => ({
        folder: FOLDER,
        worktrees: worktrees.made.map(({ location, owner }) => ({
          ...location,
          ...owner,
          state: 'ready',
        })),
        discarded: [],
        order: [],
        problem: null,
      }),
    }
    const { last } = await coordinate(
      [
        { calls: [phase('research')] },
        { calls: [agentCall('write it', { isolation: 'worktree' })] },
        { calls: [agentCall('look on', { run_in_background: true, name: 'watcher' })] },
        { calls: [phase('synthesis')] },
        { calls: [['TaskCreate', { subject: 'Write the docs' }]] },
        { calls: [phase('implementation')] },
        { calls: [phase('verification')] },
        { calls: [['TaskStop', { task_id: 'watcher' }]] },
        { text: 'Done.' },
      ],
      {
        // biome-ignore lint/suspicious/noExplicitAny: only the listed fields are read
        ports: { worktrees, review: review as any },
        child: async (request, signal) => {
          if (!lastWords(request).includes('look on')) return { text: 'Written.' }
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
          return { text: 'Stopped.' }
        },
      },
    )
    expect(last()).toContain('1 agent working: watcher (general-purpose (look on))')
    expect(last()).toContain('1 task not completed: 1 Write the docs')
    expect(last()).toContain('Still open, so not in the files that are verified')
    expect(last()).toContain(`1 branch not merged: ${worktrees.made[0]!.location.branch}`)
  })
})

/** The phases up to implementation, then an agent, then two texts. */
const implementing = (...more: readonly Scripted[]): readonly Scripted[] => [
  { calls: [phase('research')] },
  { calls: [phase('synthesis')] },
  { calls: [phase('implementation')] },
  ...more,
]

test('agents that the same message starts do not start behind a phase that did not begin', async () => {
  const { troupe, last } = await coordinate([
    { calls: [['SetPhase', { phase: 'implementation' }], agentCall('one'), agentCall('two')] },
    { text: 'ok' },
  ])
  expect(childrenOf(troupe)).toEqual([])
  expect(last()).toContain('Not run: SetPhase failed in the same message')
})

describe('agents of a coordinator', () => {
  test('have worktrees in the implementation phase', async () => {
    const worktrees = createMemoryWorktrees()
    const { troupe } = await coordinate(
      implementing(
        { calls: [agentCall('one'), agentCall('two', { run_in_background: true })] },
        { text: 'Done.' },
      ),
      { ports: { worktrees } },
    )
    expect(childrenOf(troupe).map(({ worktree }) => worktree?.own)).toEqual([true, true])
  })

  test('have worktrees if they are started in the message that begins the phase', async () => {
    const worktrees = createMemoryWorktrees()
    const { troupe } = await coordinate(
      [
        { calls: [phase('research'), phase('synthesis'), phase('implementation'), agentCall('one')] },
        { text: 'Done.' },
      ],
      { ports: { worktrees } },
    )
    expect(childrenOf(troupe).map(({ worktree }) => worktree?.own)).toEqual([true])
  })

  test('have worktrees as members of a team, too', async () => {
    const worktrees = createMemoryWorktrees()
    const member = (name: string, agent: string) => ({ name, agent, prompt: `Do ${name}.` })
    const { troupe } = await coordinate(
      implementing(
        {
          calls: [
            [
              'TeamCreate',
              { name: 'crew', members: [member('ann', 'general-purpose'), member('eve', 'Explore')] },
            ],
          ],
        },
        { text: 'Done.' },
      ),
      { ports: { worktrees } },
    )
    expect(childrenOf(troupe).map(({ name, worktree }) => [name, worktree?.own ?? false])).toEqual([
      ['ann', true],
      ['eve', false],
    ])
  })

  test('share the folder in the other phases', async () => {
    const worktrees = createMemoryWorktrees()
    const { troupe } = await coordinate(
      [
        { calls: [agentCall('before')] },
        { calls: [phase('research')] },
        { calls: [agentCall('research')] },
        { calls: [phase('synthesis')] },
        { calls: [phase('implementation')] },
        { calls: [phase('verification')] },
        { calls: [agentCall('verify')] },
        { text: 'Done.' },
      ],
      { ports: { worktrees } },
    )
    expect(childrenOf(troupe)).toHaveLength(3)
    expect(worktrees.made).toEqual([])
  })

  test('share the folder if they only read', async () => {
    const worktrees = createMemoryWorktrees()
    await coordinate(
      implementing({ calls: [agentCall('look', { subagent_type: 'Explore' })] }, { text: 'Done.' }),
      { ports: { worktrees } },
    )
    expect(worktrees.made).toEqual([])
  })

  test.each([
    ['the user does not trust', { policy: { trusted: () => false } }, { isRepository: true }],
    ['no repository has', {}, { isRepository: false }],
  ])('share a folder that %s, and the coordinator knows it', async (_, more, facts) => {
    const folder = { gitBranch: null, platform: 'linux', shell: 'bash', ...facts }
    const worktrees = createMemoryWorktrees()
    const { troupe, last } = await coordinate(
      implementing({ calls: [agentCall('one')] }, { text: 'Done.' }),
      { ...more, ports: { worktrees, folders: { facts: async () => folder, gitState: async () => null } } },
    )
    expect(childrenOf(troupe)).toHaveLength(1)
    expect(worktrees.made).toEqual([])
    expect(last()).toContain('There are no git worktrees here')
  })

  test('share a folder in which no worktree can be created, and the coordinator knows it', async () => {
    const { troupe, last } = await coordinate(implementing({ calls: [agentCall('one')] }, { text: 'Done.' }))
    expect(childrenOf(troupe)).toHaveLength(1)
    expect(last()).toContain(
      'It has no worktree and writes in /project: This folder is in no git repository.',
    )
  })

  test('do not start without the worktree if creating it failed for another reason', async () => {
    const worktrees = createMemoryWorktrees()
    worktrees.trouble = 'The disk is full.'
    const { troupe, last } = await coordinate(
      implementing({ calls: [agentCall('one')] }, { text: 'Done.' }),
      { ports: { worktrees } },
    )
    expect(childrenOf(troupe)).toEqual([])
    expect(last()).toContain('The disk is full.')
  })

  test('of an ordinary main agent share the folder', async () => {
    const worktrees = createMemoryWorktrees()
    const troupe = createTestRuntime({
      ports: { worktrees },
      script: (request) =>
        request.system.includes('main agent') && turnOf(request) === 1
          ? { calls: [agentCall('one')] }
          : { text: 'Done.' },
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(worktrees.made).toEqual([])
  })
})

describe('a coordinator that ends its run without a verification', () => {
  const reminders = (requests: readonly ModelRequest[]) =>
    JSON.stringify(requests.at(-1)?.messages).split('no verification phase followed').length - 1

  test('is reminded once', async () => {
    const { requests, troupe, id } = await coordinate(
      implementing({ calls: [agentCall('one')] }, { text: 'Done.' }, { text: 'Really done.' }),
    )
    expect(reminders(requests())).toBe(1)
    await troupe.say(id, 'Thanks')
    await troupe.runtime.settled(id)
    expect(reminders(requests())).toBe(1)
  })

  test('is reminded once, even over a restart', async () => {
    const first = await coordinate(implementing({ calls: [agentCall('one')] }, { text: 'Done.' }))
    await first.troupe.runtime.close()
    const again = createTestRuntime({
      store: first.troupe.store,
      definitions: [...testDefinitions, coordinator],
      script: () => ({ text: 'Done.' }),
    })
    await again.say(first.id, 'Thanks')
    await again.runtime.settled(first.id)
    expect(reminders(again.model.requests)).toBe(1)
  })

  test('is reminded again after the changes that followed a verification', async () => {
    const { requests, troupe, id } = await coordinate([
      ...implementing({ calls: [agentCall('one')] }, { calls: [phase('verification')] }),
      { text: 'Done.' },
      { calls: [phase('implementation')] },
      { calls: [agentCall('two')] },
      { text: 'Done.' },
    ])
    expect(reminders(requests())).toBe(0)
    await troupe.say(id, 'One more')
    await troupe.runtime.settled(id)
    expect(reminders(requests())).toBe(1)
  })

  test.each([
    ['nothing ran', implementing({ text: 'Done.' })],
    [
      'agents only read',
      implementing({ calls: [agentCall('look', { subagent_type: 'Explore' })] }, { text: 'Done.' }),
    ],
    [
      'a verification phase followed',
      implementing({ calls: [agentCall('one')] }, { calls: [phase('verification')] }, { text: 'Done.' }),
    ],
  ])('is not reminded if %s', async (_, answers) => {
    const { requests } = await coordinate(answers)
    expect(reminders(requests())).toBe(0)
  })

  test('is not reminded if the worktrees of its agents have no changes', async () => {
    const worktrees = createMemoryWorktrees()
    const { requests } = await coordinate(implementing({ calls: [agentCall('one')] }, { text: 'Done.' }), {
      ports: { worktrees },
      child: (request) => {
        for (const made of worktrees.made) made.changed = false
        return echo(request, AbortSignal.abort())
      },
    })
    expect(worktrees.made).toHaveLength(1)
    expect(reminders(requests())).toBe(0)
  })

  test('is not reminded if the Verification agent ran after the changes, in whatever phase', async () => {
    const worktrees = createMemoryWorktrees()
    const verifier = {
      ...testDefinitions[1]!,
      name: 'Verification',
      prompt: 'You verify.',
      isolation: 'worktree' as const,
    }
    const { requests, record } = await coordinate(
      implementing(
        { calls: [agentCall('one')] },
        { calls: [agentCall('check', { subagent_type: 'Verification' })] },
        { text: 'Done.' },
      ),
      {
        ports: { worktrees },
        definitions: [...testDefinitions, coordinator, verifier],
        child: ({ system }) => ({ text: system.includes('You verify.') ? 'VERDICT: passed' : 'Written.' }),
      },
    )
    expect((await record()).verifications).toMatchObject([{ verdict: 'passed' }])
    expect(reminders(requests())).toBe(0)
  })

  test('is not reminded while agents work, but after that', async () => {
    const hold = gate()
    const { troupe, id, requests } = await coordinate(
      implementing(
        { calls: [agentCall('one', { run_in_background: true })] },
        { text: 'It works.' },
        { text: 'It has ended.' },
      ),
      {
        settles: false,
        child: async () => {
          await hold.opened
          return { text: 'Written.' }
        },
      },
    )
    const begun = await troupe.when('assistant-message', ({ content }) => textOf(content) === 'It works.')
    await troupe.when('status-changed', ({ waitingFor, seq }) => waitingFor === 'message' && seq > begun.seq)
    expect(reminders(requests())).toBe(0)
    hold.open()
    await troupe.runtime.settled(id)
    expect(reminders(requests())).toBe(1)
  })
})

describe('a branch', () => {
  async function branched(options: { readonly original: boolean; readonly coordinator?: boolean }) {
    const troupe = createTestRuntime({
      definitions: [...testDefinitions, coordinator],
      script: (request) =>
        turnOf(request) === 1 && isCoordinator(request) ? { calls: [phase('research')] } : { text: 'Done.' },
    })
    const id = await troupe.begin('First', { coordinator: options.original })
    await troupe.runtime.settled(id)
    const said = troupe.events.find((event) => event.type === 'user-message')
    const made = await troupe.runtime.dispatch({
      type: 'conversation.branch',
      conversationId: id,
      seq: said?.seq ?? 0,
      content: null,
      ...(options.coordinator === undefined ? {} : { coordinator: options.coordinator }),
    })
    if (!made.ok) throw new Error(made.failure.message)
    await troupe.say(made.value.id, 'Second')
    await troupe.runtime.settled(made.value.id)
    const snapshot = await troupe.runtime.snapshot(made.value.id)
    if (!snapshot.ok) throw new Error(snapshot.failure.message)
    const request = troupe.model.requests.at(-1)!
    return {
      troupe,
      id: made.value.id,
      record: snapshot.value.record,
      request,
      text: JSON.stringify(request.messages),
    }
  }

  test('of an ordinary conversation can be coordinated, and its agent knows it', async () => {
    const { record, request, text, troupe, id } = await branched({ original: false, coordinator: true })
    expect(record).toMatchObject({ coordinator: true, phases: [] })
    expect(isCoordinator(request)).toBe(true)
    expect(request.tools.map(({ name }) => name).filter((name) => !coordinatorTools.includes(name))).toEqual(
      [],
    )
    expect(text).toContain('You are the coordinator of this conversation now')
    expect(text).toContain('First')
    // Also after a restart.
    await troupe.runtime.close()
    const again = createTestRuntime({
      store: troupe.store,
      definitions: [...testDefinitions, coordinator],
      script: () => ({ text: 'Done.' }),
    })
    await again.say(id, 'Third')
    await again.runtime.settled(id)
    expect(again.model.requests.map(isCoordinator)).toEqual([true])
    expect(JSON.stringify(again.model.requests[0]!.messages).split('the coordinator of this').length).toBe(2)
  })

  test('of a coordinated conversation is coordinated and keeps its phases', async () => {
    const { record, request, text } = await branched({ original: true })
    expect(record).toMatchObject({ coordinator: true, phases: [{ phase: 'research' }] })
    expect(isCoordinator(request)).toBe(true)
    expect(text).not.toContain('the coordinator of this conversation now')
  })

  test('of a coordinated conversation can have an ordinary main agent', async () => {
    const { record, request, text } = await branched({ original: true, coordinator: false })
    expect(record.coordinator).toBe(false)
    expect(request.tools.map(({ name }) => name)).toContain('Edit')
    expect(request.tools.map(({ name }) => name)).not.toContain('SetPhase')
    expect(text).toContain('You are no longer a coordinator')
  })

  test('of an ordinary conversation stays ordinary', async () => {
    const { record, request, text } = await branched({ original: false })
    expect(record.coordinator).toBe(false)
    expect(request.tools.map(({ name }) => name)).toContain('Edit')
    expect(text).not.toContain('coordinator')
  })
})

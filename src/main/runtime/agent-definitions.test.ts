import { describe, expect, test } from 'vitest'
import type { AgentEvent, EventOf } from '../../shared/events/agent-event.ts'
import { defaultLimits } from '../../shared/settings/limit-amounts.ts'
import { asReminder } from './loop/system-reminder.ts'
import type { LoadedDefinition, LoadedSkill } from './ports/definitions.ts'
import type { ModelRequest } from './ports/model.ts'
import type { PermissionRules } from './ports/ports.ts'
import { createMemoryRules } from './testing/memory-rules.ts'
import { createMemoryWorktrees } from './testing/memory-worktrees.ts'
import { lastWords, type Script, type Scripted } from './testing/scripted-model.ts'
import { createTestRuntime, FOLDER, type TestRuntime, testDefinitions } from './testing/test-runtime.ts'

const definitionNamed = (name: string): LoadedDefinition => {
  const found = testDefinitions.find((definition) => definition.name === name)
  if (!found) throw new Error(`no definition ${name}`)
  return found
}
const [main, general, explore] = ['main', 'general-purpose', 'Explore'].map(definitionNamed) as [
  LoadedDefinition,
  LoadedDefinition,
  LoadedDefinition,
]
const reviewer: LoadedDefinition = {
  ...general,
  name: 'reviewer',
  description: 'Reads diffs.',
  prompt: 'You review.',
  tools: ['Read'],
  source: 'project',
}

const isMain = (request: ModelRequest) => request.system.includes('You are the main agent.')
const start = (type: string, more: object = {}) =>
  ['Agent', { description: 'a piece', prompt: 'Do it.', subagent_type: type, ...more }] as const
/** A main agent that makes these calls first, and then repeats what it received. */
const mainCalls =
  (calls: NonNullable<Scripted['calls']>, child: Script = () => ({ text: 'done' })): Script =>
  (request, signal) => {
    if (!isMain(request)) return child(request, signal)
    return request.messages.length === 1 ? { calls } : { text: lastWords(request) }
  }
/** An agent that makes these calls first, and then repeats what it received. */
const callsThenSays =
  (calls: NonNullable<Scripted['calls']>): Script =>
  (request) =>
    request.messages.length === 1 ? { calls } : { text: lastWords(request) }

const ofType = <T extends AgentEvent['type']>({ events }: TestRuntime, type: T) =>
  events.filter((event): event is EventOf<T> => event.type === type)
const spawnedAs = (troupe: TestRuntime, name: string) =>
  ofType(troupe, 'agent-spawned').filter((event) => event.definition.name === name)
const mainOf = (troupe: TestRuntime) =>
  ofType(troupe, 'agent-spawned').find(({ parentId }) => parentId === null)?.agentId
/** In the order of the calls. */
const resultsOf = (troupe: TestRuntime, agentId?: string) =>
  ofType(troupe, 'tool-ended')
    .filter((event) => agentId === undefined || event.agentId === agentId)
    .toSorted((one, two) => one.toolUseId.localeCompare(two.toolUseId, 'en', { numeric: true }))
    .map((event) => String(event.content))
const agentToolOf = (request: ModelRequest | undefined) =>
  request?.tools.find((tool) => tool.name === 'Agent')?.description ?? ''

describe('definitions that change while agents run', () => {
  test('a new agent is announced once in the main agent’s next request, and the cached prefix stays', async () => {
    let definitions: readonly LoadedDefinition[] = [main, general]
    const troupe = createTestRuntime({ definitions: () => definitions, script: () => ({ text: 'fine' }) })
    const id = await troupe.begin('Hello')
    await troupe.runtime.settled(id)
    definitions = [main, general, reviewer]
    await troupe.say(id, 'Go on')
    await troupe.runtime.settled(id)
    await troupe.say(id, 'And on')
    await troupe.runtime.settled(id)

    const [first, second, third] = troupe.model.requests
    expect(JSON.stringify(first)).not.toContain('reviewer')
    expect(lastWords(second!)).toContain('Go on\n<system-reminder>\nThe available agents have changed.')
    expect(lastWords(second!)).toContain('\n- reviewer: Reads diffs. (Tools: Read)')
    expect(lastWords(second!)).not.toContain('general-purpose')
    expect([second?.tools, second?.system]).toEqual([first?.tools, first?.system])
    expect(lastWords(third!)).toBe('And on')
    expect(ofType(troupe, 'tools-changed').map((event) => event.note)).toEqual([
      'New or changed agent: reviewer.',
    ])
  })

  test('a new agent is announced between two turns too, and can be started', async () => {
    let definitions: readonly LoadedDefinition[] = [main, general]
    const troupe = createTestRuntime({
      definitions: () => definitions,
      script: (request) => {
        if (!isMain(request)) return { text: 'reviewed' }
        if (lastWords(request).includes('- reviewer: ')) return { calls: [start('Reviewer')] }
        if (request.messages.length > 1) return { text: lastWords(request) }
        definitions = [main, reviewer]
        troupe.advance(1000)
        return { calls: [['TodoWrite', { todos: [] }]] }
      },
    })
    const state = await troupe.runtime.settled(await troupe.begin('Go'))
    expect(spawnedAs(troupe, 'reviewer')).toHaveLength(1)
    expect(resultsOf(troupe).join()).toContain('reviewed')
    expect(state.status).toBe('waiting')
    expect(lastWords(troupe.model.requests[1]!)).toContain('No longer available: general-purpose.')
  })

  test('announcements are known after a restart, and are in the tool descriptions after a compaction', async () => {
    let definitions: readonly LoadedDefinition[] = [main, general]
    const before = createTestRuntime({ definitions: () => definitions, script: () => ({ text: 'fine' }) })
    const id = await before.begin('Hello')
    await before.runtime.settled(id)
    definitions = [main, general, reviewer]
    await before.say(id, 'Go on')
    await before.runtime.settled(id)
    await before.runtime.close()

    let isFull = true
    const after = createTestRuntime({
      store: before.store,
      definitions: () => definitions,
      script: (request) => {
        if (lastWords(request).includes('Write a summary')) return { text: 'short' }
        if (!isFull) return { text: 'fine' }
        isFull = false
        return { failure: { type: 'prompt-too-long', message: 'too long' } }
      },
    })
    await after.say(id, 'Still there?')
    await after.runtime.settled(id)
    expect(ofType(after, 'tools-changed')).toEqual([])
    const [first, , last] = after.model.requests
    expect(agentToolOf(first)).not.toContain('reviewer')
    expect(JSON.stringify(first?.messages)).toContain('- reviewer: Reads diffs.')
    expect(agentToolOf(last)).toContain('- reviewer: Reads diffs.')
  })

  test('a change applies to the next agent, never to a running one', async () => {
    let definitions: readonly LoadedDefinition[] = [main, reviewer]
    const troupe = createTestRuntime({
      definitions: () => definitions,
      script: (request) => {
        if (!isMain(request)) {
          definitions = [main, { ...reviewer, prompt: 'You review twice.', tools: ['Read', 'Grep'] }]
          return request.messages.length === 1
            ? { calls: [['Read', { file_path: 'x' }]] }
            : { text: 'reviewed' }
        }
        return request.messages.length < 4 ? { calls: [start('reviewer')] } : { text: 'done' }
      },
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const children = troupe.model.requests.filter((request) => !isMain(request))
    expect(children.map((request) => request.system.split('\n')[0])).toEqual([
      'You review.',
      'You review.',
      'You review twice.',
      'You review twice.',
    ])
    expect(children.map((request) => request.tools.length)).toEqual([1, 1, 2, 2])
  })
})

describe('which agents can be started', () => {
  const verifier: LoadedDefinition = { ...general, name: 'verifier', isolation: 'worktree' }
  const secret: LoadedDefinition = { ...general, name: 'secret', hidden: true, aliases: ['Hush'] }

  test('by an alias, and by the name of an agent that is not announced', async () => {
    const troupe = createTestRuntime({
      definitions: [main, general, secret],
      script: mainCalls([start('hush'), start('Secret')]),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(spawnedAs(troupe, 'secret')).toHaveLength(2)
    expect(agentToolOf(troupe.model.requests[0])).not.toContain('secret')
  })

  test('an agent that needs a worktree is never started in the shared folder', async () => {
    const troupe = createTestRuntime({
      definitions: [main, general, verifier],
      script: mainCalls([start('verifier'), start('nobody')]),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(agentToolOf(troupe.model.requests[0])).toContain('verifier')
    const [refused, unknown] = resultsOf(troupe)
    expect(refused).toContain('This folder is in no git repository.')
    expect(unknown).toContain('Available: general-purpose, verifier.')
    expect(spawnedAs(troupe, 'verifier')).toEqual([])
    for (const made of [
      await troupe.runtime.dispatch({ type: 'conversation.create', folder: FOLDER, agent: 'verifier' }),
      await troupe.runtime.tryOut({ folder: FOLDER, definition: verifier }),
    ])
      expect(made).toMatchObject({ ok: false, failure: { type: 'not-a-repository' } })
    expect(await troupe.runtime.conversations()).toHaveLength(1)
  })

  test('agents listed in disallowedTools are neither announced nor started', async () => {
    const troupe = createTestRuntime({
      definitions: [{ ...main, disallowedTools: ['Agent(Reviewer)'] }, general, reviewer],
      script: mainCalls([start('reviewer'), start('general-purpose')]),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(agentToolOf(troupe.model.requests[0])).not.toContain('reviewer')
    expect(spawnedAs(troupe, 'reviewer')).toEqual([])
    expect(spawnedAs(troupe, 'general-purpose')).toHaveLength(1)
  })

  test('an agent whose tools list agent types starts only those types', async () => {
    const lead: LoadedDefinition = {
      ...general,
      name: 'lead',
      prompt: 'You lead.',
      tools: ['Agent(reviewer)'],
    }
    const troupe = createTestRuntime({
      definitions: [main, general, reviewer, lead],
      script: mainCalls([start('lead')], (request) => {
        if (!request.system.includes('You lead.')) return { text: 'done' }
        return request.messages.length === 1
          ? { calls: [start('reviewer'), start('general-purpose')] }
          : { text: lastWords(request) }
      }),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(spawnedAs(troupe, 'reviewer')[0]).toMatchObject({ depth: 2 })
    expect(spawnedAs(troupe, 'general-purpose')).toEqual([])
  })
})

describe('a definition is enforced', () => {
  test('a read-only agent runs read-only commands, has no tool that writes, and starts no agent that writes', async () => {
    const ran: string[] = []
    const viewer: LoadedDefinition = { ...explore, disallowedTools: [], tools: null, name: 'looker' }
    const troupe = createTestRuntime({
      definitions: [main, general, { ...viewer, tools: ['*', 'Agent(general-purpose)'] }],
      shell: async (run) => {
        ran.push(run.command)
        return { output: '', exitCode: 0, ended: 'exit', cwd: run.cwd }
      },
      script: mainCalls([start('looker')], (request) =>
        request.messages.length > 1
          ? { text: 'done' }
          : {
              calls: [
                ['Bash', { command: 'git log' }],
                ['Bash', { command: 'touch x' }],
                ['Write', { file_path: 'x', content: '' }],
                ...(request.system.includes('You explore.') ? [start('general-purpose')] : []),
              ],
            },
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Go', { permissionMode: 'acceptEdits' }))
    expect(ran).toEqual(['git log', 'git log'])
    const [looked] = spawnedAs(troupe, 'looker')
    const [helper] = spawnedAs(troupe, 'general-purpose')
    expect(helper).toMatchObject({ depth: 2, definition: { readOnly: true } })
    for (const agent of [looked, helper]) {
      const [, touched, written] = resultsOf(troupe, agent?.agentId)
      expect(touched).toContain('This agent is read-only')
      expect(written).toContain('Write is not available to you: the agent only reads (readOnly).')
      expect(agent?.tools.map((tool) => tool.name)).not.toContain('Edit')
    }
  })

  test('its reminder ends every message to the agent, and is nowhere else', async () => {
    const troupe = createTestRuntime({
      script: mainCalls([start('Explore')], (request) =>
        request.messages.length < 5 ? { calls: [['TodoWrite', { todos: [] }]] } : { text: 'done' },
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const said = troupe.model.requests.filter((request) => !isMain(request))
    expect(said).toHaveLength(3)
    for (const request of said)
      for (const message of request.messages.filter(({ role }) => role === 'user'))
        expect(message.content.at(-1)).toEqual({ type: 'text', text: asReminder('You only read.') })
    for (const { system, messages } of said) {
      const turns = messages.filter(({ role }) => role === 'user').length
      expect(JSON.stringify([system, messages]).split('You only read.')).toHaveLength(turns + 1)
    }
  })

  test('the initial prompt of a main agent precedes the first message, and is sent once', async () => {
    const definitions = [{ ...main, initialPrompt: 'Read NOTES first.' }, general]
    const before = createTestRuntime({ definitions, script: () => ({ text: 'fine' }) })
    const created = await before.runtime.dispatch({
      type: 'conversation.create',
      folder: FOLDER,
      model: 'sonnet',
      permissionMode: 'default',
    })
    if (!created.ok) throw new Error(created.failure.message)
    await before.runtime.close()
    const after = createTestRuntime({ store: before.store, definitions, script: () => ({ text: 'fine' }) })
    await after.say(created.value.id, 'Fix it')
    await after.runtime.settled(created.value.id)
    await after.say(created.value.id, 'And more')
    await after.runtime.settled(created.value.id)
    expect(after.model.requests.map(lastWords)).toEqual(['Read NOTES first.\nFix it', 'And more'])
  })

  test('a one-shot agent can be resumed by the user, not by agents', async () => {
    const once: LoadedDefinition = { ...general, name: 'once', oneShot: true }
    const troupe = createTestRuntime({
      definitions: [main, once],
      script: (request) => {
        if (!isMain(request)) return { text: `heard ${lastWords(request)}` }
        if (request.messages.length === 1) return { calls: [start('once')] }
        const id = spawnedAs(troupe, 'once')[0]?.agentId
        return request.messages.length === 3
          ? { calls: [start('once', { resume: id }), ['SendMessage', { to: id, message: 'More!' }]] }
          : { text: lastWords(request) }
      },
    })
    const conversationId = await troupe.begin('Go')
    await troupe.runtime.settled(conversationId)
    const [only, ...others] = spawnedAs(troupe, 'once')
    expect(others).toEqual([])
    const log = () => ofType(troupe, 'user-message').filter((event) => event.agentId === only?.agentId)
    expect(log()).toHaveLength(1)
    const offered = troupe.model.requests[0]?.tools.find(({ name }) => name === 'Agent')?.description
    expect(offered).toMatch(/^- once: .*\(answers once\) \(Tools: /m)
    expect(lastWords(troupe.model.requests.filter(isMain)[1]!)).not.toContain(only?.agentId)
    expect(ofType(troupe, 'tool-ended').map((event) => event.isError)).toEqual([false, true, true])

    const content = [{ type: 'text', text: 'And why?' }] as const
    const said = await troupe.runtime.dispatch({
      type: 'conversation.send',
      conversationId,
      agentId: only?.agentId ?? '',
      content,
    })
    expect(said.ok).toBe(true)
    await troupe.when('agent-ended', (event) => event.report === 'heard And why?')
    expect(log()).toHaveLength(2)
  })
})

describe('skills', () => {
  const commit: LoadedSkill = {
    name: 'commit',
    description: 'Makes commits.',
    source: 'user',
    file: '/home/.claude/skills/commit/SKILL.md',
    folder: '/home/.claude/skills/commit',
    body: 'Look at the diff first.\nOn: $ARGUMENTS\n',
  }
  const readsBeside = ['Read', { file_path: '/home/.claude/skills/commit/style.md' }] as const
  const readsAbove = ['Read', { file_path: '/home/.claude/skills/secret.md' }] as const
  const skillToolOf = (request: ModelRequest | undefined) =>
    request?.tools.find((tool) => tool.name === 'Skill')?.description ?? ''

  test('listed in a definition are in its prompt, and their folders are readable without permission', async () => {
    const troupe = createTestRuntime({
      skills: () => [commit],
      definitions: [main, { ...general, skills: ['commit', 'gone'] }],
      script: mainCalls([start('general-purpose')], callsThenSays([readsBeside, readsAbove])),
    })
    await troupe.runtime.settled(await troupe.begin('Go', { permissionMode: 'dontAsk' }))
    const [child] = spawnedAs(troupe, 'general-purpose')
    expect(child?.system).toContain('# Skill commit\nThe skill’s files are in /home/.claude/skills/commit')
    expect(child?.system).toContain('Look at the diff first.')
    const notices = ofType(troupe, 'notice').filter((event) => event.agentId === child?.agentId)
    expect(notices.map((event) => event.text)).toEqual([
      'There is no skill gone, so its text is not in the prompt.',
    ])
    const [beside, above] = resultsOf(troupe, child?.agentId)
    expect(beside).toContain('does not exist')
    expect(above).toContain('is outside the folder')
  })

  test('are listed for agents that can load them, and loading one opens its folder', async () => {
    const load = ['Skill', { command: 'commit', args: 'the README' }] as const
    const troupe = createTestRuntime({
      skills: () => [commit],
      script: (request) => {
        const turn = (request.messages.length + 1) / 2
        const calls = [[readsBeside, ['Skill', { skill: 'comit' }] as const], [load], [readsBeside]][turn - 1]
        return calls ? { calls } : { text: 'done' }
      },
    })
    await troupe.runtime.settled(await troupe.begin('Go', { permissionMode: 'dontAsk' }))
    expect(skillToolOf(troupe.model.requests[0])).toContain('Available skills:\n- commit: Makes commits.')
    const [before, unknown, loaded, after] = resultsOf(troupe)
    expect(before).toContain('is outside the folder')
    expect(unknown).toContain('There is no skill comit. Did you mean commit?')
    expect(loaded).toContain('Look at the diff first.\nOn: the README')
    expect(after).toContain('does not exist')
  })

  const dig: LoadedSkill = {
    ...commit,
    name: 'dig',
    description: 'Digs.',
    body: 'Dig for $ARGUMENTS.',
    allowedTools: ['Bash(npm test:*)'],
    fork: { agent: 'general-purpose', model: 'haiku' },
  }
  const digs = ['Skill', { skill: 'dig', args: 'gold' }] as const

  test('with an agent of their own are carried out by it, and its report is the result', async () => {
    const troupe = createTestRuntime({
      skills: () => [dig],
      definitions: [main, { ...general, background: true }],
      script: mainCalls([digs], callsThenSays([readsBeside, ['Bash', { command: 'npm test' }]])),
    })
    await troupe.runtime.settled(await troupe.begin('Go', { permissionMode: 'dontAsk' }))
    const [child] = spawnedAs(troupe, 'general-purpose')
    expect(child).toMatchObject({ task: 'Skill dig', background: false })
    expect(child?.model).toContain('haiku')
    const childRequests = troupe.model.requests.filter((request) => !isMain(request))
    expect(JSON.stringify(childRequests[0]?.messages)).toContain('Dig for gold.')
    const [result] = resultsOf(troupe, mainOf(troupe))
    expect(result).not.toContain('Dig for gold.')
    expect(result).toContain('ran npm test')
    // What the skill allows holds for its agent: a shell command runs that the mode would deny.
    const [beside, tested] = resultsOf(troupe, child?.agentId)
    expect(beside).toContain('does not exist')
    expect(tested).not.toContain('dontAsk')
  })

  test('allow nothing to the agent that calls them, nor where a project brings them', async () => {
    const test = ['Bash', { command: 'npm test' }] as const
    const deniedIn = async (skill: LoadedSkill) => {
      const troupe = createTestRuntime({
        skills: () => [skill],
        definitions: [main, general],
        script: mainCalls([digs, test], callsThenSays([test])),
      })
      await troupe.runtime.settled(await troupe.begin('Go', { permissionMode: 'dontAsk' }))
      const [child] = spawnedAs(troupe, 'general-purpose')
      return [mainOf(troupe), child?.agentId].map((id) => !resultsOf(troupe, id).includes('ran npm test'))
    }
    expect(await deniedIn(dig)).toEqual([true, false])
    expect(await deniedIn({ ...dig, source: 'project' })).toEqual([true, true])
  })

  test('with an agent of their own are bounded as Agent calls are', async () => {
    const atDepth = createTestRuntime({
      skills: () => [dig],
      definitions: [main, general],
      policy: { maxDepth: 1 },
      script: mainCalls([start('general-purpose')], callsThenSays([digs])),
    })
    await atDepth.runtime.settled(await atDepth.begin('Go'))
    const spawned = spawnedAs(atDepth, 'general-purpose')
    expect(spawned).toHaveLength(1)
    expect(resultsOf(atDepth, spawned[0]?.agentId)[0]).toContain(
      'The skill dig was not started, because an agent of its own carries it out: agents are nested at most 1 deep',
    )
    const full = createTestRuntime({
      skills: () => [dig],
      policy: { maxAgents: 1 },
      script: mainCalls([digs]),
    })
    await full.runtime.settled(await full.begin('Go'))
    expect(resultsOf(full)[0]).toContain('has reached its limit of 1 agent')
  })

  test('that only the user runs are started when the user’s message says so, and not by themselves', async () => {
    const troupe = createTestRuntime({
      skills: () => [{ ...dig, isOnlyForUser: true }],
      definitions: [main, general],
      script: (request) =>
        isMain(request) && request.messages.length % 4 === 1 ? { calls: [digs] } : { text: 'done' },
    })
    const id = await troupe.begin('The user ran the command /digger with the arguments: gold')
    await troupe.runtime.settled(id)
    expect(resultsOf(troupe)[0]).toContain('Only the user runs the skill dig')
    await troupe.say(id, 'The user ran the command /dig with the arguments: gold\nFollow this.')
    await troupe.runtime.settled(id)
    expect(spawnedAs(troupe, 'general-purpose')).toHaveLength(1)
  })

  test('with a model use it for the rest of the turn', async () => {
    const troupe = createTestRuntime({
      skills: () => [{ ...commit, model: 'haiku' }],
      script: ({ messages }) =>
        messages.length === 1 ? { calls: [['Skill', { skill: 'commit' }]] } : { text: 'done' },
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    await troupe.say(id, 'More')
    await troupe.runtime.settled(id)
    const [first, second, third] = troupe.model.requests.map(({ model }) => model)
    expect(second).toContain('haiku')
    expect([first, third]).toEqual([third, first])
    expect(first).not.toContain('haiku')
  })

  test('added later are announced', async () => {
    let skills: readonly LoadedSkill[] = []
    const troupe = createTestRuntime({ skills: () => skills, script: () => ({ text: 'fine' }) })
    const id = await troupe.begin('Hello')
    await troupe.runtime.settled(id)
    skills = [commit]
    await troupe.say(id, 'Go on')
    await troupe.runtime.settled(id)
    expect(lastWords(troupe.model.requests[1]!)).toContain(
      'New or changed tools that you can call now: Skill.',
    )
    expect(skillToolOf(troupe.model.requests[1])).toContain('\n- commit: Makes commits.')
  })

  test('are limited to the definition’s list', async () => {
    const troupe = createTestRuntime({
      skills: () => [commit, { ...commit, name: 'deploy' }],
      definitions: [main, { ...general, tools: ['Skill(commit)'] }],
      script: mainCalls(
        [start('general-purpose')],
        callsThenSays([
          ['Skill', { skill: 'commit' }],
          ['Skill', { skill: 'deploy' }],
        ]),
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const [child] = spawnedAs(troupe, 'general-purpose')
    const [loaded, refused] = resultsOf(troupe, child?.agentId)
    expect(loaded).toContain('Look at the diff first.')
    expect(refused).toContain('allows only Skill(commit)')
  })
})

describe('the program’s own paths', () => {
  const guide: LoadedDefinition = { ...general, name: 'guide', prompt: 'The docs: {{docs}}; {{settings}}.' }
  const programPaths = { docsFolder: '/program/docs', settingsFile: '/data/settings.json' }
  const readsDocs = ['Read', { file_path: '/program/docs/using/agents.md' }] as const

  test('are in the prompts of built-in agents, which read the docs without permission', async () => {
    const troupe = createTestRuntime({
      runtime: { programPaths },
      definitions: [main, guide],
      script: mainCalls([start('guide')], callsThenSays([readsDocs])),
    })
    await troupe.runtime.settled(await troupe.begin('Go', { permissionMode: 'dontAsk' }))
    const [child] = spawnedAs(troupe, 'guide')
    expect(child?.system).toContain('The docs: /program/docs; /data/settings.json.')
    expect(resultsOf(troupe, child?.agentId)[0]).toContain('does not exist')
  })

  test('are not inserted for agents of other authors', async () => {
    const troupe = createTestRuntime({
      runtime: { programPaths },
      definitions: [main, { ...guide, source: 'project' }],
      script: mainCalls([start('guide')], callsThenSays([readsDocs])),
    })
    await troupe.runtime.settled(await troupe.begin('Go', { permissionMode: 'dontAsk' }))
    const [child] = spawnedAs(troupe, 'guide')
    expect(child?.system).toContain('{{docs}}')
    expect(resultsOf(troupe, child?.agentId)[0]).toContain('is outside the folder')
  })
})

describe('a definition under trial', () => {
  const tried: LoadedDefinition = { ...reviewer, tools: null, model: 'haiku', permissionMode: 'acceptEdits' }

  test('runs in a scratch conversation with a subagent’s tools, its own model and at most the folder’s mode', async () => {
    const troupe = createTestRuntime({ script: () => ({ text: 'reviewed' }) })
    const created = await troupe.runtime.tryOut({ folder: FOLDER, definition: tried })
    if (!created.ok) throw new Error(created.failure.message)
    expect(created.value).toMatchObject({ title: 'Try: reviewer', scratch: true })
    await troupe.say(created.value.id, 'Look at this')
    await troupe.runtime.settled(created.value.id)
    const [spawned] = spawnedAs(troupe, 'reviewer')
    expect(spawned).toMatchObject({
      model: 'claude-haiku',
      permissionMode: 'default',
      parentId: null,
      depth: 1,
    })
    expect(spawned?.tools.map((tool) => tool.name)).not.toContain('Agent')
    const listed = await troupe.runtime.conversations()
    expect(listed).toMatchObject([{ title: 'Try: reviewer', scratch: true }])
  })

  test('in its own worktree leaves none behind if it is closed before it worked, and keeps its work otherwise', async () => {
    const worktrees = createMemoryWorktrees()
    const troupe = createTestRuntime({ script: () => ({ text: 'done' }), ports: { worktrees } })
    const begin = async () => {
      const created = await troupe.runtime.tryOut({
        folder: FOLDER,
        definition: { ...tried, isolation: 'worktree' },
      })
      if (!created.ok) throw new Error(created.failure.message)
      return created.value.id
    }
    const unused = await begin()
    if (worktrees.made[0]) worktrees.made[0].changed = false
    await troupe.runtime.dispatch({ type: 'conversation.trash', conversationId: unused })
    const used = await begin()
    await troupe.say(used, 'Write a file')
    await troupe.runtime.settled(used)
    await troupe.runtime.dispatch({ type: 'conversation.trash', conversationId: used })
    expect(worktrees.made.map(({ state }) => state)).toEqual(['removed', 'kept'])
  })
})

describe('a rule for a type of agent', () => {
  const named = { ...reviewer, aliases: ['checker'] }
  const rulesWith = (kind: 'deny' | 'ask', text: string): PermissionRules => {
    const rule = { text, source: 'own', file: null, line: null, where: 'a test' } as const
    const none = { deny: [], ask: [], allow: [], additionalDirectories: [] }
    return { ...createMemoryRules(), of: async () => ({ ...none, [kind]: [rule] }) }
  }
  const begun = (kind: 'deny' | 'ask', text: string, type: string) =>
    createTestRuntime({
      definitions: () => [main, general, named],
      ports: { rules: rulesWith(kind, text) },
      script: mainCalls([start(type)]),
    })

  test.each(['reviewer', 'checker', ' Reviewer'])(
    'denies it under the name %j, and no other type',
    async (type) => {
      const troupe = begun('deny', 'Agent(reviewer)', type)
      await troupe.runtime.settled(await troupe.begin('Go'))
      expect(spawnedAs(troupe, 'reviewer')).toEqual([])
      expect(resultsOf(troupe)).toEqual([
        expect.stringContaining('Denied by the rule Agent(reviewer) in a test.'),
      ])
      const other = begun('deny', 'Agent(reviewer)', 'general-purpose')
      await other.runtime.settled(await other.begin('Go'))
      expect(spawnedAs(other, 'general-purpose')).toHaveLength(1)
    },
  )

  test('asks before it starts', async () => {
    const troupe = begun('ask', 'Task(reviewer)', 'checker')
    await troupe.begin('Go')
    expect(await troupe.when('permission-asked')).toMatchObject({
      toolName: 'Agent',
      subject: { text: 'reviewer' },
    })
    expect(spawnedAs(troupe, 'reviewer')).toEqual([])
  })

  test('denies a member of a team too', async () => {
    const troupe = createTestRuntime({
      definitions: () => [main, general, named],
      ports: { rules: rulesWith('deny', 'Agent(reviewer)') },
      script: mainCalls([
        ['TeamCreate', { name: 'crew', members: [{ name: 'ann', agent: 'checker', prompt: 'Do it.' }] }],
      ]),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(spawnedAs(troupe, 'reviewer')).toEqual([])
    expect(resultsOf(troupe).join()).toContain('Denied by the rule Agent(reviewer)')
  })
})

describe('a definition that leaves no tools', () => {
  const toolless = (more: Partial<LoadedDefinition>): LoadedDefinition => ({ ...reviewer, ...more })
  const startWith = async (more: Partial<LoadedDefinition>, call: object = {}) => {
    const troupe = createTestRuntime({
      definitions: [main, general, toolless(more)],
      script: mainCalls([start('reviewer', call)]),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const [result = ''] = resultsOf(troupe)
    return { result, started: spawnedAs(troupe, 'reviewer').length > 0 }
  }

  test.each<[string, Partial<LoadedDefinition>, string]>([
    [
      'unknown names',
      { tools: ['codebase', 'Raed', 'mcp'] },
      'Its definition lists names that are not recognized: codebase, Raed (did you mean Read?), mcp.',
    ],
    [
      'a server that is not connected',
      { tools: ['mcp__figma__get', 'mcp__jira'] },
      'Their MCP servers are not connected: mcp__figma__get, mcp__jira.',
    ],
    [
      'tools of the main agent',
      { tools: ['AskUserQuestion'] },
      'It has no AskUserQuestion: only the main agent has it.',
    ],
    [
      'denied tools',
      { tools: ['Read'], disallowedTools: ['*'] },
      'It has no Read: the definition denies it (disallowedTools).',
    ],
  ])('does not start with %s, and the call says why', async (_, more, reason) => {
    const { result, started } = await startWith(more)
    expect(result).toContain('Not started: reviewer would have no tools.')
    expect(result).toContain(reason)
    expect(started).toBe(false)
  })

  test('starts if one name is recognized, or none is meant', async () => {
    for (const more of [
      { tools: ['Raed', 'Grep'] },
      { tools: [] },
      { tools: null, disallowedTools: ['*'] },
    ]) {
      const { started } = await startWith(more)
      expect(started, JSON.stringify(more)).toBe(true)
    }
  })

  test('leaves no worktree behind', async () => {
    const worktrees = createMemoryWorktrees()
    const troupe = createTestRuntime({
      ports: { worktrees },
      definitions: [main, toolless({ tools: ['codebase'] })],
      script: mainCalls([start('reviewer', { isolation: 'worktree' })]),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(resultsOf(troupe)[0]).toContain('would have no tools')
    expect(worktrees.made.map(({ state }) => state)).not.toContain('held')
    expect(worktrees.made).toHaveLength(1)
  })

  test('does not start as the main agent', async () => {
    const troupe = createTestRuntime({
      definitions: [toolless({ tools: ['codebase'] })],
      script: () => ({ text: 'done' }),
    })
    const created = await troupe.runtime.dispatch({
      type: 'conversation.create',
      folder: FOLDER,
      agent: 'reviewer',
      model: 'sonnet',
      permissionMode: 'default',
    })
    expect(created).toMatchObject({ ok: false, failure: { type: 'no-tools' } })
  })
})

test('a subagent with all tools starts agents by default, down to the limit of the levels', async () => {
  const troupe = createTestRuntime({
    definitions: [main, general],
    policy: { maxDepth: defaultLimits.maxDepth },
    script: (request) =>
      request.tools.some(({ name }) => name === 'Agent') && request.messages.length === 1
        ? { calls: [start('general-purpose')] }
        : { text: 'done' },
  })
  await troupe.runtime.settled(await troupe.begin('Go'))
  expect(ofType(troupe, 'agent-spawned').map(({ depth }) => depth)).toEqual([0, 1, 2, 3])
})

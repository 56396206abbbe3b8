/** Sessions of external agents: shared processes, runs that continue a session, choices, logins, stops. */
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AgentState } from '../../../../shared/state/agent-state.ts'
import { isRunning } from '../../../platform/system/process-identity.ts'
import type { LoadedDefinition } from '../../../runtime/ports/definitions.ts'
import type { Policy } from '../../../runtime/ports/ports.ts'
import type { MemoryStore } from '../../../runtime/testing/memory-store.ts'
import { childrenOf, eventsOf } from '../../../runtime/testing/scripts.ts'
import type { TestRuntime } from '../../../runtime/testing/test-runtime.ts'
import { createOutsiderRuntime } from './testing/external-runtime.ts'

let folder: string
let troupe: TestRuntime

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'troupe-sessions-')))
})

afterEach(async () => {
  await troupe.runtime.close()
  await rm(folder, { recursive: true, force: true })
})

interface Given {
  /** What the program can do. */
  readonly can?: readonly string[]
  readonly mode?: string
  readonly tasks?: readonly string[]
  readonly definition?: Partial<LoadedDefinition>
  readonly policy?: Partial<Policy>
  readonly keep?: number
  readonly store?: MemoryStore
}

function createTroupe({ can = [], mode = 'talks', tasks = ['one'], ...given }: Given = {}): TestRuntime {
  troupe = createOutsiderRuntime({
    ...{ mode, can, tasks },
    ...(given.definition && { definition: given.definition }),
    test: { policy: { attended: true, ...given.policy }, ...(given.store && { store: given.store }) },
    deps: {
      environment: { PATH: process.env['PATH'] ?? '', PID_FILE: join(folder, 'pids') },
      ...(given.keep !== undefined && { keep: given.keep }),
    },
  })
  return troupe
}

/** @returns the id of a conversation whose main agent was told to start the program, or is the program itself */
async function begin(given: Given = {}, agent?: string): Promise<string> {
  createTroupe(given)
  return await troupe.begin('Go', { folder, ...(agent !== undefined && { agent }) })
}

const childId = (at = 0): string => childrenOf(troupe)[at]?.agentId ?? ''

function stateOf(conversationId: string, agentId = childId()): AgentState {
  const state = troupe.runtime.state(conversationId, agentId)
  if (state === null) throw new Error('There is no such agent.')
  return state
}

async function tell(conversationId: string, text: string, agentId = childId()): Promise<void> {
  const sent = await troupe.runtime.dispatch({
    type: 'conversation.send',
    conversationId,
    agentId,
    content: text,
  })
  if (!sent.ok) throw new Error(sent.failure.message)
}

/** The state at the end of the run that a message has started. */
async function told(conversationId: string, text: string): Promise<AgentState> {
  const before = stateOf(conversationId).lastSeq
  await tell(conversationId, text)
  await troupe.when('agent-ended', ({ agentId, seq }) => agentId === childId() && seq > before)
  await troupe.runtime.settled(conversationId)
  return stateOf(conversationId)
}

/** The process ids of the program, in the order of their starts. A closed session leaves the negative one. */
async function noted(): Promise<readonly number[]> {
  const text = await readFile(join(folder, 'pids'), 'utf8').catch(() => '')
  return text.trim().split('\n').map(Number)
}
const pids = async () => (await noted()).filter((pid) => pid > 0)

async function running(): Promise<readonly number[]> {
  const all = await pids()
  const alive = await Promise.all(all.map((pid) => isRunning({ pid, start: 'unknown' })))
  return all.filter((_, at) => alive[at])
}

const notices = (agentId = childId()) =>
  eventsOf(troupe, agentId).flatMap((event) => (event.type === 'notice' ? [event.text] : []))

const connected = (agentId = childId()) =>
  eventsOf(troupe, agentId).flatMap((event) => (event.type === 'program-connected' ? [event.began] : []))

describe('one process for several sessions', () => {
  test('agents of one program in one folder share it, and it ends with the runtime', async () => {
    const id = await begin({ tasks: ['one', 'two', 'three'] })
    await troupe.runtime.settled(id)
    const reports = [0, 1, 2].map((at) => stateOf(id, childId(at)).report)
    const [pid] = await pids()
    expect(await pids()).toEqual([pid])
    expect(reports.map((report) => report.match(/^s-\d+-\d of \d+ heard 1\./)?.[0]).sort()).toEqual(
      [1, 2, 3].map((session) => `s-${pid}-${session} of ${pid} heard 1.`),
    )
    expect(await running()).toEqual([pid])
    await troupe.runtime.close()
    expect(await running()).toEqual([])
  })

  test('a program that takes one session gets a process for each', async () => {
    const id = await begin({ tasks: ['one', 'two'], can: ['single'] })
    await troupe.runtime.settled(id)
    expect([0, 1].map((at) => stateOf(id, childId(at)).status)).toEqual(['completed', 'completed'])
    const processes = [0, 1].map((at) => stateOf(id, childId(at)).report.match(/ of (\d+) /)?.[1])
    expect(new Set(processes).size).toBe(2)
  })

  test('a process that ends fails all its sessions with its last words', async () => {
    const id = await begin({ tasks: ['wait here', 'die'] })
    await troupe.runtime.settled(id)
    for (const at of [0, 1]) {
      const { status, failure } = stateOf(id, childId(at))
      expect(status).toBe('failed')
      expect(failure?.message).toMatch(/exit code 3.*\n.*\nout of cheese/)
    }
  })

  test('a session that hangs is given up, and the healthy one beside it goes on', async () => {
    const id = await begin({ tasks: ['hang', 'wait here'] })
    await expect
      .poll(() => childrenOf(troupe).filter(({ agentId }) => stateOf(id, agentId).turn === 1))
      .toHaveLength(2)
    const [hung, healthy] = childrenOf(troupe).map(({ agentId }) => agentId)
    await troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId: hung ?? '' })
    expect(stateOf(id, hung).status).toBe('stopped')
    expect(stateOf(id, healthy)).toMatchObject({ status: 'running' })
    expect(await running()).toHaveLength(1)
    await troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId: healthy ?? '' })
    // With its last session the process ends, because it left a stop without an answer.
    await expect.poll(running).toEqual([])
  })

  test('a session is closed some time after its run, and its process some time later', async () => {
    const id = await begin({ can: ['close'], keep: 200 })
    await troupe.runtime.settled(id)
    await expect.poll(running).toEqual([])
    const [pid = 0] = await pids()
    expect(await noted()).toEqual([pid, -pid])
  })
})

describe('a message after the end', () => {
  test('continues the open session', async () => {
    const id = await begin()
    await troupe.runtime.settled(id)
    const { report, status } = await told(id, 'More')
    expect(status).toBe('completed')
    expect(report).toMatch(/heard 2\. Choices: .*\. Last: More$/s)
    expect(connected()).toEqual(['new'])
    expect(await pids()).toHaveLength(1)
  })

  test.each([
    ['resume', 'resumed'],
    ['load', 'loaded'],
  ])('%s: continues the session in a new process, without its history twice', async (how, began) => {
    const id = await begin({ can: [how], keep: 0 })
    await troupe.runtime.settled(id)
    await expect.poll(running).toEqual([])
    const { report } = await told(id, 'More')
    expect(report).toMatch(/^s-\d+-1 of \d+ heard 2\. .*Last: More$/s)
    expect(connected()).toEqual(['new', began])
    expect(await pids()).toHaveLength(2)
    const said = JSON.stringify(
      eventsOf(troupe, childId()).filter(({ type }) => type === 'assistant-message'),
    )
    expect(said).not.toContain('Replayed')
    expect(said.match(/heard/g)).toHaveLength(2)
    expect(notices()).toEqual([])
  })

  test.each([
    ['a program that can’t resume', []],
    ['one that does not know the session any more', ['resume', 'forgets']],
  ])('%s gets the conversation as text, and the transcript says so', async (_, can) => {
    const id = await begin({ can, keep: 0 })
    await troupe.runtime.settled(id)
    const { report } = await told(id, 'More')
    expect(report).toContain('heard 1.')
    const [before = '', after = ''] = report.split('</former_dialogue>')
    expect(before).toMatch(
      /You are careful\. .*<former_dialogue>.*Do one.*You wrote:\ns-\d+-1 of \d+ heard 1\./s,
    )
    expect(after.trim()).toBe('| More')
    expect(notices()).toEqual(['outsider can’t resume its session: it got the conversation so far as text.'])
  })

  test('works in another run of Troupe', async () => {
    const id = await begin({ can: ['resume', 'options'] })
    await troupe.runtime.settled(id)
    const agent = { conversationId: id, agentId: childId() }
    await troupe.runtime.dispatch({
      type: 'agent.setProgramOption',
      ...agent,
      optionId: 'model',
      value: 'large',
    })
    await troupe.runtime.close()
    const { store, events: former } = troupe
    createTroupe({ can: ['resume', 'options'], store })
    const sent = await troupe.runtime.dispatch({ type: 'conversation.send', ...agent, content: 'More' })
    expect(sent.ok).toBe(true)
    await troupe.when('agent-ended', ({ agentId }) => agentId === agent.agentId)
    const { report, program } = stateOf(id, agent.agentId)
    // With what it was told before, and with the user's choice.
    expect(report).toMatch(/heard 2\. Choices: {"model":"large".*Last: More$/s)
    expect(program).toMatchObject({ title: 'Example', can: { resume: true } })
    expect(former.length).toBeGreaterThan(0)
  })
})

describe('as the main agent', () => {
  test('prompts go to one session, one after the other', async () => {
    const id = await begin({ can: ['resume'] }, 'outsider')
    await troupe.runtime.settled(id)
    const main = stateOf(id, troupe.events[0]?.agentId)
    expect(main).toMatchObject({ status: 'waiting', waitingFor: 'message', model: 'Example 1.2' })
    expect(main.lastLine).toContain('Last: You are careful.')
    await troupe.say(id, 'Second')
    await troupe.runtime.settled(id)
    expect(stateOf(id, main.id).lastLine).toMatch(/heard 2\. .*Last: Second$/)
    expect(connected(main.id)).toEqual(['new'])
    await troupe.runtime.close()
    const { store } = troupe
    createTroupe({ can: ['resume'], store })
    await troupe.say(id, 'Third')
    await troupe.runtime.settled(id)
    expect(stateOf(id, main.id).lastLine).toMatch(/heard 3\. .*Last: Third$/)
    expect(connected(main.id)).toEqual(['resumed'])
    expect(troupe.model.requests).toEqual([])
  })

  test('what needs this runtime’s own loop says that the program does not have it', async () => {
    const id = await begin({}, 'outsider')
    await troupe.runtime.settled(id)
    expect(
      await troupe.runtime.dispatch({ type: 'conversation.compact', conversationId: id, instructions: '' }),
    ).toMatchObject({
      failure: { message: expect.stringContaining('outsider is an external agent') },
    })
  })

  test('it does not start in a folder without trust', async () => {
    createTroupe({ policy: { trusted: () => false } })
    const created = await troupe.runtime.dispatch({
      type: 'conversation.create',
      folder,
      model: 'sonnet',
      permissionMode: 'default',
      agent: 'outsider',
    })
    expect(created).toMatchObject({ failure: { message: expect.stringContaining('Trust') } })
  })
})

describe('choices, commands and usage', () => {
  test('are known, and follow the program', async () => {
    const id = await begin({ can: ['options'], tasks: ['switch'] })
    await troupe.runtime.settled(id)
    const { program, usage, context, costUsd } = stateOf(id)
    expect(program).toMatchObject({
      commands: [{ name: 'compact', description: 'Shortens the history.', hint: 'what to keep' }],
      reportsCost: true,
      reportsTokens: true,
      can: { resume: false, images: false },
    })
    expect(program?.options.map(({ id: option, category, current }) => [option, category, current])).toEqual([
      ['model', 'model', 'large'],
      ['thought', 'effort', 'low'],
      ['safe', 'other', 'on'],
    ])
    expect(usage).toEqual({ input: 10, output: 5, cacheRead: 100, cacheWrite: 0 })
    expect(context).toMatchObject({ used: 1500, window: 100_000 })
    expect(costUsd).toBe(0.5)
    await told(id, 'More')
    // The program reports the cost of the whole session.
    expect(stateOf(id).costUsd).toBe(1)
  })

  test('a program begins in the mode that is like the permission mode, or the panel says that it has none', async () => {
    const id = await begin({ can: ['modes', 'starts-in-code'], tasks: ['look'] })
    await troupe.runtime.settled(id)
    expect(stateOf(id).program?.options).toMatchObject([{ category: 'mode', current: 'ask' }])
    const other = await begin({ can: ['modes', 'starts-in-code', 'no-ask'], tasks: ['look'] })
    await troupe.runtime.settled(other)
    const notices = troupe.events.flatMap((event) => (event.type === 'notice' ? [event.text] : []))
    expect(notices).toContain(
      'It has no mode like the permission mode default. The program decides in its mode Code what it asks.',
    )
  })

  test('a permission mode that changes later is passed on at once', async () => {
    const id = await begin({ can: ['modes'], tasks: ['wait'] })
    await troupe.when('program-options')
    const mode = () => stateOf(id).program?.options[0]?.current
    expect(mode()).toBe('ask')
    await troupe.runtime.dispatch({
      type: 'conversation.setMode',
      conversationId: id,
      permissionMode: 'plan',
    })
    await troupe.when('program-options', ({ options }) => options[0]?.current === 'plan')
    await troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId: childId() })
    await troupe.runtime.settled(id)
  })

  test('a permission mode that changes between two processes is passed on to the second', async () => {
    const id = await begin({ can: ['modes', 'resume'], keep: 0 }, 'outsider')
    await troupe.runtime.settled(id)
    const main = troupe.events.find((event) => event.type === 'agent-spawned')?.agentId ?? ''
    const mode = () => stateOf(id, main).program?.options[0]?.current
    expect(mode()).toBe('ask')
    await troupe.runtime.dispatch({
      type: 'conversation.setMode',
      conversationId: id,
      permissionMode: 'plan',
    })
    await troupe.say(id, 'More')
    await troupe.runtime.settled(id)
    expect(mode()).toBe('plan')
    expect(await pids()).toHaveLength(2)
  })

  test('of a program without modes the panel says that a changed permission mode is not passed on', async () => {
    const id = await begin({ tasks: ['wait'] })
    await troupe.when('program-connected')
    await troupe.runtime.dispatch({
      type: 'conversation.setMode',
      conversationId: id,
      permissionMode: 'plan',
    })
    await troupe.when('notice', ({ text }) =>
      /^It has no modes, so it is not told of .* mode plan\./.test(text),
    )
    await troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId: childId() })
  })

  test('a program with modes only', async () => {
    const id = await begin({ can: ['modes'], tasks: ['switch'] })
    await troupe.runtime.settled(id)
    expect(stateOf(id).program?.options).toMatchObject([{ id: 'mode', category: 'mode', current: 'code' }])
    const agent = { conversationId: id, agentId: childId() }
    expect(
      await troupe.runtime.dispatch({
        type: 'agent.setProgramOption',
        ...agent,
        optionId: 'mode',
        value: 'ask',
      }),
    ).toMatchObject({
      ok: true,
    })
    expect((await told(id, 'More')).report).toContain('"mode":"ask"')
  })

  test('the user’s choice is set at once, and again in the next process', async () => {
    const id = await begin({ can: ['options', 'resume'], keep: 0 })
    await troupe.runtime.settled(id)
    const agent = { conversationId: id, agentId: childId() }
    const set = (optionId: string, value: string) =>
      troupe.runtime.dispatch({ type: 'agent.setProgramOption', ...agent, optionId, value })
    expect(await set('thought', 'high')).toMatchObject({ ok: true })
    expect(await set('safe', 'off')).toMatchObject({ ok: true })
    expect(await set('thought', 'none')).toMatchObject({ failure: { type: 'not-offered' } })
    expect(stateOf(id).program?.options.map(({ current }) => current)).toEqual(['small', 'high', 'off'])
    expect((await told(id, 'More')).report).toContain(
      '{"model":"small","thought":"high","mode":"ask","safe":false}',
    )
  })

  test('model and effort of the definition are set where the program offers them', async () => {
    const id = await begin({ can: ['options'], definition: { model: 'LARGE', effort: 'max' } })
    await troupe.runtime.settled(id)
    expect(stateOf(id).report).toContain('{"model":"large","thought":"low"')
    expect(notices()).toEqual([
      'effort: max has no effect: the program does not offer it. It offers: LOW, HIGH.',
    ])
  })

  test('a money limit lets a program start whose cost is unknown, and says so', async () => {
    const limits = { tokens: null, usd: 2, ms: null, spawns: null }
    const policy = { limits: { agent: limits, background: limits, conversation: { ...limits, usd: null } } }
    const id = await begin({ policy })
    await troupe.runtime.settled(id)
    expect(stateOf(id).status).toBe('completed')
    expect(notices()).toEqual([
      'The limit of $2 holds only for the cost that outsider reports; what it does not report can’t be limited.',
    ])
  })
})

describe('a login', () => {
  const begun = async (given: Given) => {
    const id = await begin(given)
    await troupe.when('program-login')
    return { conversationId: id, agentId: childId() }
  }

  test.each([['login'], ['late-login']])(
    '%s: is shown, and the run begins again by itself when it is done',
    async (when) => {
      const agent = await begun({ can: [when] })
      expect(stateOf(agent.conversationId)).toMatchObject({ status: 'waiting', waitingFor: 'answer' })
      expect(stateOf(agent.conversationId).program?.login).toMatchObject({
        message: expect.stringContaining('outsider needs a login. It offers: Log in with Example'),
        methods: [
          { id: 'web', kind: 'agent', command: null },
          {
            id: 'shell',
            kind: 'terminal',
            command: expect.stringMatching(/example-agent\.ts talks .*--log 'in now'$/),
          },
        ],
      })
      expect(
        await troupe.runtime.dispatch({ type: 'agent.login', ...agent, methodId: 'none' }),
      ).toMatchObject({ ok: false })
      expect(await troupe.runtime.dispatch({ type: 'agent.login', ...agent, methodId: 'web' })).toMatchObject(
        { ok: true },
      )
      await troupe.runtime.settled(agent.conversationId)
      expect(stateOf(agent.conversationId)).toMatchObject({ status: 'completed', program: { login: null } })
      expect(stateOf(agent.conversationId).report).toContain('Last: You are careful.')
      expect(await pids()).toHaveLength(1)
    },
  )

  test('after one in a terminal the program is started again', async () => {
    const agent = await begun({ can: ['login'] })
    const asked = eventsOf(troupe, agent.agentId).length
    await troupe.runtime.dispatch({ type: 'agent.login', ...agent, methodId: 'shell' })
    // The example forgets its login, so it asks again.
    await troupe.when('program-login', ({ seq }) => seq > asked)
    await expect.poll(running).toHaveLength(1)
    expect(await pids()).toHaveLength(2)
    await troupe.runtime.dispatch({
      type: 'agent.stop',
      conversationId: agent.conversationId,
      agentId: agent.agentId,
    })
    expect(stateOf(agent.conversationId).status).toBe('stopped')
  })

  test('where nobody can log in the agent fails, and a later login starts it again', async () => {
    const agent = await begun({ can: ['login'], policy: { attended: false } })
    await troupe.runtime.settled(agent.conversationId)
    expect(stateOf(agent.conversationId)).toMatchObject({ status: 'failed' })
    const before = stateOf(agent.conversationId).lastSeq
    expect(await troupe.runtime.dispatch({ type: 'agent.login', ...agent, methodId: 'web' })).toMatchObject({
      ok: true,
    })
    await troupe.when('agent-ended', ({ agentId, seq }) => agentId === agent.agentId && seq > before)
    expect(stateOf(agent.conversationId)).toMatchObject({ status: 'completed', program: { login: null } })
  })
})

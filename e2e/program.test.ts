/** The program behind the window, through the bridge alone, independent of the page's layout. */
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ElectronApplication, _electron as electron, expect, type Page, test } from '@playwright/test'
import type { AgentEvent, LiveEvent } from '../src/shared/events/agent-event.ts'
import type {
  Answer,
  CommandInput,
  CommandName,
  CommandOutput,
  TroupeBridge,
} from '../src/shared/ipc/ipc-contract.ts'
import type { WindowDelta } from '../src/shared/ipc/window-delta.ts'
import type { AgentState } from '../src/shared/state/agent-state.ts'
import { emptyConversation, foldConversation } from '../src/shared/state/conversation-state.ts'
import { inMain } from './testing/in-main.ts'
import { eventually } from './testing/troupe-window.ts'

let folder: string
let work: string
let app: ElectronApplication
let page: Page

/** Its seconds tell it from the command of a test that runs at the same time. */
const SLEEP = `sleep 61237.${process.pid}`

const SCENARIO = `
steps:
  - agent: /main agent/
    when: two places
    reply:
      - text: I look in both places at once.
      - tool: Agent
        repeat: 2
        input:
          description: Look at part {{n}}
          subagent_type: general-purpose
          prompt: "Part {{n}}: write it down."
  - agent: /Part (\\d)/
    turn: 1
    reply:
      - text: I write down what there is in this part.
      - tool: Write
        input: { file_path: "part-{{1}}.txt", content: "seen" }
  - agent: /Part (\\d)/
    reply: "Part {{1}} is written down."
  - agent: /main agent/
    when: tell
    reply:
      - tool: Agent
        input: { description: Tell it, subagent_type: general-purpose, prompt: Note it and tell it. }
  - agent: Note it and tell it
    turn: 1
    reply:
      - tool: Write
        input: { file_path: note.txt, content: "seen" }
  - agent: Note it and tell it
    fault: { stallAfter: 40 }
    reply: This text comes while the panel is open, and its end never comes.
  - agent: /main agent/
    when: wait
    reply:
      - tool: Bash
        input: { command: "echo begun > begun.txt; ${SLEEP}", description: Wait }
  - reply: Done.
`

/** In the page: the bridge, and all deltas received so far. */
type Exposed = { readonly troupe: TroupeBridge; readonly heard: WindowDelta[] }

async function launch(): Promise<void> {
  const environment = Object.entries(process.env).filter(([name]) => !/^(ANTHROPIC|TROUPE)_/.test(name))
  app = await electron.launch({
    args: ['.', '--disable-gpu', work],
    cwd: join(import.meta.dirname, '..'),
    chromiumSandbox: process.getuid?.() !== 0,
    env: {
      ...(Object.fromEntries(environment) as Record<string, string>),
      TROUPE_HOME: join(folder, 'home'),
      TROUPE_SCENARIO: join(folder, 'scenario.yaml'),
      TROUPE_REHEARSAL_PACE: '400',
    },
  })
  page = await app.firstWindow()
  await page.waitForLoadState()
  await listen()
}

/** Records deltas from now on, in parallel with the page. */
const listen = (): Promise<void> =>
  page.evaluate(() => {
    const heard: WindowDelta[] = []
    Object.assign(window, { heard })
    ;(window as unknown as Exposed).troupe.onDeltas((deltas) => {
      heard.push(...deltas)
    })
  })

async function command<N extends CommandName>(name: N, input: CommandInput<N>): Promise<CommandOutput<N>> {
  const answer = (await page.evaluate(
    ([asked, given]) => (window as unknown as Exposed).troupe.command(asked as 'start', given as never),
    [name, input] as const,
  )) as Answer<CommandOutput<N>>
  if (!answer.ok) throw new Error(`${name}: ${answer.failure.message}`)
  return answer.value
}

const heard = (): Promise<readonly WindowDelta[]> => page.evaluate(() => (window as unknown as Exposed).heard)

const eventsOf = (deltas: readonly WindowDelta[]): readonly AgentEvent[] =>
  deltas.flatMap((delta) => (delta.type === 'event' ? [delta.event] : []))

/** The agents as the page knows them: a snapshot and all later deltas. */
function folded(
  agents: readonly AgentState[],
  events: readonly AgentEvent[],
): ReadonlyMap<string, AgentState> {
  const last = new Map(agents.map((agent) => [agent.id, agent.lastSeq]))
  for (const { agentId, seq } of events) {
    const before = last.get(agentId)
    if (before !== undefined) expect(seq, `the next event of ${agentId}`).toBe(before + 1)
    last.set(agentId, seq)
  }
  const snapshot = { ...emptyConversation, agents: new Map(agents.map((agent) => [agent.id, agent])) }
  return foldConversation(snapshot, events).agents
}

const newConversation = async () => {
  await command('folder.trust', { path: work, trusted: true })
  return command('conversation.create', { folder: work })
}

const say = (conversationId: string, text: string) =>
  command('conversation.send', { conversationId, agentId: null, content: text })

/** Allows every permission request until the main agent is idle. */
async function letAll(conversationId: string): Promise<void> {
  await expect(async () => {
    const { agents } = await command('conversation.subscribe', { conversationId })
    for (const agent of agents)
      for (const { requestId } of agent.requests)
        await command('agent.answer', {
          conversationId,
          agentId: agent.id,
          requestId,
          answer: { decision: 'allow-once' },
        }).catch(() => {})
    expect(agents.filter((agent) => agent.status === 'completed').length).toBeGreaterThanOrEqual(2)
    expect(agents[0]).toMatchObject({ status: 'waiting', waitingFor: 'message' })
  }).toPass({ timeout: 20_000 })
}

test.beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'troupe-program-')))
  work = join(folder, 'work')
  await mkdir(work)
  await writeFile(join(folder, 'scenario.yaml'), SCENARIO)
  execFileSync('git', ['init', '--quiet', '--initial-branch=trunk'], { cwd: work })
  await launch()
})

test.afterEach(async () => {
  await app.close()
  await rm(folder, { recursive: true, force: true })
})

test('a folder named at the start is open, untrusted, with its branch', async () => {
  const { folder: opened, access } = await command('start', {})
  expect(opened).toMatchObject({
    path: work,
    name: 'work',
    trusted: false,
    gitBranch: 'trunk',
    dirtyFiles: null,
  })
  expect(access.kind).toBe('rehearsal')
  expect(await command('folder.trust', { path: work, trusted: true })).toMatchObject({
    trusted: true,
  })
})

test('deltas agree with the snapshot: nothing missing, nothing twice', async () => {
  const { id } = await newConversation()
  const first = await command('conversation.subscribe', { conversationId: id })
  await page.evaluate(() => {
    ;(window as unknown as Exposed).heard.length = 0
  })
  const main = first.record.mainAgentId
  await command('agent.watch', { conversationId: id, agentIds: [main] })
  await say(id, 'Look in two places')
  await eventually(
    async () => eventsOf(await heard()).filter((event) => event.type === 'permission-asked').length,
  ).toBe(2)
  const soFar = eventsOf(await heard())
  const again = await command('conversation.subscribe', { conversationId: id })
  // The deltas before the second snapshot agree with it.
  const known = folded(
    first.agents,
    soFar.filter((event) => event.order <= again.order),
  )
  for (const agent of again.agents) expect(known.get(agent.id)).toEqual(agent)
  expect(again.agents.length).toBe(3)

  await letAll(id)
  expect(await readFile(join(work, 'part-1.txt'), 'utf8')).toBe('seen')
  expect(await readFile(join(work, 'part-2.txt'), 'utf8')).toBe('seen')
  const conversations = await command('conversation.list', {})
  expect(conversations).toMatchObject([{ id, rehearsal: true, running: 0, requests: 0 }])
  const live = (await heard()).filter((delta) => delta.type === 'live')
  expect(live.length).toBeGreaterThan(0)
  expect(new Set(live.map((delta) => delta.event.agentId))).toEqual(new Set([main]))
})

test('streamed text reaches a panel live, and also a reloaded page', async () => {
  const { id } = await newConversation()
  await say(id, 'Please tell')
  let asked = { agentId: '', requestId: '' }
  await expect(async () => {
    const { agents } = await command('conversation.subscribe', { conversationId: id })
    const teller = agents.find((agent) => agent.task === 'Tell it')
    asked = { agentId: teller?.id ?? '', requestId: teller?.requests[0]?.requestId ?? '' }
    expect(asked.requestId).not.toBe('')
  }).toPass()
  // The panel is open before the text begins. The text stops in the middle: a finished one comes as a message instead.
  expect(await openPanel(id, asked.agentId)).toBe('')
  await command('agent.answer', { conversationId: id, ...asked, answer: { decision: 'allow-once' } })
  const streamed = async () =>
    textOf(
      (await heard()).flatMap((delta) => (delta.type === 'live' ? [delta.event] : [])),
      asked.agentId,
    )
  await eventually(streamed).toBe('This text comes while the panel is open,')

  await page.reload()
  await listen()
  const { agents } = await command('conversation.subscribe', { conversationId: id })
  expect(agents.map(({ task }) => task)).toContain('Tell it')
  expect(await openPanel(id, asked.agentId)).toBe('This text comes while the panel is open,')
  await command('agent.stop', { conversationId: id, agentId: asked.agentId })
})

/** Loads an agent's transcript as a panel does; its live events follow. @returns the text that streams, so far */
async function openPanel(conversationId: string, agentId: string): Promise<string> {
  const { live } = await command('agent.transcript', { conversationId, agentId, before: null, limit: 50 })
  return textOf(live, agentId)
}

/** The text in these live events of an agent. */
const textOf = (events: readonly LiveEvent[], agentId: string): string =>
  events
    .flatMap((event) =>
      event.type === 'live-block' && event.agentId === agentId && event.kind === 'text' ? [event.append] : [],
    )
    .join('')

test('closing asks while an agent works; the agent and its commands stop, and everything is restored later', async () => {
  const { id } = await newConversation()
  await say(id, 'Please wait')
  await waitUntilBegun(id)

  // The test answers the system dialog, first with cancel, then with stop.
  await inMain(app, ({ dialog }) => {
    const asked: string[] = []
    Object.assign(globalThis, { asked })
    dialog.showMessageBox = (async (_window: unknown, options: { message: string }) => {
      asked.push(options.message)
      return { response: asked.length === 1 ? 2 : 0, checkboxChecked: false }
    }) as never
  })
  const closeWindow = () => inMain(app, ({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close())
  await closeWindow()
  await eventually(() => inMain(app, () => Reflect.get(globalThis, 'asked'))).toEqual([
    '1 agent is still running.',
  ])
  expect(processes()).toContain(SLEEP)
  const ended = app.waitForEvent('close')
  await closeWindow().catch(() => {})
  await ended
  await eventually(processes).not.toContain(SLEEP)

  await launch()
  const { agents } = await command('conversation.subscribe', { conversationId: id })
  expect(agents[0]?.status).toBe('stopped')
  await say(id, 'Go on')
  await eventually(
    async () => (await command('conversation.subscribe', { conversationId: id })).agents[0]?.lastLine,
  ).toBe('Done.')
})

test('an uncaught error ends the program with a line in the log, and no command survives', async () => {
  const { id } = await newConversation()
  await say(id, 'Please wait')
  await waitUntilBegun(id)
  expect(processes()).toContain(SLEEP)
  const child = app.process()
  const ended = app.waitForEvent('close')
  await app
    .evaluate(() => {
      setTimeout(() => {
        throw new Error('nobody catches this')
      })
    })
    .catch(() => {})
  await ended
  expect(child.exitCode).toBe(1)
  expect(await readFile(join(folder, 'home', 'logs', 'main.log'), 'utf8')).toContain('nobody catches this')
  await eventually(processes).not.toContain(SLEEP)
  await launch()
  const { agents } = await command('conversation.subscribe', { conversationId: id })
  expect(['stopped', 'interrupted']).toContain(agents[0]?.status)
})

test('model access can change while the program runs', async () => {
  expect(await command('access.models', {})).toContainEqual({ id: 'sonnet', name: 'claude-sonnet-5-5' })
  const refused = await page.evaluate(() =>
    (window as unknown as Exposed).troupe.command('access.test', {
      key: 'sk-x',
      baseUrl: 'http://example.com',
    }),
  )
  expect(refused).toMatchObject({ ok: false, failure: { type: 'bad-address' } })
  const silent = await page.evaluate(() =>
    (window as unknown as Exposed).troupe.command('access.test', {
      key: 'sk-x',
      baseUrl: 'http://127.0.0.1:1',
    }),
  )
  expect(silent).toMatchObject({ ok: false, failure: { type: 'connection' } })
})

/** Allows requests until the scenario's command runs. */
async function waitUntilBegun(conversationId: string): Promise<void> {
  await expect(async () => {
    const { agents } = await command('conversation.subscribe', { conversationId })
    for (const agent of agents)
      for (const { requestId } of agent.requests)
        await command('agent.answer', {
          conversationId,
          agentId: agent.id,
          requestId,
          answer: { decision: 'allow-once' },
        })
    expect(await readFile(join(work, 'begun.txt'), 'utf8')).toBe('begun\n')
  }).toPass()
}

/** The running commands. */
function processes(): string {
  return execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
}

test('the sample is copied, trusted, and a git repository', async () => {
  await inMain(app, ({ app: program }, documents) => program.setPath('documents', documents), folder)
  const sample = await command('folder.sample', {})
  expect(sample).toMatchObject({
    path: join(folder, 'Troupe sample 1'),
    trusted: true,
    gitBranch: 'main',
  })
  const files = await command('folder.files', { path: sample.path, query: 'money' })
  expect(files).toEqual(['src/money.js', 'test/money.test.js'])
  const { definitions } = await command('folder.definitions', { path: sample.path })
  expect(definitions.map(({ name }) => name)).toContain('Explore')
})

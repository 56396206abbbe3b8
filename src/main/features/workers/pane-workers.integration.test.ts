/** Team members in worker processes: real processes, one API, and kills in the middle. */

import { spawnSync } from 'node:child_process'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { defaultSettings, type Settings } from '../../../shared/settings/settings.ts'
import type { WorkersState } from '../../../shared/workers/worker-presence.ts'
import { composeRuntime } from '../../features.ts'
import { createSystemClock } from '../../platform/system/machine-time.ts'
import { createTranscriptStore } from '../../platform/transcripts/create-transcript-store.ts'
import { beginConversation, watchEvents } from '../../runtime/testing/event-watch.ts'
import { hooksOfWorker, logHooks } from '../../testing/log-hooks.ts'
import { PROGRAM } from '../../testing/program-file.ts'
import { type RealTroupe, type RunningTroupe, realTroupe } from '../../testing/real-troupe.ts'
import { withoutSandbox } from '../../testing/without-sandbox.ts'
import type { Director, ScriptedBlock, ScriptedRequest } from '../rehearsal/director.ts'

type Reply = readonly ScriptedBlock[] | Promise<readonly ScriptedBlock[]>

const text = (said: string): ScriptedBlock => ({ type: 'text', text: said })
const call = (name: string, input: unknown): ScriptedBlock => ({ type: 'tool_use', name, input })

/** The turn of a request, from 1. */
const turnOf = ({ messages }: ScriptedRequest) =>
  1 + messages.filter(({ role }) => role === 'assistant').length
const lastOf = ({ messages }: ScriptedRequest) => JSON.stringify(messages.at(-1))

/** The main agent creates a team with these members, and then waits; its last answer quotes what it got. */
let main: (request: ScriptedRequest) => Reply
let member: (request: ScriptedRequest) => Reply
const director: Director = {
  reply: async (request) => {
    const isMember = JSON.stringify(request.messages[0]).includes('You are MEMBER')
    return { blocks: await (isMember ? member(request) : main(request)) }
  },
}

const team = (...names: readonly string[]): ScriptedBlock =>
  call('TeamCreate', {
    name: 'crew',
    members: names.map((name) => ({
      name,
      agent: 'general-purpose',
      prompt: `You are MEMBER ${name}.`,
      backing: 'pane',
    })),
  })

let troupe: RealTroupe

beforeEach(async () => {
  main = (request) => (turnOf(request) === 1 ? [team('tester')] : [text(`Heard: ${lastOf(request)}`)])
  member = () => [text('I am done.')]
  troupe = await realTroupe(director)
})

afterEach(async () => {
  for (const pid of await workerPids()) kill(pid)
  await troupe.close()
})

/** The processes of the workers that run, by their locks. */
async function workerPids(): Promise<readonly number[]> {
  const workers = join(troupe.home, 'workers')
  const pids: number[] = []
  for (const agentId of await names(workers))
    for (const name of await names(join(workers, agentId, 'locks', agentId))) {
      const pid = Number(name.split('-')[0])
      if (isRunning(pid)) pids.push(pid)
    }
  return pids
}

const names = (folder: string) => readdir(folder).catch(() => [])

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {}
}

/** Resolves when the condition holds. */
async function until<T>(look: () => Promise<T | null> | T | null): Promise<T> {
  for (;;) {
    const found = await look()
    if (found !== null) return found
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const when = <T extends AgentEvent['type']>(
  run: RunningTroupe,
  type: T,
  matches: (event: Extract<AgentEvent, { type: T }>) => boolean = () => true,
): Promise<Extract<AgentEvent, { type: T }>> =>
  new Promise((resolve) => {
    const look = (event: AgentEvent) => {
      if (event.type === type && matches(event as Extract<AgentEvent, { type: T }>))
        resolve(event as Extract<AgentEvent, { type: T }>)
    }
    for (const event of run.events) look(event)
    run.onEvent(look)
  })

async function logOf(agentId: string): Promise<readonly AgentEvent[]> {
  const store = createTranscriptStore({ dataFolder: troupe.home, clock: createSystemClock() })
  const events: AgentEvent[] = []
  for await (const batch of store.events(agentId)) {
    if (!batch.ok) throw new Error(batch.failure.message)
    events.push(...batch.value)
  }
  return events
}

const memberOf = (run: RunningTroupe) => when(run, 'agent-spawned', ({ name }) => name === 'tester')

test('a member runs in a process of its own, works in the folder, and its report reaches the leader; its changes are listed and undone here; hooks run in it', async () => {
  const hooked = await logHooks(troupe.base)
  const command = (text: string) => call('Bash', { command: text, description: 'Write' })
  main = (request) => {
    const said = JSON.stringify(request.messages)
    if (turnOf(request) === 1) return [command('echo before > before.txt')]
    if (turnOf(request) === 2) return [team('tester')]
    return said.includes('Tests pass.') && !said.includes('after.txt')
      ? [command('echo after > after.txt')]
      : [text(`Heard: ${lastOf(request)}`)]
  }
  member = (request) => {
    if (turnOf(request) === 1) return [command('echo $PPID > worker.txt')]
    return turnOf(request) === 2 ? [command('echo more >> before.txt')] : [text('Tests pass.')]
  }
  const run = troupe.start(['run', 'Go', '--json', '--allow', 'Bash'])
  const { agentId, conversationId } = await memberOf(run)
  const { worker } = await when(run, 'worker-changed', ({ state }) => state === 'running')
  const { code, errors } = await run.ended
  expect({ code, errors }).toEqual({ code: 0, errors: '' })
  expect(worker?.pid).not.toBe(run.child.pid)
  const log = await logOf(agentId)
  expect(log.map(({ seq }) => seq)).toEqual([...log.keys()])
  expect(log.at(-1)).toMatchObject({ type: 'agent-ended', status: 'completed', report: 'Tests pass.' })
  expect(JSON.stringify(run.events)).toContain('Tests pass.')
  expect(await troupe.linesOf('worker.txt')).toHaveLength(1)
  expect(await hooked(agentId)).toEqual(hooksOfWorker(2))
  // The key is in no file.
  for (const path of await files(join(troupe.home, 'workers')))
    expect(await readFile(path, 'utf8')).not.toContain(troupe.server.apiKey)
  // The program that started the worker ends it.
  await until(async () => ((await workerPids()).length === 0 ? true : null))

  const { program } = await openProgram()
  const listed = await program.changes.list({ conversationId })
  if (!listed.ok) throw new Error(listed.failure.message)
  const { calls, user } = listed.value
  const found = calls.map((each) => [each.agentId === agentId, each.files.map(({ shown }) => shown)])
  expect({ found, user }).toEqual({
    found: [
      [false, ['before.txt']],
      [true, ['worker.txt']],
      [true, ['before.txt']],
      [false, ['after.txt']],
    ],
    user: [],
  })
  const scope = { kind: 'agent', agentId } as const
  const preview = await program.changes.preview({ conversationId, scope, choices: {} })
  if (!preview.ok) throw new Error(preview.failure.message)
  const { version } = preview.value
  const undone = await program.changes.undo({ conversationId, scope, version, choices: {}, continues: false })
  expect(undone).toMatchObject({ ok: true, value: { deleted: 1, restored: 1, left: [] } })
  expect((await readdir(troupe.folder)).sort()).toEqual(['after.txt', 'before.txt'])
  expect(await troupe.linesOf('before.txt')).toEqual(['before'])
  await program.close()
})

async function files(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

test('a worker that is killed: its agent is interrupted, and a message resumes it with its whole dialogue', async () => {
  member = (request) => {
    if (turnOf(request) === 1) return [text('I begin.'), call('TodoWrite', { todos: [] })]
    return JSON.stringify(request.messages).includes('Go on')
      ? [text(`I know ${turnOf(request)} turns.`)]
      : new Promise(() => {})
  }
  main = (request) => {
    const heard = lastOf(request)
    if (turnOf(request) === 1) return [team('tester')]
    if (heard.includes('was interrupted')) return [call('SendMessage', { to: 'tester', message: 'Go on' })]
    return [text(`Heard: ${heard}`)]
  }
  const run = troupe.start(['run', 'Go', '--json'])
  const { agentId } = await memberOf(run)
  await when(run, 'request-started', (event) => event.agentId === agentId && event.turn === 2)
  const [pid] = await workerPids()
  expect(pid).toBeDefined()
  kill(pid ?? 0)
  expect(await when(run, 'worker-changed', ({ state }) => state === 'gone')).toMatchObject({
    note: expect.stringContaining(`The worker process ${pid} ended before the agent did`),
  })
  expect((await run.ended).code).toBe(0)
  const log = await logOf(agentId)
  expect(log.flatMap((event) => (event.type === 'agent-ended' ? [event.status] : []))).toEqual([
    'interrupted',
    'completed',
  ])
  expect(log.at(-1)).toMatchObject({ report: 'I know 2 turns.' })
})

test('the program is killed: the worker finishes, and the program that returns has everything once', async () => {
  let open = () => {}
  const returned = new Promise<void>((resolve) => {
    open = resolve
  })
  member = async (request) => {
    if (turnOf(request) === 1) return [text('I begin.'), call('Bash', { command: 'echo 1 >> done.txt' })]
    if (turnOf(request) === 2) {
      await returned
      return [call('Bash', { command: 'echo 2 >> done.txt' })]
    }
    return [text('All done.')]
  }
  const first = troupe.start(['run', 'Go', '--json', '--allow', 'Bash'])
  const { agentId } = await memberOf(first)
  await when(first, 'request-started', (event) => event.agentId === agentId && event.turn === 2)
  const workers = await workerPids()
  first.child.kill('SIGKILL')
  await first.ended
  expect(await workerPids()).toEqual(workers)

  const { conversationId } = (await logOf(agentId))[0] as { conversationId: string }
  main = (request) => [text(`Heard: ${lastOf(request)}`)]
  const second = troupe.start(['run', 'What is new?', '--json', '--resume', conversationId])
  await when(second, 'assistant-message')
  open()
  expect((await second.ended).code).toBe(0)
  const log = await logOf(agentId)
  expect(log.map(({ seq }) => seq)).toEqual([...log.keys()])
  const numbers = log.flatMap(({ origin }) => origin?.seq ?? [])
  expect(numbers).toEqual([...numbers.keys()])
  expect(log.filter(({ type }) => type === 'agent-ended')).toMatchObject([
    { status: 'completed', report: 'All done.' },
  ])
  expect(await troupe.linesOf('done.txt')).toEqual(['1', '2'])
  expect(JSON.stringify(second.events)).toContain('All done.')
  expect(
    new Set(log.flatMap((event) => (event.type === 'worker-changed' ? (event.worker?.pid ?? []) : []))).size,
  ).toBe(1)
})

test('a second worker for the same member is refused with the process of the first; so are unknown names', async () => {
  member = () => new Promise(() => {})
  const run = troupe.start(['run', 'Go', '--json'])
  const { agentId } = await memberOf(run)
  await when(run, 'request-started', (event) => event.agentId === agentId)
  const [pid] = await workerPids()
  const worker = (...args: string[]) => {
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'worker', ...args], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: troupe.base, TROUPE_HOME: troupe.home, ANTHROPIC_API_KEY: 'k' },
    })
    return { status, stderr: stderr.trim() }
  }
  // The key is in no argument of the worker, and not in its environment.
  for (const name of process.platform === 'linux' ? ['cmdline', 'environ'] : [])
    expect(await readFile(`/proc/${pid}/${name}`, 'utf8')).not.toContain(troupe.server.apiKey)
  expect(worker('--team', 'crew', '--name', 'Tester')).toEqual({
    status: 1,
    stderr: `troupe: The process ${pid} is already the worker of ${agentId}. End that process first.`,
  })
  expect(worker('--team', 'band', '--name', 'tester')).toEqual({
    status: 2,
    stderr: 'troupe: There is no team "band". Teams: crew.',
  })
  expect(worker('--team', 'crew', '--name', 'nobody')).toEqual({
    status: 2,
    stderr: 'troupe: The team crew has no member "nobody". Members: tester.',
  })
  // Ctrl+C at the program stops the agent, and ends its worker.
  run.child.kill('SIGINT')
  expect((await run.ended).code).toBe(130)
  expect((await logOf(agentId)).at(-1)).toMatchObject({ type: 'agent-ended', status: 'stopped' })
  await until(async () => ((await workerPids()).length === 0 ? true : null))
})

/** The runtime in this process, with workers as processes. */
async function openProgram(settings: Partial<Settings> = {}) {
  const { base, home, folder, server } = troupe
  const root = join(import.meta.dirname, '../../../..')
  const program = await composeRuntime({
    dataFolder: home,
    home: base,
    environment: { PATH: process.env['PATH'] },
    settings: { current: { ...defaultSettings, ...withoutSandbox, trustedFolders: [folder], ...settings } },
    agentsFolder: join(root, 'agents'),
    docsFolder: join(root, 'docs'),
    rehearsal: { pace: 0, scenarioFile: null },
    workerProgram: {
      command: [process.execPath, PROGRAM],
      environment: { PATH: process.env['PATH'], HOME: base, TROUPE_HOME: home },
      tmux: false,
    },
  })
  await program.switchAccess({ kind: 'api', key: server.apiKey, baseUrl: server.baseUrl })
  const watch = watchEvents(program.runtime)
  const begin = async (said: string) => {
    return await beginConversation(program.runtime, said, { folder })
  }
  return { program, begin, ...watch }
}

test('a permission request of a worker is answered here; it waits while no program has the conversation open', async () => {
  member = (request) =>
    turnOf(request) === 1 ? [call('Bash', { command: 'npm --version > v.txt' })] : [text('Checked.')]
  const first = troupe.start(['run', 'Go', '--json'])
  const { agentId } = await memberOf(first)
  // Without a user the command line denies at once: this program is gone before it can.
  await when(first, 'worker-changed', ({ state }) => state === 'running')
  first.child.kill('SIGKILL')
  await first.ended
  const reports = async () => {
    const jobs = join(troupe.home, 'workers', agentId, 'jobs')
    const [job = ''] = await names(jobs)
    return readFile(join(jobs, job, 'reports.jsonl'), 'utf8').catch(() => '')
  }
  await until(async () => ((await reports()).includes('permission-asked') ? true : null))

  const { program, when: whenHere } = await openProgram()
  const asked = whenHere('permission-asked', (event) => event.agentId === agentId)
  await program.runtime.followWorkers()
  const { requestId } = await asked
  const { conversationId } = (await logOf(agentId))[0] as { conversationId: string }
  expect(program.runtime.state(conversationId, agentId)?.requests).toHaveLength(1)
  const ended = whenHere('agent-ended', (event) => event.agentId === agentId)
  expect(
    await program.runtime.dispatch({
      type: 'agent.answer',
      conversationId,
      agentId,
      requestId,
      answer: { decision: 'allow-once' },
    }),
  ).toMatchObject({ ok: true })
  expect(await ended).toMatchObject({ status: 'completed', report: 'Checked.' })
  expect(await troupe.linesOf('v.txt')).toHaveLength(1)
  await program.close()
})

test('a message from the user reaches a worker that runs, and the presence shows the worker', async () => {
  let open = () => {}
  const sent = new Promise<void>((resolve) => {
    open = resolve
  })
  member = async (request) => {
    if (turnOf(request) > 1) return [text(lastOf(request).includes('Hurry') ? 'Hurried.' : 'Slow.')]
    await sent
    return [call('TodoWrite', { todos: [] })]
  }
  const { program, begin, when: whenHere } = await openProgram()
  const present = new Promise<WorkersState>((resolve) => {
    program.workers.subscribe((state) => {
      if (state.workers.some(({ agentIds }) => agentIds.length > 0)) resolve(state)
    })
  })
  const conversationId = await begin('Go')
  const { agentId } = await whenHere('request-started', (event) => event.origin !== undefined)
  const [pid] = await workerPids()
  expect((await present).workers).toMatchObject([{ pid, kind: 'pane', agentIds: [agentId], problem: null }])
  const content = [{ type: 'text' as const, text: 'Hurry' }]
  await program.runtime.dispatch({ type: 'conversation.send', conversationId, agentId, content })
  await until(async () =>
    (await names(join(troupe.home, 'workers', agentId, 'commands'))).length === 0 ? true : null,
  )
  const ended = whenHere('agent-ended', (event) => event.agentId === agentId)
  open()
  expect(await ended).toMatchObject({ status: 'completed', report: 'Hurried.' })
  const log = await logOf(agentId)
  expect(JSON.stringify(log).split('Hurry')).toHaveLength(2)
  await program.close()
  await until(async () => ((await workerPids()).length === 0 ? true : null))
})

test('a pane and a member in this program write to each other by name, and both to the leader', async () => {
  let open = () => {}
  const waits = new Promise<void>((resolve) => {
    open = resolve
  })
  const heard: string[] = []
  member = async (request) => {
    const who = JSON.stringify(request.messages[0]).includes('MEMBER tester') ? 'tester' : 'helper'
    const news = lastOf(request)
    if (news.includes('Ping')) heard.push(`${who} got Ping`)
    if (news.includes('Pong')) heard.push(`${who} got Pong`)
    if (who === 'helper') {
      if (turnOf(request) === 1) return [call('SendMessage', { to: 'tester', message: 'Ping' })]
      return [text('The helper is done.')]
    }
    if (turnOf(request) === 1) await waits
    // A pane that starts late has the message in its first request.
    if (turnOf(request) === 1 && !news.includes('Ping')) return [call('TodoWrite', { todos: [] })]
    if (news.includes('Ping'))
      return [
        call('SendMessage', { to: 'Helper', message: 'Pong' }),
        call('SendMessage', { to: 'leader', message: 'Ponged' }),
      ]
    return [text('The tester is done.')]
  }
  main = (request) => {
    if (lastOf(request).includes('Ponged')) heard.push('leader got Ponged')
    return turnOf(request) === 1
      ? [
          call('TeamCreate', {
            name: 'crew',
            members: [
              { name: 'tester', agent: 'general-purpose', prompt: 'You are MEMBER tester.', backing: 'pane' },
              { name: 'helper', agent: 'general-purpose', prompt: 'You are MEMBER helper.' },
            ],
          }),
        ]
      : [text('Noted.')]
  }
  const { program, begin, events, when: whenHere } = await openProgram()
  const conversationId = await begin('Go')
  const { agentId: tester } = await whenHere('agent-spawned', ({ name }) => name === 'tester')
  const { agentId: helper } = await whenHere('agent-spawned', ({ name }) => name === 'helper')
  await whenHere('agent-ended', (event) => event.agentId === helper)
  await until(async () =>
    (await names(join(troupe.home, 'workers', tester, 'commands'))).length === 0 ? true : null,
  )
  open()
  await until(() =>
    heard.length === 3 && events.some((event) => event.type === 'agent-ended' && event.agentId === tester)
      ? true
      : null,
  )
  await program.runtime.settled(conversationId)
  // The helper had ended: the message resumed it. Nothing arrived twice.
  expect(heard.toSorted()).toEqual(['helper got Pong', 'leader got Ponged', 'tester got Ping'])
  for (const [agentId, word] of [
    [tester, 'Ping'],
    [helper, 'Pong'],
  ] as const) {
    const got = (await logOf(agentId)).filter(
      (event) => event.type === 'user-message' && JSON.stringify(event.content).includes(word),
    )
    expect(got).toHaveLength(1)
  }
  await program.close()
})

test('a folder that is gone, and a worker that is suspended, are said in the panel', async () => {
  member = () => new Promise(() => {})
  const { program, begin, when: whenHere } = await openProgram()
  const conversationId = await begin('Go')
  const { agentId } = await whenHere('request-started', (event) => event.origin !== undefined)
  const [pid = 0] = await workerPids()
  // A heartbeat of long ago, of a process that can't send another one.
  process.kill(pid, 'SIGSTOP')
  const file = join(troupe.home, 'workers', agentId, 'heartbeat.json')
  const beat = JSON.parse(await readFile(file, 'utf8')) as { at: number }
  const silent = whenHere('worker-changed', ({ state }) => state === 'silent')
  await writeFile(file, JSON.stringify({ ...beat, at: beat.at - 60_000 }))
  expect((await silent).note).toContain(`No heartbeat from the worker (process ${pid})`)
  const again = whenHere('worker-changed', ({ state, note }) => state === 'running' && note !== '')
  process.kill(pid, 'SIGCONT')
  expect((await again).note).toBe('The worker sends heartbeats again.')
  await program.runtime.dispatch({ type: 'agent.stop', conversationId, agentId })
  expect(program.runtime.state(conversationId, agentId)).toMatchObject({ status: 'stopped' })

  await rm(troupe.folder, { recursive: true })
  const failed = whenHere('agent-ended', ({ status }) => status === 'failed')
  const content = [{ type: 'text' as const, text: 'Again' }]
  await program.runtime.dispatch({ type: 'conversation.send', conversationId, agentId, content })
  expect((await failed).failure?.message).toContain(`The folder ${troupe.folder} is not found`)

  // With the conversation its workers' files go.
  await program.runtime.dispatch({ type: 'conversation.trash', conversationId })
  expect(await names(join(troupe.home, 'workers'))).toEqual([])
  await until(async () => ((await workerPids()).length === 0 && !isRunning(pid) ? true : null))
  await program.close()
})

test('without access to a model a worker ends at once and says so', () => {
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'worker', '--agent', 'a-1'], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: troupe.base, TROUPE_HOME: troupe.home },
  })
  expect({ status, stderr }).toEqual({
    status: 3,
    stderr: 'troupe: No access to a model. Set ANTHROPIC_API_KEY.\n',
  })
})

test('a pane claims and completes a task of the shared list; the end of the team ends its process', async () => {
  main = (request) =>
    turnOf(request) === 1
      ? [call('TaskCreate', { subject: 'Test it', description: 'Run the tests.' }), team('tester')]
      : [text('Noted.')]
  member = (request) => {
    const step = [
      call('TaskUpdate', { task_id: '1', status: 'in_progress' }),
      call('TaskUpdate', { task_id: '1', status: 'completed' }),
    ][turnOf(request) - 1]
    return [step ?? text('Tested.')]
  }
  const { program, begin, when: whenHere } = await openProgram()
  const conversationId = await begin('Go')
  const { agentId } = await whenHere('agent-ended', ({ status }) => status === 'completed')
  await program.runtime.settled(conversationId)
  const record = await until(async () => {
    const snapshot = await program.runtime.snapshot(conversationId)
    return snapshot.ok && snapshot.value.record.tasks[0]?.status === 'completed'
      ? snapshot.value.record
      : null
  })
  expect(record.tasks).toMatchObject([{ id: '1', owner: agentId, status: 'completed' }])
  expect(await workerPids()).toHaveLength(1)
  const [crew] = record.teams
  await program.runtime.dispatch({ type: 'team.end', conversationId, teamId: crew?.id ?? '', force: false })
  await until(async () => ((await workerPids()).length === 0 ? true : null))
  await program.close()
})

const hasTmux = spawnSync('tmux', ['-V']).status === 0

test.skipIf(!hasTmux)(
  'in tmux a member gets a pane, which shows its transcript and takes answers',
  async () => {
    // A server of its own, with its socket in the test's folder.
    const socket = join(troupe.base, 'tmux')
    const tmux = (...args: string[]) =>
      spawnSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], { encoding: 'utf8' })
    member = (request) =>
      turnOf(request) === 1
        ? [text('I ask first.'), call('Bash', { command: 'echo yes > v.txt' })]
        : [text('Checked.')]
    main = (request) => (turnOf(request) === 1 ? [team('tester')] : [text('The crew works.')])
    const environment = {
      TROUPE_HOME: troupe.home,
      HOME: troupe.base,
      ANTHROPIC_API_KEY: troupe.server.apiKey,
      ANTHROPIC_BASE_URL: troupe.server.baseUrl,
    }
    const variables = Object.entries(environment).flatMap(([name, value]) => ['-e', `${name}=${value}`])
    // Nothing answers here: this program keeps the conversation open and asks in the pane only.
    const program = join(import.meta.dirname, '../../testing/keep-open.ts')
    const shell = `${process.execPath} ${program} ${troupe.folder} > ${join(troupe.base, 'out.txt')} 2>&1; sleep 100`
    expect(tmux('new-session', '-d', '-x', '150', '-y', '50', '-s', 'pay', ...variables, shell).stderr).toBe(
      '',
    )
    try {
      const screen = () => {
        const panes = tmux('list-panes', '-s', '-t', 'pay', '-F', '#{pane_id}').stdout.trim().split('\n')
        return panes.length < 2
          ? null
          : { pane: panes[1] ?? '', shown: tmux('capture-pane', '-p', '-t', panes[1] ?? '').stdout }
      }
      const asked = await until(() => {
        const seen = screen()
        return seen?.shown.includes('Type y to allow it once') ? seen : null
      })
      expect(asked.shown).toContain('I ask first.')
      expect(asked.shown).toContain('echo yes > v.txt')
      expect(tmux('display-message', '-p', '-t', asked.pane, '#{pane_title}').stdout).toBe('tester\n')
      tmux('send-keys', '-t', asked.pane, 'y', 'Enter')
      await until(() => (screen()?.shown.includes('completed') ? true : null))
      expect(await troupe.linesOf('v.txt')).toEqual(['yes'])
      const [agentId = ''] = await names(join(troupe.home, 'workers'))
      // A message in the pane resumes the agent that has ended.
      await until(() => (screen()?.shown.split('Waiting for work').length === 3 ? true : null))
      tmux('send-keys', '-t', asked.pane, 'Once more', 'Enter')
      await until(() => (screen()?.shown.split('completed').length === 3 ? true : null))
      const beat = await readFile(join(troupe.home, 'workers', agentId, 'heartbeat.json'), 'utf8')
      expect(JSON.parse(beat)).toMatchObject({ tmux: 'pay:0.1' })
      await until(async () => {
        const last = (await logOf(agentId)).at(-1)
        return last?.type === 'agent-ended' && last.report === 'Checked.' ? last : null
      })
      // The file with the access is gone.
      expect(
        (await names(join(troupe.home, 'workers', agentId))).filter((name) => name.startsWith('access')),
      ).toEqual([])
    } finally {
      tmux('kill-server')
    }
  },
)

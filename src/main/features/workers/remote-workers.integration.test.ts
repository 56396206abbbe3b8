/** Agents on workers that share nothing with the sender but a NATS server: real processes, real git, a kill. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { defaultSettings } from '../../../shared/settings/settings.ts'
import type { BackingKind, TeamTask } from '../../../shared/teams/team-schema.ts'
import { workerHeartbeat } from '../../../shared/workers/worker-presence-schema.ts'
import { type ComposedRuntime, composeRuntime } from '../../features.ts'
import { beginConversation, type EventWatch, watchEvents } from '../../runtime/testing/event-watch.ts'
import { hooksOfWorker, logHooks } from '../../testing/log-hooks.ts'
import { PROGRAM } from '../../testing/program-file.ts'
import { type RealTroupe, realTroupe } from '../../testing/real-troupe.ts'
import type { RemoteWorkerOrder } from '../../testing/remote-worker-program.ts'
import { withoutSandbox } from '../../testing/without-sandbox.ts'
import type { Director, ScriptedBlock, ScriptedRequest } from '../rehearsal/director.ts'
import { createTaskFiles } from '../teams/tasks/task-files.ts'
import { loadSenderKey, trustSender } from './nats/jobs/sender-keys.ts'
import { startCable } from './nats/jobs/testing/cable.ts'
import { startNatsServer, type TestNatsServer, withNats } from './nats/testing/nats-server.ts'

const WORKER = join(import.meta.dirname, '../../testing/remote-worker-program.ts')

const text = (said: string): ScriptedBlock => ({ type: 'text', text: said })
const call = (name: string, input: unknown): ScriptedBlock => ({ type: 'tool_use', name, input })
const bash = (command: string) => call('Bash', { command, description: 'Work' })
const nameOf = ({ messages }: ScriptedRequest) =>
  /You are MEMBER (\w+)/.exec(JSON.stringify(messages[0]))?.[1] ?? ''
const turnOf = ({ messages }: ScriptedRequest) =>
  1 + messages.filter(({ role }) => role === 'assistant').length

const hasTmux = spawnSync('tmux', ['-V']).status === 0
/** A server of its own, with its socket in the test's folder. */
const tmux = (...args: string[]) =>
  spawnSync('tmux', ['-S', join(troupe.base, 'tmux'), '-f', '/dev/null', ...args], {
    env: { PATH: process.env['PATH'], HOME: troupe.base },
  })

let member: (request: ScriptedRequest) => readonly ScriptedBlock[] | Promise<readonly ScriptedBlock[]>
const createTeam = (members: Readonly<Record<string, BackingKind>>) =>
  call('TeamCreate', {
    name: 'crew',
    members: Object.entries(members).map(([name, backing]) => ({
      name,
      agent: 'general-purpose',
      prompt: `You are MEMBER ${name}.`,
      backing,
    })),
  })
/** The leader's first turn. */
let lead: readonly ScriptedBlock[]
const director: Director = {
  reply: async (request) => {
    if (JSON.stringify(request.messages[0]).includes('You are MEMBER'))
      return { blocks: await member(request) }
    return { blocks: turnOf(request) === 1 ? lead : [text('Waits.')] }
  },
}

let troupe: RealTroupe
let nats: TestNatsServer
let program: ComposedRuntime
let watch: EventWatch
let workers: ChildProcess[]
/** What each worker printed. */
let said: Map<string, string>

/** Whether the worker that starts now gets a pane of tmux. */
let opensPane: () => boolean

beforeEach(async () => {
  opensPane = () => false
  workers = []
  said = new Map()
  lead = [createTeam({ far: 'remote' })]
  troupe = await realTroupe(director)
  const { folder, home, base, server } = troupe
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder })
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 'Ada')
  git('config', 'user.email', 'ada@example.org')
  await writeFile(join(folder, 'a.txt'), 'one\n')
  git('add', '-A')
  git('commit', '-qm', 'First')
  nats = await startNatsServer({ perTest: false })
  const root = join(import.meta.dirname, '../../../..')
  program = await composeRuntime({
    dataFolder: home,
    home: base,
    environment: { PATH: process.env['PATH'] },
    settings: {
      current: { ...defaultSettings, ...withoutSandbox, trustedFolders: [folder], natsUrl: nats.url },
    },
    agentsFolder: join(root, 'agents'),
    docsFolder: join(root, 'docs'),
    rules: { allow: ['Bash'], deny: [] },
    rehearsal: { pace: 0, scenarioFile: null },
    workerProgram: {
      command: [process.execPath, PROGRAM],
      environment: {
        PATH: process.env['PATH'],
        HOME: base,
        TROUPE_HOME: home,
        TMUX: `${join(base, 'tmux')},0,0`,
      },
      get tmux() {
        return opensPane()
      },
    },
  })
  await program.switchAccess({ kind: 'api', key: server.apiKey, baseUrl: server.baseUrl })
  watch = watchEvents(program.runtime)
})

afterEach(async () => {
  for (const worker of workers) worker.kill('SIGKILL')
  await program.close()
  await nats.stop()
  await troupe.close()
})

/** Starts a worker with its own home and data folder, and resolves when the sender sees it. */
async function startWorker(name: string, more: Partial<RemoteWorkerOrder> = {}): Promise<ChildProcess> {
  const home = join(troupe.base, name)
  const dataFolder = join(home, 'data')
  await mkdir(dataFolder, { recursive: true })
  const key = await loadSenderKey(troupe.home)
  if (!key.ok) throw new Error(key.failure.message)
  const trusted = await trustSender(dataFolder, key.value.publicKey)
  if (!trusted.ok) throw new Error(trusted.failure.message)
  const { apiKey, baseUrl } = troupe.server
  const order: RemoteWorkerOrder = {
    home,
    dataFolder,
    natsUrl: nats.url,
    api: { key: apiKey, baseUrl },
    hasShortLeases: true,
    ...more,
  }
  const child = spawn(process.execPath, [WORKER, JSON.stringify(order)], {
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  workers.push(child)
  said.set(name, '')
  child.stdout.setEncoding('utf8').on('data', (text: string) => said.set(name, said.get(name) + text))
  await seenWorkers(() => program.workers.state().workers.some(({ pid }) => pid === child.pid))
  return child
}

/** Resolves when it is true of the workers that the program sees. */
function seenWorkers(isTrue: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = program.workers.subscribe(look)
    function look(): void {
      if (!isTrue()) return
      stop()
      resolve()
    }
    look()
  })
}

/** Something that the test waits for, or that the members wait for. */
function moment() {
  let come: () => void = () => {}
  const came = new Promise<void>((resolve) => {
    come = resolve
  })
  return { come: () => come(), came }
}

/** @returns the id of the conversation */
async function begin(): Promise<string> {
  const { folder } = troupe
  return await beginConversation(program.runtime, 'Go', { folder })
}

/** Resolves with the tasks as soon as all of them are completed. */
function allCompleted(conversationId: string, count: number): Promise<readonly TeamTask[]> {
  const board = createTaskFiles({ folder: join(troupe.home, 'boards'), onProblem: () => {} })
  return new Promise((resolve) => {
    const look = async () => {
      const read = await board.list(conversationId)
      const tasks = read.ok ? read.value.tasks : []
      if (tasks.filter(({ status }) => status === 'completed').length < count) return
      stop()
      resolve(tasks)
    }
    const stop = board.watch(conversationId, () => void look())
    void look()
  })
}

const claim = (id: string) => [call('TaskUpdate', { task_id: id, status: 'in_progress' })]

/** Claims tasks and completes them, until none is free. `first` is the number of the first one. */
function workOn({ messages }: ScriptedRequest, first: string): readonly ScriptedBlock[] {
  const last = JSON.stringify(messages.at(-1))
  const before = messages.findLast(({ role }) => role === 'assistant')
  if (!before) return claim(first)
  const [, id, status] = /"task_id":"(\d+)","status":"(\w+)"/.exec(JSON.stringify(before)) ?? []
  const hasFailed = last.includes('"is_error":true')
  if (id !== undefined && status === 'in_progress' && !hasFailed)
    return [call('TaskUpdate', { task_id: id, status: 'completed' })]
  const [, free] = /(?:Free now: |Task )(\d+)(?: \(| is free)/.exec(last) ?? []
  return free === undefined ? [text('Nothing is free.')] : claim(free)
}

withNats('remote workers', () => {
  test('an agent works on another machine, with the hooks there, and its work is in its worktree here', async () => {
    const hooked = await logHooks(join(troupe.base, 'w1'))
    await startWorker('w1')
    member = (request) =>
      turnOf(request) === 1 ? [bash('pwd > where.txt; echo more >> a.txt')] : [text('Done.')]
    await begin()
    const spawned = await watch.when('agent-spawned', ({ name }) => name === 'far')
    const { agentId, worktree } = spawned
    const ended = await watch.when('agent-ended', (event) => event.agentId === agentId)
    expect(ended).toMatchObject({ status: 'completed', report: 'Done.' })
    expect(await hooked(agentId)).toEqual(hooksOfWorker(1))
    expect(worktree).not.toBeNull()
    const path = worktree?.path ?? ''
    expect(await readFile(join(path, 'a.txt'), 'utf8')).toBe('one\nmore\n')
    const where = (await readFile(join(path, 'where.txt'), 'utf8')).trim()
    expect(where).toContain(join(troupe.base, 'w1'))
    const seen = watch.events.filter((event) => event.agentId === agentId)
    // What the agent saw has the worker's paths; the log here has this machine's.
    expect(JSON.stringify(seen)).not.toContain(where)
    expect(seen.filter(({ type }) => type === 'work-saved')).toMatchObject([
      { work: { commits: 1, files: 2, check: { kind: 'clean' } } },
    ])

    const changes = await program.changes.list({ conversationId: spawned.conversationId })
    expect(changes).toMatchObject({
      ok: true,
      value: {
        calls: [
          {
            agentId,
            files: [
              { shown: 'a.txt', letter: 'M' },
              { shown: 'where.txt', letter: 'A' },
            ],
          },
        ],
        user: [],
      },
    })
    const cannot = 'This agent works on another machine. Review takes back its work.'
    expect(changes.ok && changes.value.calls[0]?.files.map((file) => file.cannot)).toEqual([cannot, cannot])

    // A message starts the next job, with the files as they are now.
    const policy = join(troupe.base, 'w1', 'data', 'worker-policy.json')
    member = async (request) => {
      if (JSON.stringify(request.messages.at(-1)).includes('And more.')) return [bash('cat a.txt > copy.txt')]
      // The policy of the next jobs: this one has begun.
      await writeFile(policy, JSON.stringify({ repositories: ['github.com/acme/*'] }))
      return [text('Copied.')]
    }
    const content = [{ type: 'text' as const, text: 'And more.' }]
    await program.runtime.dispatch({
      type: 'conversation.send',
      conversationId: spawned.conversationId,
      agentId,
      content,
    })
    await watch.when('agent-ended', (event) => event.agentId === agentId && event.report === 'Copied.')
    expect(await readFile(join(path, 'copy.txt'), 'utf8')).toBe('one\nmore\n')
    const saved = watch.events.filter((event) => event.type === 'work-saved' && event.agentId === agentId)
    expect(saved.at(-1)).toMatchObject({ work: { commits: 2, files: 3 } })
    const refs = execFileSync('git', ['for-each-ref', 'refs/troupe'], { cwd: troupe.folder })
    expect(refs.toString()).toBe('')

    // What the worker announces decides before a member is started.
    const offer = () => program.workers.state().workers[0]
    expect(offer()).toMatchObject({ protocol: 3, oldestProtocol: 3, platform: process.platform })
    expect(offer()?.tools).toContain('Bash')
    expect(offer()?.models.length).toBeGreaterThan(0)
    await seenWorkers(() => offer()?.repositories?.[0] === 'github.com/acme/*')
    lead = [createTeam({ late: 'remote' })]
    await begin()
    const refused = await watch.when(
      'tool-ended',
      (event) => event.isError && event.agentId !== agentId && event.seq > 0,
    )
    expect(JSON.stringify(refused.content)).toMatch(
      /late: can't run .* No connected worker takes this repository: /,
    )
  })

  test('a worker that is killed after it wrote files is replaced by another, with files and dialogue, and one result', async () => {
    const first = await startWorker('w1')
    let isSecondTurnAsked: () => void = () => {}
    const asked = new Promise<void>((resolve) => {
      isSecondTurnAsked = resolve
    })
    let attempts = 0
    const dialogues: string[] = []
    member = (request) => {
      const turn = turnOf(request)
      if (turn === 1) return [bash('echo first >> log.txt; mkdir d; echo new > d/new.txt')]
      if (turn === 2 && attempts++ === 0) {
        isSecondTurnAsked()
        return new Promise(() => {})
      }
      dialogues.push(JSON.stringify(request.messages))
      return turn === 2 ? [bash('echo second >> log.txt')] : [text('Done.')]
    }
    await begin()
    const { agentId, worktree } = await watch.when('agent-spawned', ({ name }) => name === 'far')
    await asked
    const gone = once(first, 'exit')
    first.kill('SIGKILL')
    await gone
    await startWorker('w2')
    const ended = await watch.when('agent-ended', (event) => event.agentId === agentId)
    expect(ended).toMatchObject({ status: 'completed', report: 'Done.' })
    const path = worktree?.path ?? ''
    expect(await readFile(join(path, 'log.txt'), 'utf8')).toBe('first\nsecond\n')
    expect(await readFile(join(path, 'd/new.txt'), 'utf8')).toBe('new\n')
    expect(dialogues[0]).toContain('echo first >> log.txt')
    const events = watch.events.filter((event) => event.agentId === agentId)
    expect(events.filter(({ type }) => type === 'agent-ended')).toHaveLength(1)
    const ends = events.flatMap((event) => (event.type === 'tool-ended' ? [event.toolUseId] : []))
    expect(ends).toHaveLength(2)
    const hosts = events.flatMap((event) =>
      event.type === 'worker-changed' && event.worker !== null ? [event.worker.workerId] : [],
    )
    expect(new Set(hosts).size).toBe(2)
    expect(events.filter(({ type }) => type === 'work-saved')).toMatchObject([
      { work: { commits: 1, files: 2 } },
    ])
  })

  test('a NATS server that is killed in the middle of a job is reported, local work goes on, and one result arrives', async () => {
    await startWorker('w1', { hasShortLeases: false })
    lead = [createTeam({ far: 'remote', near: 'in-process' })]
    const [asked, down] = [moment(), moment()]
    member = async (request) => {
      const turn = turnOf(request)
      if (nameOf(request) === 'far' && turn === 1) return [bash('echo first >> log.txt')]
      if (nameOf(request) === 'far' && turn === 2) asked.come()
      // Both answers arrive without a connection.
      await down.came
      if (nameOf(request) === 'near') return [text('Near is done.')]
      return turn === 2 ? [bash('echo second >> log.txt')] : [text('Done.')]
    }
    await begin()
    const far = await watch.when('agent-spawned', ({ name }) => name === 'far')
    const near = await watch.when('agent-spawned', ({ name }) => name === 'near')
    await asked.came
    await nats.kill()
    const isBroken = () => program.workers.state().nats.kind === 'failed'
    await seenWorkers(isBroken)
    expect(program.workers.state().nats).toMatchObject({
      message: expect.stringContaining('Remote workers and messages wait, local work goes on.'),
    })
    down.come()
    const local = await watch.when('agent-ended', ({ agentId }) => agentId === near.agentId)
    expect(local).toMatchObject({ status: 'completed', report: 'Near is done.' })
    expect(isBroken()).toBe(true)
    await nats.start()
    const ended = await watch.when('agent-ended', ({ agentId }) => agentId === far.agentId)
    expect(ended).toMatchObject({ status: 'completed', report: 'Done.' })
    expect(await readFile(join(far.worktree?.path ?? '', 'log.txt'), 'utf8')).toBe('first\nsecond\n')
    expect(program.workers.state().nats).toMatchObject({ kind: 'connected' })
    const events = watch.events.filter((event) => event.agentId === far.agentId)
    expect(events.filter(({ type }) => type === 'agent-ended')).toHaveLength(1)
    expect(events.filter(({ type }) => type === 'tool-ended')).toHaveLength(2)
  })

  test('a worker that is cut off for longer than its lease stops by itself, and what it did then is refused', async () => {
    const cable = await startCable(nats.port)
    const cutOff = await startWorker('w1', { natsUrl: cable.url })
    const [asked, late, joined] = [moment(), moment(), moment()]
    let attempts = 0
    member = async (request) => {
      const turn = turnOf(request)
      if (turn === 1) return [bash('echo first >> log.txt')]
      if (turn === 2 && attempts++ === 0) {
        asked.come()
        await late.came
        return [bash('echo late >> log.txt')]
      }
      if (turn === 2) return [bash('echo second >> log.txt')]
      await joined.came
      return [text('Done.')]
    }
    await begin()
    const { agentId, worktree } = await watch.when('agent-spawned', ({ name }) => name === 'far')
    await asked.came
    cable.cut()
    late.come()
    await startWorker('w2')
    const isOther = ({ worker }: { worker: { workerId: string } | null }) =>
      worker !== null && (said.get('w2')?.includes(worker.workerId) ?? false)
    const taken = await watch.when('worker-changed', (event) => event.agentId === agentId && isOther(event))
    expect(taken.note).toContain('continues what')
    await cable.join()
    const beat = program.workers.state().workers.find(({ pid }) => pid === cutOff.pid)?.at ?? 0
    await seenWorkers(() =>
      program.workers.state().workers.some(({ pid, at, agentIds }) => {
        return pid === cutOff.pid && at > beat && agentIds.length === 0
      }),
    )
    expect(said.get('w1')).toContain(`Leaves the job of ${agentId}.`)
    joined.come()
    const ended = await watch.when('agent-ended', (event) => event.agentId === agentId)
    expect(ended).toMatchObject({ status: 'completed', report: 'Done.' })
    expect(await readFile(join(worktree?.path ?? '', 'log.txt'), 'utf8')).toBe('first\nsecond\n')
    const events = watch.events.filter((event) => event.agentId === agentId)
    expect(JSON.stringify(events)).not.toContain('echo late')
    expect(events.filter(({ type }) => type === 'agent-ended')).toHaveLength(1)
  })

  test(`a leader and workers in this program, in a process, ${hasTmux ? 'in tmux' : 'not in tmux, which is missing,'} and on another machine finish twelve dependent tasks`, async () => {
    await startWorker('w1')
    const members: Readonly<Record<string, BackingKind>> = {
      ann: 'in-process',
      bob: 'pane',
      cid: 'remote',
      dan: hasTmux ? 'pane' : 'in-process',
    }
    if (hasTmux) {
      tmux('new-session', '-d', '-x', '150', '-y', '50', '-s', 'crew', 'sleep 1000')
      onTestFinished(() => void tmux('kill-server'))
      let launches = 0
      opensPane = () => ++launches === 2
    }
    const names = Object.keys(members)
    const task = (number: number) =>
      call('TaskCreate', {
        subject: `Part ${number}`,
        depends_on:
          number <= 4
            ? []
            : [String(number - 4), String(number <= 5 ? 4 : number - 3)].filter((id) => Number(id) < number),
      })
    lead = [...Array.from({ length: 12 }, (_, index) => task(index + 1)), createTeam(members)]
    // Everyone is there before anyone claims a task, and has claimed one before anyone takes a second one.
    const meetings = [1, 2].map(() => {
      const here = new Set<string>()
      let open: () => void = () => {}
      const together = new Promise<void>((resolve) => {
        open = resolve
      })
      return (name: string) => {
        here.add(name)
        if (here.size === names.length) open()
        return together
      }
    })
    member = async (request) => {
      const name = nameOf(request)
      await meetings[turnOf(request) - 1]?.(name)
      return workOn(request, String(names.indexOf(name) + 1))
    }
    const tasks = await allCompleted(await begin(), 12)
    // Created, claimed and completed: each one once.
    expect(tasks.map(({ version }) => version)).toEqual(tasks.map(() => 3))
    const idOf = new Map(
      watch.events.flatMap((event) =>
        event.type === 'agent-spawned' ? [[event.name, event.agentId] as const] : [],
      ),
    )
    const owners = new Set(tasks.map(({ owner }) => owner))
    expect(names.filter((name) => !owners.has(idOf.get(name) ?? ''))).toEqual([])
    const panes = [idOf.get('bob'), hasTmux ? idOf.get('dan') : undefined].filter((id) => id !== undefined)
    const beats = await Promise.all(
      panes.map((id) => readFile(join(troupe.home, 'workers', id, 'heartbeat.json'), 'utf8')),
    )
    const places = beats.map((beat) => workerHeartbeat.parse(JSON.parse(beat)).tmux)
    expect(new Set(places)).toEqual(new Set(hasTmux ? [null, 'crew:0.1'] : [null]))
    for (const { dependsOn, claimedAt } of tasks)
      for (const id of dependsOn) {
        const needed = tasks.find((other) => other.id === id)
        expect(needed?.endedAt ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(claimedAt ?? 0)
      }
  })
})

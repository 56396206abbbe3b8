import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ok } from '../../../shared/kernel/result.ts'
import { createApprovals } from '../../platform/approvals/approvals.ts'
import { createSystemClock } from '../../platform/system/machine-time.ts'
import { isRunning } from '../../platform/system/process-identity.ts'
import type { ModelReply } from '../../runtime/ports/model.ts'
import type { Clock } from '../../runtime/ports/ports.ts'
import type { AnyTool, LaterWork, ToolContext, ToolOutcome } from '../../runtime/ports/tool.ts'
import { createSettingsLayers } from '../settings/settings-layers.ts'
import { createMcpServers, type McpSide } from './create-mcp-servers.ts'
import { createTokenFile } from './token-file.ts'

const BAD_SERVER = resolve(import.meta.dirname, 'testing/bad-server.mjs')
const EVERYTHING = resolve('node_modules/@modelcontextprotocol/server-everything/dist/index.js')
const FILES = resolve('node_modules/@modelcontextprotocol/server-filesystem/dist/index.js')

let root: string
let folder: string
let isTrusted = true
const sides: McpSide[] = []

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'troupe-mcp-')))
  folder = join(root, 'work')
  isTrusted = true
  await mkdir(folder)
})

afterEach(async () => {
  await Promise.all(sides.splice(0).map((side) => side.close()))
  await rm(root, { recursive: true, force: true })
})

/** A program with its own connections; `tools` has the tools by name. */
function open(variables: Readonly<Record<string, string>> = {}, clock: Clock = createSystemClock()) {
  const tools = new Map<string, AnyTool>()
  const side = createMcpServers({
    newKey: randomUUID,
    sources: {
      home: join(root, 'home'),
      layers: createSettingsLayers({ dataFolder: join(root, 'data'), home: join(root, 'home'), managed: [] }),
      pluginParts: async () => [],
      configFiles: [],
    },
    approvals: createApprovals({ dataFolder: join(root, 'data') }),
    trusted: () => isTrusted,
    variables,
    environment: { PATH: process.env['PATH'] ?? '' },
    clock,
    version: '1.2.3',
    tokens: createTokenFile(join(root, 'data', 'mcp-tokens.json')),
    openBrowser: async (url) => {
      await fetch(url)
    },
    mayAskModel: (server) => server.endsWith('asks'),
    onProblem: (thrown) => {
      throw thrown
    },
    addTools: (_, added) => {
      for (const tool of added) tools.set(tool.name, tool)
      return () => {
        for (const { name } of added) tools.delete(name)
      }
    },
  })
  sides.push(side)
  const call = (
    name: string,
    input: unknown,
    more: Partial<Omit<ToolContext, 'session'>> = {},
  ): Promise<ToolOutcome> => {
    const tool = tools.get(name)
    if (!tool) throw new Error(`no tool ${name}: ${[...tools.keys()].join(', ')}`)
    return tool.run(input, {
      agentId: 'a',
      toolUseId: 't',
      session: {} as ToolContext['session'],
      signal: new AbortController().signal,
      onOutput: () => {},
      askForm: async () => ({ action: 'cancel', reason: 'unattended' }),
      askModel: async () => Promise.reject(new Error('No tool of a server asks a model.')),
      ...more,
    })
  }
  const stateOf = async (name: string) => {
    const { servers } = await side.servers.state(folder)
    const found = servers.find((server) => server.name === name)
    if (!found) throw new Error(`no server ${name}`)
    return found
  }
  return { ...side, tools, call, stateOf }
}

const reply = (text: string): ModelReply => ({
  id: 'm',
  model: 'claude-test',
  content: [{ type: 'text', text }],
  stopReason: 'end_turn',
  usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
  pace: [],
})

const project = (servers: object) =>
  writeFile(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: servers }, null, 2))
async function user(servers: object): Promise<void> {
  await mkdir(join(root, 'home', '.claude'), { recursive: true })
  await writeFile(join(root, 'home', '.claude', 'settings.json'), JSON.stringify({ mcpServers: servers }))
}
const node = (...args: readonly string[]) => ({ command: process.execPath, args })
const bad = (kind: string, more: object = {}) => ({ ...node(BAD_SERVER, kind), ...more })
/** The processes of a program below one of this machine, with the guard in between. */
async function childrenOf(parent: number, script: string): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,ppid=,args='])
  const all = stdout.split('\n').map((line) => line.trim().split(/\s+/))
  const below = (pid: string): string[] =>
    all.filter((line) => line[1] === pid).flatMap((line) => [line.join(' '), ...below(line[0] ?? '')])
  return below(String(parent)).filter((line) => line.split(' ')[3] === script)
}

const areRunning = async (pids: readonly number[]) =>
  Promise.all(pids.map(async (pid) => isRunning({ pid, start: 'unknown' })))

describe('a server of the project', () => {
  test('runs only once the user approved it, and asks again when its entry changed', async () => {
    await project({ one: bad('plain') })
    const first = open()
    await first.serverTools.ready(folder, 'c')
    expect(await first.stateOf('one')).toMatchObject({
      source: 'project',
      line: 3,
      status: { kind: 'waits', former: null },
      pid: null,
    })
    expect([...first.tools.keys()]).toEqual([])
    expect(await first.servers.approve({ folder, name: 'one' })).toMatchObject({ ok: true })
    expect((await first.stateOf('one')).status.kind).toBe('connected')
    expect([...first.tools.keys()]).toEqual(['mcp__one__echo', 'mcp__one__pid'])

    await project({ one: bad('plain', { env: { MORE: '1' } }) })
    expect((await first.stateOf('one')).status).toEqual({ kind: 'waits', former: bad('plain') })
    expect([...first.tools.keys()]).toEqual([])
    expect(await first.servers.refuse({ folder, name: 'one' })).toMatchObject({ ok: true })
    expect((await first.stateOf('one')).status).toEqual({ kind: 'off' })
  })

  test('needs no approval where the user’s own settings say so, and is off where any settings say so', async () => {
    await project({ one: bad('plain'), two: bad('plain') })
    const put = async (place: string, settings: object) => {
      await mkdir(join(place, '.claude'), { recursive: true })
      await writeFile(join(place, '.claude', 'settings.json'), JSON.stringify(settings))
    }
    await put(folder, { enableAllProjectMcpServers: true, enabledMcpjsonServers: ['two'] })
    const side = open()
    const kinds = async () => [
      (await side.stateOf('one')).status.kind,
      (await side.stateOf('two')).status.kind,
    ]
    expect(await kinds()).toEqual(['waits', 'waits'])
    await put(join(root, 'home'), { enabledMcpjsonServers: ['two'] })
    expect(await kinds()).toEqual(['waits', 'idle'])
    await put(join(root, 'home'), { enableAllProjectMcpServers: true })
    expect(await kinds()).toEqual(['idle', 'idle'])
    await put(folder, { disabledMcpjsonServers: ['one'] })
    expect(await kinds()).toEqual(['off', 'idle'])
  })

  test('ends when the folder loses its trust, like a server of an agent there', async () => {
    await project({ own: { command: process.execPath, args: [BAD_SERVER, 'plain'] } })
    const program = open()
    const described = { command: process.execPath, args: [BAD_SERVER, 'plain'] }
    const agent = { name: 'reviewer', file: null, mcpServers: [{ ofAgent: described }] }
    const need = () =>
      program.serverTools.need(folder, agent as Parameters<typeof program.serverTools.need>[1])
    await program.servers.approve({ folder, name: 'own' })
    await need()
    await program.servers.approve({ folder, name: 'ofAgent' })
    const pids = await Promise.all(['own', 'ofAgent'].map(async (name) => (await program.stateOf(name)).pid))
    expect(program.tools.size).toBeGreaterThan(0)

    isTrusted = false
    const { servers } = await program.servers.state(folder)
    expect(servers.map(({ name, status }) => [name, status.kind])).toEqual([['ofAgent', 'failed']])
    expect([...program.tools.keys()]).toEqual([])
    expect(pids).toEqual([expect.any(Number), expect.any(Number)])
    await expect.poll(() => areRunning(pids.map(Number))).toEqual([false, false])
    expect(await need()).toEqual([expect.stringContaining('Trust the folder first')])
  })

  test('is not even read while the folder is not trusted', async () => {
    await project({ one: bad('plain') })
    isTrusted = false
    const { servers } = open()
    expect((await servers.state(folder)).servers).toEqual([])
  })
})

describe('a server that speaks SSE', () => {
  /** Resolves once it listens. */
  async function everythingOverSse(port: number): Promise<ChildProcess> {
    const env = { PATH: process.env['PATH'] ?? '', PORT: String(port) }
    const child = spawn(process.execPath, [EVERYTHING, 'sse'], { env, stdio: ['ignore', 'ignore', 'pipe'] })
    await new Promise<void>((resolve) => {
      child.stderr.on('data', (text) => String(text).includes('running on port') && resolve())
    })
    return child
  }

  async function freePort(): Promise<number> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    await new Promise((resolve) => server.close(resolve))
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  test('is spoken to as SSE, by its entry or by its answers, and is reached again after a restart', async () => {
    const port = await freePort()
    let child = await everythingOverSse(port)
    const url = `http://127.0.0.1:${port}`
    await user({
      said: { type: 'sse', url: `${url}/sse` },
      found: { url: `${url}/sse` },
      none: { url: `${url}/no` },
    })
    const one = open()
    try {
      await one.serverTools.ready(folder, 'c')
      for (const name of ['said', 'found']) {
        expect(await one.stateOf(name)).toMatchObject({ transport: 'sse', status: { kind: 'connected' } })
        expect(await one.call(`mcp__${name}__echo`, { message: 'hello' })).toMatchObject({
          isError: false,
          content: expect.stringContaining('hello'),
        })
      }
      // Where nothing answers, the first refusal is the reason.
      expect(await one.stateOf('none')).toMatchObject({
        transport: 'http',
        status: { kind: 'failed', message: 'It did not start: The server answered HTTP 404 Not Found.' },
      })
      child.kill('SIGKILL')
      await expect.poll(async () => (await one.stateOf('said')).status.kind).not.toBe('connected')
      child = await everythingOverSse(port)
      await one.servers.reconnect({ folder, name: 'said' })
      expect(await one.call('mcp__said__echo', { message: 'again' })).toMatchObject({ isError: false })
    } finally {
      child.kill('SIGKILL')
    }
  })
})

describe('calls', () => {
  test('of server-everything: text, images, structured results, progress, resources and prompts', async () => {
    await user({ every: node(EVERYTHING, 'stdio') })
    const one = open()
    await one.serverTools.ready(folder, 'c')
    const state = await one.stateOf('every')
    expect(state.status.kind).toBe('connected')
    expect(await one.call('mcp__every__echo', { message: 'hello' })).toMatchObject({
      isError: false,
      content: expect.stringContaining('hello'),
    })
    expect(await one.call('mcp__every__get-tiny-image', {})).toMatchObject({
      content: expect.arrayContaining([expect.objectContaining({ type: 'image' })]),
    })
    expect(one.serverTools.servers(folder)).toEqual([
      {
        name: 'every',
        prefix: 'mcp__every__',
        onlyWhereNamed: false,
        state: { kind: 'connected', instructions: expect.stringContaining('Everything Server') },
      },
    ])
    const output: string[] = []
    await one.call(
      'mcp__every__trigger-long-running-operation',
      { duration: 0.2, steps: 2 },
      { onOutput: (text) => output.push(text) },
    )
    expect(output.join('')).toContain('of 2')
    expect(state.resources.length).toBeGreaterThan(0)
    const uri = state.resources[0]?.uri ?? ''
    expect(await one.call('ReadMcpResource', { server: 'every', uri })).toMatchObject({ isError: false })
    expect((await one.servers.prompts(folder)).map(({ name }) => name)).toContain('simple-prompt')
    const prompt = { server: 'every', name: 'simple-prompt', arguments: {} }
    expect(await one.servers.prompt(folder, prompt)).toMatchObject({ ok: true })
  })

  test('of server-filesystem read below the folder and nowhere else', async () => {
    await writeFile(join(folder, 'a.txt'), 'inside')
    await user({ files: node(FILES, folder) })
    const one = open()
    await one.serverTools.ready(folder, 'c')
    expect(await one.call('mcp__files__read_text_file', { path: join(folder, 'a.txt') })).toMatchObject({
      content: expect.stringContaining('inside'),
    })
    expect(await one.call('mcp__files__read_text_file', { path: '/etc/hosts' })).toMatchObject({
      isError: true,
    })
  })

  test('of 20 agents to three servers are answered by three processes', async () => {
    await user({ one: bad('plain'), two: bad('plain'), three: bad('plain') })
    const program = open()
    const agents = Array.from({ length: 20 }, (_, at) => at)
    await Promise.all(agents.map((at) => program.serverTools.ready(folder, `c${at % 4}`)))
    for (const name of ['one', 'two', 'three']) await program.servers.test({ folder, name })
    const pids = await Promise.all(
      agents.flatMap(() => ['one', 'two', 'three'].map((name) => program.call(`mcp__${name}__pid`, {}))),
    )
    expect(new Set(pids.map(({ content }) => content)).size).toBe(3)
    expect(await childrenOf(process.pid, BAD_SERVER)).toHaveLength(3)
  })

  test('are possible until the last conversation has closed; the next one starts the server again', async () => {
    await user({ one: bad('plain') })
    let wake = () => {}
    const system = createSystemClock()
    const sleep: Clock['sleep'] = (ms, signal) =>
      ms === 10_000
        ? new Promise((resolve) => {
            wake = resolve
            signal.addEventListener('abort', () => resolve(), { once: true })
          })
        : system.sleep(ms, signal)
    const program = open({}, { ...system, sleep })
    await program.serverTools.ready(folder, 'first')
    await program.serverTools.ready(folder, 'second')
    const pid = Number((await program.call('mcp__one__pid', {})).content)
    const guard = (await program.stateOf('one')).pid
    program.serverTools.closed('first')
    wake()
    expect((await program.stateOf('one')).status.kind).toBe('connected')
    program.serverTools.closed('second')
    // A conversation that opens meanwhile keeps the server.
    await program.serverTools.ready(folder, 'third')
    expect((await program.stateOf('one')).pid).toBe(guard)
    const ended = new Promise<void>((resolve) => {
      program.servers.watch(folder, ({ servers }) => servers[0]?.status.kind === 'idle' && resolve())
    })
    program.serverTools.closed('third')
    wake()
    await ended
    await expect.poll(() => areRunning([pid])).toEqual([false])
    const again = Number((await program.call('mcp__one__pid', {})).content)
    expect(again).not.toBe(pid)
    expect(await areRunning([again])).toEqual([true])
  })

  test('a question of the server is a form of the agent that called', async () => {
    await user({ one: bad('asks') })
    const one = open()
    await one.serverTools.ready(folder, 'c')
    const outcome = await one.call(
      'mcp__one__ask',
      {},
      {
        askForm: async (form) => {
          expect(form).toMatchObject({ kind: 'elicitation', server: 'one', message: 'Which city?' })
          return { action: 'accept', values: { city: 'Bern' } }
        },
      },
    )
    expect(outcome.content).toContain('Bern')
  })

  test('a canceled call ends at once, and the server is told', async () => {
    await user({ one: bad('hangs-in-call') })
    const one = open()
    await one.serverTools.ready(folder, 'c')
    const stop = new AbortController()
    const calling = one.call('mcp__one__hang', {}, { signal: stop.signal })
    stop.abort()
    expect(await calling).toMatchObject({ isError: true, note: 'stopped' })
  })

  test.each([
    [{ city: 7 }, 'Not a text'],
    [{}, 'Required'],
  ])('an answer that does not fit the question is not sent: %j', async (values, reason) => {
    await user({ one: bad('asks') })
    const one = open()
    await one.serverTools.ready(folder, 'c')
    const outcome = await one.call(
      'mcp__one__ask',
      {},
      { askForm: async () => ({ action: 'accept', values }) },
    )
    expect(outcome.content).toContain(reason)
    expect(outcome.content).not.toContain('"accept"')
  })

  test('a server that the user named asks the model of the agent that called', async () => {
    await user({ asks: bad('samples-asks'), other: bad('samples-asks'), everythingasks: node(EVERYTHING) })
    const one = open()
    await one.serverTools.ready(folder, 'c')
    const asked: string[] = []
    const askModel: ToolContext['askModel'] = async ({ model, system, text }) => {
      expect(model).toBeNull()
      expect(system).toContain('MCP server')
      asked.push(text)
      return ok(reply('Bern'))
    }
    const output: string[] = []
    const onOutput = (text: string) => output.push(text)
    const { content } = await one.call('mcp__asks__sample', {}, { askModel, onOutput })
    expect(JSON.parse(String(content))).toMatchObject({
      role: 'assistant',
      content: { type: 'text', text: 'Bern' },
    })
    expect(output.join('')).toContain('asks asks the model: What is the capital?')
    // Another server has no such capability.
    expect((await one.call('mcp__other__sample', {}, { askModel })).content).toBe('no sampling')
    const sampled = await one.call(
      'mcp__everythingasks__trigger-sampling-request',
      { prompt: 'Name a river.', maxTokens: 50 },
      { askModel },
    )
    expect(JSON.stringify(sampled.content)).toContain('Bern')
    expect(asked).toEqual(['What is the capital?', expect.stringContaining('Name a river.')])
  })

  test('past its time limit a call goes on in the background, until it answers or is stopped', async () => {
    await user({ one: bad('late', { timeout: 100 }) })
    const one = open()
    await one.serverTools.ready(folder, 'c')
    const later: LaterWork[] = []
    const output: string[] = []
    let recorded = 0
    const background: Partial<ToolContext> = {
      toBackground: (work) => {
        later.push(work)
        return { id: 'b-1', onOutput: (text) => output.push(text) }
      },
      holdChanges: () => async () => {
        recorded += 1
      },
    }
    expect(await one.call('mcp__one__slow', {}, background)).toMatchObject({
      isError: false,
      note: 'in the background',
      content: expect.stringContaining('its id is b-1'),
    })
    expect(recorded).toBe(0)
    await one.call('mcp__one__release', {})
    expect(await later[0]?.done).toMatchObject({ isError: false, content: 'the late result' })
    expect(later[0]?.title).toBe('Call of mcp__one__slow')
    expect(output).toEqual([])
    expect(recorded).toBe(1)

    await one.call('mcp__one__slow', {}, background)
    later[1]?.stop()
    expect(await later[1]?.done).toMatchObject({ isError: true, note: 'stopped' })
  })

  test('past its time limit a call that can’t go on is canceled, and the result says what to do', async () => {
    await user({ one: bad('hangs-in-call', { timeout: 100 }) })
    const one = open()
    await one.serverTools.ready(folder, 'c')
    expect(await one.call('mcp__one__hang', {})).toMatchObject({
      isError: true,
      content: expect.stringContaining('did not answer within'),
    })
    expect(
      await one.call('mcp__one__hang', {}, { toBackground: () => 'you have no TaskOutput' }),
    ).toMatchObject({
      isError: true,
      note: 'timed out',
      content: expect.stringContaining('could not go on in the background: you have no TaskOutput.'),
    })
  })
})

describe('a server that a definition describes', () => {
  const reviewer = (server: object, name = 'reviewer') => ({
    name,
    file: join(folder, '.claude/agents', `${name}.md`),
    mcpServers: ['github', { own: server }],
  })

  test('needs approval, is started for its agent, and ends with its last one', async () => {
    const program = open()
    await program.serverTools.ready(folder, 'c')
    expect(await program.serverTools.need(folder, reviewer(bad('plain')))).toEqual([
      expect.stringContaining('The MCP server own of this definition waits for your approval'),
    ])
    expect(program.tools.size).toBe(0)
    expect(await program.stateOf('own')).toMatchObject({
      source: 'agent',
      file: join(folder, '.claude/agents/reviewer.md'),
      status: { kind: 'waits' },
    })
    await program.servers.approve({ folder, name: 'own' })
    expect(await program.serverTools.need(folder, reviewer(bad('plain')))).toEqual([])
    expect([...program.tools.values()].map(({ onlyWhereNamed }) => onlyWhereNamed)).toEqual([true, true])
    const pid = Number((await program.call('mcp__own__pid', {})).content)
    // Two agents of the definition were started.
    program.serverTools.released(folder, ['github', 'own'])
    expect(await program.call('mcp__own__pid', {})).toMatchObject({ content: String(pid) })
    program.serverTools.released(folder, ['github', 'own'])
    await expect.poll(() => areRunning([pid])).toEqual([false])
    // A later agent of the definition starts it again, without asking.
    expect(await program.serverTools.need(folder, reviewer(bad('plain')))).toEqual([])
    expect((await program.stateOf('own')).status.kind).toBe('connected')
  })

  test('asks again once it has changed, and yields to a configured server of its name', async () => {
    const program = open()
    await program.serverTools.need(folder, reviewer(bad('plain')))
    await program.servers.approve({ folder, name: 'own' })
    program.serverTools.released(folder, ['own'])
    const changed = bad('plain', { env: { MORE: '1' } })
    expect(await program.serverTools.need(folder, reviewer(changed))).toEqual([
      expect.stringContaining('waits for your approval'),
    ])
    expect((await program.stateOf('own')).status).toMatchObject({ kind: 'waits', former: bad('plain') })
    // The same name in another definition, while an agent of the first one runs.
    expect(await program.serverTools.need(folder, reviewer(bad('asks'), 'tester'))).toEqual([
      expect.stringContaining(
        'The agent tester describes the MCP server own otherwise than an agent that runs',
      ),
      expect.stringContaining('waits for your approval'),
    ])
    await user({ own: bad('changes') })
    expect(await program.serverTools.need(folder, reviewer(changed))).toEqual([])
    expect(await program.stateOf('own')).toMatchObject({ source: 'user', definition: bad('changes') })
  })

  test('does not end with an agent that describes another one of its name', async () => {
    const program = open()
    await program.serverTools.need(folder, reviewer(bad('plain')))
    await program.servers.approve({ folder, name: 'own' })
    const pid = Number((await program.call('mcp__own__pid', {})).content)
    expect(await program.serverTools.need(folder, reviewer(bad('asks'), 'tester'))).toEqual([
      expect.stringContaining('It has the tools of the one that runs'),
    ])
    program.serverTools.released(folder, ['own'])
    expect(await program.call('mcp__own__pid', {})).toMatchObject({ content: String(pid) })
    program.serverTools.released(folder, ['own'])
    await expect.poll(() => areRunning([pid])).toEqual([false])
  })

  test('that is no server says so', async () => {
    const program = open()
    const broken = { name: 'a', file: null, mcpServers: [{ own: 'npx' }] }
    await program.serverTools.need(folder, broken)
    await program.servers.approve({ folder, name: 'own' })
    expect(await program.serverTools.need(folder, broken)).toEqual([
      expect.stringContaining('It has neither "command" nor "url"'),
    ])
  })
})

describe('a bad server', () => {
  test.each([
    ['dies', /exit code 3: cannot start/],
    // The last line of a crash is the version of Node.
    ['crashes', /exit code 1: TypeError: The database is gone\.$/],
    ['no-json', /./],
  ])('that %s is failed with its reason, and does not stop others', async (kind, reason) => {
    await user({ wrong: bad(kind), one: bad('plain') })
    const one = open()
    await one.serverTools.ready(folder, 'c')
    expect((await one.stateOf('one')).status.kind).toBe('connected')
    const { status, log } = await one.stateOf('wrong')
    if (kind !== 'no-json')
      expect(status).toMatchObject({ kind: 'failed', message: expect.stringMatching(reason) })
    else expect(log.map(({ text }) => text).join('\n')).toContain('not JSON')
  })

  test('a command that does not exist, a missing variable and a broken file say what to do', async () => {
    await user({
      none: { command: 'no-such-program' },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of the file
      secret: { command: 'x', args: ['${NOT_SET}'] },
    })
    await writeFile(join(folder, '.mcp.json'), '{ oops')
    const one = open()
    await one.serverTools.ready(folder, 'c')
    expect(await one.stateOf('none')).toMatchObject({
      status: { kind: 'failed', message: 'The command no-such-program was not found.' },
      pid: null,
    })
    expect((await one.stateOf('secret')).status).toMatchObject({
      message: expect.stringContaining('NOT_SET is not set'),
    })
    expect((await one.servers.state(folder)).problems).toMatchObject([
      { file: join(folder, '.mcp.json'), message: expect.stringContaining('are not used') },
    ])
  })

  test('a socket in place of the file, as the sandbox puts one there, is no file', async () => {
    const socket = createServer().listen(join(folder, '.mcp.json'))
    try {
      expect((await open().servers.state(folder)).problems).toEqual([])
    } finally {
      socket.close()
    }
  })

  test('that dies in a call fails the call with its error, and is started again', async () => {
    await user({ one: bad('dies-in-call') })
    const one = open()
    await one.serverTools.ready(folder, 'c')
    expect(await one.call('mcp__one__die', {})).toMatchObject({
      isError: true,
      content: expect.stringMatching(
        /ended during this call.* It ended with exit code 7: Error: The disk is full\./,
      ),
    })
    await one.servers.reconnect({ folder, name: 'one' })
    expect((await one.stateOf('one')).status.kind).toBe('connected')
  })

  test('that changes its tools has the new ones', async () => {
    await user({ one: bad('changes') })
    const one = open()
    await one.serverTools.ready(folder, 'c')
    const changed = new Promise<void>((resolve) => {
      one.servers.watch(folder, () => one.tools.has('mcp__one__later') && resolve())
    })
    await one.call('mcp__one__change', {})
    await changed
    expect([...one.tools.keys()]).toEqual(['mcp__one__change', 'mcp__one__later'])
  })

  test('that floods is read without blocking this program', async () => {
    await user({ one: bad('floods') })
    const one = open()
    await one.serverTools.ready(folder, 'c')
    const outcome = await one.call('mcp__one__flood', {})
    expect(String(outcome.content).length).toBeGreaterThan(5_000_000)
  })
})

test('a server gets its own variables and none of the program’s', async () => {
  process.env['TROUPE_TEST_SECRET'] = 'canary'
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of the file
  await user({ one: bad('plain', { env: { GIVEN: '${FROM_USER}', PLAIN: '${MISSING:-none}' } }) })
  const one = open({ FROM_USER: 'yes' })
  await one.serverTools.ready(folder, 'c')
  const { content } = await one.call('mcp__one__echo', { text: 'env' })
  expect(JSON.parse(String(content))).toMatchObject({ GIVEN: 'yes', PLAIN: 'none' })
  expect(String(content)).not.toContain('canary')
  delete process.env['TROUPE_TEST_SECRET']
})

test('closing ends each server with its children', async () => {
  await user({ one: bad('with-child') })
  const one = open()
  await one.serverTools.ready(folder, 'c')
  const { content } = await one.call('mcp__one__pids', {})
  const pids: number[] = JSON.parse(String(content))
  expect(await areRunning(pids)).toEqual([true, true])
  await one.close()
  await expect.poll(() => areRunning(pids)).toEqual([false, false])
})

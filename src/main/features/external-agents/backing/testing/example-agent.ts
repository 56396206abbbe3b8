/**
 * An agent that speaks the Agent Client Protocol, for tests. Its first argument chooses how it behaves: see `behaviors`.
 * The others say what it can do beside: `resume`, `load`, `close`, `single` (one session only), `options`, `modes`,
 * `login` (wanted before the first session), `late-login` (wanted with the first prompt), `forgets` (former sessions).
 * It writes its process id to the file in `PID_FILE`, and keeps its sessions in a file beside it. It is long because it
 * is one program that tests start by its path, with one behavior after another.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import {
  type AgentContext,
  agent,
  methods,
  ndJsonStream,
  type PromptResponse,
  RequestError,
  type SessionUpdate,
  type TerminalOutputResponse,
} from '@agentclientprotocol/sdk'
import { cancelChild, childBehaviors, replayChildren } from './example-children.ts'

interface Turn {
  readonly client: AgentContext
  readonly sessionId: string
  readonly text: string
  readonly cwd: string
  readonly signal: AbortSignal
  /** Tells an update of the session. */
  send(update: SessionUpdate): Promise<void>
  /** Says a part of a message. */
  say(text: string): Promise<void>
}

const [mode = 'works', ...given] = process.argv.slice(2)
const can = (what: string): boolean => given.includes(what)

interface Session {
  readonly cwd: string
  readonly canceled: AbortController
  /** What it was told, and what it set. */
  readonly heard: string[]
  readonly chosen: Record<string, string | boolean>
}
const sessions = new Map<string, Session>()
/** By session: what happens when it is closed. */
const closing = new Map<string, () => void>()
let isLoggedIn = !can('login') && !can('late-login')
let prompts = 0

const sessionFile = join(dirname(process.env['PID_FILE'] ?? '/tmp/none'), 'sessions.json')
type Stored = Record<string, Pick<Session, 'cwd' | 'heard'>>
const stored = (): Stored =>
  existsSync(sessionFile) ? (JSON.parse(readFileSync(sessionFile, 'utf8')) as Stored) : {}

function opened(sessionId: string, cwd: string, heard: readonly string[] = []): Session {
  const session = {
    cwd,
    canceled: new AbortController(),
    heard: [...heard],
    chosen: { model: 'small', thought: 'low', mode: can('starts-in-code') ? 'code' : 'ask', safe: true },
  }
  sessions.set(sessionId, session)
  return session
}

function keep(sessionId: string, { cwd, heard }: Session): void {
  writeFileSync(sessionFile, JSON.stringify({ ...stored(), [sessionId]: { cwd, heard } }))
}

const named = (...values: readonly string[]) =>
  values.map((value) => ({ value, name: value.toUpperCase(), description: `The ${value} one.` }))

function optionsOf({ chosen }: Session) {
  if (can('modes'))
    return {
      modes: {
        currentModeId: String(chosen['mode']),
        availableModes: [
          { id: can('no-ask') ? 'build' : 'ask', name: 'Ask' },
          { id: 'code', name: 'Code', description: 'Changes files.' },
          { id: 'plan', name: 'Plan', description: 'Reads only.' },
        ],
      },
    }
  if (!can('options')) return {}
  const option = (id: string, category: string, values: readonly string[]) => ({
    type: 'select' as const,
    id,
    name: id,
    category,
    currentValue: String(chosen[id]),
    options: named(...values),
  })
  return {
    configOptions: [
      option('model', 'model', ['small', 'large']),
      option('thought', 'thought_level', ['low', 'high']),
      { type: 'boolean' as const, id: 'safe', name: 'Safe', currentValue: chosen['safe'] === true },
    ],
  }
}

const ends: PromptResponse = { stopReason: 'end_turn' }

/** Asks for permission to do this, and says the answer. */
async function asks(
  turn: Turn,
  toolCall: { kind: 'execute' | 'edit'; title: string; rawInput: object },
): Promise<undefined> {
  const { outcome } = await turn.client.request(methods.client.session.requestPermission, {
    sessionId: turn.sessionId,
    toolCall: { toolCallId: 'call-1', ...toolCall },
    options: [
      { optionId: 'always', kind: 'allow_always', name: 'Always' },
      { optionId: 'once', kind: 'allow_once', name: 'Once' },
      { optionId: 'no', kind: 'reject_once', name: 'No' },
    ],
  })
  const answer = outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome
  await turn.send({
    sessionUpdate: 'tool_call_update',
    toolCallId: 'call-1',
    status: answer === 'no' ? 'failed' : 'completed',
  })
  await turn.say(`The answer was ${answer}.`)
  return undefined
}

/** Waits for something that another process does. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10))
}

async function untilCanceled(session: Session | undefined): Promise<void> {
  const signal = session?.canceled.signal
  if (signal?.aborted) return
  await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()))
}

/** Writes without the protocol, until the pipe closes. */
function writes(text: string): void {
  const more = () => {
    while (process.stdout.write(text));
    process.stdout.once('drain', more)
  }
  more()
}

/** The MCP servers of the last new session. */
let servers: unknown = []

const never = new Promise<never>(() => {
  setInterval(() => {}, 60_000)
})

const behaviors: Readonly<Record<string, (turn: Turn) => Promise<PromptResponse | undefined>>> = {
  ...childBehaviors,
  async works(turn) {
    const path = join(turn.cwd, 'notes.txt')
    await turn.send({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'Let me see.' } })
    await turn.send({
      sessionUpdate: 'plan',
      entries: [{ content: 'Look', priority: 'medium', status: 'in_progress' }],
    })
    await turn.say('I look ')
    await turn.say('at it.')
    await turn.send({
      sessionUpdate: 'tool_call',
      toolCallId: 'edit-1',
      title: 'Edit notes.txt',
      kind: 'edit',
      status: 'in_progress',
      locations: [{ path, line: 3 }],
    })
    await turn.send({
      sessionUpdate: 'tool_call_update',
      toolCallId: 'edit-1',
      status: 'completed',
      content: [{ type: 'diff', path, oldText: 'old\n', newText: 'new\n' }],
    })
    await turn.send({
      sessionUpdate: 'usage_update',
      used: 1200,
      size: 200_000,
      cost: { amount: 0.25, currency: 'USD' },
    })
    await turn.say(`Prompt ${++prompts} in ${turn.cwd}: ${turn.text}`)
  },
  environment: async (turn) => {
    await turn.say(`names: ${Object.keys(process.env).sort().join(' ')} value: ${process.env['GIVEN']}`)
  },
  command: (turn) =>
    asks(turn, { kind: 'execute', title: 'npm test', rawInput: { command: ['bash', '-lc', 'npm test'] } }),
  edit: (turn) =>
    asks(turn, { kind: 'edit', title: 'Edit', rawInput: { file_path: join(turn.cwd, 'notes.txt') } }),
  async files(turn) {
    const { client, sessionId } = turn
    const path = join(turn.cwd, 'written.txt')
    await client.request(methods.client.fs.writeTextFile, { sessionId, path, content: 'one\ntwo\n' })
    const { content } = await client.request(methods.client.fs.readTextFile, {
      sessionId,
      path,
      line: 2,
      limit: 1,
    })
    const secret = await client
      .request(methods.client.fs.readTextFile, { sessionId, path: join(turn.cwd, '.env') })
      .then(
        () => 'read',
        (error: unknown) => (error instanceof RequestError ? error.message : 'other'),
      )
    await turn.say(`Line 2 is ${content}. The secret: ${secret}`)
  },
  /** Edits with a tool of its own, runs a command, writes through Troupe, and changes a file without telling. */
  async changes(turn) {
    const { client, sessionId } = turn
    const call = async (
      toolCall: Extract<SessionUpdate, { sessionUpdate: 'tool_call' }>,
      act: () => void,
    ) => {
      await turn.send({ ...toolCall, status: 'in_progress' })
      act()
      const { toolCallId } = toolCall
      await turn.send({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' })
    }
    const at = (name: string) => join(turn.cwd, name)
    const diff = { type: 'diff' as const, path: at('kept.txt'), oldText: 'one\n', newText: 'ONE\n' }
    const edit = { title: 'Edit kept.txt', kind: 'edit' as const, content: [diff] }
    await call({ sessionUpdate: 'tool_call', toolCallId: 'edit', ...edit }, () => {
      writeFileSync(diff.path, diff.newText)
    })
    await call({ sessionUpdate: 'tool_call', toolCallId: 'run', title: 'build', kind: 'execute' }, () => {
      writeFileSync(at('built.txt'), 'built\n')
      rmSync(at('gone.txt'))
    })
    await client.request(methods.client.fs.writeTextFile, {
      sessionId,
      path: at('through.txt'),
      content: 'through\n',
    })
    writeFileSync(at('secretly.txt'), 'untold\n')
    if (turn.text.includes('wait')) {
      await turn.say('Changed.')
      return never
    }
    await turn.say('Changed.')
  },
  /** Waits until the agent of the other task has begun, and writes a file with the name of its own task. */
  async 'side-by-side'(turn) {
    const [mine, other] = turn.text.includes('ann') ? ['ann', 'ben'] : ['ben', 'ann']
    const begun = join(turn.cwd, '.git')
    writeFileSync(join(begun, mine), '')
    await until(() => existsSync(join(begun, other)))
    await turn.send({
      sessionUpdate: 'tool_call',
      toolCallId: 'run',
      title: `make ${mine}`,
      kind: 'execute',
      status: 'in_progress',
    })
    writeFileSync(join(turn.cwd, `${mine}.txt`), '')
    await turn.send({ sessionUpdate: 'tool_call_update', toolCallId: 'run', status: 'completed' })
    writeFileSync(join(begun, `${mine}-done`), '')
    await until(() => existsSync(join(begun, `${other}-done`)))
    await turn.say('Done.')
  },
  /** Says what its session has heard. "hang" is heard without an answer, "die" ends the process. */
  async talks(turn) {
    const { sessionId, text } = turn
    const session = sessions.get(sessionId)
    if (session === undefined) throw new Error('No such session.')
    session.heard.push(text)
    keep(sessionId, session)
    await turn.say(`${sessionId} of ${process.pid} heard ${session.heard.length}. `)
    if (text.includes('hang')) return never
    if (text.includes('die')) {
      process.stderr.write('out of cheese\n')
      setTimeout(() => process.exit(3), 50)
      return never
    }
    if (text.includes('wait')) {
      await untilCanceled(session)
      return { stopReason: 'cancelled' }
    }
    if (text.includes('switch')) {
      session.chosen['mode'] = 'code'
      session.chosen['model'] = 'large'
      await turn.send(
        can('modes')
          ? { sessionUpdate: 'current_mode_update', currentModeId: 'code' }
          : { sessionUpdate: 'config_option_update', configOptions: optionsOf(session).configOptions ?? [] },
      )
    }
    await turn.send({
      sessionUpdate: 'usage_update',
      used: 1500,
      size: 100_000,
      cost: { amount: 0.5 * session.heard.length, currency: 'USD' },
    })
    await turn.say(`Choices: ${JSON.stringify(session.chosen)}. Last: ${text}`)
    const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 115, cachedReadTokens: 100 }
    return { ...ends, usage } as PromptResponse
  },
  /** Runs the commands of the task in terminals: `COMMAND`, `kill COMMAND` or `ask COMMAND`. Says what came out. */
  async terminal(turn) {
    const { client, sessionId } = turn
    const { create, waitForExit, output, kill, release } = methods.client.terminal
    const [, verb, command = ''] = /task: (kill|ask|run|leave) (.*)\.$/.exec(turn.text) ?? []
    const toolCall = { toolCallId: 'term', title: command, kind: 'execute' as const, rawInput: { command } }
    if (verb === 'ask')
      await client.request(methods.client.session.requestPermission, {
        sessionId,
        toolCall,
        options: [{ optionId: 'once', kind: 'allow_once', name: 'Once' }],
      })
    try {
      const more = verb === 'kill' ? {} : { outputByteLimit: 12 }
      const { terminalId } = await client.request(create, { sessionId, command, ...more })
      const at = { sessionId, terminalId }
      await turn.send({
        sessionUpdate: verb === 'ask' ? 'tool_call_update' : 'tool_call',
        ...toolCall,
        status: 'in_progress',
        content: [{ type: 'terminal', terminalId }],
      })
      if (verb === 'leave') {
        await turn.say('Left it.')
        return
      }
      if (verb === 'kill') {
        await until(async () => (await client.request<TerminalOutputResponse>(output, at)).output !== '')
        await client.request(kill, at)
      }
      const exit = await client.request(waitForExit, at)
      const seen = await client.request<TerminalOutputResponse>(output, at)
      await client.request(release, at)
      await turn.send({ sessionUpdate: 'tool_call_update', toolCallId: 'term', status: 'completed' })
      const gone = await client.request(output, at).catch((error: unknown) => (error as Error).message)
      await turn.say(JSON.stringify({ exit, ...seen, gone }))
    } catch (error) {
      await turn.say(`Refused: ${error instanceof Error ? error.message : String(error)}`)
    }
  },
  /** Asks with answers of its own, none for one call alone, and says which one it got. */
  async plan(turn) {
    const run = { kind: 'execute' as const, title: 'npm test', rawInput: { command: 'npm test' } }
    const plan = { kind: 'switch_mode' as const, title: 'Leave the plan' }
    const { outcome } = await turn.client.request(methods.client.session.requestPermission, {
      sessionId: turn.sessionId,
      toolCall: { toolCallId: 'plan', ...(turn.text.includes('run') ? run : plan) },
      options: [
        { optionId: 'auto', kind: 'allow_always', name: 'Yes, and accept edits' },
        { optionId: 'ask', kind: 'allow_always', name: 'Yes, and ask me' },
        { optionId: 'no', kind: 'reject_once', name: 'No' },
        { optionId: 'never', kind: 'reject_always', name: 'Never' },
      ],
    })
    await turn.say(outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome)
  },
  /** Says the servers that its session got. */
  async servers(turn) {
    await turn.say(JSON.stringify(servers))
  },
  async question(turn) {
    const { client, sessionId } = turn
    const answer = await client.request(methods.client.elicitation.create, {
      mode: 'form',
      sessionId,
      message: 'Which database?',
      requestedSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', title: 'Name' },
          size: { type: 'integer', default: 3, maximum: 5 },
        },
        required: ['name'],
      },
    })
    await turn.say(JSON.stringify(answer))
  },
  /** A page that the program itself sees left. */
  async page(turn) {
    const { client, sessionId } = turn
    const asked = client.request(methods.client.elicitation.create, {
      mode: 'url',
      sessionId,
      elicitationId: 'page-1',
      url: 'https://example.org/sign-in',
      message: 'Sign in',
    })
    if (turn.text.includes('leaves')) {
      setTimeout(() => {
        void client.notify(methods.client.elicitation.complete, { elicitationId: 'page-1' })
      }, 300)
    }
    await turn.say(JSON.stringify(await asked))
  },
  async waits(turn) {
    await turn.say('Working.')
    await untilCanceled(sessions.get(turn.sessionId))
    await turn.say(' Canceled.')
    return { stopReason: 'cancelled' }
  },
  /** Writes `late.txt` after it was canceled, when its session is closed, or through a command when it is killed. */
  async 'writes-late'(turn) {
    const file = join(turn.cwd, 'late.txt')
    const write = () => writeFileSync(file, 'late\n')
    if (turn.text.includes('after the cancel')) {
      const ended = await behaviors['waits']?.(turn)
      write()
      return ended
    }
    if (turn.text.includes('at the close')) closing.set(turn.sessionId, write)
    if (turn.text.includes('at the kill')) {
      const late = `process.once('SIGTERM', () => setTimeout(() => {
        require('node:fs').writeFileSync(${JSON.stringify(file)}, 'late\\n')
        process.exit()
      }, 1200))
      process.on('SIGTERM', () => {})
      setInterval(() => {}, 1000)
      console.log('ready')`
      const command = spawn(process.execPath, ['-e', late], { stdio: ['ignore', 'pipe', 'ignore'] })
      await once(command.stdout, 'data')
      command.stdout.destroy()
    }
    await turn.say('Working.')
    return never
  },
  /** A call that has ended, and then it works until it is canceled. */
  async 'call-and-wait'(turn) {
    const rawInput = { command: ['bash', '-lc', 'make all'] }
    const call = { toolCallId: 'make', title: 'make', kind: 'execute' as const, rawInput }
    await turn.send({ sessionUpdate: 'tool_call', ...call, status: 'completed' })
    return await behaviors['waits']?.(turn)
  },
  /** Asks to run the tests, and works until it is canceled, whatever the answer is. */
  async 'ask-and-wait'(turn) {
    await asks(turn, { kind: 'execute', title: 'npm test', rawInput: { command: 'npm test' } })
    return await behaviors['waits']?.(turn)
  },
  async hangs(turn) {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
    if (child.pid !== undefined) note(child.pid)
    process.on('SIGTERM', () => {})
    await turn.say('Working.')
    return never
  },
  async dies(turn) {
    await turn.say('Half ')
    process.stderr.write(
      'starting\npanic: out of cheese, token ghp_0123456789012345678901234567890123456789\n',
    )
    setTimeout(() => process.exit(3), 50)
    return never
  },
  async garbage() {
    writes('this is not JSON\n')
    return never
  },
  async 'long-line'() {
    writes('x'.repeat(1 << 20))
    return never
  },
  async flood(turn) {
    for (let n = 0; n < 20_000; n++)
      await turn.send({ sessionUpdate: 'tool_call', toolCallId: `c${n}`, title: 'Call', status: 'completed' })
    return never
  },
  async wrong(turn) {
    await turn.client.notify('session/update', { sessionId: turn.sessionId, update: { sessionUpdate: 5 } })
    await turn.client.notify('no/such', {})
    await turn.say('Still here.')
  },
  async refuses(turn) {
    await turn.say('No.')
    return { stopReason: 'refusal' }
  },
}

function note(pid: number): void {
  const file = process.env['PID_FILE']
  if (file !== undefined) appendFileSync(file, `${pid}\n`)
}

note(process.pid)
if (mode === 'silent') process.stdin.resume()
else
  agent({ name: 'example' })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: mode === 'version' ? 99 : 1,
      agentInfo: { name: 'example', title: 'Example', version: '1.2' },
      agentCapabilities: {
        loadSession: can('load'),
        sessionCapabilities: { ...(can('resume') && { resume: {} }), ...(can('close') && { close: {} }) },
      },
      authMethods: [
        { id: 'web', name: 'Log in with Example', description: 'opens a browser' },
        { id: 'shell', name: 'In a terminal', type: 'terminal', args: ['--log', 'in now'] },
      ],
    }))
    .onRequest(methods.agent.authenticate, ({ params }) => {
      if (params.methodId !== 'web') throw new Error('The browser was closed.')
      isLoggedIn = true
      return {}
    })
    .onRequest(methods.agent.session.new, async ({ params, client }) => {
      if (mode === 'login' || (!isLoggedIn && can('login'))) throw RequestError.authRequired()
      servers = params.mcpServers
      if (can('single') && sessions.size > 0) throw new Error('One session only.')
      const sessionId = `s-${process.pid}-${sessions.size + 1}`
      const session = opened(sessionId, params.cwd)
      // Before the answer that names the session.
      await client.notify(methods.client.session.update, {
        sessionId,
        update: {
          sessionUpdate: 'available_commands_update',
          availableCommands: [
            { name: 'compact', description: 'Shortens the history.', input: { hint: 'what to keep' } },
          ],
        },
      })
      return { sessionId, ...optionsOf(session) }
    })
    .onRequest(methods.agent.session.resume, ({ params }) => optionsOf(again(params)))
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      const session = again(params)
      if (mode === 'children-over-prompts') await replayChildren(client, params.sessionId)
      for (const text of session.heard)
        await client.notify(methods.client.session.update, {
          sessionId: params.sessionId,
          update: {
            sessionUpdate: 'agent_message_chunk',
            content: { type: 'text', text: `Replayed ${text}` },
          },
        })
      return optionsOf(session)
    })
    .onRequest(methods.agent.session.close, ({ params }) => {
      closing.get(params.sessionId)?.()
      sessions.delete(params.sessionId)
      note(-process.pid)
      return {}
    })
    .onRequest(methods.agent.session.setMode, ({ params }) => {
      const session = sessions.get(params.sessionId)
      if (session !== undefined) session.chosen['mode'] = params.modeId
      return {}
    })
    .onRequest(methods.agent.session.setConfigOption, ({ params }) => {
      const session = sessions.get(params.sessionId)
      if (session === undefined) throw new Error('No such session.')
      session.chosen[params.configId] = params.value
      return { configOptions: optionsOf(session).configOptions ?? [] }
    })
    .onRequest(methods.agent.session.prompt, async ({ params, client, signal }) => {
      if (!isLoggedIn && can('late-login')) throw RequestError.authRequired()
      const text = params.prompt.map((block) => (block.type === 'text' ? block.text : '')).join(' | ')
      const behave = behaviors[mode]
      if (behave === undefined) throw new Error(`There is no behavior ${mode}.`)
      const session = sessions.get(params.sessionId)
      const cwd = session?.cwd ?? ''
      if (session !== undefined && mode === 'children-over-prompts') keep(params.sessionId, session)
      const { sessionId } = params
      const send = (update: SessionUpdate) =>
        client.notify(methods.client.session.update, { sessionId, update })
      const say = (said: string) =>
        send({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: said } })
      return (await behave({ client, sessionId, text, cwd, signal, send, say })) ?? ends
    })
    .onNotification(methods.agent.session.cancel, ({ params }) => {
      if (!cancelChild(params.sessionId)) sessions.get(params.sessionId)?.canceled.abort()
    })
    .connect(
      ndJsonStream(
        Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
        Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
      ),
    )

function again({ sessionId, cwd }: { readonly sessionId: string; readonly cwd: string }): Session {
  const former = can('forgets') ? undefined : stored()[sessionId]
  if (former === undefined) throw new Error('Session not found.')
  return opened(sessionId, cwd, former.heard)
}

/**
 * An agent that speaks the Agent Client Protocol, for tests. Its argument chooses how it behaves: see `behaviors`. It
 * writes its process id to the file in `PID_FILE`.
 */
import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import {
  type AgentContext,
  agent,
  methods,
  ndJsonStream,
  type PromptResponse,
  RequestError,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'

interface Turn {
  readonly client: AgentContext
  readonly sessionId: string
  readonly text: string
  readonly cwd: string
  readonly signal: AbortSignal
}

const [mode = 'works'] = process.argv.slice(2)
const canceled = new AbortController()
let cwd = ''
let prompts = 0

const say = ({ client, sessionId }: Turn, text: string) =>
  client.notify(methods.client.session.update, {
    sessionId,
    update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
  })

const ends: PromptResponse = { stopReason: 'end_turn' }

/** Asks for permission to do this, and says the answer. */
async function asks(turn: Turn, toolCall: { kind: 'execute' | 'edit'; title: string; rawInput: object }) {
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
  await turn.client.notify(methods.client.session.update, {
    sessionId: turn.sessionId,
    update: {
      sessionUpdate: 'tool_call_update',
      toolCallId: 'call-1',
      status: answer === 'no' ? 'failed' : 'completed',
    },
  })
  await say(turn, `The answer was ${answer}.`)
  return ends
}

/** Writes without the protocol, until the pipe closes. */
function writes(text: string): void {
  const more = () => {
    while (process.stdout.write(text));
    process.stdout.once('drain', more)
  }
  more()
}

const never = new Promise<never>(() => {
  setInterval(() => {}, 60_000)
})

const behaviors: Readonly<Record<string, (turn: Turn) => Promise<PromptResponse>>> = {
  async works(turn) {
    const { client, sessionId } = turn
    const send = (update: SessionUpdate) =>
      client.notify(methods.client.session.update, { sessionId, update })
    const path = join(turn.cwd, 'notes.txt')
    await send({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'Let me see.' } })
    await send({
      sessionUpdate: 'plan',
      entries: [{ content: 'Look', priority: 'medium', status: 'in_progress' }],
    })
    await say(turn, 'I look ')
    await say(turn, 'at it.')
    await send({
      sessionUpdate: 'tool_call',
      toolCallId: 'edit-1',
      title: 'Edit notes.txt',
      kind: 'edit',
      status: 'in_progress',
      locations: [{ path, line: 3 }],
    })
    await send({
      sessionUpdate: 'tool_call_update',
      toolCallId: 'edit-1',
      status: 'completed',
      content: [{ type: 'diff', path, oldText: 'old\n', newText: 'new\n' }],
    })
    await send({
      sessionUpdate: 'usage_update',
      used: 1200,
      size: 200_000,
      cost: { amount: 0.25, currency: 'USD' },
    })
    await say(turn, `Prompt ${++prompts} in ${turn.cwd}: ${turn.text}`)
    return ends
  },
  environment: async (turn) => {
    await say(turn, `names: ${Object.keys(process.env).sort().join(' ')} value: ${process.env['GIVEN']}`)
    return ends
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
    await say(turn, `Line 2 is ${content}. The secret: ${secret}`)
    return ends
  },
  async waits(turn) {
    await say(turn, 'Working.')
    if (!canceled.signal.aborted)
      await new Promise<void>((resolve) => canceled.signal.addEventListener('abort', () => resolve()))
    await say(turn, ' Canceled.')
    return { stopReason: 'cancelled' }
  },
  async hangs(turn) {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
    if (child.pid !== undefined) note(child.pid)
    process.on('SIGTERM', () => {})
    await say(turn, 'Working.')
    return never
  },
  async dies(turn) {
    await say(turn, 'Half ')
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
      await turn.client.notify(methods.client.session.update, {
        sessionId: turn.sessionId,
        update: { sessionUpdate: 'tool_call', toolCallId: `c${n}`, title: 'Call', status: 'completed' },
      })
    return never
  },
  async wrong(turn) {
    await turn.client.notify('session/update', { sessionId: turn.sessionId, update: { sessionUpdate: 5 } })
    await turn.client.notify('no/such', {})
    await say(turn, 'Still here.')
    return ends
  },
  async refuses(turn) {
    await say(turn, 'No.')
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
      authMethods: [{ id: 'web', name: 'Log in with Example', description: 'opens a browser' }],
    }))
    .onRequest(methods.agent.session.new, (request) => {
      if (mode === 'login') throw RequestError.authRequired()
      cwd = request.params.cwd
      return { sessionId: 's-1' }
    })
    .onRequest(methods.agent.session.prompt, ({ params, client, signal }) => {
      const text = params.prompt.map((block) => (block.type === 'text' ? block.text : '')).join(' | ')
      const behave = behaviors[mode]
      if (behave === undefined) throw new Error(`There is no behavior ${mode}.`)
      return behave({ client, sessionId: params.sessionId, text, cwd, signal })
    })
    .onNotification(methods.agent.session.cancel, () => canceled.abort())
    .connect(
      ndJsonStream(
        Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
        Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
      ),
    )

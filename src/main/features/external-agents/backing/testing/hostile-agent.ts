/**
 * A program that speaks the Agent Client Protocol to do harm, for tests. Its argument chooses how: see `prompts` and
 * `silent`. It writes its process id to the file in `PID_FILE`.
 */
import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

interface Message {
  readonly id?: number
  readonly method?: string
}

const [mode = ''] = process.argv.slice(2)

const send = (message: object): unknown =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

const sessionId = `s-${process.pid}`

const update = (content: object): unknown =>
  send({ method: 'session/update', params: { sessionId, update: content } })

const say = (text: string): unknown =>
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })

function note(pid = process.pid): void {
  const file = process.env['PID_FILE']
  if (file !== undefined) appendFileSync(file, `${pid}\n`)
}

/** What it does with a prompt, before it ends its turn. */
const prompts: Readonly<Record<string, () => unknown>> = {
  /** Leaves a process in a session of its own that holds the pipes. */
  leaves() {
    const left = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
      detached: true,
      stdio: 'inherit',
    })
    note(left.pid)
    say('Left it.')
  },
}

/** Requests that it never answers. */
const silent: Readonly<Record<string, string>> = {
  'mute-options': 'session/set_config_option',
}

const model = {
  type: 'select',
  id: 'model',
  name: 'Model',
  category: 'model',
  currentValue: 'small',
  options: [
    { value: 'small', name: 'Small' },
    { value: 'large', name: 'Large' },
  ],
}

const answers: Readonly<Record<string, () => unknown>> = {
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: 'hostile', version: '1' },
    agentCapabilities: { sessionCapabilities: { close: {} } },
  }),
  'session/new': () => ({ sessionId, configOptions: [model] }),
  async 'session/prompt'() {
    await prompts[mode]?.()
    return { stopReason: 'end_turn' }
  },
}

note()
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method = '' } = JSON.parse(line) as Message
  if (id !== undefined && silent[mode] !== method) send({ id, result: (await answers[method]?.()) ?? {} })
})

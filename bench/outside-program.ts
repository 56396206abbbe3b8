/**
 * An external agent, for measurements: it speaks the Agent Client Protocol over its standard streams. With the
 * argument `streams` it and three subagents of its own write markdown until they are canceled; with `waits` it writes
 * some text and waits. It adds a line to the file in `STARTED` when its turn is at work.
 */
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { PROSE } from './prose.ts'

/** A token is about four characters; so this is 100 tokens/s. */
const CHARACTERS = 8
const EVERY_MS = 20

const [mode = 'streams'] = process.argv.slice(2)
let sessions = 0
const ends = new Map<string, () => void>()

const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const update = (sessionId: string, content: object) =>
  send({ method: 'session/update', params: { sessionId, update: content } })
const say = (sessionId: string, text: string) =>
  update(sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })

interface Request {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly sessionId?: string }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params }: Request = JSON.parse(line)
  const sessionId = params?.sessionId ?? ''
  if (method === 'session/cancel') ends.get(sessionId)?.()
  if (id === undefined || method === undefined) return
  if (method === 'session/prompt') {
    const stop = work(sessionId)
    ends.set(sessionId, () => {
      stop()
      send({ id, result: { stopReason: 'cancelled' } })
    })
  } else send({ id, result: resultOf(method) })
})

function resultOf(method: string): object {
  if (method === 'initialize')
    return { protocolVersion: 1, agentInfo: { name: 'bench', version: '1' }, agentCapabilities: {} }
  return method === 'session/new' ? { sessionId: `s${process.pid}-${++sessions}` } : {}
}

/** Begins the turn. @returns what ends it */
function work(sessionId: string): () => void {
  if (mode === 'waits') {
    for (let time = 0; time < 20; time++) say(sessionId, PROSE)
    started()
    return () => {}
  }
  const children = [1, 2, 3].map((n) => `${sessionId}-${n}`)
  for (const [at, child] of children.entries())
    update(sessionId, {
      sessionUpdate: 'subagent_update',
      sessionId: child,
      title: `part ${at + 1}`,
      description: 'general',
      state: { state: 'running' },
    })
  started()
  let from = 0
  const timer = setInterval(() => {
    const text = PROSE.slice(from, from + CHARACTERS)
    from = (from + CHARACTERS) % PROSE.length
    for (const session of [sessionId, ...children]) say(session, text)
  }, EVERY_MS)
  return () => clearInterval(timer)
}

function started(): void {
  const file = process.env['STARTED']
  if (file !== undefined) appendFileSync(file, 'x\n')
}

import type { AnyMessage } from '@agentclientprotocol/sdk'
import { expect, test } from 'vitest'
import { createHandClock } from '../../../runtime/testing/hand-clock.ts'
import { connect, type SessionHost } from './agent-connection.ts'
import type { AgentProcess } from './agent-process.ts'

type Sent = AnyMessage & { readonly id?: number; readonly method?: string; readonly params?: unknown }

/** A program that answers what the test says. */
function createProgram() {
  const received: Sent[] = []
  let write: (message: object) => void = () => {}
  let end = () => {}
  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      write = (message) => controller.enqueue({ jsonrpc: '2.0', ...message } as AnyMessage)
      end = () => controller.close()
    },
  })
  const writable = new WritableStream<AnyMessage>({
    write: (message) => {
      received.push(message as Sent)
    },
  })
  const sent = (method: string) => received.find((message) => message.method === method)
  return {
    process: { stream: { readable, writable } } as unknown as AgentProcess,
    sent,
    end: () => end(),
    async answer(method: string, result: object) {
      await expect.poll(() => sent(method)).toBeDefined()
      write({ id: sent(method)?.id, result })
    },
  }
}

async function createConnection() {
  const program = createProgram()
  const { clock } = createHandClock()
  const stop = new AbortController()
  const wait = { clock, limit: 1000, signal: stop.signal }
  const connecting = connect(program.process, 'program', wait)
  const agentCapabilities = { sessionCapabilities: { close: {} } }
  await program.answer('initialize', { protocolVersion: 1, agentCapabilities })
  const connected = await connecting
  if (!connected.ok) throw new Error(connected.failure.message)
  const place = { cwd: '/project', mcpServers: [] }
  const beginning = connected.value.begin(place, {} as SessionHost, wait)
  await expect.poll(() => program.sent('session/new')).toBeDefined()
  return { ...program, stop, beginning }
}

test('a session that begins after its agent was stopped is closed again', async () => {
  const { answer, sent, stop, beginning } = await createConnection()
  stop.abort()
  expect((await beginning).ok).toBe(false)
  await answer('session/new', { sessionId: 's-1' })
  await expect.poll(() => sent('session/close')?.params).toEqual({ sessionId: 's-1' })
})

test('a program that ends while a session opens has not refused the session', async () => {
  const { end, beginning } = await createConnection()
  end()
  expect(await beginning).toMatchObject({ ok: false, failure: { type: 'no-answer' } })
})

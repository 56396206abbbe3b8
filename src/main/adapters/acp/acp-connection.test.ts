import type { AnyMessage } from '@agentclientprotocol/sdk'
import { expect, test } from 'vitest'
import { createHandClock } from '../../runtime/testing/hand-clock.ts'
import { connect, type SessionHost } from './acp-connection.ts'
import type { AcpProcess } from './acp-process.ts'

type Sent = AnyMessage & { readonly id?: number; readonly method?: string; readonly params?: unknown }

/** A program that answers what the test says. */
function createProgram() {
  const received: Sent[] = []
  let write: (message: object) => void = () => {}
  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      write = (message) => controller.enqueue({ jsonrpc: '2.0', ...message } as AnyMessage)
    },
  })
  const writable = new WritableStream<AnyMessage>({
    write: (message) => {
      received.push(message as Sent)
    },
  })
  const sent = (method: string) => received.find((message) => message.method === method)
  return {
    process: { stream: { readable, writable } } as unknown as AcpProcess,
    sent,
    async answer(method: string, result: object) {
      await expect.poll(() => sent(method)).toBeDefined()
      write({ id: sent(method)?.id, result })
    },
  }
}

test('a session that begins after its agent was stopped is closed again', async () => {
  const { process, answer, sent } = createProgram()
  const { clock } = createHandClock()
  const wait = (signal: AbortSignal) => ({ clock, limit: 1000, signal })
  const connecting = connect(process, 'program', wait(new AbortController().signal))
  const agentCapabilities = { sessionCapabilities: { close: {} } }
  await answer('initialize', { protocolVersion: 1, agentCapabilities })
  const connected = await connecting
  if (!connected.ok) throw new Error(connected.failure.message)
  const stop = new AbortController()
  const place = { cwd: '/project', mcpServers: [] }
  const beginning = connected.value.begin(place, {} as SessionHost, wait(stop.signal))
  await expect.poll(() => sent('session/new')).toBeDefined()
  stop.abort()
  expect((await beginning).ok).toBe(false)
  await answer('session/new', { sessionId: 's-1' })
  await expect.poll(() => sent('session/close')?.params).toEqual({ sessionId: 's-1' })
})

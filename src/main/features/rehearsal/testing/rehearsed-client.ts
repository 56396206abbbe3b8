/** The client on the scripted API, for tests: one call, and everything is closed afterwards. */
import { onTestFinished } from 'vitest'
import type { ToolSchema } from '../../../../shared/events/agent-event.ts'
import { createAnthropicClient } from '../../../platform/models/anthropic-client.ts'
import type { ModelDelta, ModelMessage, ModelRequest } from '../../../runtime/ports/model.ts'
import type { Clock } from '../../../runtime/ports/ports.ts'
import type { Director, ScriptedReply } from '../director.ts'
import { startScriptedServer } from '../feature.ts'
import { pause } from '../pause.ts'
import type { ScriptedServerOptions } from '../scripted-server.ts'

export const realClock: Clock = { now: () => Date.now(), sleep: pause }

const readTool: ToolSchema = {
  name: 'Read',
  description: 'Reads a file.',
  input_schema: { type: 'object', properties: { file_path: { type: 'string' } } },
}

export const says = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] })

export const asks = (messages: readonly ModelMessage[] = [says('Hello')]): ModelRequest => ({
  model: 'claude-sonnet-5-5',
  system: 'You are a test.',
  tools: [readTool],
  messages,
  toolChoice: 'auto',
})

/** Answers with these replies in order; the last one repeats. */
export function inTurn(...replies: readonly ScriptedReply[]): Director {
  let next = 0
  return {
    async reply() {
      const reply = replies[Math.min(next++, replies.length - 1)]
      if (reply === undefined) throw new Error('nothing to say')
      return reply
    },
  }
}

interface RehearsedOptions extends Partial<ScriptedServerOptions> {
  readonly idleTimeoutMs?: number
  readonly clientKey?: string
  readonly clock?: Clock
}

/** A server with a client, closed after the test. */
export async function rehearsed(director: Director | ScriptedReply, options: RehearsedOptions = {}) {
  const { idleTimeoutMs, clientKey, clock = realClock, ...serverOptions } = options
  const server = await startScriptedServer({
    director: 'blocks' in director ? inTurn(director) : director,
    ...serverOptions,
  })
  onTestFinished(() => server.close())
  const client = createAnthropicClient({
    apiKey: clientKey ?? server.apiKey,
    baseUrl: server.baseUrl,
    clock,
    ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
  })
  const ask = async (request: ModelRequest = asks(), signal: AbortSignal = new AbortController().signal) => {
    const deltas: ModelDelta[] = []
    const result = await client.request(request, { signal, onDelta: (delta) => deltas.push(delta) })
    return { result, deltas }
  }
  return { server, client, ask }
}

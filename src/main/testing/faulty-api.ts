/** The runtime with the real client on a scripted API that fails on demand. Backoff passes at once. */
import { onTestFinished } from 'vitest'
import type { LiveEvent } from '../../shared/events/agent-event.ts'
import type { Director, ScriptedReply } from '../features/rehearsal/director.ts'
import { startScriptedServer } from '../features/rehearsal/feature.ts'
import type { ScriptedServer } from '../features/rehearsal/scripted-server.ts'
import { realClock } from '../features/rehearsal/testing/rehearsed-client.ts'
import { createAnthropicClient } from '../platform/models/anthropic-client.ts'
import { createTestRuntime, type TestOptions, type TestRuntime } from '../runtime/testing/test-runtime.ts'

export interface FaultyApi extends TestRuntime {
  readonly server: ScriptedServer
  /** The streamed and voided texts, in order. */
  readonly live: readonly LiveEvent[]
}

export interface FaultyOptions extends Omit<TestOptions, 'script'> {
  /** Real milliseconds. */
  readonly idleTimeoutMs?: number
}

export async function faultyApi(
  director: Director | readonly ScriptedReply[],
  { idleTimeoutMs, ports, ...options }: FaultyOptions = {},
): Promise<FaultyApi> {
  const server = await startScriptedServer({
    director: 'reply' in director ? director : inTurn(director),
    ...(options.contextTokens === undefined ? {} : { contextTokens: options.contextTokens }),
  })
  onTestFinished(() => server.close())
  const model = createAnthropicClient({
    apiKey: server.apiKey,
    baseUrl: server.baseUrl,
    clock: realClock,
    ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
  })
  const troupe = createTestRuntime({
    ...options,
    script: () => {
      throw new Error('not asked')
    },
    ports: { model, ...ports },
  })
  const live: LiveEvent[] = []
  troupe.runtime.subscribe((delta) => {
    if (delta.type === 'live') live.push(delta.event)
  })
  return { ...troupe, server, live }
}

/** The answers in order; the last one repeats. */
function inTurn(replies: readonly ScriptedReply[]): Director {
  let next = 0
  return {
    async reply() {
      const reply = replies[Math.min(next++, replies.length - 1)]
      if (!reply) throw new Error('nothing to say')
      return reply
    },
  }
}

/** Runs the scripted API in its own process, so that its work is not measured. */
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { startScriptedServer } from '../src/main/features/rehearsal/feature.ts'
import { createBrigade } from '../src/main/testing/brigade.ts'

export interface BenchApi {
  readonly baseUrl: string
  readonly apiKey: string
  /** When the first request since the last call arrived, ms since the epoch. */
  firstRequest(): Promise<number>
  close(): void
}

export interface Load {
  readonly agents: number
  readonly turns: number
  readonly command: string
  /** Tokens per second; 0 for no limit. */
  readonly pace: number
}

export async function startApi(load: Load): Promise<BenchApi> {
  const child = fork(join(import.meta.dirname, 'api.ts'), [JSON.stringify(load)], { stdio: 'inherit' })
  let waiting: ((at: number) => void) | null = null
  const { baseUrl, apiKey } = await new Promise<{ baseUrl: string; apiKey: string }>((resolve, reject) => {
    child.once('error', reject)
    child.on('message', (message: { at?: number; baseUrl?: string; apiKey?: string }) => {
      if (message.baseUrl !== undefined && message.apiKey !== undefined)
        resolve({ baseUrl: message.baseUrl, apiKey: message.apiKey })
      if (message.at !== undefined) {
        waiting?.(message.at)
        waiting = null
      }
    })
  })
  return {
    baseUrl,
    apiKey,
    firstRequest: () =>
      new Promise((resolve) => {
        waiting = resolve
        child.send('watch')
      }),
    close: () => child.kill(),
  }
}

// The same file is the child.
const argument = process.argv[2]
if (process.send && argument?.startsWith('{')) {
  const load = JSON.parse(argument) as Load
  const brigade = createBrigade({ agents: load.agents, turns: load.turns, command: () => load.command })
  let watching = false
  process.on('message', () => {
    watching = true
  })
  process.on('disconnect', () => process.exit())
  const server = await startScriptedServer({
    director: {
      reply: (request, signal) => {
        if (watching) process.send?.({ at: Date.now() })
        watching = false
        return brigade.reply(request, signal)
      },
    },
    pace: load.pace === 0 ? 0 : { tokensPerSecond: load.pace },
    keepRequests: 1,
  })
  process.send({ baseUrl: server.baseUrl, apiKey: server.apiKey })
}

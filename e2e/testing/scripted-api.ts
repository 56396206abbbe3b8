/** The scripted API in the test's own process, so that tests can inspect the requests. */

import { startScriptedServer } from '../../src/main/features/rehearsal/feature.ts'
import { loadScenario } from '../../src/main/features/rehearsal/scenario.ts'

interface Asked {
  readonly system: string
  readonly tools: readonly { readonly name: string; readonly description?: string }[]
  readonly messages: readonly unknown[]
}

export interface ScriptedApi {
  /** The settings and environment of a window that uses the server as the real API. */
  readonly settings: object
  readonly environment: Readonly<Record<string, string>>
  /** The received requests for messages, oldest first. */
  asked(): readonly Asked[]
  close(): Promise<void>
}

/** `scenario`: YAML in the format of docs/scenarios.md. */
export async function scriptedApi(scenario: string): Promise<ScriptedApi> {
  const director = loadScenario(scenario)
  if (!director.ok) throw new Error(director.failure.message)
  const server = await startScriptedServer({ director: director.value, keepRequests: 1000 })
  return {
    // Its requests are those of agents only.
    settings: { access: { kind: 'api' }, baseUrl: server.baseUrl, modelTitles: false },
    environment: { ANTHROPIC_API_KEY: server.apiKey },
    asked: () =>
      server.requests
        .filter(({ path, body }) => path.startsWith('/v1/messages') && body !== null)
        .map(({ text }) => {
          const { system, tools, messages } = JSON.parse(text) as Omit<Asked, 'system'> & {
            readonly system: unknown
          }
          return { system: JSON.stringify(system), tools: tools ?? [], messages }
        }),
    close: () => server.close(),
  }
}

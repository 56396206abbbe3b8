/** The runtime with all its real parts, in this process, and a scenario instead of the model. */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultSettings, type Settings } from '../../shared/settings/settings.ts'
import { startScriptedServer } from '../features/rehearsal/feature.ts'
import { loadScenario } from '../features/rehearsal/scenario.ts'
import type { ScriptedServer } from '../features/rehearsal/scripted-server.ts'
import { type ComposedRuntime, composeRuntime } from '../features.ts'
import { beginConversation, type EventWatch, watchEvents } from '../runtime/testing/event-watch.ts'
import { withoutSandbox } from './without-sandbox.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')

export interface ScenarioRuntime extends EventWatch {
  readonly program: ComposedRuntime
  readonly server: ScriptedServer
  readonly folder: string
  readonly home: string
  /** Creates a conversation and sends its first message. @returns its id */
  begin(text: string): Promise<string>
  close(): Promise<void>
}

/** @param name a file in test/scenarios, without its extension */
export async function scenarioRuntime(
  name: string,
  settings: Partial<Settings> = {},
): Promise<ScenarioRuntime> {
  const director = loadScenario(await readFile(join(ROOT, 'test', 'scenarios', `${name}.yaml`), 'utf8'))
  if (!director.ok) throw new Error(director.failure.message)
  const base = await mkdtemp(join(tmpdir(), 'troupe-scenario-'))
  const folder = join(base, 'project')
  const home = join(base, 'data')
  await Promise.all([mkdir(folder), mkdir(home)])
  const server = await startScriptedServer({ director: director.value, pace: 0, keepRequests: 2000 })
  const program = await composeRuntime({
    dataFolder: home,
    home: base,
    environment: { PATH: process.env['PATH'] },
    settings: {
      current: {
        ...defaultSettings,
        ...withoutSandbox,
        trustedFolders: [folder],
        bypassFolders: [folder],
        ...settings,
      },
    },
    agentsFolder: join(ROOT, 'agents'),
    docsFolder: join(ROOT, 'docs'),
    rehearsal: { pace: 0, scenarioFile: null },
  })
  await program.switchAccess({ kind: 'api', key: server.apiKey, baseUrl: server.baseUrl })
  return {
    program,
    server,
    folder,
    home,
    ...watchEvents(program.runtime),
    begin: async (text) => {
      return await beginConversation(program.runtime, text, {
        folder,
        permissionMode: 'bypassPermissions',
      })
    },
    close: async () => {
      await program.close()
      await server.close()
      await rm(base, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

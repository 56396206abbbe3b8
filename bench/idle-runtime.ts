/**
 * The headless process whose memory is measured: `fork`ed with BASE_URL KEY HOME FOLDER ROOT. On `start` it begins a
 * conversation; on `measure` it collects garbage and replies.
 */
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { composeRuntime } from '../src/main/features.ts'
import { beginConversation } from '../src/main/runtime/testing/event-watch.ts'
import { settings as settingsSchema } from '../src/shared/settings/settings.ts'

const [baseUrl = '', key = '', home = '', folder = '', root = ''] = process.argv.slice(2)
const trust = { trustedFolders: [folder], bypassFolders: [folder] }
const program = await composeRuntime({
  dataFolder: home,
  home: homedir(),
  environment: process.env,
  settings: { current: settingsSchema.parse({ ...trust, maxParallelAgents: 100, maxAgents: 1000 }) },
  agentsFolder: join(root, 'agents'),
  docsFolder: join(root, 'docs'),
  rehearsal: { pace: 0, scenarioFile: null },
})
// As src/main/start-cli.mjs does after the start.
setFlagsFromString('--semi-space-growth-factor=1')
await program.switchAccess({ kind: 'api', key, baseUrl })
const { runtime } = program

process.on(
  'message',
  (order: { readonly do: 'start'; readonly task: string } | { readonly do: 'measure' }) => {
    if (order.do === 'start') void start(order.task)
    else {
      globalThis.gc?.()
      process.send?.('measured')
    }
  },
)
process.on('disconnect', () => process.exit())
process.send?.('ready')

/** Sends `settled` after all its agents have ended. */
async function start(task: string): Promise<void> {
  const conversationId = await beginConversation(runtime, task, {
    folder,
    permissionMode: 'bypassPermissions',
  })
  await runtime.settled(conversationId)
  process.send?.('settled')
}

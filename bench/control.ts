/** Stop: from the command to the end of the last process. */
import { readdir, readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { composeRuntime } from '../src/main/features.ts'
import { beginConversation } from '../src/main/runtime/testing/event-watch.ts'
import { settings as settingsSchema } from '../src/shared/settings/settings.ts'
import { startApi } from './api.ts'
import { type Figure, median } from './figure.ts'
import { inFreshFolders, root } from './troupe.ts'

const AGENTS = 10

export async function measure(): Promise<readonly Figure[]> {
  const runs: number[] = []
  for (let run = 0; run < 5; run++) runs.push(await stopOnce(`6${run}7.25`))
  return [
    {
      name: `stop: ${AGENTS} agents with one running command each, until every process has ended`,
      unit: 'ms',
      runs,
      target: '≤ 200 ms',
      met: median(runs) <= 200,
    },
  ]
}

function stopOnce(seconds: string): Promise<number> {
  return inFreshFolders({}, async ({ folder, home }) => {
    const api = await startApi({ agents: AGENTS, turns: 3, command: `sleep ${seconds}`, pace: 0 })
    const current = settingsSchema.parse({ trustedFolders: [folder], bypassFolders: [folder] })
    const program = await composeRuntime({
      dataFolder: home,
      home: homedir(),
      environment: process.env,
      settings: { current },
      agentsFolder: join(root, 'agents'),
      docsFolder: join(root, 'docs'),
      rehearsal: { pace: 0, scenarioFile: null },
    })
    await program.switchAccess({ kind: 'api', key: api.apiKey, baseUrl: api.baseUrl })
    const { runtime } = program
    const working = new Promise<void>((resolve) => {
      let started = 0
      runtime.subscribe((delta) => {
        if (delta.type === 'live' && delta.event.type === 'live-output') return
        if (delta.type !== 'event' || delta.event.type !== 'tool-started' || delta.event.name !== 'Bash')
          return
        if (++started === AGENTS) resolve()
      })
    })
    const conversationId = await beginConversation(runtime, 'Go', {
      folder,
      permissionMode: 'bypassPermissions',
    })
    await working
    while ((await sleepers(seconds)) < AGENTS) await new Promise((resolve) => setTimeout(resolve, 10))
    const begun = performance.now()
    await runtime.dispatch({ type: 'conversation.stop', conversationId })
    while ((await sleepers(seconds)) > 0) await new Promise((resolve) => setImmediate(resolve))
    const took = performance.now() - begun
    await program.close()
    api.close()
    return took
  })
}

/** Processes `sleep <seconds>` that are still alive on this machine. */
async function sleepers(seconds: string): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return lines.filter((line) => line.startsWith(`sleep\0${seconds}\0`)).length
}

/** What hooks cost a tool call: without any, and with one command beside the same command started alone. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { composeHooks } from '../src/main/features/hooks/feature.ts'
import { createSettingsLayers } from '../src/main/features/settings/settings-layers.ts'
import { createSystemClock } from '../src/main/platform/system/machine-time.ts'
import { createTranscriptStore } from '../src/main/platform/transcripts/create-transcript-store.ts'
import { intercept } from '../src/main/runtime/loop/intercept.ts'
import type { InterceptionSubject } from '../src/main/runtime/ports/interceptors.ts'
import { type Figure, median, pairedDifferences } from './figure.ts'
import { inFreshFolders } from './troupe.ts'

const CALLS = 100
const RUNS = 5

export async function measure(): Promise<readonly Figure[]> {
  const without: number[] = []
  const withOne: number[] = []
  const bare: number[] = []
  for (let run = 0; run < RUNS; run++)
    await inFreshFolders({}, async ({ home, folder }) => {
      const settings = join(home, '.claude', 'settings.json')
      const transcriptPath = join(home, 'tasks', 'a-bench', 'transcript.jsonl')
      await mkdir(dirname(settings), { recursive: true })
      await mkdir(dirname(transcriptPath), { recursive: true })
      const call = callsOf({ home, folder, transcriptPath })
      without.push(await msPerCall(call))
      const hooks = { PreToolUse: [{ hooks: [{ type: 'command', command: 'true' }] }] }
      await writeFile(settings, JSON.stringify({ hooks }))
      withOne.push(await msPerCall(call))
      // As for a hook: without SHLVL bash would read .bashrc.
      const env = { ...process.env, SHLVL: '1' }
      bare.push(await msPerCall(() => once(spawn('bash', ['-c', 'true'], { stdio: 'pipe', env }), 'close')))
    })
  const cost = pairedDifferences(withOne, bare)
  return [
    {
      name: 'a tool call without hooks: the look for them',
      unit: 'ms',
      runs: without,
      target: '≤ 0.5 ms',
      met: median(without) <= 0.5,
    },
    {
      name: 'a tool call with one hook, above the command alone',
      unit: 'ms',
      runs: cost,
      reference: { name: 'the command alone', runs: bare },
      target: '≤ 5 ms',
      met: median(cost) <= 5,
    },
  ]
}

async function msPerCall(call: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  for (let made = 0; made < CALLS; made++) await call()
  return (performance.now() - begun) / CALLS
}

function callsOf({
  home,
  folder,
  transcriptPath,
}: Readonly<Record<'home' | 'folder' | 'transcriptPath', string>>): () => Promise<unknown> {
  const clock = createSystemClock()
  const { interceptors } = composeHooks({
    ...{ now: Date.now, elapsed: () => performance.now() },
    dataFolder: home,
    layers: createSettingsLayers({ dataFolder: home, home, managed: [] }),
    isTrusted: () => true,
    plugins: () => [],
    changedPlugins: () => [],
    definitions: { load: async () => ({ definitions: [], problems: [] }) },
    store: createTranscriptStore({ dataFolder: home, clock }),
    owner: { id: '1-0', begin: async () => {}, end: async () => {} },
    mayAllow: () => false,
    environment: { PATH: process.env['PATH'] ?? '' },
  })
  const subject: InterceptionSubject = {
    id: 'a-bench',
    isJudge: false,
    name: null,
    team: null,
    type: 'main',
    parentId: null,
    conversationId: 'c-bench',
    project: folder,
    cwd: folder,
    transcriptPath,
    permissionMode: 'default',
    model: 'bench',
    ownHooks: null,
  }
  const agent = { subject: () => subject, emit: () => {}, reach: null }
  const run = { agent, deps: { clock, interceptors }, signal: new AbortController().signal }
  const facts = { toolUseId: 'call-1', tool: 'Bash', input: { command: 'ls' } }
  return () => intercept(run, 'tool-call', facts)
}

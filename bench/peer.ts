/**
 * The same work with another program: `npm run bench -- --peer PATH`, where PATH is a program with the command line of
 * Claude Code. Both run in turns, against the same API, each whole and with its sandbox where the row says so.
 */
import { fork } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Figure, median } from './figure.ts'
import type { PeerJob } from './peer-api.ts'
import { inFreshFolders, runIn, timeProgram } from './troupe.ts'

const PAIRS = 5

interface Row extends Omit<PeerJob, 'call'> {
  readonly name: string
  readonly tool: 'Read' | 'Bash'
  /** The most of the peer's time. */
  readonly goal: number
}

const ROWS: readonly Row[] = [
  { name: 'one exchange', agents: 0, calls: 0, tool: 'Bash', goal: 0.35 },
  { name: '50 turns with Read', agents: 0, calls: 50, tool: 'Read', goal: 0.2 },
  { name: '20 commands in the sandbox', agents: 0, calls: 20, tool: 'Bash', goal: 0.3 },
  { name: '10 agents × 10 turns with Read', agents: 10, calls: 10, tool: 'Read', goal: 0.2 },
  { name: '30 agents × 10 turns with Read', agents: 30, calls: 10, tool: 'Read', goal: 0.2 },
  { name: '10 agents × 5 commands in the sandbox', agents: 10, calls: 5, tool: 'Bash', goal: 0.3 },
]

/** @param peer the path of the other program */
export async function measure(peer: string): Promise<readonly Figure[]> {
  const place = await mkdtemp(join(tmpdir(), 'troupe-peer-'))
  try {
    const file = join(place, 'file.txt')
    await writeFile(file, 'A line of a file.\n'.repeat(100))
    const figures: Figure[] = []
    for (const row of ROWS) figures.push(await compare(row, file, peer))
    return figures
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

async function compare(row: Row, file: string, peer: string): Promise<Figure> {
  const input = row.tool === 'Read' ? { file_path: file } : { command: 'true', description: 'Do nothing' }
  const { name, goal, tool, ...work } = row
  const api = await startPeerApi({ ...work, call: { tool, input } })
  const ours: number[] = []
  const theirs: number[] = []
  // The first pair fills the caches of both.
  for (let pair = 0; pair <= PAIRS; pair++) {
    const one = await inFreshFolders({ maxParallelAgents: 30 }, (folders) =>
      runIn(folders, { baseUrl: api.baseUrl, apiKey: KEY }, ['Go', '--permission-mode', 'bypassPermissions']),
    )
    const other = await inFreshFolders({}, (folders) => runPeer(peer, folders, api.baseUrl))
    if (pair === 0) continue
    ours.push(one.wall)
    theirs.push(other.wall)
  }
  api.close()
  return {
    name: `whole process: ${name}`,
    unit: 'ms',
    runs: ours,
    reference: { name: 'the other program', runs: theirs },
    target: `≤ ${goal}×`,
    met: median(ours) <= goal * median(theirs),
  }
}

const KEY = 'sk-for-the-benchmark'

function runPeer(peer: string, { folder, userHome }: { folder: string; userHome: string }, baseUrl: string) {
  const settings = { sandbox: { enabled: true, autoAllowBashIfSandboxed: true } }
  const words = ['-p', 'Go', '--dangerously-skip-permissions', '--settings', JSON.stringify(settings)]
  return timeProgram([peer, ...words], {
    cwd: folder,
    env: {
      HOME: userHome,
      ANTHROPIC_BASE_URL: baseUrl,
      ANTHROPIC_API_KEY: KEY,
      // As root it skips permissions only where it is told that the machine is a sandbox.
      IS_SANDBOX: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
    },
  })
}

async function startPeerApi(job: PeerJob): Promise<{ readonly baseUrl: string; close(): void }> {
  const child = fork(join(import.meta.dirname, 'peer-api.ts'), [JSON.stringify(job)], { stdio: 'inherit' })
  const baseUrl = await new Promise<string>((resolve, reject) => {
    child.once('error', reject)
    child.once('message', (message: { baseUrl: string }) => resolve(message.baseUrl))
  })
  return { baseUrl, close: () => child.kill() }
}

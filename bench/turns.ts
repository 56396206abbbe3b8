/** The cost of a turn (request, tool, next request) compared with a minimal client. */
import { join } from 'node:path'
import { startApi } from './api.ts'
import { type Figure, median, pairedDifferences } from './figure.ts'
import { inFreshFolders, root, runTroupe, type Timed, time } from './troupe.ts'

const FEW = 5
const MANY = 65
const PAIRS = 7

export async function measure(): Promise<readonly Figure[]> {
  const [few, many] = await Promise.all(
    [FEW, MANY].map((turns) => startApi({ agents: 1, turns, command: 'true', pace: 0 })),
  )
  if (!few || !many) throw new Error('The scripted API did not start.')
  const bareRun = ({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }): Promise<Timed> =>
    inFreshFolders({}, ({ folder }) =>
      time([join(root, 'bench', 'bare-client.ts'), baseUrl, apiKey], { cwd: folder }),
    )

  const ours: Timed[] = []
  const bare: Timed[] = []
  for (let pair = 0; pair < PAIRS; pair++) {
    ours.push(slope(await runTroupe(few), await runTroupe(many)))
    bare.push(slope(await bareRun(few), await bareRun(many)))
  }
  few.close()
  many.close()
  const cpu = pairedDifferences(ours.map(cpuOf), bare.map(cpuOf))
  const wall = pairedDifferences(ours.map(wallOf), bare.map(wallOf))
  return [
    {
      name: 'one turn with a Bash command: CPU above the bare client, its shell included',
      unit: 'ms',
      runs: cpu,
      reference: { name: 'bare client', runs: bare.map(cpuOf) },
      target: '≤ 2 ms',
      met: median(cpu) <= 2,
    },
    {
      name: 'one turn with a Bash command: wall time above the bare client',
      unit: 'ms',
      runs: wall,
      reference: { name: 'bare client', runs: bare.map(wallOf) },
      target: '≤ 4 ms',
      met: median(wall) <= 4,
    },
  ]
}

/** The cost of one turn, without start and end. */
function slope(few: Timed, many: Timed): Timed {
  const turns = MANY - FEW
  return { wall: (many.wall - few.wall) / turns, cpu: (many.cpu - few.cpu) / turns, startedAt: few.startedAt }
}

const cpuOf = (timed: Timed): number => timed.cpu
const wallOf = (timed: Timed): number => timed.wall

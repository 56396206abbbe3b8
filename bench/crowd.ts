/** A hundred agents, ten at a time: the cost of a turn compared with a minimal client. */
import { join } from 'node:path'
import { startApi } from './api.ts'
import { type Figure, median, pairedDifferences } from './figure.ts'
import { inFreshFolders, root, runTroupe, type Timed, time } from './troupe.ts'

const FEW = 10
const MANY = 100
const TURNS = 10
const AT_ONCE = 10
const PAIRS = 3

export async function measure(): Promise<readonly Figure[]> {
  const [few, many] = await Promise.all(
    [FEW, MANY].map((agents) => startApi({ agents, turns: TURNS, command: 'true', pace: 0 })),
  )
  if (!few || !many) throw new Error('The scripted API did not start.')
  const settings = { maxParallelAgents: AT_ONCE, maxAgents: 2 * MANY }
  const bareRun = (api: { baseUrl: string; apiKey: string }, agents: number): Promise<Timed> =>
    inFreshFolders({}, ({ folder }) =>
      time(
        [join(root, 'bench', 'bare-client.ts'), api.baseUrl, api.apiKey, String(agents), String(AT_ONCE)],
        { cwd: folder },
      ),
    )
  const ours: Timed[] = []
  const bare: Timed[] = []
  for (let pair = 0; pair < PAIRS; pair++) {
    ours.push(slope(await runTroupe(few, settings), await runTroupe(many, settings)))
    bare.push(slope(await bareRun(few, FEW), await bareRun(many, MANY)))
  }
  few.close()
  many.close()
  const of = (timed: readonly Timed[], what: 'cpu' | 'wall') => timed.map((one) => one[what])
  const cpu = pairedDifferences(of(ours, 'cpu'), of(bare, 'cpu'))
  const wall = pairedDifferences(of(ours, 'wall'), of(bare, 'wall'))
  const name = `${MANY} agents × ${TURNS} turns, ${AT_ONCE} at a time, each turn a Bash command: a turn’s`
  return [
    {
      name: `${name} CPU above the bare client`,
      unit: 'ms',
      runs: cpu,
      reference: { name: 'bare client', runs: of(bare, 'cpu') },
      target: '≤ 2 ms',
      met: median(cpu) <= 2,
    },
    {
      name: `${name} wall time above the bare client`,
      unit: 'ms',
      runs: wall,
      reference: { name: 'bare client', runs: of(bare, 'wall') },
      target: '≤ 4 ms',
      met: median(wall) <= 4,
    },
  ]
}

/** The cost of one turn, without start and end. */
function slope(few: Timed, many: Timed): Timed {
  const turns = (MANY - FEW) * TURNS
  return { wall: (many.wall - few.wall) / turns, cpu: (many.cpu - few.cpu) / turns, startedAt: few.startedAt }
}

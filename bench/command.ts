/** From `troupe run` to its first request, and ten agents of ten turns. */
import { startApi } from './api.ts'
import { type Figure, median } from './figure.ts'
import { runTroupe, time } from './troupe.ts'

export async function measure(): Promise<readonly Figure[]> {
  const small = await startApi({ agents: 0, turns: 1, command: 'true', pace: 0 })
  const first: number[] = []
  const bare: number[] = []
  await runTroupe(small)
  for (let run = 0; run < 10; run++) {
    const arrived = small.firstRequest()
    const { startedAt } = await runTroupe(small)
    first.push((await arrived) - startedAt)
    bare.push((await time(['-e', '0'], { cwd: '/' })).wall)
  }
  small.close()

  const crowd = await startApi({ agents: 10, turns: 10, command: 'true', pace: 0 })
  const crowds: number[] = []
  for (let run = 0; run < 5; run++) crowds.push((await runTroupe(crowd)).wall)
  crowd.close()
  return [
    {
      name: '`troupe run`: start to first request',
      unit: 'ms',
      runs: first,
      reference: { name: '`node -e 0`', runs: bare },
      target: '≤ 150 ms',
      met: median(first) <= 150,
    },
    {
      name: '`troupe run`: 10 agents × 10 turns, each turn a Bash command, whole process',
      unit: 'ms',
      runs: crowds,
      target: '≤ 620 ms (a fifth of 3.1 s)',
      met: median(crowds) <= 620,
    },
  ]
}

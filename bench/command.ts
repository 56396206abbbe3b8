/** From `troupe run` to its first request, and ten agents of ten turns. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { startApi } from './api.ts'
import { type Figure, median } from './figure.ts'
import { root, runTroupe, timeProgram } from './troupe.ts'

const RUNS = 10
/** After a build, the first runs compile, and each adds what it compiled. */
const FIRST = 3

export async function measure(): Promise<readonly Figure[]> {
  const figures = await starts(process.execPath, 150)
  const other = otherNode()
  if (other !== null) figures.push(...(await starts(other, 300)))
  const crowd = await startApi({ agents: 10, turns: 10, command: 'true', pace: 0 })
  const crowds: number[] = []
  for (let run = 0; run < 5; run++) crowds.push((await runTroupe(crowd)).wall)
  crowd.close()
  return [
    ...figures,
    {
      name: '`troupe run`: 10 agents × 10 turns, each turn a Bash command, whole process',
      unit: 'ms',
      runs: crowds,
      target: '≤ 620 ms (a fifth of 3.1 s)',
      met: median(crowds) <= 620,
    },
  ]
}

/** With the compiled code of earlier runs, and without any. */
async function starts(node: string, goal: number): Promise<Figure[]> {
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
  const api = await startApi({ agents: 0, turns: 1, command: 'true', pace: 0 })
  const firstRequest = async (): Promise<number> => {
    const arrived = api.firstRequest()
    const { startedAt } = await runTroupe(api, {}, node)
    return (await arrived) - startedAt
  }
  const cold: number[] = []
  const warm: number[] = []
  const bare: number[] = []
  for (let run = 0; run < RUNS; run++) {
    await forgetCompiled()
    cold.push(await firstRequest())
  }
  for (let run = 0; run < FIRST; run++) await firstRequest()
  for (let run = 0; run < RUNS; run++) {
    warm.push(await firstRequest())
    bare.push((await timeProgram([node, '-e', '0'], { cwd: '/' })).wall)
  }
  api.close()
  const name = '`troupe run`: start to first request'
  const isOwn = node === process.execPath
  return [
    {
      name: isOwn ? name : `${name}, Node ${version}`,
      unit: 'ms',
      runs: warm,
      reference: { name: '`node -e 0`', runs: bare },
      target: `≤ ${goal} ms`,
      met: median(warm) <= goal,
    },
    {
      name: `${name}, ${isOwn ? 'the first' : `Node ${version}, the first`} after a build`,
      unit: 'ms',
      runs: cold,
      reference: { name: '`node -e 0`', runs: bare },
      target: 'none: what compiling costs',
      met: true,
    },
  ]
}

async function forgetCompiled(): Promise<void> {
  const out = join(root, 'out')
  const kept = (await readdir(out)).filter((name) => name.endsWith('.compiled'))
  await Promise.all(kept.map((name) => rm(join(out, name))))
}

/** A Node of another version on the PATH; null: there is none. */
function otherNode(): string | null {
  const found = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'node'))
  return (
    found.find((path) => {
      if (!existsSync(path)) return false
      return execFileSync(path, ['--version'], { encoding: 'utf8' }).trim() !== process.version
    }) ?? null
  )
}

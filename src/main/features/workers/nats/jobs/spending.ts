/** What a worker has spent today, in US dollars, also before its last start: `<data folder>/worker-spending.json`. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { jsonOrUndefined } from '../../../../../shared/kernel/json.ts'
import { replaceFile } from '../../../../platform/system/atomic-file.ts'

export interface DaySpending {
  today(): number
  /** Resolves when the sum is on the disk, as far as that is possible. */
  add(usd: number): Promise<void>
}

const spent = z.object({ day: z.string(), usd: z.number() })

/** Days begin at midnight UTC. */
export async function createSpending(dataFolder: string, now: () => number): Promise<DaySpending> {
  const path = join(dataFolder, 'worker-spending.json')
  const day = () => new Date(now()).toISOString().slice(0, 10)
  const read = spent.safeParse(jsonOrUndefined(await readFile(path, 'utf8').catch(() => '')))
  let sum = read.success ? read.data : { day: day(), usd: 0 }
  let writing: Promise<unknown> = Promise.resolve()
  const today = () => (sum.day === day() ? sum.usd : 0)
  return {
    today,
    async add(usd) {
      if (usd === 0) return
      sum = { day: day(), usd: today() + usd }
      const text = JSON.stringify(sum)
      writing = writing.then(() => replaceFile(path, text, { durable: false })).catch(() => undefined)
      await writing
    },
  }
}

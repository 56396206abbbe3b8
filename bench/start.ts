/** Time from process start to a window whose composer accepts text, and its memory. */

import { memoryOf, openBare, openTroupe } from './electron.ts'
import { type Figure, median } from './figure.ts'
import { inFreshFolders } from './troupe.ts'

const RUNS = 7

export async function measure(): Promise<readonly Figure[]> {
  const ours: number[] = []
  const bare: number[] = []
  const memory: number[] = []
  const bareMemory: number[] = []
  for (let run = 0; run < RUNS; run++)
    await inFreshFolders({ access: { kind: 'rehearsal' } }, async (folders) => {
      const first = await openTroupe(folders)
      ours.push(first.took)
      memory.push(await memoryOf(first.app))
      await first.app.close()
      const second = await openBare(folders.folder)
      bare.push(second.took)
      bareMemory.push(await memoryOf(second.app))
      await second.app.close()
    })
  return [
    {
      name: 'window: start to a composer that accepts text',
      unit: 'ms',
      runs: ours,
      reference: { name: 'bare Electron window', runs: bare },
      target: '≤ 1.3×',
      met: median(ours) <= 1.3 * median(bare),
    },
    {
      name: 'window: memory of all processes (PSS), no agents',
      unit: 'MB',
      runs: memory,
      reference: { name: 'bare Electron window', runs: bareMemory },
      target: '≤ 1.5×',
      met: median(memory) <= 1.5 * median(bareMemory),
    },
  ]
}

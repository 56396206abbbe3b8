/**
 * Time from process start to a window whose composer accepts text, and its memory: the first start with a data folder,
 * and a further one, for which Chromium has the page's compiled scripts.
 */

import { setTimeout } from 'node:timers/promises'
import { memoryOf, openBare, openTroupe } from './electron.ts'
import { type Figure, median } from './figure.ts'
import { inFreshFolders } from './troupe.ts'

const RUNS = 7
/** ms. So long after its start the first window has stored what it compiled. */
const STORED_AFTER = 3000

export async function measure(): Promise<readonly Figure[]> {
  const ours: number[] = []
  const again: number[] = []
  const bare: number[] = []
  const memory: number[] = []
  const bareAgain: number[] = []
  const bareMemory: number[] = []
  for (let run = 0; run < RUNS; run++)
    await inFreshFolders({ access: { kind: 'rehearsal' } }, async (folders) => {
      const first = await openTroupe(folders)
      ours.push(first.took)
      memory.push(await memoryOf(first.app))
      await setTimeout(STORED_AFTER)
      await first.app.close()
      const reference = await openBare(folders.folder)
      bare.push(reference.took)
      bareMemory.push(await memoryOf(reference.app))
      await reference.app.close()
      const second = await openTroupe(folders)
      again.push(second.took)
      await second.app.close()
      const secondBare = await openBare(folders.folder)
      bareAgain.push(secondBare.took)
      await secondBare.app.close()
    })
  return [
    started('window: start to a composer that accepts text', again, bareAgain),
    started('window: the same, the first start with a data folder', ours, bare),
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

function started(name: string, runs: readonly number[], bare: readonly number[]): Figure {
  return {
    name,
    unit: 'ms',
    runs,
    reference: { name: 'bare Electron window', runs: bare },
    target: '≤ 1.5×',
    met: median(runs) <= 1.5 * median(bare),
  }
}

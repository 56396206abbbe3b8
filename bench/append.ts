/** Appending to a transcript: the rate, and the cost of a boundary above the disk's own fdatasync. */

import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { createSystemClock } from '../src/main/platform/system/machine-time.ts'
import { createTranscriptStore } from '../src/main/platform/transcripts/create-transcript-store.ts'
import type { AgentEvent } from '../src/shared/events/agent-event.ts'
import { sampleRecord } from '../src/shared/testing/sample-log.ts'
import { type Figure, median } from './figure.ts'
import { inFreshFolders } from './troupe.ts'

const EVENTS = 20_000
const BOUNDARIES = 200
const WORDS = 'x'.repeat(850)

export async function measure(): Promise<readonly Figure[]> {
  const rates: number[] = []
  const ours: number[] = []
  const bare: number[] = []
  for (let run = 0; run < 5; run++) {
    await inFreshFolders({}, async ({ home }) => {
      const store = createTranscriptStore({ dataFolder: home, clock: createSystemClock() })
      const opened = await store.open(sampleRecord('c-bench', ['a-bench'], { folder: home }))
      if (!opened.ok) throw new Error(opened.failure.message)
      const log = opened.value
      let seq = 0
      const begun = performance.now()
      for (; seq < EVENTS; seq++) {
        log.append(eventAt(seq))
        if (seq % 100 === 99) await log.flush('a-bench')
      }
      rates.push(EVENTS / ((performance.now() - begun) / 1000))

      const file = await open(join(home, 'bare'), 'a')
      const line = `${JSON.stringify(eventAt(0))}\n`
      for (let boundary = 0; boundary < BOUNDARIES; boundary++) {
        const before = performance.now()
        log.append(eventAt(seq++))
        const flushed = await log.flush('a-bench')
        if (!flushed.ok) throw new Error(flushed.failure.message)
        const between = performance.now()
        await file.write(line)
        await file.datasync()
        ours.push(between - before)
        bare.push(performance.now() - between)
      }
      await file.close()
      await log.close()
    })
  }
  return [
    {
      name: 'transcript: events of 1 KB appended, one flush per hundred',
      unit: '/s',
      runs: rates,
      target: '≥ 5,000/s',
      met: median(rates) >= 5000,
    },
    {
      name: 'transcript: one boundary (append and flush)',
      unit: 'ms',
      runs: ours,
      reference: { name: 'write + fdatasync', runs: bare },
      target: '≤ 1.5× the disk',
      met: median(ours) <= 1.5 * median(bare),
    },
  ]
}

function eventAt(seq: number): AgentEvent {
  return { v: 2, agentId: 'a-bench', seq, order: seq, at: 0, type: 'notice', level: 'info', text: WORDS }
}

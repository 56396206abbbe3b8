/** The timeline of a conversation with 100 agents and 50,000 spans: until it is shown, and while the user zooms. */
import { crowdedTimeline } from '../e2e/harness/scenes/timeline.ts'
import { createSystemClock } from '../src/main/platform/system/machine-time.ts'
import { createTranscriptStore } from '../src/main/platform/transcripts/create-transcript-store.ts'
import { sampleRecord } from '../src/shared/testing/sample-log.ts'
import { openTroupe } from './electron.ts'
import { type Figure, median, percentile } from './figure.ts'
import { eventLoopDelay, frames } from './frames.ts'
import { inFreshFolders } from './troupe.ts'

const AGENTS = 100
const SPANS = 500
const CONVERSATION = 'c-00000000000000000001'
const TITLE = 'Everything at once'
const SECONDS = 6

export function measure(): Promise<readonly Figure[]> {
  return inFreshFolders({ access: { kind: 'rehearsal' } }, async (folders) => {
    await writeLogs(folders.home, folders.folder)
    const { app, page } = await openTroupe(folders)
    await page.getByText(TITLE).first().click()
    await page.getByRole('treeitem').first().waitFor()
    const delayed = eventLoopDelay(app, 4)
    const begun = performance.now()
    await page.keyboard.press('Control+3')
    await page.locator('[data-lane]').first().waitFor({ timeout: 60_000 })
    const shown = performance.now() - begun
    const delay = await delayed
    const idle = await frames(page, 2)
    const box = await page.getByRole('listbox').boundingBox()
    if (box === null) throw new Error('The timeline has no place on the page.')
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
    let isOver = false
    const zooming = (async () => {
      await page.keyboard.down('Control')
      for (let step = 0; !isOver; step++)
        await page.mouse.wheel(0, Math.floor(step / 40) % 2 === 0 ? -40 : 40)
      await page.keyboard.up('Control')
    })()
    const busy = await frames(page, SECONDS)
    isOver = true
    await zooming
    await app.close()
    const seeks = await seekAnywhere(folders.home)
    const late = percentile(busy.gaps, 0.99)
    const name = `a timeline of ${AGENTS} agents and ${(AGENTS * SPANS).toLocaleString('en-US')} spans`
    return [
      {
        name: `${name}: from the key until its lanes are there`,
        unit: 'ms',
        runs: [shown],
        target: '≤ 1,500 ms',
        met: shown <= 1500,
      },
      {
        name: `${name}: event-loop delay of the main process while it reads the logs, p99`,
        unit: 'ms',
        runs: [delay],
        target: '≤ 16 ms',
        met: delay <= 16,
      },
      {
        name: `${name}: script, style and layout a frame while the user zooms, CPU, p95`,
        unit: 'ms',
        runs: [percentile(busy.work, 0.95)],
        reference: { name: 'idle', runs: [percentile(idle.work, 0.95)] },
        target: '≤ 8 ms',
        met: percentile(busy.work, 0.95) <= 8,
      },
      {
        name: `${name}: frames a second while the user zooms`,
        unit: 'fps',
        runs: [busy.fps],
        reference: { name: 'idle', runs: [idle.fps] },
        target: '≥ 58 fps',
        met: busy.fps >= 58,
      },
      {
        name: `${name}: from frame to frame while the user zooms, p99`,
        unit: 'ms',
        runs: [late],
        reference: { name: 'idle', runs: [percentile(idle.gaps, 0.99)] },
        target: '≤ 33 ms',
        met: late <= 33,
      },
      {
        name: `replay: any moment of a conversation of ${AGENTS} agents and 100,000 events`,
        unit: 'ms',
        runs: seeks,
        target: '≤ 150 ms',
        met: median(seeks) <= 150,
      },
    ]
  })
}

const SEEKS = 30

/** ms of each seek to a moment, after the first one, which leaves the checkpoints. */
async function seekAnywhere(home: string): Promise<readonly number[]> {
  const store = createTranscriptStore({ dataFolder: home, clock: createSystemClock() })
  const last = await store.stateAt(CONVERSATION, Number.POSITIVE_INFINITY)
  if (!last.ok) throw new Error(last.failure.message)
  const seeks: number[] = []
  for (let seek = 1; seek <= SEEKS; seek++) {
    const order = (seek * 7919) % last.value.lastOrder
    const begun = performance.now()
    await store.stateAt(CONVERSATION, order)
    seeks.push(performance.now() - begun)
  }
  return seeks
}

async function writeLogs(home: string, folder: string): Promise<void> {
  const store = createTranscriptStore({ dataFolder: home, clock: createSystemClock() })
  const log = crowdedTimeline(CONVERSATION, Date.now(), AGENTS, SPANS)
  const agentIds = [...log.states.keys()]
  const opened = await store.open(sampleRecord(CONVERSATION, agentIds, { folder, title: TITLE }))
  if (!opened.ok) throw new Error(opened.failure.message)
  for (const event of log.events) opened.value.append(event)
  for (const agentId of agentIds) await opened.value.flush(agentId)
  await opened.value.close()
}

/** What a window and its main process take while they show something. */
import type { ElectronApplication, Page } from 'playwright'

/** How late the main process's event loop is, p99, in ms, over this many seconds. */
export function eventLoopDelay(app: ElectronApplication, seconds: number): Promise<number> {
  return app.evaluate(async (_electron, ms) => {
    const { monitorEventLoopDelay } = process.getBuiltinModule('node:perf_hooks')
    const histogram = monitorEventLoopDelay({ resolution: 1 })
    histogram.enable()
    await new Promise((resolve) => setTimeout(resolve, ms))
    histogram.disable()
    return histogram.percentile(99) / 1e6
  }, seconds * 1000)
}

/** The frames of a page over some seconds. */
export interface Frames {
  readonly fps: number
  /** The CPU time of a frame's work: the mean of each quarter of a second, in ms. */
  readonly work: readonly number[]
  /** From each frame to the next, in ms. */
  readonly gaps: readonly number[]
}

export async function frames(page: Page, seconds: number): Promise<Frames> {
  const session = await page.context().newCDPSession(page)
  // CPU time of the page's thread alone, independent of other load.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const sample = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0
    const count = await page.evaluate(() => (window as unknown as Counter).frameCount)
    return {
      at: performance.now(),
      busy: of('ScriptDuration') + of('LayoutDuration') + of('RecalcStyleDuration'),
      count,
    }
  }
  await page.evaluate(() => {
    const counter = window as unknown as Counter
    counter.gaps = []
    if (counter.frameCount !== undefined) return
    counter.frameCount = 0
    let last = performance.now()
    const step = (now: number) => {
      counter.frameCount++
      counter.gaps.push(now - last)
      last = now
      requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })
  const first = await sample()
  let last = first
  const work: number[] = []
  while (last.at - first.at < seconds * 1000) {
    await new Promise((resolve) => setTimeout(resolve, 250))
    const now = await sample()
    if (now.count > last.count) work.push(((now.busy - last.busy) * 1000) / (now.count - last.count))
    last = now
  }
  await session.detach()
  const gaps = await page.evaluate(() => (window as unknown as Counter).gaps)
  return { fps: (last.count - first.count) / ((last.at - first.at) / 1000), work, gaps }
}

type Counter = Window & { frameCount: number; gaps: number[] }

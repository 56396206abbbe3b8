/** How much work the sources do, without a clock: how often V8 called their functions, those in arguments of `map` included. */
import { Session } from 'node:inspector'
import { join } from 'node:path'

const SOURCES = join(import.meta.dirname, '../../..')

/** The calls by file, relative to `src`. Tests, and what stands in for the machine in tests, do not count. */
export async function callsOf(act: () => unknown): Promise<ReadonlyMap<string, number>> {
  const session = new Session()
  session.connect()
  try {
    session.post('Profiler.enable')
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    // A session of its own thread answers within the call.
    session.post('Profiler.takePreciseCoverage')
    await act()
    const calls = new Map<string, number>()
    session.post('Profiler.takePreciseCoverage', (failure, { result }) => {
      if (failure) throw failure
      for (const { url, functions } of result) {
        const path = url.replace(/^file:\/\//, '')
        if (!path.startsWith(SOURCES) || /\.test\.ts$|\/testing\//.test(path)) continue
        const count = functions.reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0)
        calls.set(path.slice(SOURCES.length + 1), count)
      }
    })
    return calls
  } finally {
    session.disconnect()
  }
}

/** The files whose calls grew by more than this factor; a few calls may. */
export function grown(
  few: ReadonlyMap<string, number>,
  many: ReadonlyMap<string, number>,
  factor: number,
): readonly string[] {
  return [...many].flatMap(([path, count]) => {
    const before = few.get(path) ?? 0
    return count > 500 && count > factor * before ? [`${path}: ${before} to ${count} calls`] : []
  })
}

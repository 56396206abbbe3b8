/**
 * Exchanges with the real API, for tests: those beside the repository where the project is developed, and those that
 * `npm run live -- --record` kept. Without either a test has nothing, and is skipped.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../..')

export const LIVE_FILE = join(ROOT, 'test', 'recorded', 'live.jsonl')

/** @param name of a file beside the repository */
export function recordedLines<Line extends object>(name: string): readonly Partial<Line>[] {
  const files = [join(ROOT, '..', 'shared', 'recorded', name), LIVE_FILE]
  return files.flatMap((file) =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as Line)
      : [],
  )
}

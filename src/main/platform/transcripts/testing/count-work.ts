/** What reading costs, without a clock: bytes read from files, and texts parsed as JSON. */
import { open } from 'node:fs/promises'
import { vi } from 'vitest'

export interface Work {
  /** Bytes read through file handles. */
  readonly bytes: number
  /** Calls of `JSON.parse`. */
  readonly parsed: number
}

/** Counts while `act` runs. */
export async function workOf(act: () => Promise<unknown>): Promise<Work> {
  const probe = await open(import.meta.filename)
  const read = vi.spyOn(Object.getPrototypeOf(probe) as typeof probe, 'read')
  await probe.close()
  const parse = vi.spyOn(JSON, 'parse')
  try {
    await act()
    const done = await Promise.all(
      read.mock.results.map(({ value }) => value as ReturnType<typeof probe.read>),
    )
    return { bytes: done.reduce((sum, { bytesRead }) => sum + bytesRead, 0), parsed: parse.mock.calls.length }
  } finally {
    read.mockRestore()
    parse.mockRestore()
  }
}

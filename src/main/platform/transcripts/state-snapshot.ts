/**
 * The state at a position of a log, in a file beside the log: `state.json` of an agent, `<id>.json` of a
 * conversation. Readers start there. The file may be missing, old or broken: the log alone decides.
 */
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { replaceFile } from '../system/atomic-file.ts'
import type { FoldedLog, LogEvent, LogKind } from './log-kind.ts'
import { encodeLine, isIntact, parse } from './log-line.ts'

export interface StateSnapshot<S> {
  readonly state: S
  /** The bytes of the log that are folded into the state. */
  readonly bytes: number
  /** The end of the last of these lines, newline included: it identifies the log. */
  readonly lineEnd: string
}

const position = z.object({ bytes: z.number().int().positive(), lineEnd: z.string() })

/** Null if no usable snapshot exists. */
export async function readSnapshot<E extends LogEvent, S extends FoldedLog>(
  path: string,
  kind: LogKind<E, S>,
): Promise<StateSnapshot<S> | null> {
  try {
    return parseSnapshot(await readFile(path), kind)
  } catch {
    return null
  }
}

export function parseSnapshot<E extends LogEvent, S extends FoldedLog>(
  content: Buffer,
  kind: LogKind<E, S>,
): StateSnapshot<S> | null {
  const line = content.subarray(0, -1)
  if (!isIntact(line)) return null
  const raw = parse(line)
  const file = position.extend({ v: z.literal(kind.snapshotVersion), state: z.unknown() }).safeParse(raw)
  if (!file.success) return null
  const state = kind.state.safeParse(file.data.state)
  return state.success ? { ...file.data, state: state.data } : null
}

/** Without a sync: a power cut may break the file, and the next reader ignores a broken one. */
export async function writeSnapshot<E extends LogEvent, S extends FoldedLog>(
  path: string,
  { bytes, lineEnd, state }: StateSnapshot<S>,
  kind: LogKind<E, S>,
): Promise<void> {
  await replaceFile(path, encodeLine({ v: kind.snapshotVersion, bytes, lineEnd, state }), { durable: false })
}

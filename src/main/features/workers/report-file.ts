/** The reports of a job in a file: a line for each event, and for what the agent says before a message is complete. */
import { open } from 'node:fs/promises'
import { z } from 'zod'
import type { LiveEvent } from '../../../shared/events/agent-event.ts'
import { type WorkerReport, workerReport } from '../../../shared/workers/worker-protocol.ts'
import { codeOf } from '../../platform/system/error-code.ts'

type ReportLine =
  | { readonly kind: 'report'; readonly report: WorkerReport }
  | { readonly kind: 'live'; readonly event: LiveEvent }

const liveEvent: z.ZodType<LiveEvent> = z.custom<LiveEvent>(
  (value) => typeof value === 'object' && value !== null && 'type' in value && 'agentId' in value,
)
const line = z.union([z.object({ report: workerReport }), z.object({ live: liveEvent })])

export const encodeReport = (report: WorkerReport): string => `${JSON.stringify({ report })}\n`
export const encodeLive = (live: LiveEvent): string => `${JSON.stringify({ live })}\n`

const CHUNK = 1024 * 1024

/** Reads the lines that were added since the last call. A last line without its end waits. */
export class ReportFile {
  private readonly path: string
  private offset = 0
  private rest: Buffer = Buffer.alloc(0)

  constructor(path: string) {
    this.path = path
  }

  /** None if the file does not exist yet. Throws where a line is not valid. */
  async next(): Promise<readonly ReportLine[]> {
    const bytes = await this.added()
    const end = bytes.lastIndexOf(0x0a)
    this.rest = bytes.subarray(end + 1)
    if (end < 0) return []
    return bytes
      .subarray(0, end)
      .toString('utf8')
      .split('\n')
      .filter((text) => text !== '')
      .map(readLine)
  }

  private async added(): Promise<Buffer> {
    const parts = [this.rest]
    let file: Awaited<ReturnType<typeof open>>
    try {
      file = await open(this.path, 'r')
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return this.rest
      throw error
    }
    try {
      for (;;) {
        const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK), 0, CHUNK, this.offset)
        if (bytesRead === 0) break
        this.offset += bytesRead
        parts.push(buffer.subarray(0, bytesRead))
      }
    } finally {
      await file.close()
    }
    return Buffer.concat(parts)
  }
}

function readLine(text: string): ReportLine {
  const read = line.parse(JSON.parse(text))
  return 'report' in read ? { kind: 'report', report: read.report } : { kind: 'live', event: read.live }
}

/** Drops the live events that a later report made obsolete. */
export function withoutOldLive(lines: readonly ReportLine[]): readonly ReportLine[] {
  const last = lines.findLastIndex(({ kind }) => kind === 'report')
  return lines.filter(({ kind }, index) => kind === 'report' || index > last)
}

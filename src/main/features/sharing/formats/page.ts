/**
 * A conversation as one page that needs nothing else: the page's markup, style and script as the build made them
 * (`scripts/shared-page.ts`), and the data between, compressed.
 */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createGzip } from 'node:zlib'
import type { LoggedEvent } from '../../../../shared/events/conversation-event.ts'
import { isConversationEvent } from '../../../../shared/events/conversation-event.ts'
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import {
  DATA_MARK,
  PAGE_DATA_CLASS,
  type PageLine,
  type PageSpan,
} from '../../../../shared/sharing/page-data.ts'
import type { Span } from '../../../../shared/timeline/span.ts'
import { emptyTimeline } from '../../../../shared/timeline/timeline.ts'
import type { SharedConversation } from '../shared-conversation.ts'
import { createRowReader } from './shared-rows.ts'
import { endOf, timelineBatches } from './timeline-batches.ts'

/** @param file the built page */
export async function* page(shared: SharedConversation, file: string): AsyncGenerator<Result<string>> {
  const built = await readFile(file, 'utf8').catch(() => null)
  const [before, after] = built?.split(DATA_MARK) ?? []
  if (before === undefined || after === undefined)
    return yield fail({
      type: 'no-page',
      message: `The page for shared conversations is missing (${file}). Install Troupe again; from a checkout, run npm run build.`,
    })
  yield ok(before)
  for await (const text of compressed(pageLines(shared))) yield text
  yield ok(after)
}

/** Base64 has four characters for three bytes. */
const PIECE = 3 * 64 * 1024

/** The lines as elements of the page. */
async function* compressed(lines: AsyncIterable<Result<PageLine>>): AsyncGenerator<Result<string>> {
  const gzip = createGzip()
  let waiting: Buffer[] = []
  let size = 0
  gzip.on('data', (bytes: Buffer) => {
    waiting.push(bytes)
    size += bytes.length
  })
  const element = (bytes: Buffer) =>
    `<script type="text/plain" class="${PAGE_DATA_CLASS}">${bytes.toString('base64')}</script>\n`
  const whole = () => {
    const bytes = Buffer.concat(waiting)
    const end = bytes.length - (bytes.length % PIECE)
    waiting = [bytes.subarray(end)]
    size = bytes.length - end
    const pieces: string[] = []
    for (let at = 0; at < end; at += PIECE) pieces.push(element(bytes.subarray(at, at + PIECE)))
    return pieces.join('')
  }
  for await (const line of lines) {
    if (!line.ok) return yield line
    if (!gzip.write(`${JSON.stringify(line.value)}\n`)) await once(gzip, 'drain')
    if (size >= PIECE) yield ok(whole())
  }
  gzip.end()
  await once(gzip, 'end')
  const pieces = whole()
  const rest = Buffer.concat(waiting)
  yield ok(rest.length === 0 ? pieces : pieces + element(rest))
}

async function* pageLines(shared: SharedConversation): AsyncGenerator<Result<PageLine>> {
  yield ok(headOf(shared))
  const timeline = emptyTimeline()
  const reader = createRowReader(shared)
  const ready: PageLine[] = []
  /** Reads rows on the way: each event is read once. */
  async function* events(): AsyncGenerator<Result<readonly LoggedEvent[]>> {
    for await (const batch of shared.events()) {
      for (const event of batch.ok ? batch.value : []) {
        if (isConversationEvent(event)) continue
        const rows = reader.take(event)
        if (rows.length > 0) ready.push({ line: 'rows', agentId: event.agentId, rows })
      }
      yield batch
    }
  }
  for await (const batch of timelineBatches(events(), timeline)) {
    if (!batch.ok) return yield batch
    const { spans, arrows } = batch.value
    for (const line of ready.splice(0)) yield ok(line)
    if (spans.length > 0)
      yield ok({ line: 'spans', spans: spans.map((span) => pageSpan(span, endOf(span, timeline))) })
    const between = arrows.flatMap(({ from, to, at, toAt }) =>
      from === null ? [] : [{ from, to, at, toAt }],
    )
    if (between.length > 0) yield ok({ line: 'arrows', arrows: between })
  }
  for (const { agentId, rows } of reader.end()) yield ok({ line: 'rows', agentId, rows })
}

function headOf({ record, states, nameOf }: SharedConversation): PageLine {
  return {
    line: 'head',
    title: record.title,
    folder: record.folder,
    createdAt: record.createdAt,
    agents: states.map(
      ({ id, parentId, depth, definition, status, model, turns, countedTokens, costUsd, priced }) => ({
        ...{ id, parentId, depth, name: nameOf(id), type: definition.name, color: definition.color },
        ...{ status, model, turns, tokens: countedTokens, costUsd: priced ? costUsd : null },
      }),
    ),
  }
}

function pageSpan(span: Span, to: number): PageSpan {
  const { agentId, kind, from, seq } = span
  const name = span.kind === 'model' ? span.model : span.name
  const title = 'title' in span ? `${name} ${span.title}`.trim() : name
  const failed = 'outcome' in span && (span.outcome === 'failed' || span.outcome === 'denied')
  return { agentId, kind, from, to, seq, title, failed: failed || span.kind === 'retry' }
}

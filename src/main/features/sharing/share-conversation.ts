/** Shares a conversation: tells what a file would have in it, and writes it. */
import { ok, type Result } from '../../../shared/kernel/result.ts'
import type { ShareFormat, SharePreview } from '../../../shared/sharing/sharing.ts'
import type { TranscriptStore } from '../../runtime/ports/transcripts.ts'
import { openShared, type SharedConversation, type Sharing } from './shared-conversation.ts'
import { type Chunks, countChunks, type Watch } from './write-chunks.ts'

export interface SharingDeps {
  readonly store: TranscriptStore
  /** The user's home folder. */
  readonly home: string
  /** The program's. */
  readonly version: string
  /** The page of a shared conversation, as it is built. */
  readonly pageFile: string
  /** Values that never leave the program, whatever their form. */
  readonly secrets: () => readonly string[]
}

export interface Share extends Sharing {
  readonly format: ShareFormat
}

/** The content of the file. Fails as `openShared` does. */
export async function shareChunks(
  share: Share,
  deps: SharingDeps & Pick<Watch, 'onRead'>,
): Promise<Result<Chunks>> {
  const shared = await openShared(share, { ...deps, secrets: deps.secrets() })
  return shared.ok ? ok(await chunksOf(share.format, shared.value, deps)) : shared
}

/** What the file would have in it. Reads the whole conversation. */
export async function previewShare(
  share: Share,
  { signal, ...deps }: SharingDeps & Watch,
): Promise<Result<SharePreview>> {
  const shared = await openShared(share, { ...deps, secrets: deps.secrets() })
  if (!shared.ok) return shared
  const bytes = await countChunks(await chunksOf(share.format, shared.value, deps), { signal })
  if (!bytes.ok) return bytes
  const { record, inventory } = shared.value
  return ok({
    title: record.title,
    format: share.format,
    ...inventory(),
    bytes: bytes.value,
    notes: notesOf(
      share,
      inventory().agents.some(({ left }) => left),
    ),
  })
}

/** Sends the spans of a conversation to a receiver of OpenTelemetry. @returns their number */
export async function sendShare(
  share: Sharing,
  { url, ...deps }: SharingDeps & Watch & { readonly url: URL },
): Promise<Result<number>> {
  const shared = await openShared(share, { ...deps, secrets: deps.secrets() })
  if (!shared.ok) return shared
  const [{ otelBatches }, { sendSpans }] = await Promise.all([
    import('./formats/otel-spans.ts'),
    import('./send-spans.ts'),
  ])
  return await sendSpans(otelBatches(shared.value), { ...deps, url })
}

async function chunksOf(
  format: ShareFormat,
  shared: SharedConversation,
  { version, pageFile }: SharingDeps,
): Promise<Chunks> {
  switch (format) {
    case 'html':
      return (await import('./formats/page.ts')).page(shared, pageFile)
    case 'jsonl':
      return (await import('./formats/json-lines.ts')).jsonLines(shared)
    case 'markdown':
      return (await import('./formats/markdown.ts')).markdown(shared)
    case 'trace':
      return (await import('./formats/chrome-trace.ts')).chromeTrace(shared)
    case 'scenario':
      return (await import('./formats/scenario.ts')).scenario(shared)
    case 'otel':
      return (await import('./formats/otel-spans.ts')).otelFile(shared, version)
  }
}

/** What the reader of a file must know about what is not in it. */
function notesOf({ format, keepPaths }: Share, isPart: boolean): readonly string[] {
  return [
    ...(isPart ? ['The reports of agents that are left out stay in the transcripts of their parents.'] : []),
    ...(keepPaths ? [] : ['The home folder reads ~ in all paths.']),
    ...(format === 'scenario'
      ? [
          'External agents, searches of the server, and turns after the history was summarized are not played.',
        ]
      : []),
    ...(format === 'jsonl'
      ? ['Files that agents changed are not in it, only the changes that calls show.']
      : []),
  ]
}

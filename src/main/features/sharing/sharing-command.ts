/** `troupe export`: says what the file has in it, then writes it. `troupe conversations import`. */
import { resolve } from 'node:path'
import { countOf, sizeOf } from '../../../shared/kernel/amounts.ts'
import { ok, type Result } from '../../../shared/kernel/result.ts'
import { makeTerminalSafe } from '../../../shared/kernel/visible-text.ts'
import type { ShareFormat, SharePreview } from '../../../shared/sharing/sharing.ts'
import { EXIT, failed, jsonLine, oneLine, type Printing } from '../../platform/command-line/terminal.ts'
import type { SharingService } from './feature.ts'
import type { Share } from './share-conversation.ts'

interface Context extends Printing {
  readonly sharing: SharingService
  /** ms, for durations. */
  readonly elapsed: () => number
}

interface ExportOptions {
  readonly id: string
  readonly format: ShareFormat
  /** Null: standard output. */
  readonly file: string | null
  /** Where the spans go instead of a file. */
  readonly otlp: URL | null
  readonly without: readonly string[]
  readonly keepPaths: boolean
  readonly dryRun: boolean
  readonly force: boolean
  readonly json: boolean
}

/** @returns the exit code */
export async function exportCommand(options: ExportOptions, context: Context): Promise<number> {
  const { sharing, errors, output } = context
  const interrupted = new AbortController()
  const interrupt = () => interrupted.abort()
  process.once('SIGINT', interrupt)
  const share = { conversationId: options.id, ...options }
  const isPrinted = options.file === null && options.otlp === null && !options.dryRun
  const { signal } = interrupted
  try {
    const preview = await sharing.preview(share, { signal, onRead: createProgress('Reading', context) })
    if (!preview.ok) return ended(preview, context, signal)
    const told = options.json ? jsonLine(preview.value) : previewText(preview.value)
    // Standard output is for the content, where that goes there.
    ;(isPrinted ? errors : output).write(told)
    if (options.dryRun) return EXIT.done
    const done = await carryOut(share)
    if (!done.ok) return ended(done, context, signal)
    if (!isPrinted && !options.json) output.write(`${done.value}\n`)
    return EXIT.done
  } finally {
    process.off('SIGINT', interrupt)
  }

  /** @returns what was done, as a sentence */
  async function carryOut(wanted: Share): Promise<Result<string>> {
    const watch = { signal, onRead: createProgress('Writing', context) }
    const { file, otlp, force } = options
    if (otlp !== null) {
      const sent = await sharing.send(wanted, { ...watch, url: otlp })
      return sent.ok ? ok(`Sent ${countOf(sent.value, 'span')} to ${oneLine(otlp.href)}.`) : sent
    }
    const written =
      file === null
        ? await sharing.print(wanted, { ...watch, print })
        : await sharing.write(wanted, { ...watch, path: resolve(file), force })
    return written.ok ? ok(`Wrote ${sizeOf(written.value)} to ${oneLine(file ?? '-')}.`) : written
  }
}

/** A program gets the exact bytes; a terminal gets nothing that controls it. */
function print(bytes: Uint8Array): Promise<void> {
  const { stdout } = process
  const shown = stdout.isTTY ? makeTerminalSafe(Buffer.from(bytes).toString()) : bytes
  return new Promise((resolve, reject) => {
    stdout.write(shown, (error) => (error ? reject(error) : resolve()))
  })
}

function ended(
  { failure }: Extract<Result<unknown>, { readonly ok: false }>,
  { errors }: Context,
  signal: AbortSignal,
): number {
  const code = failed({ errors }, failure.message)
  return signal.aborted ? EXIT.interrupted : code
}

/** Says every few seconds how far a long work is. */
function createProgress(what: string, { errors, elapsed }: Context): (part: number) => void {
  let due = elapsed() + 1000
  return (part) => {
    if (elapsed() < due) return
    due = elapsed() + 5000
    errors.write(`${what}: ${Math.round(part * 100)}%. Press Ctrl+C to cancel.\n`)
  }
}

function previewText(preview: SharePreview): string {
  const { title, agents, events, files, fileCount, bytes, secrets, places, notes } = preview
  const agent = (id: string | null) => agents.find((one) => one.id === id)?.name ?? 'conversation'
  const more = (shown: number, all: number) => (all > shown ? [`  … and ${all - shown} more`] : [])
  const shownFiles = files.slice(0, MOST_FILES)
  const maskedAt = places.reduce((sum, { count }) => sum + count, 0)
  return `${[
    `${oneLine(title)}: ${countOf(agents.filter(({ left }) => !left).length, 'agent')}, ${countOf(events, 'event')}, ${sizeOf(bytes)}`,
    ...agents.map(
      ({ depth, name, type, left, events: own }) =>
        `  ${'  '.repeat(depth)}${oneLine(name)} (${oneLine(type)}): ${left ? 'left out' : countOf(own, 'event')}`,
    ),
    ...(fileCount === 0 ? [] : [`Names ${countOf(fileCount, 'file')}:`]),
    ...shownFiles.map((path) => `  ${oneLine(path)}`),
    ...more(shownFiles.length, fileCount),
    secrets === 0 ? 'No secrets were found.' : `Masked ${countOf(secrets, 'secret')}:`,
    ...places.map(
      ({ agentId, what, seq, excerpt }) =>
        `  ${oneLine(agent(agentId))}, ${what} (event ${seq}): ${oneLine(excerpt)}`,
    ),
    ...more(maskedAt, secrets),
    ...notes,
  ].join('\n')}\n`
}

const MOST_FILES = 20

/** @returns the exit code */
export async function importCommand(
  { file, json }: { readonly file: string; readonly json: boolean },
  { sharing, output, errors }: Printing & { readonly sharing: Pick<SharingService, 'import'> },
): Promise<number> {
  const imported = await sharing.import(resolve(file))
  if (!imported.ok) return failed({ errors }, imported.failure.message)
  const { conversationId, title, agents, events } = imported.value
  output.write(
    json
      ? jsonLine(imported.value)
      : `${conversationId}  ${oneLine(title)} (${countOf(agents, 'agent')}, ${countOf(events, 'event')})\n`,
  )
  return EXIT.done
}

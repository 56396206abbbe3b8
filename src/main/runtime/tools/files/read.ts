/** The Read tool: the lines of a file with numbers, or an image. */
import { z } from 'zod'
import { sizeOf, withCommas } from '../../../../shared/kernel/amounts.ts'
import { similarNames } from '../../../../shared/kernel/similar-names.ts'
import { type ImageFacts, imageFacts } from '../../../../shared/messages/image-facts.ts'
import type { DocumentReader } from '../../ports/documents.ts'
import type { FileSystem } from '../../ports/files.ts'
import {
  type Tool,
  type ToolContext,
  type ToolOutcome,
  type ToolSession,
  toolError,
} from '../../ports/tool.ts'
import { absolutePath, realPathFor, shownPath } from '../tool-path.ts'
import { dataKind, isDocument, isPdf } from './data-kind.ts'
import { toBase64 } from './fit-images.ts'
import { LARGEST_EDITABLE, largeSize, rememberFile } from './known-file.ts'
import { lineEndsOf } from './line-ends.ts'
import { isNotebook, readNotebook } from './notebook.ts'
import { notebookOutcome } from './notebook-text.ts'
import { linesNoteOf, MOST_CHARACTERS, MOST_LINES, numberedLines, restOf } from './numbered-lines.ts'
import { pdfOutcome } from './pdf-pages.ts'
import { type DecodedText, decodeText } from './text-format.ts'

const schema = z
  .object({
    file_path: z.string().min(1).describe('Absolute, or relative to your folder.'),
    offset: z.number().int().min(1).optional().describe('First line, from 1.'),
    limit: z.number().int().min(1).optional().describe(`Lines; ${MOST_LINES} by default.`),
    pages: z.string().optional().describe('Of a PDF: "3" or "1-5", at most 20.'),
  })
  .strict()

type Input = z.infer<typeof schema>

interface ReadDeps {
  readonly files: FileSystem
  readonly documents?: DocumentReader | undefined
}

export function createReadTool(deps: ReadDeps): Tool<Input> {
  return {
    name: 'Read',
    aliases: [],
    description: `Reads a file: each line after its number and a tab. Give offset and limit only for a file of more than ${MOST_LINES} lines or ${MOST_CHARACTERS / 1000},000 characters. You see images, PDF documents as text, and notebooks as cells with outputs (offset and limit count cells). For a folder use Glob. Read several files in one message.`,
    schema,
    kind: 'read',
    icon: 'file',
    // The file holds the text already, and Read limits its own output.
    keepsOutputWhole: true,
    paths: { file_path: 'path' },
    ignoredFields: 'all',
    concurrent: true,
    sideEffects: () => false,
    summary: ({ file_path, offset, limit }, session) => {
      const path = shownPath(absolutePath(file_path, session), session)
      if (offset === undefined && limit === undefined) return path
      const first = offset ?? 1
      return `${path}:${first}${limit === undefined ? '' : `-${first + limit - 1}`}`
    },
    target: async ({ file_path }, { session }) => ({ kind: 'read', path: absolutePath(file_path, session) }),
    run: (input, context) => readFile(input, context, deps),
  }
}

async function readFile(
  input: Input,
  context: ToolContext,
  { files, documents }: ReadDeps,
): Promise<ToolOutcome> {
  const { session } = context
  const shown = shownPath(absolutePath(input.file_path, session), session)
  const real = await realPathFor(input.file_path, files, context)
  if (!real.ok) return toolError(real.failure.message)
  const stat = await files.stat(real.value)
  if (!stat.ok)
    return stat.failure.type === 'not-found'
      ? toolError(await missingText({ path: input.file_path, real: real.value }, files, session), 'not found')
      : toolError(stat.failure.message)
  if (stat.value.kind === 'folder')
    return toolError(`${shown} is a folder. To list its files, use Glob with path "${shown}".`, 'a folder')
  const bytes = await files.read(real.value, { real: true, limit: LARGEST_EDITABLE })
  if (!bytes.ok)
    return bytes.failure.type === 'too-large'
      ? toolError(tooLarge(shown, largeSize(stat.value)), largeSize(stat.value))
      : toolError(bytes.failure.message)

  const image = imageFacts(bytes.value)
  if (documents !== undefined && isPdf(bytes.value))
    return pdfOutcome(documents, {
      shown,
      bytes: bytes.value,
      pages: input.pages,
      givesLines: input.offset !== undefined || input.limit !== undefined,
      signal: context.signal,
    })
  const decoded = image !== null || isDocument(bytes.value) ? null : decodeText(bytes.value)
  if (image === null && decoded === null)
    return toolError(
      `${shown} is ${dataKind(bytes.value)} (${sizeOf(bytes.value.length)}), not text, so it can't be shown. Use a command for its format instead.`,
      'not text',
    )
  const seen = rememberFile(session, { real: real.value, stat: stat.value, bytes: bytes.value })
  if (image !== null) return { ...imageOutcome(shown, bytes.value, image), seen }
  if (decoded === null) return toolError(`${shown} can't be shown.`)
  const notebook = isNotebook(real.value) ? readNotebook(decoded.text) : null
  return { ...(notebook?.ok ? notebookOutcome(notebook.value, input) : textOutcome(decoded, input)), seen }
}

function textOutcome(decoded: DecodedText, input: Input): ToolOutcome {
  const { text } = decoded
  if (text === '') return { isError: false, content: '[The file is empty.]', note: 'empty' }
  const lines = numberedLines(text, {
    offset: input.offset ?? 1,
    limit: Math.min(input.limit ?? MOST_LINES, MOST_LINES),
  })
  if (lines.shown === null) {
    const only = lines.total === 1 ? 'one line' : `${lines.total} lines`
    return toolError(`The file has only ${only}, so offset ${input.offset} is past its end.`, 'past the end')
  }
  const remarks = [restOf(lines), aboutFormat(decoded)].filter(Boolean)
  return {
    isError: false,
    content: remarks.length === 0 ? lines.text : `${lines.text}\n\n${remarks.join('\n')}`,
    note: linesNoteOf(lines),
  }
}

/** Unusual encoding and line ends; empty if both are usual. */
function aboutFormat({ text, format }: DecodedText): string {
  const ends = lineEndsOf(text)
  const facts = [
    format.encoding === 'UTF-8' ? '' : `is in ${format.encoding}`,
    ends === 'CRLF' ? 'has CRLF line ends' : ends === 'mixed' ? 'has both LF and CRLF line ends' : '',
  ].filter(Boolean)
  return facts.length === 0 ? '' : `[The file ${facts.join(' and ')}. Edit and Write keep this.]`
}

function tooLarge(shown: string, size: string): string {
  return `${shown} has ${size}, too large to read at once. Search it with Grep, or read a part with a command such as: sed -n '1,200p'`
}

/** Names the missing file or folder, and suggests similar names. */
async function missingText(
  { path, real }: { readonly path: string; readonly real: string },
  files: FileSystem,
  session: ToolSession,
): Promise<string> {
  const shown = shownPath(absolutePath(path, session), session)
  const cut = real.lastIndexOf('/')
  const [folder, name] = [real.slice(0, cut) || '/', real.slice(cut + 1)]
  const inFolder = await files.stat(folder)
  if (!inFolder.ok)
    return `${shown} does not exist, and neither does its folder ${shownPath(folder, session)}.`
  const inShell = path.startsWith('/') ? null : absolutePath(path, { root: session.cwd })
  if (inShell !== null && inShell !== absolutePath(path, session) && (await files.stat(inShell)).ok)
    return `${shown} does not exist: paths are relative to ${session.root}. Did you mean ${shownPath(inShell, session)}?`
  const names = await files.list?.(folder)
  const near = names?.ok ? similarNames(name, names.value) : []
  return near.length === 0
    ? `${shown} does not exist.`
    : `${shown} does not exist. Similar names in its folder: ${near.join(', ')}.`
}

/** An image file as the result of a call. */
function imageOutcome(shown: string, bytes: Uint8Array, { type, size }: ImageFacts): ToolOutcome {
  const kind = type.slice('image/'.length).toUpperCase()
  if (size === null)
    return toolError(`${shown} starts as a ${kind} image, but is truncated or damaged.`, 'damaged')
  const facts = `${withCommas(size.width)} × ${withCommas(size.height)} pixels, ${sizeOf(bytes.length)}`
  return {
    isError: false,
    content: [{ type: 'image', source: { type: 'base64', media_type: type, data: toBase64(bytes) } }],
    note: `${kind}, ${facts}`,
  }
}

/** The Write tool: a file with this content, new or instead of one that the agent has read. */
import { z } from 'zod'
import { ok, type Result } from '../../../shared/result.ts'
import type { FileSystem } from '../ports.ts'
import type { Tool } from '../tool.ts'
import { countOf } from './amounts.ts'
import { createFileChange, formatOf, type PlannedText } from './file-change.ts'
import type { KnownFile } from './known-file.ts'
import { lineEndsOf, withCrlf } from './line-ends.ts'
import { encodeText, plainFormat } from './text-format.ts'
import { absolutePath, shownPath } from './tool-path.ts'

const schema = z
  .object({
    file_path: z.string().min(1).describe('The file: an absolute path, or one from your working folder on.'),
    content: z.string().describe('The whole content of the file.'),
  })
  .strict()

type Input = z.infer<typeof schema>

export function createWriteTool({ files }: { readonly files: FileSystem }): Tool<Input> {
  return {
    name: 'Write',
    aliases: [],
    description: `Writes a whole file: a new one, with the folders it needs, or in place of one that you have read before. To change parts of a file use Edit, which is shorter and safer. A file that exists keeps its encoding and its line ends. Don't make files that the task has no need of, such as notes or documentation that nobody asked for.`,
    schema,
    paths: { file_path: 'path' },
    concurrent: false,
    sideEffects: () => true,
    summary: ({ file_path }, session) => shownPath(absolutePath(file_path, session), session),
    ...createFileChange<Input>(files, planText),
  }
}

function planText({ content }: Input, before: KnownFile | null, shown: string): Result<PlannedText> {
  const text = content.startsWith('\uFEFF') ? content.slice(1) : content
  const lines = countOf(text.split('\n').length - (text === '' || text.endsWith('\n') ? 1 : 0), 'line')
  if (before === null) return ok({ text: content, format: plainFormat, done: `Created ${shown} (${lines}).` })
  const kept = keptLineEnds(before, text)
  const format = encodeText(kept, formatOf(before)).ok ? formatOf(before) : plainFormat
  const remarks = [
    kept === text ? '' : 'It keeps its CRLF line ends.',
    format === before.format
      ? ''
      : `It is UTF-8 now: ${before.format.encoding} has no sign for some of the new text.`,
  ]
  return ok({
    text: kept,
    format,
    done: [`Replaced ${shown} (${lines}).`, ...remarks].filter(Boolean).join(' '),
  })
}

/** A model writes LF whatever it read; a file whose lines all ended with CRLF goes on doing so. */
function keptLineEnds(before: KnownFile, text: string): string {
  return lineEndsOf(before.text) === 'CRLF' && !text.includes('\r') ? withCrlf(text) : text
}

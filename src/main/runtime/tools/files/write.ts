/** The Write tool: the whole content of a file, new or already read by the agent. */
import { z } from 'zod'
import { countOf } from '../../../../shared/kernel/amounts.ts'
import { ok, type Result } from '../../../../shared/kernel/result.ts'
import type { FileSystem } from '../../ports/files.ts'
import type { Tool } from '../../ports/tool.ts'
import { createFileChange, formatOf, type PlannedText } from './file-change.ts'
import type { KnownFile } from './known-file.ts'
import { lineEndsOf, withCrlf } from './line-ends.ts'
import { encodeText, plainFormat } from './text-format.ts'

const schema = z
  .object({
    file_path: z.string().min(1),
    content: z.string(),
  })
  .strict()

type Input = z.infer<typeof schema>

export function createWriteTool({ files }: { readonly files: FileSystem }): Tool<Input> {
  return {
    name: 'Write',
    aliases: [],
    description:
      'Writes a whole file: a new one, with its folders, or one that you have read. To change parts use Edit. Create no files that the task does not need, such as unrequested notes or docs.',
    schema,
    icon: 'file-add',
    paths: { file_path: 'path' },
    ...createFileChange<Input>(files, planText, ({ file_path }) => file_path),
  }
}

function planText({ content }: Input, before: KnownFile | null, shown: string): Result<PlannedText> {
  const text = content.startsWith('\uFEFF') ? content.slice(1) : content
  const lines = countOf(text.split('\n').length - (text === '' || text.endsWith('\n') ? 1 : 0), 'line')
  if (before === null) return ok({ text: content, format: plainFormat, done: `Created ${shown} (${lines}).` })
  const kept = keptLineEnds(before, text)
  const format = encodeText(kept, formatOf(before)).ok ? formatOf(before) : plainFormat
  const remarks = [
    kept === text ? '' : 'The file keeps its CRLF line ends.',
    format === before.format
      ? ''
      : `The file is UTF-8 now: ${before.format.encoding} can't encode some of the new text.`,
  ]
  return ok({
    text: kept,
    format,
    done: [`Replaced ${shown} (${lines}).`, ...remarks].filter(Boolean).join(' '),
  })
}

/** Models write LF. A file with only CRLF line ends keeps CRLF. */
function keptLineEnds(before: KnownFile, text: string): string {
  return lineEndsOf(before.text) === 'CRLF' && !text.includes('\r') ? withCrlf(text) : text
}

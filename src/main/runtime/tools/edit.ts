/** The Edit tool: one piece of text for another, in a file that the agent has read. */
import { z } from 'zod'
import { fail, ok, type Result } from '../../../shared/result.ts'
import type { FileSystem } from '../ports.ts'
import type { Tool } from '../tool.ts'
import { countOf, linesAt } from './amounts.ts'
import { editText } from './edit-text.ts'
import { createFileChange, formatOf, type PlannedText } from './file-change.ts'
import type { KnownFile } from './known-file.ts'
import { plainFormat } from './text-format.ts'
import { absolutePath, shownPath } from './tool-path.ts'

const schema = z
  .object({
    file_path: z
      .string()
      .min(1)
      .describe('The file: an absolute path, or one relative to your working folder.'),
    old_string: z
      .string()
      .describe(
        'The text to replace, exactly as in the file, with indentation and without line numbers. Empty only to create a file.',
      ),
    new_string: z.string().describe('The new text; empty to delete the old one.'),
    replace_all: z.boolean().optional().describe('Replace every occurrence of old_string. Default: false.'),
  })
  .strict()

type Input = z.infer<typeof schema>

export function createEditTool({ files }: { readonly files: FileSystem }): Tool<Input> {
  return {
    name: 'Edit',
    aliases: [],
    description: `Replaces text in a file that you have read. old_string must occur exactly once in the file: include as many surrounding lines as needed, or set replace_all. Copy the text after the tab in Read's output, with its indentation. The file keeps its line ends and encoding. To replace most of a file use Write.`,
    schema,
    kind: 'edit',
    icon: 'file-edit',
    paths: { file_path: 'path' },
    ignoredFields: ['description', 'explanation'],
    concurrent: false,
    sideEffects: () => true,
    summary: ({ file_path }, session) => shownPath(absolutePath(file_path, session), session),
    ...createFileChange<Input>(files, planText, ({ file_path }) => file_path),
  }
}

function planText(input: Input, before: KnownFile | null, shown: string): Result<PlannedText> {
  if (before === null) {
    if (input.old_string !== '')
      return fail({
        type: 'not-found',
        message: `${shown} does not exist. To create it, use Write, or leave old_string empty.`,
      })
    return ok({ text: input.new_string, format: plainFormat, done: `Created ${shown}.` })
  }
  if (input.old_string === '')
    return fail({
      type: 'exists',
      message: `${shown} exists already, so old_string must not be empty. To replace the whole file use Write.`,
    })
  const edited = editText(before.text, {
    old: input.old_string,
    new: input.new_string,
    all: input.replace_all ?? false,
  })
  if (!edited.ok)
    return fail({ ...edited.failure, message: `${shown} was not changed: ${edited.failure.message}` })
  const { text, lines } = edited.value
  const where =
    lines.length === 1 ? linesAt(lines) : `${countOf(lines.length, 'occurrence')}: ${linesAt(lines)}`
  return ok({ text, format: formatOf(before), done: `Edited ${shown} (${where}).` })
}

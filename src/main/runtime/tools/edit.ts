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
    file_path: z.string().min(1).describe('The file: an absolute path, or one from your working folder on.'),
    old_string: z
      .string()
      .describe(
        'The text to replace, exactly as it stands in the file, with its indentation and without line numbers. Empty only to make a new file.',
      ),
    new_string: z.string().describe('The text to put in its place; empty to delete it.'),
    replace_all: z
      .boolean()
      .optional()
      .describe('Replace every place where old_string stands, not just the only one. Default: false.'),
  })
  .strict()

type Input = z.infer<typeof schema>

export function createEditTool({ files }: { readonly files: FileSystem }): Tool<Input> {
  return {
    name: 'Edit',
    aliases: ['MultiEdit'],
    description: `Replaces a piece of text in a file that you have read. old_string must stand in the file exactly once: give as many of the lines around it as that takes, or set replace_all. Copy it from what Read shows after the tab, indentation included. Line ends and encoding of the file stay as they are. To write most of a file anew use Write.`,
    schema,
    paths: { file_path: 'path' },
    concurrent: false,
    sideEffects: () => true,
    summary: ({ file_path }, session) => shownPath(absolutePath(file_path, session), session),
    ...createFileChange<Input>(files, planText),
  }
}

function planText(input: Input, before: KnownFile | null, shown: string): Result<PlannedText> {
  if (before === null) {
    if (input.old_string !== '')
      return fail({
        type: 'not-found',
        message: `${shown} does not exist. To make it, use Write, or leave old_string empty.`,
      })
    return ok({ text: input.new_string, format: plainFormat, done: `Created ${shown}.` })
  }
  if (input.old_string === '')
    return fail({
      type: 'exists',
      message: `${shown} exists already, so old_string must say what to replace in it. To replace all of it use Write.`,
    })
  const edited = editText(before.text, {
    old: input.old_string,
    new: input.new_string,
    all: input.replace_all ?? false,
  })
  if (!edited.ok)
    return fail({ ...edited.failure, message: `${shown} was not changed: ${edited.failure.message}` })
  const { text, lines } = edited.value
  const where = lines.length === 1 ? linesAt(lines) : `${countOf(lines.length, 'place')}: ${linesAt(lines)}`
  return ok({ text, format: formatOf(before), done: `Edited ${shown} (${where}).` })
}

/** The Edit tool: one piece of text for another, in a file that the agent has read. */
import { z } from 'zod'
import { countOf, linesAt } from '../../../../shared/kernel/amounts.ts'
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import type { FileSystem } from '../../ports/files.ts'
import type { Tool } from '../../ports/tool.ts'
import { modelFields } from '../model-fields.ts'
import { editText } from './edit-text.ts'
import { createFileChange, formatOf, type PlannedText } from './file-change.ts'
import type { KnownFile } from './known-file.ts'
import { plainFormat } from './text-format.ts'

const edits = z
  .array(
    z
      .object({ old_string: z.string(), new_string: z.string(), replace_all: z.boolean().optional() })
      .strict(),
  )
  .min(1)

const schema = z
  .object({
    file_path: z.string().min(1),
    old_string: z.string().optional().describe('Empty only to create a file.'),
    new_string: z.string().optional(),
    replace_all: z.boolean().optional(),
    /** Of MultiEdit: several edits one after the other, all or none. */
    edits: edits.optional(),
  })
  .strict()
  .superRefine((input, context) => {
    for (const name of ['old_string', 'new_string'] as const)
      if (input.edits === undefined && input[name] === undefined)
        context.addIssue({ code: 'invalid_type', expected: 'string', input: undefined, path: [name] })
  })
modelFields.add(schema, { hidden: ['edits'], required: ['old_string', 'new_string'] })

type Input = z.infer<typeof schema>

export function createEditTool({ files }: { readonly files: FileSystem }): Tool<Input> {
  return {
    name: 'Edit',
    aliases: ['MultiEdit'],
    description: `Replaces text in a file that you have read. old_string must occur exactly once: include enough lines around it, or set replace_all. Copy it from Read's output, after the tab, with its indentation. Line ends and encoding are kept.`,
    schema,
    icon: 'file-edit',
    paths: { file_path: 'path' },
    ...createFileChange<Input>(files, planText, ({ file_path }) => file_path),
  }
}

function planText(input: Input, before: KnownFile | null, shown: string): Result<PlannedText> {
  const all = input.edits ?? [input]
  const [first, ...rest] = all
  const isNew = before === null
  if (isNew && first?.old_string !== '')
    return fail({
      type: 'not-found',
      message: `${shown} does not exist. To create it, use Write, or leave old_string empty.`,
    })
  let text = isNew ? (first?.new_string ?? '') : before.text
  const lines: number[] = []
  for (const [index, edit] of (isNew ? rest : all).entries()) {
    const { old_string = '', new_string = '', replace_all = false } = edit
    const which = input.edits === undefined ? '' : `edit ${index + (isNew ? 2 : 1)} of ${all.length}: `
    if (old_string === '')
      return fail({
        type: 'exists',
        message: `${which}${shown} exists already, so old_string must not be empty. To replace the whole file use Write.`,
      })
    const edited = editText(text, { old: old_string, new: new_string, all: replace_all })
    if (!edited.ok)
      return fail({
        ...edited.failure,
        message: `${shown} was not changed: ${which}${edited.failure.message}`,
      })
    text = edited.value.text
    lines.push(...edited.value.lines)
  }
  if (isNew) return ok({ text, format: plainFormat, done: `Created ${shown}.` })
  const places = input.edits === undefined ? 'occurrence' : 'place'
  const where = lines.length === 1 ? linesAt(lines) : `${countOf(lines.length, places)}: ${linesAt(lines)}`
  return ok({ text, format: formatOf(before), done: `Edited ${shown} (${where}).` })
}

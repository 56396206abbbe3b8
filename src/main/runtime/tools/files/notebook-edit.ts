/** The NotebookEdit tool: replaces, inserts or deletes one cell of a Jupyter notebook that the agent has read. */
import { z } from 'zod'
import { fail, ok, type Result, sentence } from '../../../../shared/kernel/result.ts'
import type { FileSystem } from '../../ports/files.ts'
import type { Tool } from '../../ports/tool.ts'
import { absolutePath, shownPath } from '../tool-path.ts'
import { editNotebook } from './edit-notebook.ts'
import { createFileChange, formatOf, type PlannedText } from './file-change.ts'
import type { KnownFile } from './known-file.ts'

const schema = z
  .object({
    notebook_path: z.string().min(1).describe('Absolute, or relative to your folder.'),
    cell_id: z
      .string()
      .optional()
      .describe(
        'As Read shows it. For insert: the cell before the new one; without it, the new cell is the first.',
      ),
    new_source: z.string().default('').describe('Not needed for delete.'),
    cell_type: z.enum(['code', 'markdown']).optional().describe('For insert: code by default.'),
    edit_mode: z.enum(['replace', 'insert', 'delete']).default('replace').describe('replace by default.'),
  })
  .strict()

type Input = z.infer<typeof schema>

export function createNotebookEditTool({ files }: { readonly files: FileSystem }): Tool<Input> {
  return {
    name: 'NotebookEdit',
    aliases: [],
    description:
      'Changes one cell of a Jupyter notebook that you have read: replaces its source, inserts a cell, or deletes it. Nothing is run: outputs stay until the cell is run again.',
    schema,
    icon: 'file-edit',
    paths: { notebook_path: 'path' },
    fieldAliases: { file_path: 'notebook_path', cell_number: 'cell_id', source: 'new_source' },
    ...createFileChange<Input>(files, planCell, ({ notebook_path }) => notebook_path),
    summary: ({ notebook_path, cell_id }, session) => {
      const path = shownPath(absolutePath(notebook_path, session), session)
      return cell_id === undefined ? path : `${path} (${cell_id})`
    },
  }
}

const DONE = { replace: 'Replaced the source of', insert: 'Inserted', delete: 'Deleted' } as const

function planCell(input: Input, before: KnownFile | null, shown: string): Result<PlannedText> {
  const { cell_id = null, new_source, cell_type = null, edit_mode } = input
  if (before === null)
    return fail({
      type: 'not-found',
      message: `${shown} does not exist. To create a notebook use Write with its JSON.`,
    })
  const edited = editNotebook(before.text, {
    id: cell_id,
    mode: edit_mode,
    source: new_source,
    type: cell_type,
  })
  if (!edited.ok)
    return fail({
      ...edited.failure,
      message:
        edited.failure.type === 'not-notebook'
          ? `${shown} was not changed: ${sentence(edited.failure.message)} Use Edit to change it as text.`
          : `${shown} was not changed: ${edited.failure.message}`,
    })
  const { text, cellId, hasOutputs, ...source } = edited.value
  const place = edit_mode !== 'insert' ? '' : cell_id === null ? ' as the first cell' : ` after ${cell_id}`
  const outputs = hasOutputs ? ' Its outputs are from before this change.' : ''
  return ok({
    text,
    format: formatOf(before),
    done: `${DONE[edit_mode]} the cell ${cellId}${place} in ${shown}.${outputs}`,
    shownAs: source,
  })
}

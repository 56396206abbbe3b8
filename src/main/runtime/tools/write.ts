/** The Write tool: a file with this content, new or instead of one that the agent has read. */
import { z } from 'zod'
import type { FileSystem } from '../ports.ts'
import { type Tool, type ToolContext, toolError } from '../tool.ts'
import { textFrom } from './file-text.ts'
import { knownStat, remember } from './seen-files.ts'
import { absolutePath, realPathFor, shownPath } from './tool-path.ts'
import { diffDisplay, diffNote } from './unified-patch.ts'

const schema = z
  .object({
    file_path: z.string().min(1).describe('The file: absolute, or below the folder you work in.'),
    content: z.string().describe('The whole new content.'),
  })
  .strict()

type Input = z.infer<typeof schema>

export function createWriteTool({ files }: { readonly files: FileSystem }): Tool<Input> {
  const formerText = async (path: string): Promise<string | null> => {
    const bytes = await files.read(path)
    return bytes.ok ? (textFrom(bytes.value)?.text ?? '') : null
  }
  return {
    name: 'Write',
    aliases: [],
    description:
      'Writes a file, and the folders it needs. A file that exists is replaced whole, and must have been read before; to change a part of one use Edit. Make no file that the task does not need.',
    schema,
    concurrent: false,
    sideEffects: () => true,
    summary: (input, session) => shownPath(absolutePath(input.file_path, session), session),
    target: async (input, { session }: ToolContext) => {
      const path = absolutePath(input.file_path, session)
      const diff = diffDisplay(shownPath(path, session), await formerText(path), input.content)
      return { kind: 'write', path, preview: diff.patch }
    },
    run: async (input, context) => {
      const { session } = context
      const real = await realPathFor(input.file_path, files, context)
      if (!real.ok) return toolError(real.failure.message)
      const expected = await knownStat(files, session, real.value, input.file_path)
      if (!expected.ok) return toolError(expected.failure.message, 'not written')
      const before = expected.value === null ? null : await formerText(real.value)
      const written = await files.write(real.value, input.content, { real: true, expected: expected.value })
      if (!written.ok) return toolError(written.failure.message, 'not written')
      remember(session, real.value, written.value)
      const display = diffDisplay(shownPath(real.value, session), before, input.content)
      const done = before === null ? 'Created' : 'Replaced'
      return { isError: false, content: `${done} ${input.file_path}.`, note: diffNote(display), display }
    },
  }
}

/** The Edit tool: one piece of text for another, in a file that the agent has read. */
import { z } from 'zod'
import { fail, ok, type Result } from '../../../shared/result.ts'
import type { FileSystem } from '../ports.ts'
import { type Tool, toolError } from '../tool.ts'
import { textFrom } from './file-text.ts'
import { knownStat, remember } from './seen-files.ts'
import { absolutePath, realPathFor, shownPath } from './tool-path.ts'
import { diffDisplay, diffNote } from './unified-patch.ts'

const schema = z
  .object({
    file_path: z.string().min(1).describe('The file: absolute, or below the folder you work in.'),
    old_string: z
      .string()
      .describe('The text to replace, exactly as it is in the file, without line numbers.'),
    new_string: z.string().describe('The text to put there.'),
    replace_all: z.boolean().optional().describe('Every place, and not just the only one.'),
  })
  .strict()

type Input = z.infer<typeof schema>

export function createEditTool({ files }: { readonly files: FileSystem }): Tool<Input> {
  const current = async (path: string): Promise<Result<{ text: string; bom: string }>> => {
    const bytes = await files.read(path)
    if (!bytes.ok) return bytes
    const decoded = textFrom(bytes.value)
    return decoded
      ? ok(decoded)
      : fail({ type: 'binary', message: 'The file is not text, so it can’t be edited.' })
  }
  return {
    name: 'Edit',
    aliases: ['MultiEdit'],
    description:
      'Replaces text in a file that you have read. old_string must be in the file exactly once, white space included; add lines around it until it is, or set replace_all to change every place. An empty old_string makes a new file.',
    schema,
    concurrent: false,
    sideEffects: () => true,
    summary: (input, session) => shownPath(absolutePath(input.file_path, session), session),
    target: async (input, { session }) => {
      const path = absolutePath(input.file_path, session)
      const before = await current(path)
      const after = before.ok ? edited(before.value.text, input) : ok(input.new_string)
      const shown = shownPath(path, session)
      // Where the edit can't be made nothing is written, and `run` says why.
      const preview = after.ok
        ? diffDisplay(shown, before.ok ? before.value.text : null, after.value).patch
        : ''
      return { kind: 'write', path, preview }
    },
    run: async (input, context) => {
      const { session } = context
      const real = await realPathFor(input.file_path, files, context)
      if (!real.ok) return toolError(real.failure.message)
      const expected = await knownStat(files, session, real.value, input.file_path)
      if (!expected.ok) return toolError(expected.failure.message, 'not edited')
      if (expected.value === null && input.old_string !== '')
        return toolError(`${input.file_path} does not exist.`, 'not found')
      const before = expected.value === null ? ok({ text: '', bom: '' }) : await current(real.value)
      if (!before.ok) return toolError(before.failure.message, 'not edited')
      const after = expected.value === null ? ok(input.new_string) : edited(before.value.text, input)
      if (!after.ok) return toolError(after.failure.message, 'not edited')
      const written = await files.write(real.value, before.value.bom + after.value, {
        real: true,
        expected: expected.value,
      })
      if (!written.ok) return toolError(written.failure.message, 'not edited')
      remember(session, real.value, written.value)
      const display = diffDisplay(
        shownPath(real.value, session),
        expected.value === null ? null : before.value.text,
        after.value,
      )
      return { isError: false, content: `Edited ${input.file_path}.`, note: diffNote(display), display }
    },
  }
}

/** The text after the edit. Line ends of the file are kept, whatever the model writes. */
export function edited(text: string, { old_string, new_string, replace_all = false }: Input): Result<string> {
  if (old_string === '')
    return fail({ type: 'exists', message: 'The file exists: old_string must say what to replace.' })
  const windows = text.includes('\r\n')
  const ends = (words: string) => (windows ? words.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n') : words)
  const [wanted, instead] = [ends(old_string), ends(new_string)]
  if (wanted === instead)
    return fail({
      type: 'same',
      message: 'old_string and new_string are the same: there is nothing to change.',
    })
  const pieces = text.split(wanted)
  const found = pieces.length - 1
  if (found === 0) return fail({ type: 'not-found', message: notFound(text, wanted) })
  if (found > 1 && !replace_all) {
    const places = lineNumbers(pieces, wanted)
    return fail({
      type: 'ambiguous',
      message: `old_string is in the file ${found} times (lines ${places.slice(0, 10).join(', ')}). Add lines around it until it is there once, or set replace_all.`,
    })
  }
  return ok(pieces.join(instead))
}

function lineNumbers(pieces: readonly string[], wanted: string): readonly number[] {
  let line = 1
  return pieces.slice(0, -1).map((piece) => {
    line += piece.split('\n').length - 1
    const here = line
    line += wanted.split('\n').length - 1
    return here
  })
}

/** Says where the text would be if its white space were another. */
function notFound(text: string, wanted: string): string {
  const squeezed = (line: string) => line.replace(/\s+/g, ' ').trim()
  const first = squeezed(wanted.split('\n').find((line) => line.trim() !== '') ?? '')
  const near = first === '' ? -1 : text.split('\n').findIndex((line) => squeezed(line) === first)
  return near === -1
    ? 'old_string is not in the file. Read it again: it may have changed, or be written otherwise.'
    : `old_string is not in the file as it is written. Line ${near + 1} is the same but for white space: copy it exactly.`
}

/** The Read tool: a file's lines with their numbers, or a picture. */
import { z } from 'zod'
import type { FileSystem } from '../ports.ts'
import { type Tool, type ToolOutcome, toolError } from '../tool.ts'
import { sizeOf, textFrom } from './file-text.ts'
import { remember } from './seen-files.ts'
import { absolutePath, realPathFor, shownPath } from './tool-path.ts'

const MOST_LINES = 2000
const LONGEST_LINE = 2000
/** Larger files are read by ranges with other tools. */
const LARGEST_FILE = 32 * 1024 * 1024
const LARGEST_IMAGE = 5 * 1024 * 1024

const schema = z
  .object({
    file_path: z.string().min(1).describe('The file: absolute, or below the folder you work in.'),
    offset: z.number().int().min(1).optional().describe('The first line to read, from 1.'),
    limit: z.number().int().min(1).optional().describe(`How many lines; ${MOST_LINES} where it is left out.`),
  })
  .strict()

type Input = z.infer<typeof schema>

export function createReadTool({ files }: { readonly files: FileSystem }): Tool<Input> {
  return {
    name: 'Read',
    aliases: [],
    description: `Reads a file and returns its lines, each with its number and a tab before it. Pictures (PNG, JPEG, GIF, WebP) are shown to you. At most ${MOST_LINES} lines at a time; for the rest of a long file give offset and limit. A file must be read before it can be changed. For what is in a folder use Glob.`,
    schema,
    concurrent: true,
    sideEffects: () => false,
    summary: (input, session) => {
      const path = shownPath(absolutePath(input.file_path, session), session)
      return input.offset === undefined ? path : `${path}:${input.offset}`
    },
    target: async (input, { session }) => ({ kind: 'read', path: absolutePath(input.file_path, session) }),
    run: async (input, context) => {
      const real = await realPathFor(input.file_path, files, context)
      if (!real.ok) return toolError(real.failure.message)
      const stat = await files.stat(real.value)
      if (!stat.ok) return missing(input.file_path, real.value, files, stat.failure)
      if (stat.value.kind === 'folder')
        return toolError(`${input.file_path} is a folder. List what is in it with Glob.`)
      const bytes = await files.read(real.value, { real: true, limit: LARGEST_FILE })
      if (!bytes.ok) return toolError(bytes.failure.message)
      const image = imageType(bytes.value)
      if (image) return imageOutcome(input.file_path, bytes.value, image)
      const decoded = textFrom(bytes.value)
      if (!decoded)
        return toolError(
          `${input.file_path} is not text (${sizeOf(stat.value.size)} of binary data), so it can't be shown. Look at it with a command that knows its format.`,
          'binary',
        )
      remember(context.session, real.value, stat.value)
      return lines(decoded.text, input)
    },
  }
}

function lines(text: string, { offset = 1, limit = MOST_LINES }: Input): ToolOutcome {
  if (text === '') return { isError: false, content: '(The file is empty.)', note: 'empty' }
  const all = text.split(/\r\n|\n/)
  if (all.at(-1) === '') all.pop()
  if (offset > all.length)
    return toolError(`The file has ${all.length} lines; there is no line ${offset}.`, 'past the end')
  const chosen = all.slice(offset - 1, offset - 1 + Math.min(limit, MOST_LINES))
  const numbered = chosen.map((line, index) => {
    const shown =
      line.length > LONGEST_LINE
        ? `${line.slice(0, LONGEST_LINE)} [… ${line.length - LONGEST_LINE} more characters]`
        : line
    return `${String(offset + index).padStart(6)}\t${shown}`
  })
  const last = offset - 1 + chosen.length
  const rest =
    last < all.length ? `\n\n[${all.length - last} more lines. Go on with offset ${last + 1}.]` : ''
  return {
    isError: false,
    content: numbered.join('\n') + rest,
    note: `${chosen.length} line${chosen.length === 1 ? '' : 's'}`,
  }
}

type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'

function imageType(bytes: Uint8Array): ImageType | null {
  const starts = (...wanted: number[]) => wanted.every((byte, index) => bytes[index] === byte)
  if (starts(0x89, 0x50, 0x4e, 0x47)) return 'image/png'
  if (starts(0xff, 0xd8, 0xff)) return 'image/jpeg'
  if (starts(0x47, 0x49, 0x46, 0x38)) return 'image/gif'
  const isRiff = starts(0x52, 0x49, 0x46, 0x46)
  return isRiff && String.fromCharCode(...bytes.subarray(8, 12)) === 'WEBP' ? 'image/webp' : null
}

function imageOutcome(path: string, bytes: Uint8Array, type: ImageType): ToolOutcome {
  if (bytes.length > LARGEST_IMAGE)
    return toolError(
      `${path} is a picture of ${sizeOf(bytes.length)}; at most ${sizeOf(LARGEST_IMAGE)} can be shown.`,
    )
  let binary = ''
  for (let start = 0; start < bytes.length; start += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000))
  return {
    isError: false,
    content: [{ type: 'image', source: { type: 'base64', media_type: type, data: btoa(binary) } }],
    note: sizeOf(bytes.length),
  }
}

async function missing(
  path: string,
  real: string,
  files: FileSystem,
  failure: { type: string; message: string },
): Promise<ToolOutcome> {
  if (failure.type !== 'not-found') return toolError(failure.message)
  const folder = real.slice(0, real.lastIndexOf('/')) || '/'
  const name = real.slice(real.lastIndexOf('/') + 1).toLowerCase()
  const names = files.list ? await files.list(folder) : null
  const near = names?.ok
    ? names.value.filter((other) => {
        const lower = other.toLowerCase()
        return lower.includes(name.split('.')[0] ?? name) || name.includes(lower.split('.')[0] || '\0')
      })
    : []
  const hint = near.length > 0 ? ` In that folder there is: ${near.slice(0, 5).join(', ')}.` : ''
  return toolError(`${path} does not exist.${hint}`, 'not found')
}

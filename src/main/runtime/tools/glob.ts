/** The Glob tool: files by the pattern of their path. */
import picomatch from 'picomatch'
import { z } from 'zod'
import { resolvePath } from '../permissions/paths.ts'
import type { FileSearch, FileSystem } from '../ports.ts'
import { type Tool, type ToolContext, type ToolOutcome, type ToolSession, toolError } from '../tool.ts'
import { countOf } from './amounts.ts'
import { absolutePath, realPathFor, shownPath } from './tool-path.ts'

/** As many paths as are worth reading. */
const MOST_PATHS = 200

const schema = z
  .object({
    pattern: z
      .string()
      .min(1)
      .describe('What the path must look like, such as "**/*.ts", "src/*/index.*" or "**/*.{yml,yaml}".'),
    path: z
      .string()
      .optional()
      .describe('The folder the pattern counts from; your working folder by default.'),
  })
  .strict()

type Input = z.infer<typeof schema>

export interface GlobDeps {
  readonly files: FileSystem
  readonly search: FileSearch
}

export function createGlobTool(deps: GlobDeps): Tool<Input> {
  return {
    name: 'Glob',
    aliases: ['LS'],
    description: `Finds files by their path, those that were changed last first, at most ${MOST_PATHS}. "*" stands for any part of a name, "**/" for any folders. Files that git ignores are left out unless the path leads into an ignored folder; hidden ones are not. To find files by what is in them use Grep.`,
    schema,
    paths: { path: 'path', pattern: 'path' },
    concurrent: true,
    sideEffects: () => false,
    summary: ({ pattern, path }, session) =>
      path === undefined ? pattern : `${pattern} in ${shownPath(absolutePath(path, session), session)}`,
    target: async (input, { session }) => ({ kind: 'read', path: placeOf(input, session).folder }),
    run: (input, context) => findFiles(input, context, deps),
  }
}

async function findFiles(
  input: Input,
  context: ToolContext,
  { files, search }: GlobDeps,
): Promise<ToolOutcome> {
  const { session, signal } = context
  const { folder, pattern } = placeOf(input, session)
  const real = await realPathFor(folder, files, context)
  if (!real.ok) return toolError(real.failure.message)
  const look = (wanted: string) =>
    search.glob({ pattern: wanted, path: real.value, limit: MOST_PATHS }, signal)
  const found = await look(pattern)
  if (!found.ok)
    return toolError(found.failure.message, found.failure.type === 'aborted' ? 'stopped' : 'failed')
  if (found.value.paths.length > 0) return listed(found.value, session, '')
  // A name without folders is often meant for files at any depth.
  const deeper = pattern.includes('/') ? null : await look(`**/${pattern}`)
  const place = shownPath(folder, session)
  if (deeper?.ok && deeper.value.paths.length > 0)
    return listed(deeper.value, session, `[None directly in ${place}; these are in folders below it.]\n`)
  return { isError: false, content: `No file in ${place} matches ${pattern}.`, note: 'no files' }
}

function listed(
  { paths, truncated }: { readonly paths: readonly string[]; readonly truncated: boolean },
  session: ToolSession,
  remark: string,
): ToolOutcome {
  const rest = truncated
    ? `\n\n[These are the ${MOST_PATHS} that were changed last; there are more. Narrow the pattern or the path.]`
    : ''
  return {
    isError: false,
    content: remark + paths.map((path) => shownPath(path, session)).join('\n') + rest,
    note: truncated ? `${MOST_PATHS}+ files` : countOf(paths.length, 'file'),
  }
}

/** The fixed folders at a pattern's start are where the search begins: also above, or outside, of the path. */
function placeOf(input: Input, session: ToolSession): { readonly folder: string; readonly pattern: string } {
  const from = absolutePath(input.path ?? '.', session)
  const { base, glob, negated } = picomatch.scan(input.pattern)
  if (negated || base === '') return { folder: from, pattern: input.pattern }
  if (glob !== '') return { folder: resolvePath(from, base), pattern: glob }
  // No sign of a pattern in it: a file by its name.
  const whole = resolvePath(from, base)
  const cut = whole.lastIndexOf('/')
  return { folder: whole.slice(0, cut) || '/', pattern: whole.slice(cut + 1) || '*' }
}

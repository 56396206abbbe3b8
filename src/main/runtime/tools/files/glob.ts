/** The Glob tool: files by path pattern. */
import picomatch from 'picomatch'
import { z } from 'zod'
import { countOf } from '../../../../shared/kernel/amounts.ts'
import { resolvePath } from '../../paths/paths.ts'
import type { FileSearch, FileSystem } from '../../ports/files.ts'
import {
  type Tool,
  type ToolContext,
  type ToolOutcome,
  type ToolSession,
  toolError,
} from '../../ports/tool.ts'
import { absolutePath, realPathFor, shownPath } from '../tool-path.ts'

const MOST_PATHS = 200

const schema = z
  .object({
    pattern: z.string().min(1).default('*').describe('"**/*.ts", "src/*/index.*", "**/*.{yml,yaml}".'),
    path: z.string().optional().describe('Your working folder by default.'),
  })
  .strict()

type Input = z.infer<typeof schema>

interface GlobDeps {
  readonly files: FileSystem
  readonly search: FileSearch
}

export function createGlobTool(deps: GlobDeps): Tool<Input> {
  return {
    name: 'Glob',
    aliases: ['LS'],
    description: `Finds up to ${MOST_PATHS} files by path, the latest changes first. Leaves out what git ignores (unless path is in an ignored folder) and what a rule denies; includes hidden files.`,
    schema,
    kind: 'search',
    icon: 'folder-search',
    paths: { path: 'path', pattern: 'path' },
    ignoredFields: 'all',
    concurrent: true,
    sideEffects: () => false,
    summary: ({ pattern, path }, session) =>
      path === undefined ? pattern : `${pattern} in ${shownPath(absolutePath(path, session), session)}`,
    target: async (input, { session }) => ({ kind: 'read', path: searchRoot(input, session).folder }),
    run: (input, context) => findFiles(input, context, deps),
  }
}

async function findFiles(
  input: Input,
  context: ToolContext,
  { files, search }: GlobDeps,
): Promise<ToolOutcome> {
  const { session, signal, hides } = context
  const { folder, pattern } = searchRoot(input, session)
  const real = await realPathFor(folder, files, context)
  if (!real.ok) return toolError(real.failure.message)
  const find = (wanted: string) =>
    search.glob(
      { pattern: wanted, path: real.value, limit: MOST_PATHS, ...(hides ? { skip: hides } : {}) },
      signal,
    )
  const found = await find(pattern)
  if (!found.ok)
    return toolError(found.failure.message, found.failure.type === 'aborted' ? 'stopped' : 'failed')
  if (found.value.paths.length > 0) return listed(found.value, session, '')
  // A pattern without folders is often meant for any depth.
  const deeper = pattern.includes('/') ? null : await find(`**/${pattern}`)
  const shown = shownPath(folder, session)
  if (deeper?.ok && deeper.value.paths.length > 0)
    return listed(deeper.value, session, `[No match directly in ${shown}; these are in folders below.]\n`)
  return { isError: false, content: `No file in ${shown} matches ${pattern}.`, note: 'no files' }
}

function listed(
  { paths, truncated }: { readonly paths: readonly string[]; readonly truncated: boolean },
  session: ToolSession,
  note: string,
): ToolOutcome {
  const more = truncated
    ? `\n\n[Only the ${MOST_PATHS} latest changes are listed; there are more matches. Narrow the pattern or the path.]`
    : ''
  return {
    isError: false,
    content: note + paths.map((path) => shownPath(path, session)).join('\n') + more,
    note: truncated ? `${MOST_PATHS}+ files` : countOf(paths.length, 'file'),
  }
}

/** The search starts in the fixed folders at the pattern's start, which may be above or outside the path. */
function searchRoot(
  input: Input,
  session: ToolSession,
): { readonly folder: string; readonly pattern: string } {
  const from = absolutePath(input.path ?? '.', session)
  const { base, glob, negated } = picomatch.scan(input.pattern)
  if (negated || base === '') return { folder: from, pattern: input.pattern }
  if (glob !== '') return { folder: resolvePath(from, base), pattern: glob }
  // Without a wildcard the pattern is a file name.
  const whole = resolvePath(from, base)
  const cut = whole.lastIndexOf('/')
  return { folder: whole.slice(0, cut) || '/', pattern: whole.slice(cut + 1) || '*' }
}

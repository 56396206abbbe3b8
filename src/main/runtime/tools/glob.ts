/** The Glob tool: files by the pattern of their path. */
import { z } from 'zod'
import type { FileSearch } from '../ports.ts'
import { type Tool, toolError } from '../tool.ts'
import { absolutePath, shownPath } from './tool-path.ts'

const MOST_PATHS = 500

const schema = z
  .object({
    pattern: z.string().min(1).describe('Such as "**/*.ts" or "src/**/index.*".'),
    path: z.string().optional().describe('The folder to look in; the one you work in where it is left out.'),
  })
  .strict()

type Input = z.infer<typeof schema>

export function createGlobTool({ search }: { readonly search: FileSearch }): Tool<Input> {
  return {
    name: 'Glob',
    aliases: ['LS'],
    description: `Finds files whose path matches a pattern, those that were changed last first, at most ${MOST_PATHS}. What git ignores is left out.`,
    schema,
    concurrent: true,
    sideEffects: () => false,
    summary: ({ pattern, path }, session) =>
      path === undefined ? pattern : `${pattern} in ${shownPath(absolutePath(path, session), session)}`,
    target: async ({ path = '.' }, { session }) => ({ kind: 'read', path: absolutePath(path, session) }),
    run: async ({ pattern, path = '.' }, { session, signal }) => {
      const folder = absolutePath(path, session)
      const found = await search.glob({ pattern, path: folder, limit: MOST_PATHS }, signal)
      if (!found.ok) return toolError(found.failure.message)
      const { paths, truncated } = found.value
      const count = `${paths.length}${truncated ? '+' : ''} file${paths.length === 1 ? '' : 's'}`
      if (paths.length === 0) return { isError: false, content: 'No file matches.', note: 'no files' }
      const rest = truncated ? `\n[There are more. Make the pattern narrower.]` : ''
      return {
        isError: false,
        content: paths.map((one) => shownPath(one, session)).join('\n') + rest,
        note: count,
      }
    },
  }
}

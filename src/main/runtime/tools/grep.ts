/** The Grep tool: text in files, by regular expression. */
import { z } from 'zod'
import type { FileSearch } from '../ports.ts'
import { type Tool, toolError } from '../tool.ts'
import { absolutePath, shownPath } from './tool-path.ts'

const MOST_LINES = 250

const count = z.number().int().min(0).max(1000)
const schema = z
  .object({
    pattern: z
      .string()
      .min(1)
      .describe('A regular expression as ripgrep reads it; braces are written \\{ \\}.'),
    path: z.string().optional().describe('A file or folder; the folder you work in where it is left out.'),
    glob: z.string().optional().describe('Only files whose path matches, such as "*.ts".'),
    type: z.string().optional().describe('Only files of a type that ripgrep knows: js, ts, py, rust, go …'),
    output_mode: z
      .enum(['content', 'files_with_matches', 'count'])
      .optional()
      .describe('Matching lines, paths alone (the default), or counts.'),
    '-i': z.boolean().optional().describe('Case does not matter.'),
    '-n': z.boolean().optional().describe('Line numbers, in content mode; true where it is left out.'),
    '-A': count.optional().describe('Lines after each match.'),
    '-B': count.optional().describe('Lines before each match.'),
    '-C': count.optional().describe('Lines before and after each match.'),
    multiline: z.boolean().optional().describe('The pattern may span lines.'),
    head_limit: z
      .number()
      .int()
      .min(1)
      .optional()
      .describe(`At most so many lines; ${MOST_LINES} where it is left out.`),
  })
  .strict()

type Input = z.infer<typeof schema>

export function createGrepTool({ search }: { readonly search: FileSearch }): Tool<Input> {
  return {
    name: 'Grep',
    aliases: [],
    description:
      'Searches the contents of files by regular expression, with ripgrep. What git ignores is left out. Use it instead of grep or rg in Bash.',
    schema,
    concurrent: true,
    sideEffects: () => false,
    summary: ({ pattern, path, glob }, session) => {
      const where = [path === undefined ? '' : shownPath(absolutePath(path, session), session), glob ?? '']
      return [`“${pattern}”`, ...where].filter(Boolean).join(' ')
    },
    target: async ({ path = '.' }, { session }) => ({ kind: 'read', path: absolutePath(path, session) }),
    run: async (input, { session, signal }) => {
      const mode = input.output_mode ?? 'files_with_matches'
      const around = input['-C'] ?? 0
      const found = await search.grep(
        {
          pattern: input.pattern,
          path: absolutePath(input.path ?? '.', session),
          ...(input.glob === undefined ? {} : { glob: input.glob }),
          ...(input.type === undefined ? {} : { type: input.type }),
          mode,
          ignoreCase: input['-i'] ?? false,
          lineNumbers: input['-n'] ?? true,
          before: input['-B'] ?? around,
          after: input['-A'] ?? around,
          multiline: input.multiline ?? false,
          limit: input.head_limit ?? MOST_LINES,
        },
        signal,
      )
      if (!found.ok) return toolError(found.failure.message)
      const { text, matches, truncated } = found.value
      const what = mode === 'content' ? ['match', 'matches'] : ['file', 'files']
      const note = `${matches} ${matches === 1 ? what[0] : what[1]}`
      if (matches === 0) return { isError: false, content: 'Nothing matches.', note: `no ${what[1]}` }
      const rest = truncated ? '\n[There is more. Make the search narrower, or raise head_limit.]' : ''
      return { isError: false, content: text.replaceAll(`${session.root}/`, '').trimEnd() + rest, note }
    },
  }
}

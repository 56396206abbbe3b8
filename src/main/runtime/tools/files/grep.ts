/** The Grep tool: file contents by regular expression. */
import { z } from 'zod'
import { countOf, withCommas } from '../../../../shared/kernel/amounts.ts'
import { pathBelow } from '../../paths/paths.ts'
import { isSecret, isSecretBelow } from '../../paths/sensitive-files.ts'
import type { FileSearch, FileSystem, GrepQuery } from '../../ports/files.ts'
import {
  type Tool,
  type ToolContext,
  type ToolOutcome,
  type ToolSession,
  toolError,
} from '../../ports/tool.ts'
import { modelFields } from '../model-fields.ts'
import { absolutePath, realPathFor, shownPath } from '../tool-path.ts'

const DEFAULT_LIMIT = 250
const LARGEST_LIMIT = 10_000

const around = z.number().int().min(0).max(100).optional()

const schema = z
  .object({
    pattern: z.string().min(1).describe('A regular expression: "log.*Error", "interface\\{\\}".'),
    path: z.string().optional().describe('A file or folder; your working folder by default.'),
    glob: z.string().optional().describe('"*.ts", "src/**/*.{js,jsx}"; "!*.test.ts" excludes.'),
    type: z.string().optional().describe('A ripgrep type: js, py, rust …'),
    output_mode: z
      .enum(['content', 'files_with_matches', 'count'])
      .optional()
      .describe('files_with_matches (default): paths; content: lines; count: matching lines per file.'),
    '-i': z.boolean().optional().describe('Ignore case.'),
    '-n': z.boolean().optional(),
    '-A': around.describe('Lines after, with content.'),
    '-B': around.describe('Lines before.'),
    '-C': around.describe('Lines around.'),
    offset: z.number().int().min(0).max(LARGEST_LIMIT).optional().describe('Results to skip.'),
    multiline: z.boolean().optional().describe('Match across lines.'),
    head_limit: z
      .number()
      .int()
      .min(0)
      .max(LARGEST_LIMIT)
      .optional()
      .describe(`Most results; ${DEFAULT_LIMIT} by default, 0 for ${LARGEST_LIMIT}.`),
  })
  .strict()

// The numbers are nearly always of use.
modelFields.add(schema, { hidden: ['-n'] })

type Input = z.infer<typeof schema>

interface GrepDeps {
  readonly files: FileSystem
  readonly search: FileSearch
}

export function createGrepTool(deps: GrepDeps): Tool<Input> {
  return {
    name: 'Grep',
    aliases: [],
    description: `Searches file contents with ripgrep: use it instead of grep or rg in a command. Leaves out what git ignores and what a rule denies; includes hidden files. Files that may hold secrets (.env, keys) only if path names them.`,
    schema,
    kind: 'search',
    icon: 'search',
    paths: { path: 'path' },
    fieldAliases: { context: '-C', ignore_case: '-i', case_insensitive: '-i' },
    ignoredFields: 'all',
    concurrent: true,
    sideEffects: () => false,
    summary: ({ pattern, path, glob, type }, session) =>
      [
        pattern,
        path === undefined ? '' : `in ${shownPath(absolutePath(path, session), session)}`,
        glob ?? '',
        type ?? '',
      ]
        .filter(Boolean)
        .join(' '),
    target: async ({ path = '.' }, { session }) => ({ kind: 'read', path: absolutePath(path, session) }),
    run: (input, context) => searchText(input, context, deps),
  }
}

async function searchText(
  input: Input,
  context: ToolContext,
  { files, search }: GrepDeps,
): Promise<ToolOutcome> {
  const { session, signal } = context
  const asked = absolutePath(input.path ?? '.', session)
  const real = await realPathFor(asked, files, context)
  if (!real.ok) return toolError(real.failure.message)
  const stat = await files.stat(real.value)
  if (!stat.ok)
    return toolError(
      stat.failure.type === 'not-found'
        ? `${shownPath(asked, session)} does not exist.`
        : stat.failure.message,
    )
  const query = queryFor(input, real.value, context)
  const found = await search.grep(query, signal)
  if (!found.ok)
    return toolError(messageFor(found.failure), found.failure.type === 'aborted' ? 'stopped' : 'failed')
  const { text, matches, truncated } = found.value
  if (matches === 0)
    return { isError: false, content: noMatchText(input, query, session), note: noMatches(query) }
  const lines = text.split('\n')
  const shown = stat.value.kind === 'folder' ? lines.map((line) => fromRoot(line, session)) : lines
  if (text === '')
    return toolError(
      `There are only ${countOf(matches, 'match', 'matches')}; offset ${query.offset} skips them all.`,
    )
  const isPart = truncated && matches <= query.offset + query.limit
  const [one, many] = query.mode === 'content' ? ['match', 'matches'] : ['file', 'files']
  return {
    isError: false,
    content: shown.join('\n') + (truncated ? truncationNote(query, matches) : ''),
    note: isPart ? `${withCommas(matches)}+ ${many}` : countOf(matches, one, many),
  }
}

function queryFor(
  input: Input,
  path: string,
  { session, hides = () => false }: Pick<ToolContext, 'session' | 'hides'>,
): GrepQuery {
  const skipsSecrets = !isSecret(shownPath(path, session))
  const both = input['-C'] ?? 0
  const mode = input.output_mode ?? 'files_with_matches'
  return {
    pattern: input.pattern,
    path,
    ...(input.glob === undefined ? {} : { glob: input.glob }),
    ...(input.type === undefined ? {} : { type: input.type }),
    mode,
    ignoreCase: input['-i'] ?? false,
    lineNumbers: input['-n'] ?? true,
    before: mode === 'content' ? (input['-B'] ?? both) : 0,
    after: mode === 'content' ? (input['-A'] ?? both) : 0,
    multiline: input.multiline ?? false,
    offset: input.offset ?? 0,
    limit: input.head_limit === 0 ? LARGEST_LIMIT : (input.head_limit ?? DEFAULT_LIMIT),
    // Files that need permission to read, or are denied, are not searched in passing either.
    skip: (below) =>
      (skipsSecrets && isSecretBelow(path, below)) || hides(`${path === '/' ? '' : path}/${below}`),
  }
}

/** Every line begins with an absolute path. */
function fromRoot(line: string, { root }: ToolSession): string {
  const start = root.endsWith('/') ? root : `${root}/`
  return line.startsWith(start) ? line.slice(start.length) : line
}

function truncationNote({ mode, limit, offset }: GrepQuery, matches: number): string {
  const what = mode === 'content' ? 'lines' : 'files'
  const all = matches > offset + limit ? ` of ${withCommas(matches)}` : ''
  const shown = offset === 0 ? 'the first' : `${withCommas(offset)} skipped and the next`
  return `\n\n[Only ${shown} ${withCommas(limit)} ${what}${all} are shown. Narrow the pattern, path, glob or type, or continue with offset ${offset + limit}.]`
}

function noMatchText(input: Input, { multiline, path }: GrepQuery, session: ToolSession): string {
  const where = pathBelow(session.root, path) === '.' ? '' : ` in ${shownPath(path, session)}`
  const hint =
    !multiline && /(?<!\\)(?:\\\\)*\\n/.test(input.pattern) && !/\[[^\]]*\\n/.test(input.pattern)
      ? ' A pattern with \\n matches only with multiline.'
      : ''
  return `Nothing matches${where}.${hint}`
}

function noMatches({ mode }: GrepQuery): string {
  return mode === 'content' ? 'no matches' : 'no files'
}

function messageFor({ type, message }: { readonly type: string; readonly message: string }): string {
  return type === 'bad-pattern' ? `ripgrep rejected the pattern: ${message}` : message
}

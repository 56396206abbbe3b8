/** ToolSearch: finds tools whose schemas are not in the requests, and adds the schemas. */
import { z } from 'zod'
import { type AnyTool, type Tool, type ToolContext, type ToolOutcome, toolError } from '../ports/tool.ts'

export const TOOL_SEARCH = 'ToolSearch'

/** Tools that one search loads. */
const MOST_FOUND = 10
/** Characters of the names in the description, which are part of every request. */
const MOST_NAMES = 20_000
const LONGEST_LINE = 200
/** Shorter words of a query ("a", "of") are in too many names. */
const SHORTEST_WORD = 3

const schema = z
  .object({
    query: z
      .string()
      .min(1)
      .describe('Words of the name or description, or exact names with commas between.'),
  })
  .strict()

/** The names of deferred tools, for an agent with these tools. Without ToolSearch, none: it gets all schemas at once. */
export function deferredTools(
  tools: readonly AnyTool[],
  allowed: readonly { readonly name: string }[],
): ReadonlySet<string> {
  const names = allowed.some(({ name }) => name === TOOL_SEARCH)
    ? tools.flatMap((tool) => (tool.deferred === true ? [tool.name] : []))
    : []
  return new Set(names)
}

/** @param tools the deferred tools */
export function createToolSearch(tools: readonly AnyTool[]): Tool<z.infer<typeof schema>> {
  return {
    name: TOOL_SEARCH,
    aliases: [],
    description: descriptionOf(tools),
    // As a list, so that a server which comes or goes is announced instead of changing the cached start of requests.
    offers: {
      noun: 'tool to find',
      use: `find them with ${TOOL_SEARCH}`,
      needsEntries: true,
      describe: ({ isLeftOut }) => {
        const offered = tools.filter(({ name }) => !isLeftOut(name))
        return {
          description: descriptionOf(offered),
          entries: Object.fromEntries(offered.map(({ name }) => [name, name])),
        }
      },
    },
    schema,
    kind: 'search',
    icon: 'plug',
    concurrent: true,
    sideEffects: () => false,
    summary: ({ query }) => query,
    target: async () => ({ kind: 'none' }),
    run: ({ query }, { loadTools }) => search(tools, query, loadTools),
  }
}

function descriptionOf(tools: readonly AnyTool[]): string {
  const names = tools.map(({ name }) => name).join(', ')
  const end = names.lastIndexOf(',', MOST_NAMES)
  const shown = names.length <= MOST_NAMES ? names : `${names.slice(0, end)}, and more that a search finds`
  return `Adds tools of MCP servers with many tools to yours. Search before you call one of the tools below; you can call those that were found from your next message on.\n\n${NAMES}${shown}.`
}

const NAMES = 'Tools to find: '

/** The names in a description of ToolSearch. */
export function namesToFind(description: string): readonly string[] {
  const at = description.indexOf(NAMES)
  if (at < 0) return []
  const names = description
    .slice(at + NAMES.length)
    .replace(/\.$/, '')
    .split(', ')
  return names.filter((name) => !name.includes(' '))
}

async function search(
  tools: readonly AnyTool[],
  query: string,
  loadTools: ToolContext['loadTools'],
): Promise<ToolOutcome> {
  const matches = ranked(tools, query).slice(0, MOST_FOUND)
  const loaded = (await loadTools?.(matches.map(({ name }) => name))) ?? []
  const found = matches.filter(({ name }) => loaded.includes(name))
  const without = matches.length - found.length
  const refused = without === 0 ? '' : ` ${without} more matched, which you may not use.`
  if (found.length === 0)
    return toolError(
      `No tool that you may use matches "${query}".${refused} Search with other words, or continue without it.`,
      'no tools',
    )
  const lines = found.map(({ name, description }) => `${name}: ${firstLine(description)}`)
  return {
    isError: false,
    content: `Added to your tools, for your next message:\n${lines.join('\n')}`,
    note: `${found.length} ${found.length === 1 ? 'tool' : 'tools'}`,
    found: found.map(({ name }) => name),
  }
}

/** Exact names alone if the query has any; else the tools with the most of its words, names before descriptions. */
function ranked(tools: readonly AnyTool[], query: string): readonly AnyTool[] {
  const names = query.replace(/^select:/, '').split(/[\s,]+/)
  const exact = tools.filter(({ name }) => names.includes(name))
  if (exact.length > 0) return exact
  const all = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const long = all.filter((word) => word.length >= SHORTEST_WORD)
  const words = long.length > 0 ? long : all
  return tools
    .map((tool) => ({ tool, score: scoreOf(tool, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ tool }) => tool)
}

function scoreOf({ name, description }: AnyTool, words: readonly string[]): number {
  const [inName, inText] = [name.toLowerCase(), description.toLowerCase()]
  return words.reduce(
    (sum, word) => sum + (inName.includes(word) ? 3 : 0) + (inText.includes(word) ? 1 : 0),
    0,
  )
}

const firstLine = (text: string): string => (text.split('\n')[0] ?? '').slice(0, LONGEST_LINE)

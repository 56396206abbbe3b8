/** `troupe mcp …` */
import { ok, type Result } from '../../../shared/kernel/result.ts'
import type { McpAddition } from '../../../shared/mcp/mcp.ts'
import { nameProblem, readPairs } from '../../../shared/mcp/mcp-entry-text.ts'
import { type CommandLineRoot, inFolder, type Verbs, verb } from '../../command-line.ts'
import { checked, ofFolder, repeatable, usage } from '../../platform/command-line/verb.ts'
import type { McpCommand } from './mcp-command.ts'

const places = ['project', 'local', 'user'] as const

export const mcpVerbs: Verbs = [
  verb({
    words: 'mcp list',
    summary: 'list the MCP servers here, with their state and source',
    options: ofFolder,
    run,
  }),
  verb({
    words: 'mcp test',
    summary: 'connect to one and list its tools',
    ...forServer('test'),
    run,
  }),
  verb({
    words: 'mcp approve',
    summary: 'let a project’s server start as it is defined now',
    ...forServer('approve'),
    run,
  }),
  verb({ words: 'mcp refuse', summary: 'keep a project’s server off', ...forServer('refuse'), run }),
  verb({
    words: 'mcp add',
    // Options of the command need `--` in front of the command.
    arguments: { name: 'NAME', command: '-- COMMAND…' },
    summary: 'add a server to .mcp.json here and approve it: with its command, or NAME URL',
    options: {
      ...ofFolder,
      place: checked(
        'PLACE',
        'project (.mcp.json, the default), local (.claude/settings.local.json) or user (~/.claude/settings.json)',
        (given) => {
          const place = places.find((one) => one === given)
          return place === undefined ? usage('--place is project, local or user.') : ok(place)
        },
      ),
      env: repeatable('NAME=V', 'a variable of its process'),
      header: repeatable("'N: V'", 'a header of its requests'),
    },
    misuse: 'Use troupe mcp add NAME URL, or troupe mcp add NAME -- COMMAND ARGUMENTS',
    refine: (values) => {
      const addition = additionOf(values)
      return addition.ok ? ok({ ...values, addition: addition.value }) : addition
    },
    run,
  }),
  verb({
    words: 'mcp remove',
    summary: 'remove a server from its file',
    ...forServer('remove'),
    run,
  }),
]

function forServer(action: string) {
  return {
    ...{ arguments: { name: 'NAME' }, options: ofFolder },
    misuse: `Give one server: troupe mcp ${action} NAME`,
  } as const
}

function run(root: CommandLineRoot, command: McpCommand & Parameters<typeof inFolder>[1]): Promise<number> {
  return inFolder(root, command, async ({ program, ...context }) => {
    const { mcpCommand } = await import('./mcp-command.ts')
    return await mcpCommand(command, { ...context, state: program.mcp.state, dispatch: program.dispatch })
  })
}

function additionOf({
  name,
  command: [command = '', ...args],
  place,
  env,
  header,
}: {
  readonly name: string
  readonly command: readonly string[]
  readonly place: McpAddition['place'] | null
  readonly env: readonly string[]
  readonly header: readonly string[]
}): Result<McpAddition> {
  const problem = nameProblem(name)
  if (problem !== null) return usage(`"${name}" can't be the name of a server. ${problem}`)
  const variables = readPairs(env.join('\n'), '=')
  if (!variables.ok) return usage(`--env: ${variables.failure.message}`)
  const headers = readPairs(header.join('\n'), ':')
  if (!headers.ok) return usage(`--header: ${headers.failure.message}`)
  const isAddress = /^[a-z]+:\/\//i.test(command)
  if (isAddress && !(/^https?:\/\//i.test(command) && URL.canParse(command)))
    return usage(`${command} is not an http address.`)
  if (isAddress && (env.length > 0 || args.length > 0))
    return usage('An address takes no arguments and no --env.')
  if (!isAddress && header.length > 0) return usage('--header belongs to an address, not to a command.')
  const definition = isAddress
    ? { type: 'http', url: command, ...(header.length > 0 && { headers: headers.value }) }
    : { command, args, ...(env.length > 0 && { env: variables.value }) }
  return ok({ name, place: place ?? 'project', definition, replace: false, before: null })
}

/**
 * `node scripts/prompt-sizes.ts [FOLDER]`: the sizes of the system prompt and of the tools in the first requests of the
 * main agent, a subagent with all tools, Explore, the coordinator and a team member, of the built command line in FOLDER
 * (default: this checkout), without MCP servers and with fourteen. Markdown on standard output.
 *
 * A size is the length of the JSON that is sent, in characters. A token is taken as four of them.
 */
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startScriptedServer } from '../src/main/features/rehearsal/feature.ts'
import { startMcpFixture } from './mcp-fixture.ts'

const CHARACTERS_PER_TOKEN = 4
const checkout = resolve(process.argv[2] ?? join(import.meta.dirname, '..'))

interface Sizes {
  readonly system: number
  readonly tools: ReadonlyMap<string, number>
}

/** A body of a request, as far as it is measured. */
interface Body {
  readonly system: unknown
  readonly messages?: readonly unknown[]
  readonly tools?: readonly { readonly name: string }[]
}

/** Each agent's task begins with its mark, by which its first request is found. */
const SUBAGENTS = [
  ['general-purpose', 'Look as general-purpose.'],
  ['Explore', 'Look as Explore.'],
] as const
const MEMBER = 'Look as a member.'

const starts = [
  ...SUBAGENTS.map(([type, prompt]) => ({
    name: 'Agent',
    input: { description: `Look as ${type}`, prompt, subagent_type: type },
  })),
  {
    name: 'TeamCreate',
    input: { name: 'crew', members: [{ name: 'ada', agent: 'general-purpose', prompt: MEMBER }] },
  },
]

/** The first requests of a run's agents: of the main agent, and of those that begin with these marks. */
async function firstRequests(
  marks: readonly string[],
  options: readonly string[],
): Promise<readonly Sizes[]> {
  let isBegun = marks.length === 0
  const server = await startScriptedServer({
    director: {
      reply: async () => {
        const blocks = isBegun
          ? [{ type: 'text' as const, text: 'Done.' }]
          : starts.map((call) => ({ type: 'tool_use' as const, ...call }))
        isBegun = true
        return { blocks }
      },
    },
  })
  const base = await mkdtemp(join(tmpdir(), 'troupe-sizes-'))
  try {
    const [folder, home] = [join(base, 'project'), join(base, 'data')]
    await Promise.all([mkdir(folder), mkdir(home)])
    await writeFile(join(home, 'settings.json'), JSON.stringify({ trustedFolders: [folder] }))
    const child = spawn(process.execPath, [join(checkout, 'out', 'cli.mjs'), 'run', 'Begin', ...options], {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        HOME: base,
        TROUPE_HOME: home,
        ANTHROPIC_API_KEY: server.apiKey,
        ANTHROPIC_BASE_URL: server.baseUrl,
      },
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    const code = await new Promise((done) => child.on('close', done))
    if (code !== 0) throw new Error(`troupe run ended with ${String(code)}.`)
    const bodies = server.requests.map(({ body }) => body as unknown as Body)
    return ['Begin', ...marks].map((mark) =>
      sizesOf(
        mark,
        bodies.find((body) => isFirst(body, mark)),
      ),
    )
  } finally {
    await server.close()
    await rm(base, { recursive: true, force: true })
  }
}

function isFirst({ messages }: Body, mark: string): boolean {
  return messages?.length === 1 && JSON.stringify(messages[0]).includes(mark)
}

function sizesOf(mark: string, body: Body | undefined): Sizes {
  if (body === undefined) throw new Error(`There is no request that begins with "${mark}".`)
  const { system, tools = [] } = body
  return {
    system: JSON.stringify(system).length,
    tools: new Map(tools.map((tool) => [tool.name, JSON.stringify(tool).length])),
  }
}

async function columnsOf(options: readonly string[]): Promise<Readonly<Record<string, Sizes>>> {
  const marks = [...SUBAGENTS.map(([, prompt]) => prompt), MEMBER]
  const [main, general, explore, member] = await firstRequests(marks, options)
  const [coordinator] = await firstRequests([], ['--coordinator', ...options])
  const columns = { main, 'general-purpose': general, Explore: explore, coordinator, 'team member': member }
  return Object.fromEntries(
    Object.entries(columns).flatMap(([name, sizes]) => (sizes === undefined ? [] : [[name, sizes]])),
  )
}

const toolsOf = ({ tools }: Sizes) => [...tools.values()].reduce((sum, size) => sum + size, 0)
const tokensOf = (sizes: Sizes) => Math.round((sizes.system + toolsOf(sizes)) / CHARACTERS_PER_TOKEN)

const fixture = await startMcpFixture()
const configFile = join(await mkdtemp(join(tmpdir(), 'troupe-servers-')), 'mcp.json')
try {
  await writeFile(configFile, JSON.stringify(fixture.config))
  const alone = await columnsOf([])
  const served = await columnsOf(['--mcp-config', configFile])
  const names = [...new Set(Object.values(alone).flatMap(({ tools }) => [...tools.keys()]))]
  const row = (name: string, cell: (agent: string) => number | undefined) =>
    `| ${[name, ...Object.keys(alone).map((agent) => cell(agent) ?? '')].join(' | ')} |`
  const of = (columns: typeof alone, size: (sizes: Sizes) => number | undefined) => (agent: string) => {
    const sizes = columns[agent]
    return sizes && size(sizes)
  }
  console.log(
    [
      `| ${['characters', ...Object.keys(alone)].join(' | ')} |`,
      `| --- |${' ---: |'.repeat(Object.keys(alone).length)}`,
      row(
        'system prompt',
        of(alone, ({ system }) => system),
      ),
      ...names.map((name) =>
        row(
          name,
          of(alone, ({ tools }) => tools.get(name)),
        ),
      ),
      row('all tools', of(alone, toolsOf)),
      row('tokens, no servers', of(alone, tokensOf)),
      row(`tokens, 14 servers (${fixture.toolCount} tools)`, of(served, tokensOf)),
    ].join('\n'),
  )
} finally {
  await rm(configFile, { force: true })
  await fixture.close()
}

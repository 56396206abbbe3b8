/**
 * `node scripts/prompt-sizes.ts [FOLDER]`: the sizes of the system prompt and of each tool in the first requests of the
 * main agent, a subagent with all tools, Explore and the coordinator, of the built command line in FOLDER (default:
 * this checkout). Markdown on standard output. A token is taken as four characters.
 */
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startScriptedServer } from '../src/main/adapters/rehearsal/scripted-server.ts'

const checkout = resolve(process.argv[2] ?? join(import.meta.dirname, '..'))

interface Sizes {
  readonly system: number
  readonly tools: ReadonlyMap<string, number>
}

/** A body of a request, as far as it is measured. */
interface Body {
  readonly system: unknown
  readonly tools?: readonly {
    readonly name: string
    readonly description: string
    readonly input_schema: unknown
  }[]
}

/** The first requests of the main agent and of one agent of each type, in this order. */
async function firstRequests(
  types: readonly string[],
  options: readonly string[],
): Promise<readonly Sizes[]> {
  const marks = types.map((type) => `Look as ${type}.`)
  const server = await startScriptedServer({
    director: {
      reply: async ({ messages }) => ({
        blocks:
          messages.length === 1 &&
          !marks.some((mark) => JSON.stringify(messages).includes(mark)) &&
          types.length > 0
            ? types.map((type, index) => ({
                type: 'tool_use' as const,
                name: 'Agent',
                input: { description: `Look as ${type}`, prompt: marks[index], subagent_type: type },
              }))
            : [{ type: 'text', text: 'Done.' }],
      }),
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
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const code = await new Promise((done) => child.on('close', done))
    if (code !== 0) throw new Error(`troupe run ended with ${String(code)}.`)
    const bodies = server.requests.map(({ body }) => body as unknown as Body)
    return ['Begin', ...marks].map((mark) => sizesOf(bodies.find((body) => isFirst(body, mark))))
  } finally {
    await server.close()
    await rm(base, { recursive: true, force: true })
  }
}

function isFirst(body: Body, mark: string): boolean {
  const { messages } = body as unknown as { readonly messages?: readonly unknown[] }
  return messages?.length === 1 && JSON.stringify(messages[0]).includes(`"${mark}`)
}

function sizesOf(body: Body | undefined): Sizes {
  if (body === undefined) throw new Error('An agent made no request.')
  const { system, tools = [] } = body
  const text = Array.isArray(system)
    ? system.map(({ text }: { text: string }) => text).join('')
    : String(system)
  const sizes = tools.map(
    ({ name, description, input_schema }) =>
      [name, name.length + description.length + JSON.stringify(input_schema).length] as const,
  )
  return { system: text.length, tools: new Map(sizes) }
}

const [main, general, explore] = await firstRequests(['general-purpose', 'Explore'], [])
const [coordinator] = await firstRequests([], ['--coordinator'])
const columns = { main, 'general-purpose': general, Explore: explore, coordinator }
const names = [...new Set(Object.values(columns).flatMap((sizes) => [...(sizes?.tools.keys() ?? [])]))]
const row = (name: string, cell: (sizes: Sizes) => number | undefined) =>
  `| ${[name, ...Object.values(columns).map((sizes) => (sizes && cell(sizes)) ?? '')].join(' | ')} |`
const toolsOf = ({ tools }: Sizes) => [...tools.values()].reduce((sum, size) => sum + size, 0)
console.log(
  [
    `| characters | ${Object.keys(columns).join(' | ')} |`,
    `| --- |${' ---: |'.repeat(Object.keys(columns).length)}`,
    row('system prompt', ({ system }) => system),
    ...names.map((name) => row(name, ({ tools }) => tools.get(name))),
    row('all tools', toolsOf),
    row('tokens, about', (sizes) => Math.round((sizes.system + toolsOf(sizes)) / 4)),
  ].join('\n'),
)

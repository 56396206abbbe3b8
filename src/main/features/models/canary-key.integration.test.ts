/** A key that nobody else has is searched for in all that a run leaves, prints, and hands to other programs. */
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type CommandLine, commandLine } from '../../testing/command-line.ts'
import { startScriptedServer } from '../rehearsal/feature.ts'
import { loadScenario } from '../rehearsal/scenario.ts'

const BYPASS = ['--permission-mode', 'bypassPermissions']

/** The files with the text, also gzipped ones as far as they hold it in the clear. */
async function filesWith(text: string, ...folders: string[]): Promise<readonly string[]> {
  const found: string[] = []
  for (const folder of folders)
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      if (entry.isFile() && (await readFile(path)).includes(text)) found.push(path)
    }
  return found
}

const allOf = ({ folder, dataFolder, home }: CommandLine) => [folder, dataFolder, home] as const

test('commands, hooks and MCP servers do not get the key, and no file, event or message holds it', async () => {
  const key = `sk-ant-canary-${randomUUID()}`
  const director = loadScenario(`
steps:
  - agent: /Look around/
    turn: 1
    reply:
      - tool: Bash
        input: { command: "env > of-command.txt; cat /proc/$PPID/environ /proc/self/environ >> of-command.txt; env" }
  - agent: /Look around/
    reply: "Seen: {{results}}"
  - turn: 1
    reply:
      - tool: Agent
        input: { description: Look around, prompt: Look around }
      - tool: Bash
        input: { command: "env > of-background.txt", run_in_background: true }
  - reply: "Done: {{results}}"
`)
  if (!director.ok) throw new Error(director.failure.message)
  const server = await startScriptedServer({ director: director.value, requireKey: key })
  onTestFinished(() => server.close())
  const cli = await commandLine((folder) => ({ trustedFolders: [folder], bypassFolders: [folder] }))
  const hook = { matcher: '*', hooks: [{ type: 'command', command: 'env >> of-hook.txt' }] }
  await mkdir(join(cli.home, '.claude'))
  await writeFile(
    join(cli.home, '.claude', 'settings.json'),
    JSON.stringify({ hooks: { PreToolUse: [hook], Stop: [hook] } }),
  )
  const mcp = join(cli.home, 'mcp.json')
  const args = ['-c', `env > ${join(cli.folder, 'of-server.txt')}; exit 1`]
  await writeFile(mcp, JSON.stringify({ mcpServers: { spy: { command: 'sh', args } } }))
  const environment = { ANTHROPIC_BASE_URL: server.baseUrl, ANTHROPIC_API_KEY: key }
  const run = await cli.run(
    ['run', 'Look', '--json', '--mcp-config', mcp, '--allow', 'Bash', ...BYPASS],
    environment,
  )
  expect(run.code, run.errors).toBe(0)
  const { conversationId } = JSON.parse(run.output.trimEnd().split('\n').at(-1) ?? '') as {
    conversationId: string
  }
  const shown = await cli.run(['conversations', 'show', conversationId, '--json'], environment)
  expect(shown.code).toBe(0)

  // Each of them was there to see it.
  const seen = await readdir(cli.folder)
  expect(seen).toEqual(expect.arrayContaining(['of-command.txt', 'of-hook.txt', 'of-server.txt']))
  expect(await readFile(join(cli.folder, 'of-hook.txt'), 'utf8')).toContain('HOME=')
  expect(await filesWith(key, ...allOf(cli))).toEqual([])
  expect(run.output + run.errors + shown.output).not.toContain(key)
  expect(server.requests.map(({ text }) => text).join()).not.toContain(key)
})

/** A server that repeats the key that it was sent, as some gateways do. */
async function repeatingServer(answer: (key: string) => { status: number; type: string; body: string }) {
  const server: Server = createServer((request, response) => {
    const { status, type, body } = answer(String(request.headers['x-api-key']))
    request.resume().once('end', () => response.writeHead(status, { 'content-type': type }).end(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const errorOf = (key: string) =>
  JSON.stringify({
    type: 'error',
    error: { type: 'invalid_request_error', message: `${key} is no good key` },
  })

test.each([
  [
    'in the error of the API',
    (key: string) => ({ status: 400, type: 'application/json', body: errorOf(key) }),
  ],
  [
    'in a refusal of the key',
    (key: string) => ({ status: 401, type: 'application/json', body: errorOf(key) }),
  ],
  [
    'in the text of another server',
    (key: string) => ({ status: 403, type: 'text/plain', body: `Unknown key ${key}` }),
  ],
  [
    'in an event of the stream',
    (key: string) => ({
      status: 200,
      type: 'text/event-stream',
      body: `event: error\ndata: ${errorOf(key)}\n\n`,
    }),
  ],
] as const)('a key that the server repeats %s is hidden', async (_where, answer) => {
  const key = `sk-ant-canary-${randomUUID()}`
  const address = await repeatingServer(answer)
  const cli = await commandLine((folder) => ({ trustedFolders: [folder] }))
  const run = await cli.run(['run', 'Look', '--json'], {
    ANTHROPIC_BASE_URL: address,
    ANTHROPIC_API_KEY: key,
  })
  expect(run.code).toBeOneOf([1, 3])
  expect(run.output + run.errors).not.toContain(key)
  expect(await filesWith(key, ...allOf(cli))).toEqual([])
})

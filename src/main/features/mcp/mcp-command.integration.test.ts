/** `troupe mcp …` with real servers. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defaultSettings } from '../../../shared/settings/settings.ts'
import { composeRuntime } from '../../features.ts'
import { type CommandLine, commandLine } from '../../testing/command-line.ts'
import { parseLine } from '../../testing/parse-line.ts'
import { type McpCommand, mcpCommand } from './mcp-command.ts'

const SERVER = join(import.meta.dirname, 'testing/bad-server.mjs')
const configuration = (kind: string) =>
  JSON.stringify({ mcpServers: { helper: { command: process.execPath, args: [SERVER, kind] } } })

test('a server of a project is listed, started only after an approval, and asked about again after a change', async () => {
  const cli = await commandLine((folder) => ({ trustedFolders: [folder] }))
  await cli.write({ '.mcp.json': configuration('plain') })
  // The program itself once; the others without a process of their own.
  const listed = await cli.run(['mcp', 'list'])
  expect(listed.output).toContain('helper  new, waits for approval: troupe mcp approve helper')
  expect(listed.output).toContain('.mcp.json:1')
  const early = await run(cli, ['mcp', 'test', 'helper'])
  expect(early).toMatchObject({ code: 1, output: '' })
  expect(early.errors).toContain('waits for approval and was not started. Run: troupe mcp approve helper')

  const approved = await run(cli, ['mcp', 'approve', 'helper'])
  expect(approved).toMatchObject({ code: 0, errors: '' })
  expect(approved.output).toContain('helper is approved.')
  const tested = await run(cli, ['mcp', 'test', 'helper'])
  expect(tested).toMatchObject({ code: 0 })
  expect(tested.output).toContain('2 tools\n  echo\n  pid')

  await cli.write({ '.mcp.json': configuration('dies') })
  const changed = await run(cli, ['mcp', 'list', '--json'])
  expect(JSON.parse(changed.output)).toMatchObject({
    type: 'mcp-server',
    name: 'helper',
    status: { kind: 'waits', former: { args: [SERVER, 'plain'] } },
  })
  const refused = await run(cli, ['mcp', 'refuse', 'helper'])
  expect(refused.output).toContain('helper is off.')
  expect((await run(cli, ['mcp', 'list'])).output).toContain('helper  off')
})

test('a server that fails says why; an unknown one names those that exist', async () => {
  const cli = await commandLine((folder) => ({ trustedFolders: [folder] }))
  await cli.write({ '.mcp.json': configuration('dies') })
  await run(cli, ['mcp', 'approve', 'helper'])
  const failed = await run(cli, ['mcp', 'test', 'helper'])
  expect(failed.code).toBe(1)
  expect(failed.errors).toContain('cannot start')
  const unknown = await run(cli, ['mcp', 'test', 'helpr'])
  expect(unknown).toMatchObject({ code: 1 })
  expect(unknown.errors).toContain('No MCP server here is named "helpr". There are: helper.')
})

test('without trust the folder’s own servers do not count', async () => {
  const cli = await commandLine()
  await cli.write({ '.mcp.json': configuration('plain') })
  expect((await run(cli, ['mcp', 'list'])).output).toContain('The folder is not trusted')
  expect((await run(cli, ['mcp', 'list', '--trust'])).output).toContain('waits for approval')
})

test('a server is added, refused a second time, and removed; the rest of the file stays', async () => {
  const cli = await commandLine((folder) => ({ trustedFolders: [folder] }))
  const file = '{\n    "mcpServers" : {\n        "old": {"url":"https://x.invalid/mcp"}\n    }\n}\n'
  await cli.write({ '.mcp.json': file })
  const text = () => readFile(join(cli.folder, '.mcp.json'), 'utf8')
  const add = ['mcp', 'add', 'helper', '--env', 'A=b', '--', process.execPath, SERVER, 'plain']
  expect(await run(cli, add)).toMatchObject({ code: 0, errors: '' })
  expect(await text()).toContain('"old": {"url":"https://x.invalid/mcp"},\n        "helper": {\n')
  expect(await run(cli, ['mcp', 'test', 'helper'])).toMatchObject({ code: 0 })
  const twice = await run(cli, add)
  expect(twice).toMatchObject({ code: 1 })
  expect(twice.errors).toContain('There is already an MCP server "helper"')
  expect((await run(cli, ['mcp', 'remove', 'helper'])).output).toContain('helper is removed from')
  expect(await text()).toBe(file)

  await cli.write({ '.mcp.json': '{ // comment\n' })
  const broken = await run(cli, add)
  expect(broken.errors).toContain('.mcp.json is unchanged. It is not valid JSON')
  expect(await text()).toBe('{ // comment\n')
  expect(await run(cli, ['mcp', 'add', 'mine', '--place', 'user', 'https://x.invalid/mcp'])).toMatchObject({
    code: 0,
  })
  expect(JSON.parse(await readFile(join(cli.home, '.claude', 'settings.json'), 'utf8'))).toEqual({
    mcpServers: { mine: { type: 'http', url: 'https://x.invalid/mcp' } },
  })
})

test('wrong arguments say what is right', () => {
  const failed = (...args: readonly string[]) => {
    const parsed = parseLine(['mcp', ...args])
    return parsed.ok ? null : parsed.failure.message
  }
  expect(failed()).toContain('Use troupe mcp list, test, approve, refuse, add or remove.')
  expect(failed('start')).toContain('not "start"')
  expect(failed('test')).toContain('troupe mcp test NAME')
  expect(failed('approve', 'a', 'b')).toContain('troupe mcp approve NAME')
  expect(failed('list', 'a')).toContain('takes none')
  expect(failed('add', 'a')).toContain('troupe mcp add NAME URL')
  expect(failed('add', 'my server', 'https://x')).toContain('letters, digits')
  expect(failed('add', 'a', 'htps://x')).toContain('not an http address')
  expect(failed('add', 'a', 'node', '--header', 'a: b')).toContain('belongs to an address')
  expect(failed('add', 'a', 'node', '--env', 'b')).toContain('NAME=value')
  expect(failed('add', 'a', 'node', '--place', 'x')).toContain('project, local or user')
  expect(failed('list', '--bogus')).toContain('--bogus')
})

async function run({ folder, home, dataFolder }: CommandLine, args: readonly string[]) {
  const parsed = parseLine<McpCommand & { readonly trust: boolean }>(args)
  if (!parsed.ok) throw new Error(parsed.failure.message)
  const root = join(import.meta.dirname, '../../../..')
  const written = JSON.parse(await readFile(join(dataFolder, 'settings.json'), 'utf8')) as object
  const trusted = parsed.value.trust ? { trustedFolders: [folder] } : {}
  const program = await composeRuntime({
    dataFolder,
    home,
    environment: { PATH: process.env['PATH'], HOME: home },
    settings: { current: { ...defaultSettings, ...written, ...trusted } },
    agentsFolder: join(root, 'agents'),
    docsFolder: join(root, 'docs'),
    rehearsal: { pace: 0, scenarioFile: null },
  })
  const output: string[] = []
  const errors: string[] = []
  try {
    const code = await mcpCommand(parsed.value, {
      state: program.mcp.state,
      dispatch: program.dispatch,
      folder,
      trusted: program.policy.trusted(folder),
      output: { write: (text) => output.push(text) },
      errors: { write: (text) => errors.push(text) },
    })
    return { code, output: output.join(''), errors: errors.join('') }
  } finally {
    await program.close()
  }
}

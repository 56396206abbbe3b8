import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createPluginParts, readPluginParts } from './plugin-parts.ts'

let root: string
let plugin: string

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'troupe-plugin-')))
  plugin = join(root, 'tidy')
})
afterEach(() => rm(root, { recursive: true, force: true }))

async function put(path: string, value: unknown): Promise<void> {
  const file = join(root, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, typeof value === 'string' ? value : JSON.stringify(value))
}

const hook = { PreToolUse: [{ hooks: [{ type: 'command', command: 'scripts/check.sh' }] }] }

test('hooks and MCP servers are read from the usual files', async () => {
  await put('tidy/hooks/hooks.json', { description: 'Checks', hooks: hook })
  await put('tidy/.mcp.json', { mcpServers: { db: { command: 'db' } } })
  expect(await readPluginParts(plugin)).toEqual({
    plugin: 'tidy',
    root: plugin,
    hooks: [{ file: join(plugin, 'hooks/hooks.json'), value: { description: 'Checks', hooks: hook } }],
    mcpServers: [{ file: join(plugin, '.mcp.json'), value: { db: { command: 'db' } } }],
    problems: [],
  })
})

test('the manifest may hold both, or name files of the plugin', async () => {
  await put('tidy/.claude-plugin/plugin.json', {
    name: 'neat',
    hooks: './more/hooks.json',
    mcpServers: { db: { command: 'db' } },
  })
  await put('tidy/more/hooks.json', { hooks: hook })
  expect(await readPluginParts(plugin)).toMatchObject({
    plugin: 'neat',
    hooks: [{ value: { hooks: hook } }],
    mcpServers: [{ file: join(plugin, '.claude-plugin/plugin.json'), value: { db: { command: 'db' } } }],
  })
})

test('files outside the plugin and broken files are problems, and nothing of them applies', async () => {
  await put('hooks.json', { hooks: hook })
  await put('tidy/.claude-plugin/plugin.json', { hooks: '../hooks.json' })
  await put('tidy/.mcp.json', '{')
  expect(await readPluginParts(plugin)).toMatchObject({
    hooks: [],
    mcpServers: [],
    problems: [expect.stringContaining('outside its folder'), expect.stringContaining('not valid JSON')],
  })
})

test('a folder that is gone brings nothing', async () => {
  await put('tidy/.mcp.json', { db: { command: 'db' } })
  const parts = createPluginParts(() => [plugin, join(root, 'gone')])
  expect(await parts('/work')).toMatchObject([{ plugin: 'tidy' }])
})

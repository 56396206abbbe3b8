// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text of files looks like templates
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { SetupItem, SetupReport } from '../../../shared/setup/setup.ts'
import { type CommandLine, commandLine } from '../../testing/command-line.ts'

async function put(base: string, files: Readonly<Record<string, string | object>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(base, path)), { recursive: true })
    await writeFile(join(base, path), typeof content === 'string' ? content : JSON.stringify(content))
  }
}

async function setupOf(cli: CommandLine, environment: NodeJS.ProcessEnv = {}): Promise<SetupReport> {
  const { code, output, errors } = await cli.run(['doctor', '--json'], environment)
  expect(code, errors).toBe(0)
  return JSON.parse(output) as SetupReport
}

const find = ({ items }: SetupReport, shown: string): SetupItem => {
  const found = items.find((item) => item.shown === shown)
  if (found === undefined) throw new Error(`${shown} is not in ${items.map((item) => item.shown).join(', ')}`)
  return found
}

test('every file of the setup is listed with what counts of it and why the rest does not', async () => {
  const cli = await commandLine((folder) => ({ trustedFolders: [folder] }))
  await put(cli.home, {
    '.claude/settings.json': {
      ...{ language: 'German', outputStyle: 'Terse', plansDirectory: './plans', spinner: true },
      hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'true' }] }] },
    },
    '.claude/CLAUDE.md': 'mine',
    '.claude/rules/a.md': 'a rule',
    '.claude/rules/b.md': '---\npaths: src/**\n---\nb',
    '.claude/agents/good.md': '---\nname: good\ndescription: Good\n---\nBe good.',
    '.claude/agents/notes.md': 'no agent',
    '.claude/skills/dust/SKILL.md': '---\ndescription: Dusts\n---\nDust.',
    '.claude/skills/empty/notes.txt': '',
    '.claude/commands/fix.md': 'Fix.',
    '.claude/output-styles/terse.md': '---\nname: Terse\n---\nBe terse.',
    '.claude/output-styles/other.md': 'x',
    '.claude/keybindings.json': '{}',
    '.cursor/mcp.json': {
      mcpServers: {
        hub: { command: 'hub', env: { KEY: '${env:HUB}' } },
        off: { command: 'x', disabled: true },
      },
    },
    '.codex/config.toml':
      '[mcp_servers.docs]\nurl = "https://docs.example.org/mcp"\nbearer_token_env_var = "DOCS"\n',
    '.gemini/settings.json': { mcpServers: { old: { url: 'https://example.org/sse' } } },
  })
  await put(cli.folder, {
    'CLAUDE.md': 'ours',
    'CLAUDE.local.md': '',
    'GEMINI.md': 'x',
    '.claude/settings.json': { permissions: { allow: ['Bash(ls)'] }, env: { A: '1' } },
    '.claude/settings.local.json': '{ broken',
    '.mcp.json': { mcpServers: { one: { command: 'true' } } },
    '.vscode/mcp.json': { servers: { vs: { command: 'x', args: ['${input:token}'] } } },
    '.cursor/rules/a.mdc': 'x',
  })
  const report = await setupOf(cli, { NPM_TOKEN: 'x' })
  expect(report).toMatchObject({ folder: cli.folder, trusted: true })
  const states = Object.fromEntries(report.items.map(({ shown, what, state }) => [shown || what, state]))
  expect(states).toMatchObject({
    ...{ '~/.claude/CLAUDE.md': 'used', '~/.claude/rules/ (2 files)': 'used', 'CLAUDE.md': 'used' },
    ...{ 'CLAUDE.local.md': 'not-used', '~/.claude/agents/ (2 files)': 'partly' },
    ...{ '~/.claude/skills/ (2 files)': 'partly', '~/.claude/commands': 'used' },
    ...{ '~/.claude/output-styles/terse.md': 'used', '~/.claude/output-styles/other.md': 'not-used' },
    ...{ '~/.claude/keybindings.json': 'not-used', '.claude/settings.local.json': 'not-used' },
    ...{ '.mcp.json': 'needs-you', '~/.cursor/mcp.json': 'not-imported', '.vscode/mcp.json': 'not-used' },
    ...{ '~/.codex/config.toml': 'not-imported', '~/.gemini/settings.json': 'not-imported' },
    ...{ '.cursor/rules': 'not-imported', 'GEMINI.md': 'not-imported', 'Variables of commands': 'partly' },
  })
  expect(find(report, '~/.claude/settings.json').notes).toEqual([
    '"plansDirectory" has no effect: a plan is kept in its conversation.',
    '"spinner" has no effect: Troupe does not know it.',
  ])
  const project = find(report, '.claude/settings.json')
  expect(project.state).toBe('partly')
  expect(project.notes.join('\n')).toMatch(/"env" has no effect[\s\S]*loosen permissions/)
  expect(find(report, '.vscode/mcp.json').notes[0]).toContain('asks for the input token')
  // Nothing that does not count is without a reason.
  for (const { state, notes } of report.items) if (state !== 'used') expect(notes.length).toBeGreaterThan(0)

  const text = (await cli.run(['doctor'])).output
  expect(text).toContain(
    'Partly used  Settings  ~/.claude/settings.json: 3 of 5 keys. No effect: plansDirectory, spinner\n',
  )
  expect(text).toContain(
    `See and import 1 rule with: troupe doctor import "${join(cli.folder, 'GEMINI.md')}"\n`,
  )
})

test('of an untrusted folder each file is named, and that it is not read', async () => {
  const cli = await commandLine()
  await put(cli.folder, {
    'CLAUDE.md': 'ours',
    '.claude/settings.json': { language: 'German' },
    '.claude/agents/a.md': '---\nname: a\ndescription: x\n---\nx',
    '.mcp.json': { mcpServers: { one: { command: 'true' } } },
  })
  const report = await setupOf(cli)
  const project = report.items.filter(({ group }) => group === 'project')
  expect(project.map(({ shown }) => shown).toSorted()).toEqual([
    '.claude/agents',
    '.claude/settings.json',
    '.mcp.json',
    'CLAUDE.md',
  ])
  for (const { state, details } of project)
    expect([state, details]).toEqual(['not-used', expect.stringContaining('not trusted')])
})

test('servers and rules of other programs are shown, imported, and taken back', async () => {
  const cli = await commandLine((folder) => ({ trustedFolders: [folder] }))
  await put(cli.home, {
    '.claude/settings.json': { mcpServers: { mine: { command: 'false', args: [] } } },
    '.cursor/mcp.json': {
      mcpServers: { hub: { command: 'false', env: { KEY: '${env:HUB}' } }, mine: { command: 'false' } },
    },
    '.codex/config.toml':
      '[mcp_servers.docs]\ncommand = "false"\nargs = ["a", "b"]\n[mcp_servers.docs.env]\nA = "1"\n',
  })
  await put(cli.folder, {
    '.cursor/rules/api.mdc': '---\nglobs: src/api/**, *.sql\nalwaysApply: false\n---\nBe exact.\n',
  })
  const rule = join(cli.folder, '.claude', 'rules', 'cursor', 'api.md')
  const settings = async () => JSON.parse(await readFile(join(cli.home, '.claude', 'settings.json'), 'utf8'))

  // Without a word of the user nothing is written.
  const asked = await cli.run(['doctor', 'import', join(cli.folder, '.cursor', 'rules')])
  expect(asked).toMatchObject({ code: 2, errors: expect.stringContaining('Add --yes') })
  expect(asked.output).toContain(
    '.cursor/rules/api.mdc becomes .claude/rules/cursor/api.md, for src/api/**, *.sql\n    ---\n    paths:\n',
  )
  await expect(readFile(rule)).rejects.toThrow('ENOENT')

  expect(await cli.run(['doctor', 'import', '--all', '--yes'])).toMatchObject({
    code: 0,
    output: expect.stringContaining('Imported 2 servers and 1 rule.'),
  })
  expect((await settings()).mcpServers).toEqual({
    mine: { command: 'false', args: [] },
    hub: { command: 'false', args: [], env: { KEY: '${HUB}' } },
    docs: { command: 'false', args: ['a', 'b'], env: { A: '1' } },
  })
  const after = await setupOf(cli)
  expect(find(after, '~/.cursor/mcp.json')).toMatchObject({
    state: 'used',
    details: '2 servers: 1 imported, 1 the same as yours',
    imports: { servers: 0, rules: 0, done: 1 },
  })
  // The rule is not asked about once more: the user saw it before the import.
  expect(find(after, '.claude/rules').notes).toEqual([])
  expect(await cli.run(['doctor', 'undo', '~/.cursor/mcp.json'])).toMatchObject({
    code: 0,
    output: 'Removed hub.\n',
  })
  expect(Object.keys((await settings()).mcpServers)).toEqual(['mine', 'docs'])
})

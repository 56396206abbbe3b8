/** What Settings › Permissions lists, changes and tests. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defaultSettings } from '../../../shared/settings/settings.ts'
import { type ComposedRuntime, composeRuntime } from '../../features.ts'
import { type CommandLine, commandLine } from '../../testing/command-line.ts'
import { ruleProblem } from './listed-rules.ts'

const own = (rule: string) => ({ source: 'user', list: 'allow', text: rule }) as const

async function withFiles(files: Readonly<Record<string, object | string>>, trusts = true) {
  const cli = await commandLine(() => ({}))
  const texts = Object.entries(files).map(([path, value]) => [
    path,
    typeof value === 'string' ? value : JSON.stringify(value, null, 2),
  ])
  await cli.write(Object.fromEntries(texts))
  return { cli, program: await compose(cli, trusts) }
}

function compose({ dataFolder, home, folder }: CommandLine, trusts: boolean): Promise<ComposedRuntime> {
  const root = join(import.meta.dirname, '../../../..')
  return composeRuntime({
    dataFolder,
    home,
    environment: { PATH: process.env['PATH'], HOME: home },
    settings: { current: { ...defaultSettings, trustedFolders: trusts ? [folder] : [] } },
    agentsFolder: join(root, 'agents'),
    docsFolder: join(root, 'docs'),
    managedSettings: [join(folder, 'managed.json')],
    rehearsal: { pace: 0, scenarioFile: null },
  })
}

test('all entries are listed in the order in which they count, with what is locked and what has no effect', async () => {
  const { cli, program } = await withFiles({
    'managed.json': { permissions: { deny: ['Bash(git push:*)'] } },
    '.claude/settings.json': {
      permissions: { ask: ['Edit(docs/**)'], allow: ['Bash(make)'], deny: ['Read(', 'is this a rule'] },
    },
    '.claude/settings.local.json': { permissions: { additionalDirectories: ['../other'] } },
  })
  await program.rules.allow(cli.folder, 'Bash(git push --dry-run:*)')
  const { entries, files } = await program.settingsFiles.rules(cli.folder)
  expect(entries[0]).toMatchObject({
    list: 'deny',
    text: 'Bash(git push:*)',
    source: 'managed',
    unused: null,
  })
  const rows = entries.map(({ list, text, locked, unused }) => [
    list,
    text,
    locked === null ? 'open' : 'locked',
    unused ?? 'counts',
  ])
  expect(rows).toEqual([
    ['deny', 'Bash(git push:*)', 'locked', 'counts'],
    ['deny', 'Read(', 'locked', expect.stringContaining('Until it is corrected, Troupe asks about Read.')],
    ['deny', 'is this a rule', 'locked', expect.stringContaining('names no tool')],
    ['ask', 'Edit(docs/**)', 'locked', 'counts'],
    [
      ...['allow', 'Bash(git push --dry-run:*)', 'open'],
      'It never counts: Bash(git push:*) in managed.json:4 denies these calls first.',
    ],
    ['allow', 'Bash(make)', 'locked', expect.stringContaining("can't loosen permissions")],
    ['additionalDirectories', '../other', expect.any(String), expect.any(String)],
  ])
  expect(files.map(({ shown, problem }) => [shown, problem])).toEqual([
    [expect.stringMatching(/settings\.json$/), null],
    ['~/.claude/settings.json', null],
    ['.claude/settings.local.json', null],
  ])
  await program.close()
})

test('a rule is added and removed, and counts at once', async () => {
  const { cli, program } = await withFiles({})
  const { settingsFiles } = program
  const decision = async () => {
    const question = {
      folder: cli.folder,
      call: 'WebFetch(https://docs.example.com)',
      agent: 'main',
      mode: 'default',
    } as const
    const tested = await settingsFiles.testCall(question)
    return tested.ok ? tested.value.decision : tested.failure.message
  }
  expect(await decision()).toBe('ask')
  const to = own('WebFetch(domain:*.example.com)')
  // Calls that wait for the user are decided again.
  const told: (string | null)[] = []
  program.rules.watch(cli.folder, (rule) => told.push(rule))
  expect(await settingsFiles.editRule(cli.folder, { from: null, to })).toMatchObject({ ok: true })
  expect(told).toEqual([to.text])
  expect(await decision()).toBe('allow')
  const file = join(cli.home, '.claude/settings.json')
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
    permissions: { allow: ['WebFetch(domain:*.example.com)'] },
  })
  await settingsFiles.editRule(cli.folder, { from: to, to: { ...to, list: 'deny' } })
  expect(await decision()).toBe('deny')
  await settingsFiles.editRule(cli.folder, { from: { ...to, list: 'deny' }, to: null })
  expect(await decision()).toBe('ask')
  await program.rules.allow(cli.folder, 'WebFetch(domain:docs.example.com)')
  expect(await decision()).toBe('allow')
  const saved = { source: 'saved', list: 'allow', text: 'WebFetch(domain:docs.example.com)' } as const
  await settingsFiles.editRule(cli.folder, { from: saved, to: null })
  expect(await decision()).toBe('ask')
  expect(await settingsFiles.editRule(cli.folder, { from: null, to: own('Bahs(ls)') })).toMatchObject({
    failure: {
      type: 'bad-rule',
      message: 'The rule "Bahs(ls)" names the unknown tool Bahs. Write "Bash(ls)".',
    },
  })
  await program.close()
})

test('an untrusted folder has no local rules', async () => {
  const { cli, program } = await withFiles({}, false)
  const to = { source: 'local', list: 'allow', text: 'Bash(ls)' } as const
  expect(await program.settingsFiles.editRule(cli.folder, { from: null, to })).toMatchObject({
    failure: { type: 'untrusted' },
  })
  const { files } = await program.settingsFiles.rules(cli.folder)
  expect(files.find(({ source }) => source === 'local')?.problem).toContain('not trusted')
  await program.close()
})

test.each([
  ['what is this', /names no tool/],
  ['Forecast', /There is no tool Forecast/],
  ['forecast', null],
  ['WebFetch(https://example.com)', /Write "WebFetch\(domain:example.com\)"/],
  ['Bash()', /brackets/],
  ['Read(src', /brackets/],
  ['Raed(src/**)', /Write "Read\(src\/\*\*\)"/],
  ['Bash(npm run:*)', null],
  ['mcp__github', null],
  ['MultiEdit(src/**)', null],
])('the rule %s', (text, problem) => {
  const found = ruleProblem(text, 'allow', ['Bash', 'Read', 'Edit', 'forecast'])
  if (problem === null) expect(found).toBeNull()
  else expect(found).toMatch(problem)
})

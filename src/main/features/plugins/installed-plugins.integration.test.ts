import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { ok } from '../../../shared/kernel/result.ts'
import { defaultSettings, type PluginEntry } from '../../../shared/settings/settings.ts'
import { createGit } from '../../platform/git/git-client.ts'
import { createNpm } from '../external-agents/catalog/npm.ts'
import { startPackageRegistry } from '../external-agents/catalog/testing/package-registry.ts'
import { createInstalledPlugins } from './installed-plugins.ts'

let root: string
let entries: readonly PluginEntry[]
let registry: string | null = null

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'troupe-plugins-')))
  entries = []
})
afterEach(() => rm(root, { recursive: true, force: true }))

async function put(path: string, value: unknown): Promise<void> {
  const file = join(root, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, typeof value === 'string' ? value : JSON.stringify(value))
}

const plugins = (turnedOff: readonly string[] = []) =>
  createInstalledPlugins({
    dataFolder: join(root, 'data'),
    settings: {
      get current() {
        return { ...defaultSettings, plugins: [...entries] }
      },
      change: async (patch) => {
        entries = patch.plugins ?? entries
        return ok({ ...defaultSettings, plugins: [...entries] })
      },
    },
    git: createGit({ environment: { PATH: process.env['PATH'] ?? '', HOME: root } }),
    npm: createNpm({
      path: process.env['PATH'] ?? '',
      node: process.execPath,
      environment: { PATH: process.env['PATH'] ?? '', HOME: root, npm_config_registry: registry ?? '' },
      platform: process.platform,
    }),
    turnedOff,
  })

function git(folder: string, ...args: string[]): void {
  const who = ['-c', 'user.name=Ana', '-c', 'user.email=a@example.org', '-c', 'commit.gpgSign=false']
  execFileSync('git', [...who, ...args], { cwd: join(root, folder), stdio: 'pipe' })
}
function commit(folder: string): void {
  git(folder, 'init', '-q')
  git(folder, 'add', '-A')
  git(folder, 'commit', '-qm', 'State')
}

async function tidyIn(folder: string): Promise<void> {
  await put(`${folder}/.claude-plugin/plugin.json`, { name: 'tidy', description: 'Tidies up' })
  await put(`${folder}/agents/sweeper.md`, '---\nname: sweeper\ndescription: Sweeps\n---\nSweep.')
  await put(`${folder}/skills/dust/SKILL.md`, 'Dust.')
  await put(`${folder}/commands/clean.md`, 'Clean.')
  await put(`${folder}/hooks/hooks.json`, {
    hooks: { Stop: [{ hooks: [{ type: 'command', command: './sweep.sh' }] }] },
  })
  await put(`${folder}/.mcp.json`, { mcpServers: { broom: { command: 'broom' } } })
}

test('a folder is shown with what it brings, and used only with the approved digest', async () => {
  await tidyIn('tidy')
  const installed = plugins()
  const added = await installed.add(join(root, 'tidy'))
  if (!added.ok) throw new Error(added.failure.message)
  expect(added.value).toMatchObject({
    name: 'tidy',
    description: 'Tidies up',
    state: 'disabled',
    source: null,
    parts: [
      { kind: 'agent', name: 'sweeper', runs: null },
      { kind: 'skill', name: 'dust', runs: null },
      { kind: 'command', name: 'clean', runs: null },
      { kind: 'hook', runs: './sweep.sh' },
      { kind: 'mcp-server', name: 'broom', runs: '{"command":"broom"}' },
    ],
    problems: [],
  })
  expect([installed.enabled(), installed.approved()]).toEqual([[], []])
  expect(await installed.enable('tidy', 'wrong')).toMatchObject({ ok: false })
  expect(installed.enabled()).toEqual([])
  expect(await installed.enable('tidy', added.value.digest ?? '')).toMatchObject({ ok: true })
  expect(installed.approved()).toEqual([join(root, 'tidy')])
  expect(await installed.disable('tidy')).toMatchObject({ ok: true })
  expect(installed.enabled()).toEqual([])
})

test.each<[string, () => Promise<unknown>]>([
  ['changed', () => put('tidy/hooks/hooks.json', { hooks: {} })],
  ['added', () => put('tidy/agents/other.md', 'x')],
  ['removed', () => rm(join(root, 'tidy/agents/sweeper.md'))],
  ['nested', () => put('tidy/a/.git/x', 'x').then(() => put('tidy/a/y', ''))],
  ['git', () => put('tidy/.git/run.sh', 'x')],
  ['linked', () => symlink('/etc/passwd', join(root, 'tidy/agents/link.md'))],
])('%s content turns the plugin off until it is enabled again', async (_name, change) => {
  await tidyIn('tidy')
  const installed = plugins()
  const added = await installed.add(join(root, 'tidy'))
  await installed.enable('tidy', added.ok ? (added.value.digest ?? '') : '')
  expect(installed.approved()).toHaveLength(1)
  await change()
  expect([installed.enabled(), installed.approved()]).toEqual([[], []])
  // A linked file gives it no digest at all.
  expect(installed.changed()).toEqual([join(root, 'tidy')])
  const [shown] = await installed.list()
  expect(shown?.state).toBe('changed')
  await installed.enable('tidy', shown?.digest ?? '')
  expect(installed.approved()).toHaveLength(1)
  expect(installed.changed()).toEqual([])
})

test.each<[string, () => Promise<unknown>]>([
  ['__pycache__ of the guard', () => put('tidy/hooks/__pycache__/guard.cpython-312.pyc', 'x')],
  ['.pytest_cache', () => put('tidy/.pytest_cache/README.md', 'x')],
  ['a log beside the guard', () => put('tidy/hooks/guard.log', 'x')],
  ['a record of what it saw', () => put('tidy/state.json', '{}')],
  ['a database', () => put('tidy/data/seen.sqlite3', 'x')],
])('%s, which a run leaves behind, turns nothing off', async (_name, leave) => {
  await tidyIn('tidy')
  const added = await plugins().add(join(root, 'tidy'))
  await plugins().enable('tidy', added.ok ? (added.value.digest ?? '') : '')
  await leave()
  // Another start of the program.
  expect(plugins().approved()).toHaveLength(1)
  await leave().then(() => put('tidy/hooks/guard.log', 'more'))
  expect(plugins().approved()).toHaveLength(1)
  expect(await plugins().list()).toMatchObject([{ state: 'enabled' }])
})

test.each<[string, () => Promise<unknown>]>([
  ['a module that the guard would load', () => put('tidy/hooks/json.py', 'x')],
  ['code in a cache', () => put('tidy/.cache/run.mjs', 'x')],
  ['a program', () => put('tidy/run.log', '#!/bin/sh').then(() => chmod(join(root, 'tidy/run.log'), 0o755))],
  ['a list of servers', () => put('tidy/mcp.json', '{}')],
  ['an npm package', () => put('tidy/package.json', '{}')],
  ['a file that the manifest names', () => put('tidy/config/more.json', '{}')],
  ['a changed record that was there', () => put('tidy/known.json', '{"changed":true}')],
  ['a missing record that was there', () => rm(join(root, 'tidy/known.json'))],
])('%s turns the plugin off', async (_name, change) => {
  await tidyIn('tidy')
  await put('tidy/known.json', '{}')
  await put('tidy/.claude-plugin/plugin.json', { name: 'tidy', hooks: './config/more.json' })
  const added = await plugins().add(join(root, 'tidy'))
  await plugins().enable('tidy', added.ok ? (added.value.digest ?? '') : '')
  expect(plugins().approved()).toHaveLength(1)
  await change()
  expect(plugins().approved()).toEqual([])
  expect(plugins().changed()).toEqual([join(root, 'tidy')])
  const [shown] = await plugins().list()
  await plugins().enable('tidy', shown?.digest ?? '')
  expect(plugins().approved()).toHaveLength(1)
})

test('a list of files can’t hide what was approved', async () => {
  await tidyIn('tidy')
  const added = await plugins().add(join(root, 'tidy'))
  const digest = added.ok ? (added.value.digest ?? '') : ''
  await plugins().enable('tidy', digest)
  await put(`data/plugin-files/${digest}.json`, [])
  expect(plugins().approved()).toHaveLength(1)
  await put('tidy/hooks/hooks.json', { hooks: {} })
  expect(plugins().approved()).toEqual([])
})

test('a plugin enabled by hand has agents and skills, and starts nothing', async () => {
  await tidyIn('tidy')
  entries = [{ path: join(root, 'tidy'), enabled: true }]
  const installed = plugins()
  expect(installed.enabled()).toHaveLength(1)
  expect(installed.approved()).toEqual([])
  expect(await installed.list()).toMatchObject([{ state: 'unapproved' }])
})

test('enabledPlugins turns a plugin off', async () => {
  await tidyIn('tidy')
  const added = await plugins().add(join(root, 'tidy'))
  await plugins().enable('tidy', added.ok ? (added.value.digest ?? '') : '')
  const installed = plugins(['tidy'])
  expect([installed.enabled(), installed.approved()]).toEqual([[], []])
  expect(await installed.list()).toMatchObject([{ state: 'turned-off' }])
})

test('a repository is fetched at one commit, without running anything, updated and removed', async () => {
  await tidyIn('repository')
  await symlink('/etc/passwd', join(root, 'repository/agents/leak.md'))
  await put('repository/post-checkout', `#!/bin/sh\ntouch ${root}/ran\n`)
  await chmod(join(root, 'repository/post-checkout'), 0o755)
  commit('repository')
  // Git's own settings of the user must not run hooks here.
  git('.', 'config', '--file', join(root, '.gitconfig'), 'core.hooksPath', join(root, 'repository'))
  const installed = plugins()
  const url = `file://${root}/repository`
  const added = await installed.add(url)
  if (!added.ok) throw new Error(added.failure.message)
  expect(added.value).toMatchObject({ name: 'tidy', state: 'disabled', source: { url, plugin: null } })
  expect(await readdir(root)).not.toContain('ran')
  expect(added.value.path.startsWith(join(root, 'data', 'plugins'))).toBe(true)
  await installed.enable('tidy', added.value.digest ?? '')
  expect(await installed.update('tidy')).toMatchObject({ value: { state: 'enabled' } })
  await put('repository/agents/sweeper.md', 'Changed.')
  commit('repository')
  expect(installed.approved()).toHaveLength(1)
  expect(await installed.update('tidy')).toMatchObject({ value: { state: 'changed' } })
  expect(installed.enabled()).toEqual([])
  expect(await readdir(join(root, 'data', 'plugins'))).toHaveLength(1)
  expect(await installed.remove('tidy')).toMatchObject({ ok: true })
  expect(await readdir(join(root, 'data', 'plugins'))).toEqual([])
  expect(entries).toEqual([])
})

test('a plugin of a marketplace is chosen by name', async () => {
  await tidyIn('market/plugins/tidy')
  await put('market/.claude-plugin/marketplace.json', {
    name: 'market',
    plugins: [
      { name: 'tidy', source: './plugins/tidy' },
      { name: 'out', source: '../..' },
    ],
  })
  commit('market')
  const installed = plugins()
  const url = `file://${root}/market`
  expect(await installed.add(url)).toMatchObject({
    failure: { message: expect.stringContaining('#NAME: tidy, out') },
  })
  expect(await installed.add(`${url}#out`)).toMatchObject({
    failure: { message: expect.stringContaining('outside its repository') },
  })
  expect(await installed.add(`${url}#other`)).toMatchObject({ ok: false })
  expect(await installed.add(`${url}#tidy`)).toMatchObject({ value: { name: 'tidy' } })
  expect(await installed.add(`${url}#tidy`)).toMatchObject({
    failure: { message: expect.stringContaining('already') },
  })
  expect(await readdir(join(root, 'data', 'plugins'))).toHaveLength(1)
  await installed.remove('tidy')
  expect(await readdir(join(root, 'data', 'plugins'))).toEqual([])
})

test.each(['--upload-pack=touch x', 'ext::sh -c touch% x', '/nowhere', ''])(
  'the source %j is refused',
  async (source) => {
    expect(await plugins().add(source)).toMatchObject({ ok: false })
    expect(entries).toEqual([])
  },
)

test('a clone has no git folder, and a login in an address is neither stored nor repeated', async () => {
  await tidyIn('repository')
  commit('repository')
  const installed = plugins()
  const added = await installed.add(`file://${join(root, 'repository')}`)
  expect(added).toMatchObject({ ok: true })
  expect(await readdir(entries[0]?.path ?? '')).not.toContain('.git')
  expect(await installed.update('tidy')).toMatchObject({ ok: true, value: { state: 'disabled' } })

  for (const login of ['me:hunter22', 'me:hun@ter22', ':hunter22', 'me:hunter22:x']) {
    const refused = await installed.add(`https://${login}@127.0.0.1:9/plugin.git#tidy`)
    expect(refused).toMatchObject({ ok: false, failure: { message: expect.stringContaining('credential') } })
    expect(JSON.stringify(refused)).not.toContain('ter22')
  }
  const tokens = ['https://127.0.0.1:9/x.git?private_token=hunter22', 'ssh://me:hunter22@127.0.0.1:9/x.git']
  const noAddresses = [
    'http://me:hunter22@h/x',
    'HTTPS://me:hunter22@h/x',
    'me:hunter22@h:x',
    'ext::me:hunter22@h',
  ]
  for (const address of [
    ...tokens,
    ...noAddresses,
    'https://me:hun/ter22@h/x',
    'git+ssh://me:hunter22@h/x',
  ]) {
    const refused = await installed.add(address)
    expect(refused).toMatchObject({ ok: false })
    expect(JSON.stringify(refused)).not.toContain('ter22')
    expect(JSON.stringify(await installed.remove(address))).not.toContain('ter22')
  }
  const unreachable = await installed.add('https://hunter22@127.0.0.1:9/plugin.git')
  expect(unreachable.ok).toBe(false)
  expect(JSON.stringify([unreachable, entries])).not.toContain('hunter22')

  entries = entries.map((one) => ({
    ...one,
    source: { url: 'https://me:hunter22@h/x', plugin: null, commit: 'c' },
  }))
  expect(JSON.stringify(await installed.list())).not.toContain('hunter22')
})

test('a plugin can’t be named like a parent folder', async () => {
  await tidyIn('tidy')
  for (const name of ['.', '..', '...', '../x', '/tmp/x', 'a/../b', '..\\x', '..\0', 'a\nb']) {
    await put('tidy/.claude-plugin/plugin.json', { name })
    const added = await plugins().add(join(root, 'tidy'))
    expect(added).toMatchObject({
      ok: false,
      failure: { message: expect.stringContaining(JSON.stringify(name)) },
    })
  }
})

test('a change of a file outside that a link of the plugin leads to turns the plugin off', async () => {
  await tidyIn('tidy')
  await put('outside.sh', 'true')
  await symlink(join(root, 'outside.sh'), join(root, 'tidy/sweep.sh'))
  const installed = plugins()
  const added = await installed.add(join(root, 'tidy'))
  await installed.enable('tidy', (added.ok && added.value.digest) || '')
  expect(installed.approved()).toHaveLength(1)
  await put('outside.sh', 'rm -rf ~')
  expect(installed.approved()).toEqual([])
  expect(installed.changed()).toHaveLength(1)

  await mkdir(join(root, 'folder'))
  await symlink(join(root, 'folder'), join(root, 'tidy/more'))
  expect((await installed.list())[0]?.problems.join()).toContain('link to something outside')
})

/** A marketplace with an entry for each form that the public schema knows. */
async function marketOfAllForms(): Promise<void> {
  for (const name of ['whole', 'mono/plugins/part', 'market/plugins/own', 'market/deep/bare'])
    await tidyIn(name)
  for (const [folder, name] of [
    ['whole', 'whole'],
    ['mono/plugins/part', 'part'],
    ['market/plugins/own', 'own'],
    ['market/deep/bare', 'bare'],
  ] as const)
    await put(`${folder}/.claude-plugin/plugin.json`, { name })
  for (const folder of ['whole', 'mono']) commit(folder)
  const first = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: join(root, 'mono') })
    .toString()
    .trim()
  await put('mono/plugins/part/agents/second.md', '---\nname: second\ndescription: x\n---\nx')
  git('mono', 'add', '-A')
  git('mono', 'commit', '-qm', 'More')
  git('mono', 'tag', 'v2')
  await put('mono/plugins/part/agents/third.md', '---\nname: third\ndescription: x\n---\nx')
  git('mono', 'add', '-A')
  git('mono', 'commit', '-qm', 'Even more')
  const at = (folder: string) => `file://${root}/${folder}`
  await put('market/.claude-plugin/marketplace.json', {
    name: 'market',
    metadata: { pluginRoot: './deep' },
    renames: { former: 'own' },
    plugins: [
      { name: 'own', source: './plugins/own' },
      { name: 'bare', source: 'bare' },
      { name: 'path', source: { source: 'path', path: './plugins/own' } },
      { name: 'url', source: { source: 'url', url: at('whole') } },
      { name: 'url-path', source: { source: 'url', url: at('mono'), path: 'plugins/part' } },
      { name: 'subdir', source: { source: 'git-subdir', url: at('mono'), path: 'plugins/part' } },
      { name: 'tag', source: { source: 'git-subdir', url: at('mono'), path: 'plugins/part', ref: 'v2' } },
      {
        name: 'sha',
        source: { source: 'git-subdir', url: at('mono'), path: 'plugins/part', ref: 'v2', sha: first },
      },
      { name: 'npm', source: { source: 'npm', package: '@acme/tidy', version: '1.2.0' } },
      { name: 'escape', source: { source: 'git-subdir', url: at('mono'), path: '../whole' } },
      { name: 'unknown', source: { source: 'floppy', disk: 'A' } },
      { name: 'missing' },
      'nonsense',
      { name: 'gone', source: { source: 'git-subdir', url: at('mono'), path: 'plugins/gone' } },
    ],
  })
}

test.each([
  ['own', 'own', ['sweeper']],
  ['former', 'own', ['sweeper']],
  ['bare', 'bare', ['sweeper']],
  ['path', 'own', ['sweeper']],
  ['url', 'whole', ['sweeper']],
  ['url-path', 'part', ['second', 'sweeper', 'third']],
  ['subdir', 'part', ['second', 'sweeper', 'third']],
  ['tag', 'part', ['second', 'sweeper']],
  ['sha', 'part', ['sweeper']],
])('the plugin %s of a marketplace is added, whatever form its source has', async (name, plugin, agents) => {
  await marketOfAllForms()
  commit('market')
  const added = await plugins().add(`file://${root}/market#${name}`)
  if (!added.ok) throw new Error(added.failure.message)
  expect(added.value.name).toBe(plugin)
  expect(added.value.parts.filter(({ kind }) => kind === 'agent').map((one) => one.name)).toEqual(agents)
  expect(await readdir(join(root, 'data', 'plugins'))).toHaveLength(1)
  await plugins().enable(plugin, added.value.digest ?? '')
  expect(await plugins().update(plugin)).toMatchObject({ value: { state: 'enabled' } })
  expect(await plugins().remove(plugin)).toMatchObject({ ok: true })
  expect(await readdir(join(root, 'data', 'plugins'))).toEqual([])
})

test('a wrong entry costs only itself, and is named with the reason', async () => {
  await marketOfAllForms()
  const installed = plugins()
  const listed = await installed.add(join(root, 'market'))
  expect(listed).toMatchObject({ ok: false, failure: { message: expect.stringMatching(/own, bare, path/) } })
  const message = listed.ok ? '' : listed.failure.message
  for (const text of ['escape: its source', 'kind floppy', 'missing: its source', 'entry 13: it has no name'])
    expect(message).toContain(text)
  for (const [name, because] of [
    ['unknown', 'kind floppy'],
    ['escape', 'not valid'],
    ['gone', 'has no folder plugins/gone'],
    ['other', 'has no plugin other'],
  ])
    expect(await installed.add(`${root}/market#${name}`)).toMatchObject({
      failure: { message: expect.stringContaining(because ?? '') },
    })
  expect(await readdir(join(root, 'data', 'plugins'))).toEqual([])
  expect(await installed.add(`${root}/market#subdir`)).toMatchObject({ value: { name: 'part' } })
})

test('a plugin from npm is fetched without its scripts', async () => {
  const npm = await startPackageRegistry()
  onTestFinished(() => npm.close())
  registry = npm.url
  onTestFinished(() => {
    registry = null
  })
  npm.add({
    ...{ name: '@acme/tidy', version: '1.2.0' },
    fields: { scripts: { postinstall: `touch ${root}/ran` } },
    files: {
      '.claude-plugin/plugin.json': '{"name":"tidy"}',
      'skills/dust/SKILL.md': 'Dust.',
    },
  })
  await marketOfAllForms()
  const added = await plugins().add(`${root}/market#npm`)
  expect(added).toMatchObject({
    value: { name: 'tidy', source: { commit: '@acme/tidy 1.2.0' }, parts: [{ kind: 'skill', name: 'dust' }] },
  })
  expect(await readdir(root)).not.toContain('ran')
})

test('with strict: false a plugin has what its entry lists, and nothing else', async () => {
  await tidyIn('market')
  await rm(join(root, 'market/.claude-plugin/plugin.json'))
  await put('market/extra/one/SKILL.md', 'One.')
  await put('market/extra/two/SKILL.md', 'Two.')
  await put('market/README.md', 'Read me.')
  await put('market/.claude-plugin/marketplace.json', {
    plugins: [
      {
        ...{ name: 'few', description: 'A few', source: './', strict: false },
        skills: ['./extra/one', './skills/'],
        commands: { about: { source: './README.md' } },
        mcpServers: { broom: { command: 'broom' } },
        lspServers: { c: { command: 'clangd' } },
      },
      { name: 'only', source: './', strict: false, agents: ['./agents/sweeper.md'] },
      { name: 'more', source: './', skills: ['./extra'] },
      { name: 'lsp', source: './', strict: false, lspServers: { c: { command: 'clangd' } } },
    ],
  })
  const partsOf = async (name: string) => {
    const added = await plugins().add(`${root}/market#${name}`)
    if (!added.ok) throw new Error(added.failure.message)
    return { ...added.value, parts: added.value.parts.map((one) => `${one.kind} ${one.name}`) }
  }
  expect(await partsOf('few')).toMatchObject({
    ...{ name: 'few', description: 'A few' },
    parts: ['skill one', 'skill dust', 'command about', 'mcp-server broom'],
    notUsed: [expect.stringContaining('language servers')],
  })
  expect((await partsOf('only')).parts).toEqual(['agent sweeper'])
  // Without it, the lists come in addition.
  expect((await partsOf('more')).parts).toEqual([
    ...['agent sweeper', 'skill dust', 'skill one', 'skill two', 'command clean'],
    ...['hook hooks/hooks.json', 'mcp-server broom'],
  ])
  expect(await plugins().add(`${root}/market#lsp`)).toMatchObject({
    failure: { message: expect.stringContaining('language servers') },
  })
})

test('OWNER/REPO is a repository of GitHub, unless there is such a folder', async () => {
  await tidyIn('repository')
  commit('repository')
  const other = `url.file://${root}/repository.insteadOf`
  git('.', 'config', '--file', join(root, '.gitconfig'), other, 'https://github.com/acme/tidy.git')
  expect(await plugins().add('acme/tidy')).toMatchObject({
    value: { name: 'tidy', source: { url: 'https://github.com/acme/tidy.git', plugin: null } },
  })
  await plugins().remove('tidy')
  expect(await plugins().add('acme/tidy#tidy')).toMatchObject({
    failure: { message: expect.stringContaining('not a marketplace') },
  })
})

import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rename, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDefinitionSource, type DefinitionSourceOptions } from './definition-source.ts'
import { createSkillSource } from './skill-source.ts'

let base: string
const put = async (path: string, text: string) => {
  await mkdir(dirname(join(base, path)), { recursive: true })
  await writeFile(join(base, path), text)
}
const agent = (name: string, body = 'x') => `---\nname: ${name}\ndescription: d\n---\n${body}`
const source = (options: Partial<DefinitionSourceOptions> = {}) =>
  createDefinitionSource({
    builtIn: join(base, 'built-in'),
    home: join(base, 'home'),
    plugins: () => [join(base, 'kit')],
    managed: [join(base, 'policy')],
    ...options,
  })
const repo = () => join(base, 'repo')
const catalog = (options: Partial<DefinitionSourceOptions> = {}, trusted = true) =>
  source(options).catalog(repo(), { trusted })

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'troupe-sources-'))
  await mkdir(join(base, 'repo', '.git'), { recursive: true })
  await writeFile(join(base, 'repo', '.git', 'HEAD'), 'ref: refs/heads/main\n')
})
// Node’s own removal fails on paths past the system’s limit.
afterEach(() => void execFileSync('rm', ['-rf', base]))

test('the later of six sources wins, and the others are shadowed', async () => {
  await put('built-in/r.md', agent('reviewer', 'built-in'))
  await put('home/.claude/agents/r.md', agent('Reviewer', 'user'))
  await put('repo/.claude/agents/r.md', agent('reviewer', 'project'))
  const json = JSON.stringify({ reviewer: { description: 'd', prompt: 'command-line' } })
  const withCommand = { commandLine: { json, files: [] } }
  const holder = async (options: Partial<DefinitionSourceOptions>, trusted = true) => {
    const { definitions } = await source(options).load(repo(), { trusted })
    return definitions.filter(({ name }) => name.toLowerCase() === 'reviewer').map(({ prompt }) => prompt)
  }
  expect(await holder({}, false)).toEqual(['user'])
  expect(await holder({})).toEqual(['project'])
  expect(await holder(withCommand)).toEqual(['command-line'])
  await put('policy/deep/r.md', agent('REVIEWER', 'managed'))
  expect(await holder(withCommand)).toEqual(['managed'])

  const { entries } = await catalog(withCommand)
  const managed = entries.find((entry) => entry.source === 'managed')
  expect(managed).toMatchObject({ state: 'offered', locked: true, path: 'deep/r.md', shadowedBy: null })
  expect(managed?.overrides).toHaveLength(4)
  expect(
    entries
      .filter(({ state }) => state === 'shadowed')
      .map((entry) => [entry.source, entry.locked, entry.shadowedBy, entry.diagnostics]),
  ).toEqual([
    ['project', false, managed?.id, []],
    ['user', false, managed?.id, []],
    ['command-line', true, managed?.id, []],
    ['built-in', true, managed?.id, []],
  ])
})

test('a plugin’s agents are named after the plugin and their folders, and only files in the plugin are read', async () => {
  await put('kit/.claude-plugin/plugin.json', JSON.stringify({ name: 'release-kit' }))
  await put('kit/agents/changelog.md', agent('changelog'))
  await put('kit/agents/notes/editor.md', agent('editor'))
  await put('home/.claude/agents/changelog.md', agent('changelog'))
  const called = async () =>
    (await catalog()).entries.filter(({ plugin }) => plugin === 'release-kit').map(({ name }) => name)
  expect(await called()).toEqual(['release-kit:changelog', 'release-kit:notes:editor'])
  expect((await catalog()).entries.map(({ state }) => state)).not.toContain('shadowed')
  expect((await catalog({ plugins: () => [] })).entries).toHaveLength(1)

  const manifest = {
    name: 'release-kit',
    agents: ['./more', './agents/changelog.md'],
    agentsPath: '../outside',
  }
  await put('kit/.claude-plugin/plugin.json', JSON.stringify(manifest))
  await put('kit/more/extra.md', agent('extra'))
  await put('outside/secret.md', agent('secret'))
  await symlink(join(base, 'outside'), join(base, 'kit/more/out'))
  await symlink(join(base, 'outside/secret.md'), join(base, 'kit/more/link.md'))
  expect(await called()).toEqual(['release-kit:extra', 'release-kit:link', 'release-kit:changelog'])
  const { entries, problems } = await catalog()
  expect(entries.find(({ name }) => name === 'release-kit:link')).toMatchObject({
    state: 'refused',
    diagnostics: [{ code: 'leads-out', severity: 'error' }],
  })
  expect(problems).toEqual([
    expect.stringContaining(`${join(base, 'outside')}, which is outside the plugin’s folder`),
    expect.stringContaining('kit/more/out is a link to a folder'),
  ])
})

test('an agent of a plugin starts no program', async () => {
  await put('kit/.claude-plugin/plugin.json', JSON.stringify({ name: 'release-kit' }))
  await put('kit/agents/other.md', '---\nname: other\ndescription: d\nbacking: acp\ncommand: x\n---\n')
  const found = (await catalog()).entries.find(({ plugin }) => plugin === 'release-kit')
  expect(found).toMatchObject({ state: 'refused', diagnostics: [{ code: 'plugin-program' }] })
})

test('a missing plugin and an unreadable manifest are problems', async () => {
  expect((await catalog({ plugins: () => [join(base, 'nowhere')] })).problems).toEqual([
    expect.stringContaining('was not found'),
  ])
  await put('kit/.claude-plugin/plugin.json', '{')
  expect((await catalog()).problems).toEqual([expect.stringContaining('not valid JSON')])
  await put('kit/.claude-plugin/plugin.json', '{"name": "a:b"}')
  expect((await catalog()).problems).toEqual([expect.stringContaining('can’t be a plugin’s name')])
})

test('agents of the command line: JSON, checked like a file, and files', async () => {
  await put('one.md', agent('one', 'of a file'))
  const json = JSON.stringify({
    two: {
      description: 'Uses: everything',
      prompt: 'Body\n---\nmore',
      tools: ['Read', 'Bash(git diff:*)'],
      maxTurns: 3,
    },
    bad: { description: 'd', permissionMode: 'yolo' },
    'kit:posing': { description: 'd' },
    odd: 'text',
  })
  const commandLine = { json, files: [join(base, 'one.md'), join(base, 'nowhere.md')] }
  const { definitions } = await source({ commandLine }).load(repo(), { trusted: false })
  expect(definitions.map(({ name, prompt }) => [name, prompt])).toEqual([
    ['two', 'Body\n---\nmore'],
    ['one', 'of a file'],
  ])
  expect(definitions[0]).toMatchObject({
    description: 'Uses: everything',
    tools: ['Read', 'Bash(git diff:*)'],
    maxTurns: 3,
    source: 'command-line',
  })
  const { entries, problems } = await catalog({ commandLine })
  expect(entries.filter(({ state }) => state === 'refused').map(({ name }) => name)).toEqual([
    'bad',
    'kit:posing',
    'nowhere',
  ])
  expect(problems).toContainEqual(expect.stringContaining('odd'))
  expect((await catalog({ commandLine: { json: '{', files: [] } })).problems).toContainEqual(
    expect.stringContaining('--agents is not valid JSON'),
  )
})

test('a misspelled safety key keeps an agent of any source out of use', async () => {
  const misspelled = (name: string) => `---\nname: ${name}\ndescription: d\npermisionMode: plan\n---\n`
  await put('built-in/a.md', misspelled('built'))
  await put('kit/agents/a.md', misspelled('plugged'))
  await put('home/.claude/agents/a.md', misspelled('mine'))
  await put('repo/.claude/agents/a.md', misspelled('ours'))
  await put('policy/a.md', misspelled('managed'))
  const json = JSON.stringify({ typed: { description: 'd', disalowedTools: ['Bash'] } })
  const commandLine = { json, files: [join(base, 'home/.claude/agents/a.md')] }
  const { definitions, problems } = await source({ commandLine }).load(repo(), { trusted: true })
  expect(definitions).toEqual([])
  expect(problems.filter(({ message }) => message.includes('is not offered until you rename'))).toHaveLength(
    7,
  )
  const { entries } = await catalog({ commandLine })
  expect(entries.map(({ state, diagnostics }) => [state, diagnostics.map(({ code }) => code)])).toEqual(
    Array(7).fill(['refused', ['misspelled-key']]),
  )
  await put('repo/.claude/agents/a.md', misspelled('ours').replace('permision', 'permission'))
  expect((await source().load(repo(), { trusted: true })).definitions.map(({ name }) => name)).toEqual([
    'ours',
  ])
})

test('of two definitions with one name in one folder, the last path wins, and the other has a diagnostic', async () => {
  await put('repo/.claude/agents/a.md', agent('same', 'first'))
  await put('repo/.claude/agents/b/a.md', agent('Same', 'second'))
  await put('repo/.claude/agents/broken.md', '---\nname: same\ndescription: d\ntools: 7\n---\n')
  const { entries } = await catalog()
  expect(
    entries.map(({ path, state, diagnostics }) => [path, state, diagnostics.map(({ code }) => code)]),
  ).toEqual([
    ['a.md', 'shadowed', ['duplicate-name']],
    ['b/a.md', 'offered', []],
    ['broken.md', 'refused', ['bad-tools']],
  ])
})

test('of two definitions with one name in two folders of the project, the nearest wins, and the other has a diagnostic', async () => {
  await put('repo/.claude/agents/z.md', agent('same', 'far'))
  await put('repo/deep/.claude/agents/a.md', agent('same', 'near'))
  const { entries, watched } = await source().catalog(join(repo(), 'deep'), { trusted: true })
  expect(entries.map(({ path, state, diagnostics }) => [path, state, diagnostics])).toEqual([
    ['a.md', 'offered', []],
    [
      'z.md',
      'shadowed',
      [
        {
          code: 'duplicate-name',
          severity: 'notice',
          line: 1,
          column: 1,
          message: expect.stringContaining('deep/.claude/agents/a.md has the same name and is nearer'),
        },
      ],
    ],
  ])
  expect(watched).toEqual(['.claude/agents', '~/.claude/agents'])
})

test('a file that is not an agent is named by its stem, without .agent', async () => {
  await put('repo/.claude/agents/notes.agent.md', 'Only words.')
  await put('repo/.claude/agents/checker.agent.md', '---\ndescription: d\n---\n')
  expect((await catalog()).entries.map(({ name, state }) => [name, state])).toEqual([
    ['checker', 'offered'],
    ['notes', 'no-agent'],
  ])
})

test('folders nested too deep, and paths past the system’s limit, hide no other agents', async () => {
  await put('repo/.claude/agents/near.md', agent('near'))
  await put(`repo/.claude/agents/${'d/'.repeat(12)}last.md`, agent('last'))
  await put(`repo/.claude/agents/${'d/'.repeat(200)}deep.md`, agent('deep'))
  const name = 'x'.repeat(250)
  await mkdir(join(base, 'repo/.claude/agents', ...Array<string>(12).fill(name)), { recursive: true })
  // A path grows past the limit of 4,096 bytes only by moving it.
  const outer = join(base, ...Array<string>(5).fill('l'.repeat(250)))
  await mkdir(outer, { recursive: true })
  await rename(repo(), join(outer, 'repo'))
  const options = { plugins: () => [] }
  const { entries, problems } = await source(options).catalog(join(outer, 'repo'), { trusted: true })
  expect(entries.filter(({ state }) => state === 'offered').map((entry) => entry.name)).toEqual([
    'last',
    'near',
  ])
  expect(problems).toHaveLength(2)
  expect(problems[0]).toMatch(/… could not be read, so its agents are left out: ENAMETOOLONG$/)
  expect(problems[1]).toMatch(/: folders more than 12 levels deep are not read\.$/)
})

test('deeply nested YAML in one file hides no other agent', async () => {
  await put('repo/.claude/agents/near.md', agent('near'))
  await put('repo/.claude/agents/a.md', `---\nname: a\ndescription: d\nx: ${'['.repeat(5000)}\n---\n`)
  await put('repo/.claude/agents/b.md', `---\nname: b\ndescription: d\nx:\n  ${'? '.repeat(300)}\n---\n`)
  const json = `{"j": {"description": "d", "x": ${'['.repeat(20_000)}${']'.repeat(20_000)}}, "k": {"description": "d"}}`
  const { entries, problems } = await catalog({ commandLine: { json, files: [] }, plugins: () => [] })
  expect(entries.map(({ name, state }) => [name, state])).toEqual([
    ['a', 'refused'],
    ['b', 'offered'],
    ['near', 'offered'],
    ['k', 'offered'],
  ])
  expect(entries[0]?.diagnostics).toMatchObject([{ code: 'invalid-yaml', severity: 'error' }])
  expect(entries[1]?.diagnostics).toMatchObject([{ code: 'line-by-line', severity: 'warning' }])
  expect(problems).toEqual([expect.stringContaining('--agents: j is nested too deep or too large')])
})

test('all of two thousand files are read, and a change of one is seen', async () => {
  await Promise.all(
    Array.from({ length: 2000 }, (_, index) =>
      put(`repo/.claude/agents/d${index % 20}/a${index}.md`, agent(`a${index % 1500}`)),
    ),
  )
  const agents = source()
  expect((await agents.catalog(repo(), { trusted: true })).entries).toHaveLength(2000)
  await put('repo/.claude/agents/d7/a7.md', agent('seven'))
  const { entries } = await agents.catalog(repo(), { trusted: true })
  expect(entries.find(({ path }) => path === 'd7/a7.md')?.name).toBe('seven')
})

test('skills: the project’s win over the user’s, a plugin’s carry its name, none from outside', async () => {
  const skills = createSkillSource({ home: join(base, 'home'), plugins: () => [join(base, 'kit')] })
  const skill = (description: string, body: string) =>
    `---\nname: other\ndescription: ${description}\n---\n\n${body}\n`
  await put('home/.claude/skills/commit/SKILL.md', skill('mine: always', 'The user’s.'))
  await put('repo/.claude/skills/commit/SKILL.md', skill('ours', 'The project’s.'))
  await put('kit/skills/notes/SKILL.md', skill('notes', 'The plugin’s.'))
  await put('outside/SKILL.md', skill('secret', 'Secret.'))
  await symlink(join(base, 'outside'), join(base, 'repo/.claude/skills/out'))
  await mkdir(join(base, 'repo/.claude/skills/empty'))
  await put('repo/.claude/skills/large/SKILL.md', skill('large', 'x'.repeat(1024 * 1024)))
  await mkdir(join(base, 'repo/.claude/skills/pipe'))
  execFileSync('mkfifo', [join(base, 'repo/.claude/skills/pipe/SKILL.md')])
  expect(
    (await skills.list(repo(), { trusted: true })).map(({ name, description, source: from }) => [
      name,
      description,
      from,
    ]),
  ).toEqual([
    ['commit', 'ours', 'project'],
    ['kit:notes', 'notes', 'plugin'],
  ])
  expect(await skills.load(repo(), 'commit', { trusted: true })).toMatchObject({
    body: 'The project’s.',
    folder: join(base, 'repo/.claude/skills/commit'),
  })
  expect(await skills.load(repo(), 'commit', { trusted: false })).toMatchObject({
    description: 'mine: always',
    body: 'The user’s.',
  })
  for (const name of ['out', '../commit', 'commit/../commit', 'nothing', ''])
    expect(await skills.load(repo(), name, { trusted: true })).toBeNull()
})

import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDefinitionSource } from './definition-source.ts'

const OUR_AGENTS = join(import.meta.dirname, '../../../../agents')

let base: string
const source = () => createDefinitionSource({ builtIn: OUR_AGENTS, home: join(base, 'home') })
const load = (trusted = true) => source().load(join(base, 'repo', 'deep'), { trusted })
const put = async (path: string, text: string | Uint8Array) => {
  await mkdir(join(base, path, '..'), { recursive: true })
  await writeFile(join(base, path), text)
}
const agent = (name: string, body = 'x') => `---\nname: ${name}\ndescription: d\n---\n${body}`
const bodyOf = async (name: string, trusted = true) =>
  (await load(trusted)).definitions.find((definition) => definition.name.toLowerCase() === name)?.prompt

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'troupe-definitions-'))
  await mkdir(join(base, 'repo', '.git'), { recursive: true })
  await writeFile(join(base, 'repo', '.git', 'HEAD'), 'ref: refs/heads/main\n')
  await mkdir(join(base, 'repo', 'deep'), { recursive: true })
})
afterEach(() => rm(base, { recursive: true, force: true }))

test('the built-in agents have no diagnostics', async () => {
  const { definitions, problems } = await load()
  expect(problems).toEqual([])
  expect(definitions.map((definition) => definition.name)).toEqual(
    expect.arrayContaining(['main', 'general-purpose', 'Explore', 'Plan', 'Bash', 'guide', 'Verification']),
  )
  expect(definitions.find((definition) => definition.name === 'Explore')).toMatchObject({
    readOnly: true,
    oneShot: true,
    maxTurns: 15,
    omitProjectInstructions: true,
    model: 'haiku',
  })
})

test('project wins over user, user over built-in; the nearest folder wins; case is ignored', async () => {
  await put('home/.claude/agents/explore.md', agent('EXPLORE', 'the user’s'))
  expect(await bodyOf('explore')).toBe('the user’s')
  await put('repo/.claude/agents/sub/explore.md', agent('Explore', 'the repository’s'))
  expect(await bodyOf('explore')).toBe('the repository’s')
  await put('repo/deep/.claude/agents/explore.md', agent('explore', 'the nearest'))
  expect(await bodyOf('explore')).toBe('the nearest')
  expect(await bodyOf('explore', false)).toBe('the user’s')
})

test('folders above the repository do not belong to the project', async () => {
  await put('.claude/agents/outside.md', agent('outside'))
  expect(await bodyOf('outside')).toBeUndefined()
})

test('an invalid file has a diagnostic and never hides another file', async () => {
  await put('repo/.claude/agents/good.md', agent('good'))
  await put('repo/.claude/agents/broken.md', '---\nother: [\n---\n')
  await put('repo/.claude/agents/latin.md', new Uint8Array([45, 45, 45, 10, 0xe9, 10, 45, 45, 45]))
  await put('repo/.claude/agents/large.md', agent('large', 'x'.repeat(1024 * 1024)))
  await put('secret.md', agent('secret'))
  await symlink(join(base, 'secret.md'), join(base, 'repo/.claude/agents/link.md'))
  await put('repo/.claude/agents/twice.md', agent('good'))
  const { definitions, problems } = await load()
  expect(definitions.map((definition) => definition.name)).toContain('good')
  expect(definitions.map((definition) => definition.name)).not.toContain('secret')
  const told = problems.map(({ file, message }) => `${file.split('/').at(-1)} ${message}`).sort()
  expect(told).toEqual([
    expect.stringMatching(/^broken\.md .*is not readable/),
    expect.stringMatching(/^good\.md .*same name/),
    expect.stringMatching(/^large\.md .*1 MB/),
    expect.stringMatching(/^latin\.md .*UTF-8/),
    expect.stringMatching(/^link\.md .*leads out/),
  ])
})

test('a pipe instead of a file is a diagnostic and does not block', async () => {
  await put('repo/.claude/agents/good.md', agent('good'))
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(base, 'repo/.claude/agents/pipe.md')])
  await symlink(join(base, 'repo/.claude/agents/pipe.md'), join(base, 'repo/.claude/agents/to-pipe.md'))
  const { definitions, problems } = await load()
  expect(definitions.map((definition) => definition.name)).toContain('good')
  expect(problems.map(({ message }) => message)).toEqual(
    Array(2).fill(expect.stringContaining('not a regular file')),
  )
})

test('an agents folder that links out of the project is not read', async () => {
  await put('elsewhere/secret.md', agent('secret'))
  await put('repo/shared/inside.md', agent('inside'))
  await mkdir(join(base, 'repo', '.claude'))
  await symlink(join(base, 'elsewhere'), join(base, 'repo/.claude/agents'))
  const out = await load()
  expect(out.definitions.map((definition) => definition.name)).not.toContain('secret')
  expect(out.problems).toMatchObject([{ message: expect.stringContaining('leads out of') }])

  await rm(join(base, 'repo/.claude/agents'))
  await symlink('../shared', join(base, 'repo/.claude/agents'))
  expect((await load()).definitions.map((definition) => definition.name)).toContain('inside')
})

test('without a repository only the folder itself counts, never the home folder', async () => {
  await rm(join(base, 'repo', '.git'), { recursive: true })
  await put('repo/.claude/agents/above.md', agent('above'))
  await put('repo/deep/.claude/agents/here.md', agent('here'))
  const names = (await load()).definitions.map((definition) => definition.name)
  expect(names).toContain('here')
  expect(names).not.toContain('above')

  await put('home/.claude/agents/mine.md', agent('mine'))
  await put('.claude/agents/not-mine.md', agent('not-mine'))
  const atHome = await source().load(join(base, 'home'), { trusted: true })
  expect(atHome.definitions.find((definition) => definition.name === 'mine')?.source).toBe('user')
  expect(atHome.definitions.map((definition) => definition.name)).not.toContain('not-mine')
})

test('built-in agents can be given as texts', async () => {
  const texts = { 'Explore.md': await readFile(join(OUR_AGENTS, 'Explore.md'), 'utf8') }
  const { definitions, problems } = await createDefinitionSource({
    builtIn: texts,
    home: join(base, 'home'),
  }).load(join(base, 'repo'), { trusted: true })
  expect(problems).toEqual([])
  expect(definitions).toMatchObject([{ name: 'Explore', source: 'built-in', file: null, readOnly: true }])
})

test('the next load sees a change', async () => {
  const agents = source()
  await put('repo/.claude/agents/a.md', agent('a', 'first'))
  const now = async () =>
    (await agents.load(join(base, 'repo'), { trusted: true })).definitions.find(({ name }) => name === 'a')
      ?.prompt
  expect(await now()).toBe('first')
  await put('repo/.claude/agents/a.md', agent('a', 'second'))
  expect(await now()).toBe('second')
})

import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { VersionRef } from '../../../shared/agent-tests/agent-tests.ts'
import { createGit } from '../../platform/git/git-client.ts'
import { createDefinitionSource } from '../definitions/definition-source.ts'
import { createDefinitionVersions, type VersionParts } from './definition-versions.ts'

const git = createGit({ environment: { PATH: process.env['PATH'] ?? '' } })
let root: string
let folder: string
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'troupe-versions-')))
  folder = join(root, 'project')
  mkdirSync(folder)
})
afterEach(() => rm(root, { recursive: true, force: true }))

const definition = (...lines: string[]) =>
  `---\nname: reviewer\ndescription: Reviews.\nmodel: sonnet\n---\n${lines.join('\n')}\n`
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}
async function commit(message: string, at: string) {
  const who = {
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@b',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@b',
  }
  const environment = { ...who, GIT_COMMITTER_DATE: at, GIT_AUTHOR_DATE: at }
  await git.run(folder, ['add', '-A'])
  const done = await git.run(folder, ['commit', '-q', '--allow-empty', '-m', message], { environment })
  if (!done.ok) throw new Error(done.failure.message)
}

function versions() {
  const definitions = createDefinitionSource({
    builtIn: join(process.cwd(), 'agents'),
    home: join(root, 'home'),
  })
  const parts: VersionParts = {
    definitions,
    definitionFiles: {
      open: async ({ id }) => ({
        ok: true,
        value: { id, text: (await import('node:fs')).readFileSync(id, 'utf8'), version: '' },
      }),
    },
    git,
    models: { resolve: (name) => `claude-${name}-5` },
    policy: { defaults: () => ({ model: 'opus' }) as never, trusted: () => true },
    now: () => Date.parse('2026-11-26T12:00:00Z'),
  }
  return createDefinitionVersions(parts)
}

const FILE = '.claude/agents/reviewer.md'

async function history() {
  await git.run(folder, ['init', '-q', '-b', 'main'])
  write('.claude/agents/old-name.md', definition('Be short.', 'One.', 'Two.', 'Three.', 'Four.'))
  await commit('Add a reviewer', '2025-10-28T12:00:00Z')
  renameSync(join(folder, '.claude/agents/old-name.md'), join(folder, FILE))
  await commit('Rename it', '2026-10-28T12:00:00Z')
  write(FILE, definition('Be short.', 'One.', 'Two.', 'Three.', 'Five.'))
  await commit('Report only what the code shows', '2026-11-12T12:00:00Z')
}

test('the definition in use, the draft and the commits of its file, also from before it was renamed', async () => {
  await history()
  const draft = definition('Be long.', 'One.', 'Two.', 'Three.', 'Five.', 'Six.')
  const listed = await versions().list({ folder, agent: 'Reviewer', draft })
  if (!listed.ok) throw new Error(listed.failure.message)
  expect(listed.value.map(({ title, note, model }) => `${title} | ${note} | ${model}`)).toEqual([
    'In use |  | claude-sonnet-5',
    'Draft | 2 lines changed | claude-sonnet-5',
    'Oct 28 | Rename it | claude-sonnet-5',
  ])
  expect(listed.value[1]?.definition.prompt).toContain('Be long.')
})

test('a reference names a commit, a model, an effort, a skill and another agent', async () => {
  await history()
  const { value } = { value: await git.run(folder, ['rev-parse', 'HEAD~2']) }
  if (!value.ok) throw new Error('no commit')
  const plain = { model: null, effort: null, skill: null }
  const refs: readonly VersionRef[] = [
    { ...plain, base: { type: 'in-use' }, model: 'haiku', effort: 'high', skill: 'commit' },
    { ...plain, base: { type: 'commit', commit: value.value.trim() } },
    { ...plain, base: { type: 'commit', commit: 'HEAD' } },
    { ...plain, base: { type: 'in-use' } },
    { ...plain, base: { type: 'agent', name: 'general-purpose' }, model: 'haiku' },
  ]
  const resolved = await versions().resolve({ folder, agent: 'reviewer', versions: refs })
  if (!resolved.ok) throw new Error(resolved.failure.message)
  expect(resolved.value.map(({ title, note, model }) => `${title} | ${note} | ${model}`)).toEqual([
    'In use, haiku, high effort, with commit | otherwise as in use | claude-haiku-5',
    'Oct 28, 2025 | Add a reviewer | claude-sonnet-5',
    'Nov 12 | Report only what the code shows | claude-sonnet-5',
    'In use |  | claude-sonnet-5',
    'general-purpose, haiku | otherwise general-purpose | claude-haiku-5',
  ])
  const [changed, , newest, inUse] = resolved.value
  expect(changed?.definition).toMatchObject({ model: 'haiku', effort: 'high', skills: ['commit'] })
  // Equal texts with equal models are one version.
  expect(newest?.id).toBe(inUse?.id)
  expect(new Set(resolved.value.map(({ id }) => id)).size).toBe(4)
})

test('what can’t be resolved says why', async () => {
  await history()
  const plain = { model: null, effort: null, skill: null }
  const failureOf = async (agent: string, base: VersionRef['base']) => {
    const found = await versions().resolve({ folder, agent, versions: [{ ...plain, base }] })
    return found.ok ? '' : found.failure.message
  }
  expect(await failureOf('reviewr', { type: 'in-use' })).toContain('Did you mean reviewer?')
  expect(await failureOf('reviewer', { type: 'commit', commit: 'abcdef12' })).toContain(
    'no version at abcdef12',
  )
  expect(await failureOf('reviewer', { type: 'draft', text: 'nothing' })).toContain(
    'The draft can’t be used.',
  )
})

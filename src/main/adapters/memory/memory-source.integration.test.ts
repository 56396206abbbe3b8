import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createMemorySource } from './memory-source.ts'

let base: string
const agent = { name: 'a', memory: null, omitProjectInstructions: false }

async function load({ trusted }: { trusted: boolean }) {
  const source = createMemorySource({ home: join(base, 'home'), dataFolder: join(base, 'data') })
  return (await source.load(join(base, 'project'), agent, { trusted })).files
}

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'troupe-memory-'))
  await mkdir(join(base, 'project', 'deep'), { recursive: true })
  await mkdir(join(base, 'home', '.claude'), { recursive: true })
})
afterEach(() => rm(base, { recursive: true, force: true }))

test('the user’s instructions hold everywhere, the project’s only where it is trusted', async () => {
  await writeFile(join(base, 'home', '.claude', 'CLAUDE.md'), 'mine')
  await writeFile(join(base, 'project', 'AGENTS.md'), 'theirs')
  const texts = async (trusted: boolean) => (await load({ trusted })).map((one) => one.text)
  expect(await texts(true)).toEqual(['mine', 'theirs'])
  expect(await texts(false)).toEqual(['mine'])
})

const instructions = async () => (await load({ trusted: true })).map(({ path, text }) => ({ path, text }))

test('each file is named, in its order, and a link to another is read once', async () => {
  const project = join(base, 'project')
  await writeFile(join(project, 'AGENTS.md'), 'agents')
  await mkdir(join(project, '.claude'))
  await writeFile(join(project, '.claude', 'CLAUDE.md'), 'inner')
  await symlink('AGENTS.md', join(project, 'CLAUDE.md'))
  expect(await instructions()).toEqual([
    { path: join(project, 'CLAUDE.md'), text: 'agents' },
    { path: join(project, '.claude', 'CLAUDE.md'), text: 'inner' },
  ])
})

test('a repository cannot put another file of the user into a request', async () => {
  await writeFile(join(base, 'secret'), 'secret')
  await symlink(join(base, 'secret'), join(base, 'project', 'CLAUDE.md'))
  expect(await instructions()).toEqual([])
})

test('long instructions are cut at 64 KB, and say so', async () => {
  await writeFile(join(base, 'project', 'CLAUDE.md'), `a${'é'.repeat(40_000)}`)
  const [found] = await instructions()
  expect(found?.text).toMatch(/^aé{32767}\n\[cut here/)
})

import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createApprovals } from '../../platform/approvals/approvals.ts'
import { createNodeFileSystem } from '../../platform/files/node-file-system.ts'
import { createDefinitionApprovals } from './definition-approvals.ts'
import { createDefinitionFiles } from './definition-files.ts'
import { createDefinitionSource } from './definition-source.ts'
import { createPendingWrites } from './pending-writes.ts'

let base: string
/** The program, started anew: nothing is remembered but what is on the disk. */
function program() {
  const approvals = createDefinitionApprovals(createApprovals({ dataFolder: join(base, 'data') }))
  const home = join(base, 'home')
  const writes = createPendingWrites()
  const definitions = createDefinitionSource({ builtIn: join(base, 'built-in'), home, approvals, writes })
  const files = createDefinitionFiles({
    ...{ now: Date.now, newKey: randomUUID },
    definitions,
    files: createNodeFileSystem(),
    home,
    dataFolder: join(base, 'data'),
    isTrusted: () => true,
    approvals,
    writes,
  })
  return { definitions, files }
}
const repo = () => join(base, 'repo')
const put = async (path: string, text: string) => {
  await mkdir(dirname(join(base, path)), { recursive: true })
  await writeFile(join(base, path), text)
}
const agent = (tools: string, more = '') =>
  `---\nname: reviewer\ndescription: reviews\ntools: ${tools}\n${more}---\nReview.\n`
const FILE = 'repo/.claude/agents/reviewer.md'
/** The agents in use, with their tools. */
async function used(folder = repo()) {
  const { definitions } = await program().definitions.load(folder, { trusted: true })
  return definitions.map(({ name, tools, source }) => `${source} ${name}: ${tools?.join(' ')}`)
}
const state = async (folder = repo()) => {
  const { entries } = await program().definitions.catalog(folder, { trusted: true })
  return entries.find(({ source }) => source === 'project')?.state
}
const problems = async () => (await program().definitions.load(repo(), { trusted: true })).problems

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'troupe-approvals-')))
  await mkdir(join(base, 'repo/.git'), { recursive: true })
  await writeFile(join(base, 'repo', '.git', 'HEAD'), 'ref: refs/heads/main\n')
})
afterEach(() => rm(base, { recursive: true, force: true }))

test('the agents that a project has when it is trusted are in use', async () => {
  await put(FILE, agent('Read, Bash'))
  expect(await used()).toEqual(['project reviewer: Read Bash'])
  expect(await used()).toEqual(['project reviewer: Read Bash'])
})

test('a definition that got more rights waits, says why, and is used once it is approved', async () => {
  await put(FILE, agent('Read'))
  await used()
  await put(FILE, agent('Read, Bash'))
  expect(await used()).toEqual([])
  expect(await state()).toBe('waits')
  expect(await problems()).toMatchObject([
    { refuses: 'reviewer', message: expect.stringContaining('(more tools: Bash)') },
  ])
  const { files } = program()
  const pending = await files.pending({ folder: repo(), id: join(base, FILE) })
  expect(pending).toMatchObject({
    ok: true,
    value: { former: agent('Read'), text: agent('Read, Bash'), gained: ['more tools: Bash'] },
  })
  if (!pending.ok) return
  expect(await files.approve({ folder: repo(), ...pending.value })).toMatchObject({ ok: true })
  expect(await used()).toEqual(['project reviewer: Read Bash'])
  expect(await program().files.pending({ folder: repo(), id: join(base, FILE) })).toMatchObject({
    failure: { type: 'not-waiting' },
  })
})

test('another text than the one that the user saw is not approved', async () => {
  await put(FILE, agent('Read'))
  await used()
  await put(FILE, agent('Read, Bash'))
  const pending = await program().files.pending({ folder: repo(), id: join(base, FILE) })
  if (!pending.ok) throw new Error(pending.failure.message)
  await put(FILE, agent('Read, Bash, Write'))
  expect(await program().files.approve({ folder: repo(), ...pending.value })).toMatchObject({
    failure: { type: 'changed' },
  })
  expect(await used()).toEqual([])
})

test('a change without more rights is live at once; small steps add up', async () => {
  await put(FILE, agent('Read, Grep'))
  await used()
  await put(FILE, agent('Read'))
  expect(await used()).toEqual(['project reviewer: Read'])
  await put(FILE, agent('Read', 'permissionMode: plan\n'))
  expect(await used()).toEqual(['project reviewer: Read'])
  // Both are compared with the approved text.
  await put(FILE, agent('Read, Grep'))
  expect(await used()).toEqual(['project reviewer: Read Grep'])
  await put(FILE, agent('Read, Grep, Bash'))
  expect(await used()).toEqual([])
})

test('a definition that comes later waits, also in a project without agents, and shadows nothing', async () => {
  await put('home/.claude/agents/reviewer.md', agent('Grep'))
  expect(await used()).toEqual(['user reviewer: Grep'])
  await put(FILE, agent('Bash'))
  expect(await used()).toEqual(['user reviewer: Grep'])
  expect(await state()).toBe('waits')
})

test('a later definition in a subfolder waits too, and a renamed one', async () => {
  await put(FILE, agent('Read'))
  await used()
  await put('repo/api/.claude/agents/own.md', agent('Bash').replace('reviewer', 'own'))
  expect(await used(join(repo(), 'api'))).toEqual(['project reviewer: Read'])
  await put(FILE, agent('Read').replace('reviewer', 'Explore'))
  expect(await used()).toEqual([])
})

test('a definition that the user writes or edits here needs no approval', async () => {
  await used()
  const { files } = program()
  const made = await files.create({
    folder: repo(),
    source: 'project',
    path: 'reviewer.md',
    text: agent('Read'),
  })
  if (!made.ok) throw new Error(made.failure.message)
  expect(await used()).toEqual(['project reviewer: Read'])
  const saved = await files.save({ folder: repo(), ...made.value, text: agent('Read, Bash') })
  expect(saved).toMatchObject({ ok: true })
  expect(await used()).toEqual(['project reviewer: Read Bash'])
  await program().files.move({ folder: repo(), id: join(base, FILE), path: 'other.md' })
  expect(await used()).toEqual(['project reviewer: Read Bash'])
})

test('a new name does not approve what waits', async () => {
  await used()
  await put(FILE, agent('Bash'))
  expect(await state()).toBe('waits')
  await program().files.move({ folder: repo(), id: join(base, FILE), path: 'other.md' })
  expect(await state()).toBe('waits')
})

test('to trust the folder again approves what it has then', async () => {
  await put(FILE, agent('Read'))
  await used()
  await put(FILE, agent('Bash'))
  expect(await used()).toEqual([])
  expect(await program().files.approveAll(repo())).toMatchObject({ ok: true })
  expect(await used()).toEqual(['project reviewer: Bash'])
})

test('if approvals can’t be kept, no agent of the project is in use, and the problem says so', async () => {
  await put(FILE, agent('Read'))
  await put('data', 'a file where the data folder should be')
  expect(await used()).toEqual([])
  const { entries, problems } = await program().definitions.catalog(repo(), { trusted: true })
  expect([entries, problems]).toEqual([
    [],
    [expect.stringMatching(/^The project's agents are not in use: .*your approvals could not be read/)],
  ])
})

const starts = (command: string) =>
  `---\nname: gemini\ndescription: d\nbacking: acp\ncommand: ${command}\n---\n`
const PROGRAM = 'repo/.claude/agents/gemini.md'

test('trust in a folder approves no program: each one waits, and waits again when its command changes', async () => {
  await put(FILE, agent('Read'))
  await put(PROGRAM, starts('gemini'))
  expect(await used()).toEqual(['project reviewer: Read'])
  const { files } = program()
  // The answer to the question of trust.
  expect(await files.approveAll(repo())).toMatchObject({ ok: true })
  expect(await used()).toEqual(['project reviewer: Read'])
  expect((await problems())[0]?.message).toContain('it starts a program: gemini')
  const pending = await files.pending({ folder: repo(), id: join(base, PROGRAM) })
  if (!pending.ok) throw new Error(pending.failure.message)
  expect(pending.value).toMatchObject({ former: null, gained: ['it starts a program: gemini'] })
  await files.approve({ folder: repo(), ...pending.value })
  expect(await used()).toHaveLength(2)
  await put(PROGRAM, starts('./evil.sh'))
  expect(await used()).toEqual(['project reviewer: Read'])
})

import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fail, ok } from '../../../shared/kernel/result.ts'
import type { McpAddition } from '../../../shared/mcp/mcp.ts'
import { createImports } from './create-setup.ts'
import { otherItems } from './other-items.ts'
import type { SetupParts } from './setup-item.ts'

let root: string
let servers: Map<string, Pick<McpAddition, 'name' | 'definition'>>
let saw: string[]

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'troupe-imports-')))
  servers = new Map()
  saw = []
  await put({ 'home/x': '', 'work/x': '' })
})
afterEach(() => rm(root, { recursive: true, force: true }))

async function put(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
}

const work = () => join(root, 'work')
const read = (path: string) => readFile(join(root, path), 'utf8').catch(() => null)

/** MCP servers in memory; one named `broken` can't be added. */
const parts = ({ trusted = true } = {}) =>
  ({
    ...{ home: join(root, 'home'), dataFolder: join(root, 'data'), isTrusted: () => trusted },
    mcp: {
      state: async () => ({ servers: [...servers.values()] }),
      add: async ({ folder: _, ...one }: McpAddition & { readonly folder: string }) => {
        if (one.name === 'broken') return fail({ type: 'io', message: 'The disk is full.' })
        servers.set(one.name, one)
        return ok(undefined)
      },
      remove: async ({ name }: { readonly name: string }) => {
        servers.delete(name)
        return ok(undefined)
      },
    },
  }) as unknown as SetupParts
const imports = () => createImports(parts(), async ({ path }) => void saw.push(path))

/** Imports all that can be imported. */
async function importAll() {
  const shown = await imports().preview(work(), null)
  if (!shown.ok) return shown
  return imports().write(work(), null, shown.value.digest)
}

test('rules of every program become rules with the same files, and their imports lead to the same files', async () => {
  await put({
    'work/docs/style.md': 'Two spaces.',
    'work/.cursor/rules/api.mdc':
      '---\nglobs: src/api/**, *.sql\nalwaysApply: false\n---\nSee @../../docs/style.md.\n',
    'work/.cursor/rules/all.mdc': '---\nglobs: x\nalwaysApply: true\n---\nBe kind, as in @docs/style.md\n',
    'work/.github/instructions/web.instructions.md': "---\napplyTo: '**/*.{ts,tsx}'\n---\nUse hooks.\n",
    'work/.github/instructions/any.instructions.md': '---\napplyTo: "**"\n---\nUse tabs.\n',
    'work/.github/copilot-instructions.md': 'Be brief.\n',
    'work/.windsurf/rules/deep/one.md': '---\r\ntrigger: glob\r\nglobs: *.go\r\n---\r\nGo.\r\n',
    'work/.clinerules': 'Be calm.',
    'home/.gemini/GEMINI.md': 'Be warm.',
  })
  const done = await importAll()
  expect(done).toMatchObject({ ok: true, value: { servers: [], notes: [] } })
  const found = {
    'work/.claude/rules/cursor/api.md':
      '---\npaths:\n  - "src/api/**"\n  - "*.sql"\n---\n\nSee @../../../docs/style.md.\n',
    'work/.claude/rules/cursor/all.md': 'Be kind, as in @../../../docs/style.md\n',
    'work/.claude/rules/copilot/web.md': '---\npaths:\n  - "**/*.{ts,tsx}"\n---\n\nUse hooks.\n',
    'work/.claude/rules/copilot/any.md': 'Use tabs.\n',
    'work/.claude/rules/copilot/copilot-instructions.md': 'Be brief.\n',
    'work/.claude/rules/windsurf/deep/one.md': '---\npaths:\n  - "*.go"\n---\n\nGo.\n',
    'work/.claude/rules/cline/clinerules.md': 'Be calm.\n',
    'home/.claude/rules/gemini/GEMINI.md': 'Be warm.\n',
  }
  for (const [path, text] of Object.entries(found)) expect([path, await read(path)]).toEqual([path, text])
  expect(saw.toSorted()).toEqual(
    Object.keys(found)
      .map((path) => join(root, path))
      .toSorted(),
  )
})

test('what can’t be imported is named with its reason, and nothing is overwritten', async () => {
  await put({
    'work/.cursor/rules/asked.mdc': '---\ndescription: Deploys\nalwaysApply: false\n---\nDeploy.\n',
    'work/.cursor/rules/taken.mdc': 'New.',
    'work/.cursor/rules/twice.mdc': 'One.',
    'work/.cursor/rules/twice.txt': 'Two.',
    'work/.cursor/rules/empty.mdc': '---\nglobs: x\n---\n',
    'work/.cursor/rules/large.mdc': 'x'.repeat(300 * 1024),
    'work/.claude/rules/cursor/taken.md': 'Mine.',
    'home/secret.md': 'secret',
  })
  await symlink(join(root, 'home', 'secret.md'), join(work(), '.cursor', 'rules', 'out.mdc'))
  const done = await importAll()
  expect(done).toMatchObject({ ok: true, value: { rules: [{ shown: '.claude/rules/cursor/twice.md' }] } })
  const notes = done.ok ? done.value.notes.join('\n') : ''
  expect(notes).toMatch(/^\.cursor\/rules\/asked\.mdc is left out: it holds only on request/m)
  expect(notes).toMatch(
    /taken\.mdc is left out: \.claude\/rules\/cursor\/taken\.md is there with another text/,
  )
  expect(notes).toMatch(/twice\.txt is left out: another file has its name/)
  expect(notes).toMatch(/empty\.mdc is left out: it is empty/)
  expect(notes).toMatch(/large\.mdc is left out: it has 300 KB/)
  expect(notes).toMatch(/out\.mdc is left out: it is a link that leads elsewhere/)
  expect(await read('work/.claude/rules/cursor/taken.md')).toBe('Mine.')
  expect(await otherItems(work(), parts({ trusted: false }))).toEqual([])
})

test('an import writes what was shown, all of it or nothing', async () => {
  await put({
    'work/.cursorrules': 'Be kind.',
    'home/.cursor/mcp.json': '{"mcpServers":{"hub":{"command":"hub"}}}',
  })
  const shown = await imports().preview(work(), null)
  const digest = shown.ok ? shown.value.digest : ''
  await put({ 'work/.cursorrules': 'Be cruel.' })
  expect(await imports().write(work(), null, digest)).toMatchObject({
    ok: false,
    failure: { type: 'changed' },
  })

  await put({
    'home/.cursor/mcp.json': '{"mcpServers":{"hub":{"command":"hub"},"broken":{"command":"x"}}}',
  })
  expect(await importAll()).toMatchObject({ ok: false, failure: { message: 'The disk is full.' } })
  expect([await read('work/.claude/rules/cursor/cursorrules.md'), servers.size]).toEqual([null, 0])

  await rm(join(work(), '.claude'), { recursive: true })
  await symlink(join(root, 'home'), join(work(), '.claude'))
  const out = await imports().preview(work(), join(work(), '.cursorrules'))
  expect(
    await imports().write(work(), join(work(), '.cursorrules'), out.ok ? out.value.digest : ''),
  ).toMatchObject({
    failure: { message: expect.stringContaining('a link that leads out of') },
  })
  expect((await readdir(join(root, 'home'))).toSorted()).toEqual(['.cursor', 'x'])
})

test('an import is taken back, but not what was changed since or was there before', async () => {
  await put({
    'work/.cursor/rules/a.mdc': 'A.',
    'work/.cursor/rules/b.mdc': 'B.',
    'home/.cursor/mcp.json': '{"mcpServers":{"hub":{"command":"hub"},"mine":{"command":"mine"}}}',
  })
  servers.set('mine', { name: 'mine', definition: { command: 'mine', args: [] } })
  expect((await importAll()).ok).toBe(true)
  await put({ 'work/.claude/rules/cursor/b.md': 'Mine now.' })
  const rules = join(work(), '.cursor', 'rules')
  expect(await imports().undo(work(), rules)).toEqual(ok(['.claude/rules/cursor/a.md']))
  expect([
    await read('work/.claude/rules/cursor/a.md'),
    await read('work/.claude/rules/cursor/b.md'),
  ]).toEqual([...[null, 'Mine now.']])
  expect(await imports().undo(work(), rules)).toMatchObject({ ok: false, failure: { type: 'nothing' } })
  const list = join(root, 'home', '.cursor', 'mcp.json')
  expect(await imports().undo(work(), list)).toEqual(ok(['hub']))
  expect([...servers.keys()]).toEqual(['mine'])
  expect(await imports().undo(work(), list)).toMatchObject({ ok: false, failure: { type: 'nothing' } })
})

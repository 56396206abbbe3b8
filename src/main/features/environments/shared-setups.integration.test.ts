/** Worktrees that get what the set-up of another one made, through the whole program, in the real sandbox. */
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type EnvironmentBench, environmentBench } from './testing/environment-bench.ts'

let bench: EnvironmentBench
afterEach(() => bench.close())

const WORK = 'echo work > work.txt'
/** Each run makes another content. */
const INSTALL =
  'mkdir -p node_modules/a web/node_modules && date +%s%N > node_modules/a/at && echo "#!$PWD/x" > web/node_modules/tool && ln -s "$PWD/web" node_modules/web'
const FILES = {
  '.gitignore': 'made\nnode_modules\ndist\n',
  'web/package.json': '{}\n',
  'package-lock.json': '{}\n',
}

async function open(yaml: string, more: Readonly<Record<string, string>> = {}, settings = {}) {
  bench = await environmentBench({ '.troupe/environment.yaml': yaml, ...FILES, ...more }, settings)
  await bench.approve()
}

/** Runs an agent, and returns its worktree. */
async function worktreeOf(task: string, ...commands: readonly string[]) {
  await (await bench.agent(task, WORK, ...commands)).done
  const row = (await bench.rows()).find(
    (each) => each.task === task || each.id.startsWith(task.toLowerCase()),
  )
  if (row === undefined) throw new Error(`No worktree of ${task}. ${bench.problems.join('\n')}`)
  const text = (path: string) => readFile(join(row.path, path), 'utf8')
  return { ...row, setup: row.state.setup, text }
}

const logOf = async ({ id }: { readonly id: string }) => {
  const read = await bench.program().environments.log({ folder: bench.folder, id, source: null, lines: 100 })
  return read.ok ? read.value.lines.map(({ text }) => text).join('\n') : ''
}

test('a second worktree gets a copy of what the first set-up made, with its own paths, and runs no set-up', async () => {
  await open(`share: [node_modules]\nsetup: '${INSTALL} && echo ran'`)
  const first = await worktreeOf('First')
  expect(first.setup).toMatchObject({ kind: 'ready' })
  expect(await logOf(first)).toContain(
    'Kept for other worktrees with the same lock files: node_modules and 1 more.',
  )
  const second = await worktreeOf('Second', 'cat web/node_modules/tool', 'echo changed > node_modules/a/at')
  expect(second.setup).toMatchObject({
    ...{ kind: 'ready', last: null, shared: ['node_modules', 'web/node_modules'] },
  })
  expect(await logOf(second)).toContain(
    'Copied from the set-up of another worktree with the same inputs: node_modules',
  )
  expect(await logOf(second)).not.toContain('\nran')
  expect(bench.told()).toContain('node_modules and 1 more were copied from an equal worktree')
  expect(await second.text('web/node_modules/tool')).toBe(`#!${second.path}/x\n`)
  expect(existsSync(join(second.path, 'node_modules/web/package.json'))).toBe(true)

  const third = await worktreeOf('Third')
  expect(await third.text('node_modules/a/at')).toBe(await first.text('node_modules/a/at'))
  expect(await second.text('node_modules/a/at')).toBe('changed\n')
})

test('other lock files, and other commands, need a set-up of their own', async () => {
  await open(`share: [node_modules]\nsetup: '${INSTALL}'`)
  const first = await worktreeOf('First')
  await writeFile(join(bench.folder, 'package-lock.json'), '{"other": 1}\n')
  await bench.commit()
  const second = await worktreeOf('Second')
  expect(await second.text('node_modules/a/at')).not.toBe(await first.text('node_modules/a/at'))
  expect(second.setup).not.toHaveProperty('shared')
})

test('commands after those that install run in each worktree', async () => {
  await open('setup:\n  - npm install --no-package-lock\n  - echo $TROUPE_PORT > made\n', {
    'package.json': '{"name": "x", "version": "1.0.0", "dependencies": {"a": "file:./a"}}\n',
    'a/package.json': '{"name": "a", "version": "1.0.0"}\n',
  })
  const first = await worktreeOf('First')
  const second = await worktreeOf('Second')
  expect(await logOf(first)).toContain('Kept for other worktrees')
  expect(second.setup).toMatchObject({
    kind: 'ready',
    shared: ['node_modules'],
    last: 'echo $TROUPE_PORT > made',
  })
  expect(await second.text('made')).toBe(`${second.state.base}\n`)
  expect(existsSync(join(second.path, 'node_modules/a/package.json'))).toBe(true)
})

test('what depends on more than lock files is shared between worktrees of one commit', async () => {
  await open(`share: [node_modules]\nsetup: '${INSTALL} && mkdir dist && cp source dist/built'`, {
    source: 'one\n',
  })
  const first = await worktreeOf('First')
  expect(await logOf(first)).toContain('Kept for other worktrees of the same commit')
  expect((await worktreeOf('Second')).setup).toHaveProperty('shared')
  await writeFile(join(bench.folder, 'source'), 'two\n')
  await bench.commit()
  // The command names the file, so it is approved with it.
  await bench.approve()
  const third = await worktreeOf('Third')
  expect(third.setup).not.toHaveProperty('shared')
  expect(await third.text('dist/built')).toBe('two\n')
})

test('a set-up with files that git does not ignore, or that is not shared by its file, runs each time', async () => {
  await open(`share: []\nsetup: '${INSTALL}'`)
  await worktreeOf('First')
  expect((await worktreeOf('Second')).setup).not.toHaveProperty('shared')
  await writeFile(
    join(bench.folder, '.troupe/environment.yaml'),
    `share: [node_modules]\nsetup: '${INSTALL} && echo x > seen'`,
  )
  await bench.commit()
  await bench.approve()
  const third = await worktreeOf('Third')
  expect(await logOf(third)).toContain('Nothing was kept for other worktrees: seen is in no commit')
  expect((await worktreeOf('Fourth')).setup).not.toHaveProperty('shared')
})

test('worktrees that are made at once wait for the first set-up', async () => {
  await open(`share: [node_modules]\nsetup: 'sleep 2; ${INSTALL}'`)
  const agents = [
    await bench.agent('First', WORK),
    await bench.agent('Second', WORK),
    await bench.agent('Third', WORK),
  ]
  await Promise.all(agents.map(({ done }) => done))
  const rows = await bench.rows()
  const times = await Promise.all(rows.map(({ path }) => readFile(join(path, 'node_modules/a/at'), 'utf8')))
  expect([rows.length, new Set(times).size]).toEqual([3, 1])
  expect(rows.filter(({ state }) => 'shared' in state.setup)).toHaveLength(2)
})

test('nothing of a worktree in which an agent works already is kept', async () => {
  await open(`share: [node_modules]\nsetup: '${INSTALL}; sleep 2'`, {}, { worktreeSetup: 'beside' })
  const { done } = await bench.agent('Beside', WORK, 'sleep 4', 'true')
  await done
  const kept = join(bench.base, 'data/environments/shared')
  expect(existsSync(kept) ? (await readdir(kept)).filter((name) => name !== 'drafts') : []).toEqual([])
})

test('an agent that starts beside its set-up waits for the copy', async () => {
  await open(`share: [node_modules]\nsetup: '${INSTALL}'`)
  await worktreeOf('First')
  bench.settings.worktreeSetup = 'beside'
  const second = await worktreeOf('Second', 'cat web/node_modules/tool')
  expect(second.setup).toHaveProperty('shared')
  expect(bench.told()).toContain(`#!${second.path}/x`)
})

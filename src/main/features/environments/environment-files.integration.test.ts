/** What environments keep on the disk: events, logs, blocks of ports. */
import { appendFile, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { identityOf } from '../../platform/system/process-identity.ts'
import { createEnvironmentLog, readLog } from './environment-log.ts'
import { createEnvironmentRecords } from './environment-records.ts'
import { createPortBlocks } from './port-blocks.ts'

let dataFolder: string
let problems: string[]
beforeEach(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'troupe-environment-files-'))
  problems = []
})
afterEach(async () => {
  await rm(dataFolder, { recursive: true, force: true })
})

const WORKTREE = '/data/worktrees/project-1/fix-a'

const records = (pid = process.pid) =>
  createEnvironmentRecords({
    ...{ dataFolder, now: () => 9000, onProblem: (problem: string) => problems.push(problem) },
    self: () => identityOf(pid),
    onEvent: () => undefined,
  })

describe('events', () => {
  it('of a program that died are corrected, and those of one that runs are not', async () => {
    const dead = { pid: 2 ** 22, start: 'long-ago.1' }
    const ours = records()
    await ours.add(WORKTREE, { type: 'run-started', at: 5, name: 'api', port: 2 })
    const file = join(ours.folderOf(WORKTREE), 'events.jsonl')
    const lost = [
      { by: dead, event: { type: 'setup-started', at: 1 } },
      { by: dead, event: { type: 'run-started', at: 2, name: 'web', port: 1 } },
    ]
    await appendFile(file, `${lost.map((line) => JSON.stringify(line)).join('\n')}\n{"by":{"pid`)
    const state = await records().stateOf(WORKTREE)
    expect(state.setup).toMatchObject({ kind: 'failed', error: 'Troupe ended meanwhile.' })
    expect(state.runs).toMatchObject({ web: { kind: 'ended' }, api: { kind: 'running' } })
    await records().add(WORKTREE, { type: 'setup-skipped', at: 6 })
    expect((await records().stateOf(WORKTREE)).setup).toEqual({ kind: 'skipped', at: 6 })
  })
})

describe('the log', () => {
  const create = (folder: string) =>
    createEnvironmentLog({
      ...{ folder, now: () => 1000, onProblem: (problem: string) => problems.push(problem) },
      onLine: () => undefined,
    })

  it('gives the last lines, of all or of one source', async () => {
    const log = create(dataFolder)
    log.add('setup', 'one\ntwo\n')
    log.add('web', 'three\ttabs')
    await log.flush()
    expect(await readLog(dataFolder, { source: null, lines: 2 })).toEqual({
      lines: [
        { at: 1000, source: 'setup', text: 'two' },
        { at: 1000, source: 'web', text: 'three\ttabs' },
      ],
      isCut: true,
    })
    expect((await readLog(dataFolder, { source: 'setup', lines: 9 })).lines).toHaveLength(2)
  })

  it('stays below 10 MB however much is written, ends with the newest line, and says what it left out', async () => {
    const log = create(dataFolder)
    const line = 'x'.repeat(999)
    const megabyte = `${line}\n`.repeat(1000)
    for (let count = 0; count < 1000; count++) {
      log.add('web', megabyte)
      if (count % 10 === 0) await log.flush()
    }
    await log.flush()
    log.add('web', 'the end')
    await log.flush()
    const names = (await readdir(dataFolder)).filter((name) => name.startsWith('log'))
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(dataFolder, name))).size))
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(12 * 1024 * 1024)
    const { lines, isCut } = await readLog(dataFolder, { source: null, lines: 5000 })
    expect(lines.at(-1)?.text).toBe('the end')
    expect(isCut).toBe(true)
    expect(
      lines.some(({ text }) => text.endsWith('left out: the output came faster than the disk takes it.')),
    ).toBe(true)
    expect(problems).toEqual([])
  })

  it('cuts a line that is too long', async () => {
    const log = create(dataFolder)
    log.add('web', 'y'.repeat(1_000_000))
    await log.flush()
    const { lines } = await readLog(dataFolder, { source: null, lines: 1 })
    expect(lines[0]?.text).toHaveLength(2001)
  })
})

describe('blocks of ports', () => {
  it('are different for each worktree, and stay over a restart', async () => {
    const [a, b] = [join(dataFolder, 'a'), join(dataFolder, 'b')]
    await Promise.all([a, b].map((folder) => mkdir(folder)))
    const free = async () => true
    const [one, other] = [
      createPortBlocks({ usual: dataFolder, dataFolder, isFree: free }),
      createPortBlocks({ usual: dataFolder, dataFolder, isFree: free }),
    ]
    const [first, second] = await Promise.all([one.reserve(a), other.reserve(b)])
    expect(new Set([first, second].map((found) => found.ok && found.value)).size).toBe(2)
    const later = createPortBlocks({ usual: dataFolder, dataFolder, isFree: free })
    expect(later.of(a)).toBe(first.ok && first.value)
    await later.release(a)
    expect(createPortBlocks({ usual: dataFolder, dataFolder }).of(a)).toBeNull()
  })

  it('are different for programs with different data folders', async () => {
    const usual = join(dataFolder, 'usual')
    const worktrees = ['a', 'b', 'c'].map((name) => join(dataFolder, name, 'worktrees/x'))
    await Promise.all(worktrees.map((folder) => mkdir(folder, { recursive: true })))
    const blocks = ['a', 'b', 'c'].map((name) =>
      createPortBlocks({ usual, dataFolder: join(dataFolder, name), isFree: async () => true }),
    )
    const reserved = await Promise.all(blocks.map((each, index) => each.reserve(worktrees[index] ?? '')))
    const bases = reserved.map((each) => (each.ok ? each.value : 0))
    expect(new Set(bases).size).toBe(3)
    await blocks[0]?.release(worktrees[0] ?? '')
    expect((await blocks[1]?.replace(worktrees[1] ?? ''))?.ok).toBe(true)
    expect(blocks.map((each, index) => each.of(worktrees[index] ?? ''))).toEqual([
      null,
      expect.any(Number),
      bases[2],
    ])
  })

  it('of an earlier version, in their own data folder, stay', async () => {
    const worktree = join(dataFolder, 'x')
    await mkdir(worktree)
    await createPortBlocks({ usual: dataFolder, dataFolder }).reserve(worktree)
    const usual = join(dataFolder, 'usual')
    const later = createPortBlocks({ usual, dataFolder })
    const kept = createPortBlocks({ usual: dataFolder, dataFolder }).of(worktree)
    expect(await later.reserve(worktree)).toEqual({ ok: true, value: kept })
    await later.release(worktree)
    expect(createPortBlocks({ usual, dataFolder }).of(worktree)).toBeNull()
  })

  it('leave out a block of which a port is taken, and use one again whose worktree is gone', async () => {
    const gone = join(dataFolder, 'gone')
    const blocks = createPortBlocks({ usual: dataFolder, dataFolder })
    const first = await blocks.reserve(gone)
    const base = first.ok ? first.value : 0
    const again = await createPortBlocks({ usual: dataFolder, dataFolder }).reserve(join(dataFolder, 'x'))
    expect(again).toEqual({ ok: true, value: base })
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(base + 3, '127.0.0.1', resolve))
    const replaced = await createPortBlocks({ usual: dataFolder, dataFolder }).replace(join(dataFolder, 'x'))
    expect(replaced.ok && replaced.value).toBeGreaterThan(base)
    server.close()
  })

  it('run out with a sentence', async () => {
    const none = createPortBlocks({ usual: dataFolder, dataFolder, isFree: async () => false })
    expect(await none.reserve('/x')).toMatchObject({ ok: false, failure: { type: 'no-ports' } })
  })
})

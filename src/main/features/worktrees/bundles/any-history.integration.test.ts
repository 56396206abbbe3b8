/** Random histories and random uncommitted changes go to a worker, are changed there, and come back. */
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { createJobFiles } from './job-files.ts'
import { bytesIn, LIMITS, twoMachines, value } from './testing/two-machines.ts'

const NAMES = [
  'a.txt',
  'b c.txt',
  'ü/é.md',
  'd/e/f.bin',
  'd/g',
  '-x',
  '#h',
  'line\nbreak',
  '"q"',
  'ta\tb',
  ' s ',
]
const CONTENTS = ['', 'text\n', 'cr\r\nlf\n', 'no end', '\0binary\0', '# x\r', '<<<<<<< not a conflict\n']

/** A generator with a seed, which a failed test names. */
function dice(seed: number) {
  let state = seed
  const next = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
  return { next, pick: <T>(list: readonly [T, ...T[]] | readonly T[]): T => list[next(list.length)] as T }
}

type Dice = ReturnType<typeof dice>

/** Changes a folder at random: new, changed, larger, renamed and deleted files, modes and links. */
async function change(folder: string, { next, pick }: Dice): Promise<void> {
  for (let count = 1 + next(5); count > 0; count--) {
    const path = join(folder, pick(NAMES))
    const what = next(7)
    try {
      await mkdir(dirname(path), { recursive: true })
      if (what === 0) await rm(path, { recursive: true, force: true })
      else if (what === 1) await rename(path, join(folder, pick(NAMES)))
      else if (what === 2) await symlink(pick(['a.txt', '../out', '/nowhere/at-all']), path)
      else if (what === 3) await chmod(path, pick([0o755, 0o644]))
      else if (what === 4) await writeFile(path, Buffer.alloc(200_000, next(256)))
      else await writeFile(path, `${pick(CONTENTS)}${next(3)}`)
    } catch {
      // A folder is in the way, or the file is not there.
    }
  }
}

test('any history and any uncommitted changes go to a worker and come back, byte for byte', async () => {
  const first = randomBytes(3).readUIntBE(0, 3)
  for (let seed = first; seed < first + 3; seed++) {
    const random = dice(seed)
    const machines = await twoMachines()
    const { bench } = machines
    const project = await bench.repository('project', { 'a.txt': 'one\n' })
    for (let commits = random.next(4); commits > 0; commits--) {
      await change(project, random)
      bench.run(project, 'add', '-A')
      bench.run(project, 'commit', '-q', '--allow-empty', '-m', `Commit ${commits}`)
    }
    const { location } = await bench.made(project)
    await change(location.path, random)
    if (random.next(2) === 0) bench.run(location.path, 'add', '-A')
    await change(location.path, random)
    const files = createJobFiles({
      git: bench.git,
      store: machines.store,
      dataFolder: bench.dataFolder,
      limits: LIMITS,
      onProblem: () => undefined,
    })
    const why = `seed ${seed}`
    const { repository } = value(await files.send({ location, jobId: 'j-1' }))
    let workspace = await machines.open(machines.worker('w0'), { jobId: 'j-1', repository })
    expect(bytesIn(workspace.folder), why).toEqual(bytesIn(location.path))
    let work = null
    for (let turns = 1; turns <= 3; turns++) {
      await change(workspace.folder, random)
      if (random.next(2) === 0) {
        bench.run(workspace.folder, 'add', '-A')
        bench.run(workspace.folder, 'commit', '-q', '--allow-empty', '-m', `Turn ${turns}`)
      }
      work = value(await workspace.save()) ?? work
      if (work !== null) value(await files.progressed('j-1', work))
      if (random.next(3) > 0) continue
      // Killed: another worker goes on.
      const before = bytesIn(workspace.folder)
      workspace = await machines.open(machines.worker(`w${turns}`), { jobId: 'j-1', repository, work })
      expect(bytesIn(workspace.folder), why).toEqual(before)
    }
    const landed = value(await files.land('j-1', new AbortController().signal))
    expect(landed, why).toEqual(work === null ? null : { kind: 'landed' })
    expect(bytesIn(location.path), why).toEqual(bytesIn(workspace.folder))
    expect(bench.run(location.path, 'rev-parse', 'HEAD'), why).toBe(
      bench.run(workspace.folder, 'rev-parse', 'HEAD'),
    )
    expect(bench.run(location.from, 'fsck', '--no-dangling', '--no-progress'), why).toBe('')
  }
})

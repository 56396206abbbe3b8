import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isQuick } from '../../../shared/testing/tries.ts'
import { createWorktrees } from './create-worktrees.ts'
import { anOwner, type GitBench, gitBench, pictureOf, remainsIn } from './testing/git-bench.ts'
import { inOtherProcess } from './testing/other-process.ts'
import { createWorktreeRecords } from './worktree-records.ts'

/** Rounds that run in parallel. */
const LANES = 3

test('after a kill between any two git calls, the next start finds all work, removes empty worktrees, and nothing is damaged', {
  timeout: 600_000,
}, async () => {
  const bench = await gitBench()
  const template = await bench.repository('template', {
    'a.txt': '1\n',
    'lib/b.txt': '2\n',
    '.worktreeinclude': '*.env\n',
  })
  await bench.write(template, { 'a.txt': 'not committed\n', 'x.env': 'SECRET' })
  const before = await pictureOf(bench, template)
  // A random third of the moments.
  const stride = isQuick ? 9 : 3
  let next = 1 + Math.floor(Math.random() * stride)
  let isDone = false
  const lane = async () => {
    while (!isDone) {
      const killAt = next
      next += stride
      if (!(await round(bench, { template, before, killAt }))) isDone = true
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  expect(next).toBeGreaterThan(40)
})

/** @returns whether the process was killed; false if it finished before */
async function round(
  bench: GitBench,
  {
    template,
    before,
    killAt,
  }: { template: string; before: Readonly<Record<string, string>>; killAt: number },
): Promise<boolean> {
  const project = join(bench.folder, `project-${killAt}`)
  const dataFolder = join(bench.folder, `data-${killAt}`)
  await cp(template, project, { recursive: true, preserveTimestamps: true })
  const { wasKilled, lines } = await inOtherProcess({
    do: 'life',
    project,
    dataFolder,
    environment: bench.environment,
    killAt,
  })

  const problems: string[] = []
  const onProblem = (message: string) => void problems.push(message)
  const worktrees = createWorktrees({ git: bench.git, dataFolder, now: () => 2, onProblem })
  const signal = new AbortController().signal
  const fresh = await worktrees.create({ folder: project, owner: anOwner(), carryOver: 'no' }, signal)
  expect(fresh.ok).toBe(true)
  // Agents whose logs name a worktree resume in it.
  const locations = new Map(
    lines.flatMap((line) => ('location' in line ? [[line.location.id, line.location]] : [])),
  )
  for (const location of locations.values())
    expect(await worktrees.restore(location, signal)).toMatchObject({ ok: true })
  const done = lines.filter((line) => 'location' in line && line.location.id.startsWith('work-worker'))
  const worker = [...locations.values()].find(({ id }) => id.startsWith('work-worker'))
  if (worker && done.some(({ did }) => did === 'save'))
    expect(await readFile(join(worker.path, 'work.txt'), 'utf8')).toBe('work')
  if (worker) expect(await readFile(join(worker.path, 'a.txt'), 'utf8')).toBe('not committed\n')

  const records = await createWorktreeRecords({ dataFolder, onProblem }).all()
  expect(records.filter(({ state }) => state === 'making')).toEqual([])
  expect((await remainsIn(dataFolder)).filter((name) => name.startsWith('.'))).toEqual([])
  const there = records.filter(({ state }) => state === 'there')
  const branches = bench.run(project, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/troupe')
  expect(branches.trim().split('\n').sort()).toEqual(there.map(({ branch }) => branch).sort())
  const listed = bench.run(project, 'worktree', 'list', '--porcelain')
  const folders = [...listed.matchAll(/^worktree (.+)$/gm)].map(([, folder]) => folder)
  expect(folders.sort()).toEqual([project, ...there.map(({ path }) => path)].sort())
  expect(listed).not.toMatch(/prunable|locked/)
  expect(bench.run(project, 'fsck', '--strict', '--connectivity-only')).not.toMatch(/missing|corrupt|broken/)
  const after = await pictureOf(bench, project)
  expect(after).toEqual({ ...before, refs: after['refs'], worktrees: after['worktrees'] })
  expect(problems).toEqual([])
  return wasKilled
}

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { anOwner, gitBench, remainsIn } from './testing/git-bench.ts'
import { inOtherProcess } from './testing/other-process.ts'

const manyFiles = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`src/${index % 100}/${index}.txt`, `${index}\n`]),
  )

test('20 agents work and end at once in 5,000 files without lock errors, and every branch is correct', async () => {
  const bench = await gitBench()
  const project = await bench.repository('project', manyFiles(5_000))
  const base = bench.run(project, 'rev-parse', 'HEAD').trim()
  const agents = Array.from({ length: 20 }, (_, index) => index)
  const locations = await Promise.all(
    agents.map(async (index) => {
      const { location } = await bench.made(project, { owner: anOwner() })
      await writeFile(join(location.path, 'src/0/0.txt'), `agent ${index}\n`)
      const commit = await bench.git.run(location.path, ['commit', '-q', '-a', '-m', `By ${index}`])
      expect(commit).toMatchObject({ ok: true })
      await writeFile(join(location.path, `own-${index}.txt`), `agent ${index}\n`)
      const saved = await bench.worktrees.save(location, { task: `Task ${index}`, ended: 'completed' })
      expect(saved).toMatchObject({
        ok: true,
        value: { commits: 2, files: 2, problems: [], unchanged: false, check: { kind: 'clean' } },
      })
      // Some agents have a second worktree without changes.
      if (index % 5 === 0) {
        const idle = await bench.made(project, { owner: anOwner() })
        await bench.worktrees.release(idle.location)
      }
      await bench.worktrees.release(location)
      return location
    }),
  )
  expect(bench.problems).toEqual([])
  for (const [index, { branch }] of locations.entries()) {
    expect(bench.run(project, 'log', '--format=%s', `${base}..${branch}`)).toBe(
      `Agent task: Task ${index}\nBy ${index}\n`,
    )
    expect(bench.run(project, 'diff', '--name-only', base, branch)).toBe(`own-${index}.txt\nsrc/0/0.txt\n`)
  }
  const branches = bench.run(project, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/troupe')
  expect(branches.trim().split('\n').sort()).toEqual(locations.map(({ branch }) => branch).sort())
  expect(bench.run(project, 'worktree', 'list').trim().split('\n')).toHaveLength(21)
  expect(bench.run(project, 'status', '--porcelain')).toBe('')
  expect(bench.run(project, 'fsck', '--connectivity-only')).not.toMatch(/missing|corrupt|broken/)
})

test('two processes use one repository at once', async () => {
  const bench = await gitBench()
  const project = await bench.repository('project', manyFiles(200))
  const { dataFolder, environment } = bench
  const order = { do: 'many', project, dataFolder, environment, agents: 6 } as const
  const ends = await Promise.all([inOtherProcess(order), inOtherProcess(order)])
  const released = ends.flatMap(({ lines }) =>
    lines.flatMap((line) => (line.did === 'release' ? [line.location] : [])),
  )
  expect(ends.flatMap(({ lines }) => lines.filter(({ did }) => did === 'fail'))).toEqual([])
  expect(new Set(released.map(({ id }) => id)).size).toBe(12)
  for (const { id, branch } of released)
    expect(bench.run(project, 'diff', '--name-only', 'main', branch)).toBe(`by-${id}.txt\n`)
  expect(await remainsIn(dataFolder)).toHaveLength(24)
  expect(bench.run(project, 'fsck', '--connectivity-only')).not.toMatch(/missing|corrupt|broken/)
})

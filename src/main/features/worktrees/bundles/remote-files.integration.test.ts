import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesIn, pictureOf } from '../testing/git-bench.ts'
import { bytesIn, twoMachines, value } from './testing/two-machines.ts'

test('a worker gets the worktree with its uncommitted changes, and a second one what the first one left', async () => {
  const machines = await twoMachines()
  const { bench } = machines
  const project = await bench.repository()
  const { location } = await bench.made(project)
  await bench.write(location.path, { 'a.txt': 'changed\n', 'new/ü b.txt': 'new\r\n', '.gitignore': 'out/\n' })
  await bench.write(location.path, { 'out/ignored': 'x' })
  await rm(join(location.path, 'lib/b.txt'))
  const before = await pictureOf(bench, location.path)
  const repository = await machines.send(location, 'j-1')
  const { refs: _, ...same } = await pictureOf(bench, location.path)
  expect({ ...before, ...same }).toEqual(before)

  const first = await machines.open(machines.worker('w1'), { jobId: 'j-1', repository })
  const withoutIgnored = (files: readonly string[]) => files.filter((line) => !line.startsWith('out/'))
  expect(await filesIn(first.folder)).toEqual(withoutIgnored(await filesIn(location.path)))
  expect(bench.run(first.folder, 'rev-parse', 'HEAD', '--abbrev-ref', 'HEAD')).toBe(
    `${location.base}\n${location.branch}\n`,
  )
  expect(bench.run(first.folder, 'status', '--porcelain').trimEnd().split('\n').sort()).toEqual(
    [' A .gitignore', ' A "new/\\303\\274 b.txt"', ' D lib/b.txt', ' M a.txt'].sort(),
  )
  expect(value(await first.save())).toBeNull()

  await bench.write(first.folder, { 'a.txt': 'agent\n' })
  bench.run(first.folder, 'add', '-A')
  bench.run(first.folder, 'commit', '-qm', 'Work')
  await bench.write(first.folder, { 'late.txt': 'late\n' })
  const one = value(await first.save())
  await bench.write(first.folder, { 'later.txt': 'later\n' })
  const two = value(await first.save())
  expect(value(await first.save())).toBeNull()
  expect(one?.bundles).toHaveLength(1)
  expect(two?.bundles).toHaveLength(2)

  const second = await machines.open(machines.worker('w2'), { jobId: 'j-1', repository, work: two })
  expect(await filesIn(second.folder)).toEqual(await filesIn(first.folder))
  expect(bench.run(second.folder, 'rev-parse', 'HEAD')).toBe(bench.run(first.folder, 'rev-parse', 'HEAD'))
  expect(bench.run(second.folder, 'status', '--porcelain')).toBe(' A late.txt\n A later.txt\n')
})

test('jobs of a repository share one large bundle', async () => {
  const machines = await twoMachines()
  const { bench, store } = machines
  const project = await bench.repository('project', { 'a.txt': 'one\n' })
  await writeFile(
    join(project, 'large.bin'),
    Buffer.from(Array.from({ length: 300_000 }, () => Math.random() * 256)),
  )
  bench.run(project, 'add', '-A')
  bench.run(project, 'commit', '-qm', 'Large')
  const worktrees = await Promise.all([1, 2, 3].map(() => bench.made(project)))
  for (const { location } of worktrees) await bench.write(location.path, { [`${location.id}.txt`]: 'x' })
  const sent = await Promise.all(worktrees.map(({ location }, at) => machines.send(location, `j-${at}`)))
  expect(store.sizes.filter((size) => size > 100_000)).toHaveLength(1)
  expect(store.sizes).toHaveLength(4)
  const worker = machines.worker('w1')
  const opened = await Promise.all(
    sent.map((repository, at) => machines.open(worker, { jobId: `j-${at}`, repository })),
  )
  for (const [at, { location }] of worktrees.entries())
    expect(await filesIn(opened[at]?.folder ?? '')).toEqual(await filesIn(location.path))
})

test('modes, links, renamed and deleted files, and strange names arrive as they are', async () => {
  const machines = await twoMachines()
  const { bench } = machines
  const project = await bench.repository('project', { 'a.txt': 'one\n', 'run.sh': '#!/bin/sh\n', 'd/e': 'e' })
  const { location } = await bench.made(project)
  const at = (name: string) => join(location.path, name)
  await chmod(at('run.sh'), 0o755)
  await symlink('../outside', at('link'))
  await rename(at('a.txt'), at('renamed\nwith a break.txt'))
  await rm(at('d'), { recursive: true })
  await writeFile(at('d'), 'a file now')
  await mkdir(at('empty'))
  await writeFile(Buffer.concat([Buffer.from(at('latin-')), Buffer.from([0xe9])]), 'é')
  await writeFile(at('crlf.txt'), 'a\r\nb\nc\r')
  const repository = await machines.send(location, 'j-1')
  const opened = await machines.open(machines.worker('w1'), { jobId: 'j-1', repository })
  expect(bytesIn(opened.folder)).toEqual(bytesIn(location.path))
})

test('a long chain of bundles is replaced by one', async () => {
  const machines = await twoMachines()
  const { bench } = machines
  const { location } = await bench.made(await bench.repository())
  const repository = await machines.send(location, 'j-1')
  const first = await machines.open(machines.worker('w1'), { jobId: 'j-1', repository })
  const lengths = []
  let work = null
  for (let turn = 1; turn <= 22; turn++) {
    await bench.write(first.folder, { [`${turn}.txt`]: `${turn}\n` })
    work = value(await first.save())
    lengths.push(work?.bundles.length)
  }
  expect(lengths).toEqual([...Array.from({ length: 20 }, (_, index) => index + 1), 1, 2])
  const second = await machines.open(machines.worker('w2'), { jobId: 'j-1', repository, work })
  expect(bytesIn(second.folder)).toEqual(bytesIn(first.folder))
})

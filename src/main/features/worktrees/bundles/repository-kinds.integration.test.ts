/** Repositories that can't go to another machine, and those that go there with less. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fail } from '../../../../shared/kernel/result.ts'
import { createGit, type Git } from '../../../platform/git/git-client.ts'
import { type GitBench, gitBench } from '../testing/git-bench.ts'
import { repositoryFacts } from './repository-facts.ts'
import { sendRepository } from './send-bundles.ts'
import { LIMITS, twoMachines, value } from './testing/two-machines.ts'
import { createWorkspaces } from './workspaces.ts'

const SIGNAL = new AbortController().signal

test.each([
  ['no repository', 'git init', (bench: GitBench) => mkdir(join(bench.folder, 'at'))],
  [
    'a repository without commits',
    'Make a first commit',
    async (bench: GitBench) => bench.run(bench.folder, 'init', '-q', 'at'),
  ],
  [
    'a bare repository',
    'bare',
    async (bench: GitBench) => bench.run(bench.folder, 'init', '-q', '--bare', 'at'),
  ],
  [
    'a shallow clone',
    'git fetch --unshallow',
    async (bench: GitBench) => {
      const from = await bench.repository('from')
      bench.run(from, 'commit', '-q', '--allow-empty', '-m', 'Second')
      bench.run(bench.folder, 'clone', '-q', '--depth=1', `file://${from}`, 'at')
    },
  ],
  [
    'a partial clone',
    'without `--filter`',
    async (bench: GitBench) => {
      const from = await bench.repository('from')
      bench.run(from, 'config', 'uploadpack.allowFilter', 'true')
      bench.run(bench.folder, 'clone', '-q', '--filter=blob:none', `file://${from}`, 'at')
    },
  ],
])('%s is refused with what to do', async (_, expected, make) => {
  const bench = await gitBench()
  await make(bench)
  const facts = await repositoryFacts(bench.git, join(bench.folder, 'at'))
  expect(facts).toMatchObject({
    ok: false,
    failure: { type: 'refused', message: expect.stringContaining(expected) },
  })
})

test('submodules, filters, nested repositories and copied files stay behind, and each is named', async () => {
  const machines = await twoMachines()
  const { bench } = machines
  const other = await bench.repository('other')
  const project = await bench.repository('project', {
    '.gitattributes': '*.psd filter=lfs diff=lfs\n',
    'secrets/.gitattributes': '* filter=git-crypt\n',
    '.gitignore': '.env\n',
    '.worktreeinclude': '.env\n',
  })
  bench.run(project, 'submodule', '--quiet', 'add', other, 'vendor/other')
  bench.run(project, 'commit', '-qm', 'With a submodule')
  await bench.write(project, { '.env': 'KEY=secret\n' })
  const { location } = await bench.made(project)
  expect(await readFile(join(location.path, '.env'), 'utf8')).toBe('KEY=secret\n')
  bench.run(location.path, 'init', '-q', 'nested')
  await bench.write(location.path, { 'nested/x': 'x', 'new.txt': 'new\n' })
  bench.run(location.path, '-C', 'nested', 'add', 'x')
  bench.run(location.path, '-C', 'nested', 'commit', '-qm', 'Nested')
  const sent = value(await sendRepository(machines.sendDeps, { location, jobId: 'j-1' }))
  const notes = sent.notes.join('\n')
  for (const named of ['vendor/other', 'git-lfs', 'git-crypt', 'nested/', '.env'])
    expect(notes).toContain(named)
  const { repository } = sent
  const { folder } = await machines.open(machines.worker('w1'), { jobId: 'j-1', repository })
  expect((await readdir(folder)).toSorted()).toEqual([
    '.git',
    '.gitattributes',
    '.gitignore',
    '.gitmodules',
    '.worktreeinclude',
    'new.txt',
    'secrets',
    'vendor',
  ])
  expect(await readdir(join(folder, 'vendor/other'))).toEqual([])
})

test('an unfinished merge is not sent, and what the agent leaves in one is not taken for its work', async () => {
  const machines = await twoMachines()
  const { bench } = machines
  const project = await bench.repository('project', { 'a.txt': 'one\n' })
  const { location } = await bench.made(project)
  const repository = await machines.send(location, 'j-1')
  const workspace = await machines.open(machines.worker('w1'), { jobId: 'j-1', repository })
  const conflict = async (folder: string) => {
    bench.run(folder, 'checkout', '-qb', 'other')
    await bench.write(folder, { 'a.txt': 'other\n' })
    bench.run(folder, 'commit', '-qam', 'Other')
    bench.run(folder, 'checkout', '-q', location.branch)
    await bench.write(folder, { 'a.txt': 'ours\n' })
    bench.run(folder, 'commit', '-qam', 'Ours')
    expect(() => bench.run(folder, 'merge', '-q', 'other')).toThrow()
  }
  await conflict(workspace.folder)
  expect(await workspace.save()).toMatchObject({
    ok: false,
    failure: { type: 'refused', message: expect.stringContaining('unfinished') },
  })
  bench.run(workspace.folder, 'merge', '--abort')
  value(await workspace.save())
  expect(await workspace.hasMore()).toBe(true)
  bench.run(workspace.folder, 'branch', '-qD', 'other')
  expect(await workspace.hasMore()).toBe(false)
  await conflict(location.path)
  expect(await sendRepository(machines.sendDeps, { location, jobId: 'j-2' })).toMatchObject({
    ok: false,
    failure: { type: 'refused', message: expect.stringContaining('Finish or abort') },
  })
})

test('no password, token or user name of a remote is in the job', async () => {
  const machines = await twoMachines()
  const project = await machines.bench.repository()
  machines.bench.run(
    project,
    'remote',
    'add',
    'origin',
    'https://lovelace:s3cret@example.org/acme/tools.git?token=s3cret',
  )
  const { location } = await machines.bench.made(project)
  const repository = await machines.send(location, 'j-1')
  expect(repository.url).toBe('https://example.org/acme/tools.git')
  expect(JSON.stringify(repository)).not.toMatch(/s3cret|lovelace/)
})

test('a repository that is larger than the limit is refused, and nothing is left of the attempt', async () => {
  const machines = await twoMachines()
  const { bench, store, sendDeps } = machines
  const project = await bench.repository('project', { 'a.txt': 'one\n' })
  await writeFile(
    join(project, 'noise.bin'),
    Buffer.from(Array.from({ length: 50_000 }, () => Math.random() * 256)),
  )
  bench.run(project, 'add', '-A')
  bench.run(project, 'commit', '-qm', 'Noise')
  const { location } = await bench.made(project)
  const sent = await sendRepository({ ...sendDeps, maxBytes: 20_000 }, { location, jobId: 'j-1' })
  expect(sent).toMatchObject({
    ok: false,
    failure: { type: 'too-large', message: expect.stringContaining('Remove large files') },
  })
  expect(store.sizes).toEqual([])
  expect(bench.run(project, 'for-each-ref', 'refs/troupe/packing')).toBe('')
  expect(await readdir(sendDeps.folder)).toEqual([])
})

/** A worker whose git has a filter, hooks and templates that would leave a file. */
async function eagerWorker() {
  const machines = await twoMachines()
  const { bench, store } = machines
  const home = join(bench.folder, 'worker-home')
  const ran = join(bench.folder, 'ran')
  await mkdir(join(home, 'template/hooks'), { recursive: true })
  await writeFile(join(home, 'template/hooks/post-checkout'), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 })
  const filter = `[filter "lfs"]\n\tclean = touch ${ran}; cat\n\tsmudge = touch ${ran}; cat\n\trequired = true\n`
  await writeFile(join(home, 'ignore'), '*.log\n')
  await writeFile(join(home, 'attributes'), '*.txt filter=lfs\n')
  const core = `[core]\n\texcludesFile = ~/ignore\n\tattributesFile = ~/attributes\n\tautocrlf = true\n`
  await writeFile(join(home, '.gitconfig'), `${filter}${core}[init]\n\ttemplateDir = ${home}/template\n`)
  const environment = { ...bench.environment, HOME: home }
  const git = createGit({ environment })
  const dataFolder = join(bench.folder, 'w1')
  const workerWith = (client: Git) => createWorkspaces({ git: client, store, limits: LIMITS, dataFolder })
  return { ...machines, git, workerWith }
}

test('filters, hooks, ignored files and line ends of the worker’s machine have no effect there', async () => {
  const machines = await eagerWorker()
  const { bench, git, workerWith } = machines
  const project = await bench.repository('project', {
    '.gitattributes': '* filter=lfs\n',
    'a.psd': 'pointer\n',
  })
  const { location } = await bench.made(project)
  const repository = await machines.send(location, 'j-1')
  const workspace = await machines.open(workerWith(git), { jobId: 'j-1', repository })
  await writeFile(join(workspace.folder, 'a.psd'), 'changed\n')
  await writeFile(join(workspace.folder, 'made.log'), 'unix\nand\r\n')
  const saved = value(await workspace.save())
  const again = await machines.open(machines.worker('w2'), { jobId: 'j-1', repository, work: saved })
  expect(await readFile(join(again.folder, 'made.log'), 'utf8')).toBe('unix\nand\r\n')
  value(await git.run(workspace.folder, ['commit', '-qam', 'By the agent']))
  value(await workspace.save())
  expect(await readdir(bench.folder)).not.toContain('ran')
  expect(await readdir(join(workspace.folder, '.git'))).not.toContain('hooks')
})

test('a full disk is said as such, not as a bad bundle', async () => {
  const { workerWith, git, ...machines } = await eagerWorker()
  const { location } = await machines.bench.made(await machines.bench.repository())
  const repository = await machines.send(location, 'j-1')
  const full: Git = {
    ...git,
    run: async (folder, args, options) =>
      args[0] === 'index-pack'
        ? fail({
            type: 'git',
            reason: 'disk-full',
            message: 'git index-pack failed: No space left on device',
          })
        : git.run(folder, args, options),
  }
  expect(await workerWith(full).open({ jobId: 'j-1', repository, work: null }, SIGNAL)).toMatchObject({
    ok: false,
    failure: { type: 'io', message: expect.stringContaining('disk is full') },
  })
  expect(await workerWith(git).open({ jobId: 'j-1', repository, work: null }, SIGNAL)).toMatchObject({
    ok: true,
  })
})

test('two jobs of one repository start at the same time, and old mirrors go first', async () => {
  const machines = await twoMachines()
  const { bench } = machines
  const worker = machines.worker('w1')
  const jobs = []
  for (const name of ['one', 'two']) {
    const { location } = await bench.made(await bench.repository(name, { [`${name}.txt`]: name }))
    jobs.push({ jobId: `j-${name}`, repository: await machines.send(location, `j-${name}`) })
  }
  const [one, two] = jobs
  if (one === undefined || two === undefined) throw new Error('unreachable')
  const again = { ...one, jobId: 'j-again' }
  const opened = await Promise.all([one, again, two].map((job) => machines.open(worker, job)))
  expect(new Set(opened.map(({ folder }) => folder)).size).toBe(3)
  await worker.tidy({ maxBytes: 0, running: new Set(['j-two']) })
  expect(await readdir(join(bench.folder, 'w1/workspaces'))).toEqual(['j-two'])
  expect(await readdir(join(bench.folder, 'w1/mirrors'))).toEqual([two.repository.id])
  expect(bench.run(opened[2]?.folder ?? '', 'status', '--porcelain')).toBe('')
  // The mirror is made again.
  const last = await machines.open(worker, { ...one, jobId: 'j-last' })
  expect(bench.run(last.folder, 'log', '--format=%s')).toBe('First\n')
})

test.each(['../evil', 'a/b', '.', '-x', 'x..y', 'x\ny', ''])(
  'a job whose id is %j is refused',
  async (jobId) => {
    const machines = await twoMachines()
    const { location } = await machines.bench.made(await machines.bench.repository())
    const repository = await machines.send(location, 'j-1')
    const opened = await machines.worker('w1').open({ jobId, repository, work: null }, SIGNAL)
    expect(opened).toMatchObject({ ok: false, failure: { type: 'invalid' } })
  },
)

test.each([
  { branch: '../../evil' },
  { branch: '--upload-pack=evil' },
  { branch: 'a..b' },
  { branch: 'x\ny' },
  { id: '../../evil' },
  { commit: 'HEAD' },
  { head: 'HEAD' },
  { head: '--all' },
])('a job with %j is refused', async (forged) => {
  const machines = await twoMachines()
  const { location } = await machines.bench.made(await machines.bench.repository())
  const repository = { ...(await machines.send(location, 'j-1')), ...forged }
  const opened = await machines.worker('w1').open({ jobId: 'j-1', repository, work: null }, SIGNAL)
  expect(opened).toMatchObject({ ok: false, failure: { type: 'invalid' } })
})

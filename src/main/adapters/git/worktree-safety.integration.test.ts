import { chmod, lstat, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type GitBench, gitBench } from './testing/git-bench.ts'

/** A repository whose own settings name programs wherever git would run one that nobody asked for. */
async function planted(
  bench: GitBench,
): Promise<{ project: string; ran: (name: string) => Promise<boolean> }> {
  const project = await bench.repository('project', {
    'a.txt': '1\n',
    '.gitattributes': '*.txt diff=evil merge=union\n',
    '.worktreeinclude': '.env\n',
  })
  await bench.write(project, { '.env': 'x' })
  const program = async (name: string) => {
    const path = join(bench.folder, `${name}.sh`)
    await writeFile(path, `#!/bin/sh\ntouch '${bench.folder}/ran-${name}'\n`)
    await chmod(path, 0o755)
    return path
  }
  const hook = await program('hook')
  const hooks = join(project, '.git/hooks')
  const other = join(bench.folder, 'other-hooks')
  for (const folder of [hooks, other]) await mkdir(folder, { recursive: true })
  for (const name of [
    'post-checkout',
    'pre-commit',
    'prepare-commit-msg',
    'commit-msg',
    'post-commit',
    'post-index-change',
    'reference-transaction',
    'post-rewrite',
  ]) {
    await symlink(hook, join(hooks, name))
    await symlink(hook, join(other, name))
  }
  const settings = {
    'core.fsmonitor': await program('fsmonitor'),
    'core.hooksPath': other,
    'core.sshCommand': await program('ssh'),
    'core.editor': await program('editor'),
    'core.pager': await program('pager'),
    'core.askPass': await program('askpass'),
    'diff.external': await program('diff'),
    'diff.evil.command': await program('diff-driver'),
    'diff.evil.textconv': await program('textconv'),
    'gpg.program': await program('gpg'),
    'commit.gpgSign': 'true',
    'credential.helper': await program('credential'),
    'uploadpack.packObjectsHook': await program('pack'),
    'gc.auto': '1',
  }
  for (const [key, value] of Object.entries(settings)) bench.run(project, 'config', key, value)
  return {
    project,
    ran: async (name) => (await lstat(join(bench.folder, `ran-${name}`)).catch(() => null)) !== null,
  }
}

test('no program that a repository names in its settings is run', async () => {
  const bench = await gitBench()
  const { project, ran } = await planted(bench)
  await bench.write(project, { 'a.txt': 'mine\n' })
  const { place } = await bench.made(project, { carryOver: true })
  await bench.write(place.path, { 'a.txt': 'theirs\n', 'b.txt': 'b\n' })
  const saved = await bench.worktrees.save(place, { task: 'x', ended: 'completed' })
  expect(saved).toMatchObject({ ok: true, value: { commits: 2, problems: [] } })
  await bench.worktrees.release(place)
  const idle = await bench.made(project)
  await bench.worktrees.release(idle.place)
  expect(await bench.worktrees.restore(idle.place, new AbortController().signal)).toMatchObject({ ok: true })
  const names = 'hook fsmonitor ssh editor pager askpass diff diff-driver textconv gpg credential pack'
  for (const name of names.split(' ')) expect([name, await ran(name)]).toEqual([name, false])
})

test('the programs would run without the guards', async () => {
  const bench = await gitBench()
  const { project, ran } = await planted(bench)
  bench.run(project, 'status')
  bench.run(
    project,
    '-c',
    'core.hooksPath=.git/hooks',
    '-c',
    'commit.gpgSign=false',
    'commit',
    '--allow-empty',
    '-qm',
    'x',
  )
  expect([await ran('fsmonitor'), await ran('hook')]).toEqual([true, true])
})

test('names that people and models give never become options or patterns', async () => {
  const bench = await gitBench()
  const project = await bench.repository()
  await bench.write(project, {
    '--output=evil': 'x',
    ':(top)weird': 'y',
    '*': 'z',
    '.worktreeinclude': '\\*\n',
  })
  const { place } = await bench.made(project, {
    carryOver: true,
    owner: { name: '--force', task: '--amend\n--file=/etc/passwd' },
  })
  expect(place.id).toMatch(/^force-[0-9a-f]{6}-/)
  expect(bench.run(place.path, 'ls-files').split('\n')).toEqual([
    '--output=evil',
    '.worktreeinclude',
    ':(top)weird',
    'a.txt',
    'lib/b.txt',
    '',
  ])
  await bench.write(place.path, { '--new': 'n', 'plain.txt': 'p' })
  bench.run(place.path, 'init', '-q', '[a-z]*')
  const saved = await bench.worktrees.save(place, { task: '--amend', ended: 'completed' })
  expect(saved).toMatchObject({
    ok: true,
    value: { commits: 2, problems: [expect.stringContaining('[a-z]* is a repository of its own')] },
  })
  expect(bench.run(project, 'ls-tree', '--name-only', place.branch)).toContain('plain.txt')
  expect(bench.run(project, 'log', '-1', '--format=%s', place.branch)).toBe('Agent task: --amend\n')
})

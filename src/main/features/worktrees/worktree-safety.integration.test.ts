import { chmod, lstat, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type GitBench, gitBench } from './testing/git-bench.ts'

/** A repository whose settings name a program at every point where git would run one. */
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

test('programs in a repository’s settings do not run', async () => {
  const bench = await gitBench()
  const { project, ran } = await planted(bench)
  await bench.write(project, { 'a.txt': 'mine\n' })
  const { location } = await bench.made(project, { carryOver: true })
  await bench.write(location.path, { 'a.txt': 'theirs\n', 'b.txt': 'b\n' })
  const saved = await bench.worktrees.save(location, { task: 'x', ended: 'completed' })
  expect(saved).toMatchObject({ ok: true, value: { commits: 2, problems: [] } })
  await bench.worktrees.release(location)
  const idle = await bench.made(project)
  await bench.worktrees.release(idle.location)
  expect(await bench.worktrees.restore(idle.location, new AbortController().signal)).toMatchObject({
    ok: true,
  })
  const names = 'hook fsmonitor ssh editor pager askpass diff diff-driver textconv gpg credential pack'
  for (const name of names.split(' ')) expect([name, await ran(name)]).toEqual([name, false])
})

test('these programs run without the guards', async () => {
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

test('names from people and models never become options or patterns', async () => {
  const bench = await gitBench()
  const project = await bench.repository()
  await bench.write(project, {
    '--output=evil': 'x',
    ':(top)weird': 'y',
    '*': 'z',
    '.worktreeinclude': '\\*\n',
  })
  const { location } = await bench.made(project, {
    carryOver: true,
    owner: { name: '--force', task: '--amend\n--file=/etc/passwd' },
  })
  expect(location.id).toMatch(/^amend-file-etc-passwd-/)
  expect(bench.run(location.path, 'ls-files').split('\n')).toEqual([
    '--output=evil',
    '.worktreeinclude',
    ':(top)weird',
    'a.txt',
    'lib/b.txt',
    '',
  ])
  await bench.write(location.path, { '--new': 'n', 'plain.txt': 'p' })
  bench.run(location.path, 'init', '-q', '[a-z]*')
  const saved = await bench.worktrees.save(location, { task: '--amend', ended: 'completed' })
  expect(saved).toMatchObject({
    ok: true,
    value: { commits: 2, problems: [expect.stringContaining('[a-z]* is a repository of its own')] },
  })
  expect(bench.run(project, 'ls-tree', '--name-only', location.branch)).toContain('plain.txt')
  expect(bench.run(project, 'log', '-1', '--format=%s', location.branch)).toBe('Agent task: --amend\n')
})

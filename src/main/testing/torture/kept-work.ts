/** Work in worktrees: at the end every effect is committed on its agent's branch, and git finds no damage. */
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type RealTroupe, worktreesBelow } from '../real-troupe.ts'
import type { Disk } from './disk.ts'

const run = promisify(execFile)

const PERSON = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.invalid']

/** Runs git in a folder without the machine's settings. @returns its output */
async function git(folder: string, ...args: string[]): Promise<string> {
  const env = { PATH: process.env['PATH'], HOME: '/nonexistent', LC_ALL: 'C' }
  return (await run('git', [...PERSON, ...args], { cwd: folder, env })).stdout.trimEnd()
}

/** Creates a repository and commits everything in the folder. */
export async function makeRepository(folder: string): Promise<void> {
  await git(folder, 'init', '-q', '-b', 'main')
  await git(folder, 'add', '-A')
  await git(folder, 'commit', '-q', '-m', 'Start')
}

/** Effects on no branch, orphaned worktrees, and git's own findings. */
export async function notKept(
  disk: Disk,
  { folder, home }: Pick<RealTroupe, 'folder' | 'home'>,
): Promise<readonly string[]> {
  const problems: string[] = []
  for (const { agentId, state } of disk.values()) {
    const { worktree, work, status } = state ?? {}
    if (!worktree?.own || status !== 'completed') continue
    if (!work || work.problems.length > 0 || work.commits === 0)
      problems.push(`${agentId} has completed, and its work is ${JSON.stringify(work)}`)
    const wrote = await linesOf(join(worktree.path, 'effects.txt'))
    const kept = (
      await git(folder, 'show', `${worktree.branch}:effects.txt`).catch((thrown: Error) => thrown.message)
    ).split('\n')
    for (const line of wrote)
      if (!kept.includes(line)) problems.push(`${line} of ${agentId} is not on ${worktree.branch}`)
  }
  for (const path of await worktreesBelow(home)) {
    const names = await readdir(join(path, '..'))
    if (!names.some((name) => path.endsWith(`/${name.replace(/\.json$/, '')}`) && name.endsWith('.json')))
      problems.push(`${path} has no record`)
  }
  await git(folder, 'fsck', '--strict').catch((thrown: Error) => problems.push(thrown.message))
  const status = await git(folder, 'status', '--porcelain', '--untracked-files=no')
  if (status !== '') problems.push(`the user's files were touched: ${status}`)
  return problems
}

const linesOf = async (path: string): Promise<readonly string[]> =>
  (await readFile(path, 'utf8').catch(() => '')).split('\n').filter(Boolean)

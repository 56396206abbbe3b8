/** The folders of git that a command needs to write, for the folder of its agent. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

export interface GitFolders {
  readonly writes: readonly string[]
  /** Below `writes`: what git runs, and the checkouts of others. */
  readonly keeps: readonly string[]
}

const none: GitFolders = { writes: [], keeps: [] }

/** What git runs: its settings, its hooks, and what its settings can name. */
const RUN_BY_GIT = ['config', 'config.worktree', 'hooks', 'info', 'modules']

/**
 * The repository's own folder for a checkout, as git finds it from `folder` upwards. A `.git` file counts only if the
 * folder that it names points back to it: else any folder could claim another repository.
 */
export async function gitFolders(folder: string): Promise<GitFolders> {
  for (let at = folder; ; at = dirname(at)) {
    const found = await gitOf(at)
    if (found !== null) return found
    if (dirname(at) === at) return none
  }
}

async function gitOf(checkout: string): Promise<GitFolders | null> {
  const path = join(checkout, '.git')
  const found = await stat(path).catch(() => null)
  if (found === null) return null
  if (found.isDirectory()) return { writes: [path], keeps: RUN_BY_GIT.map((name) => join(path, name)) }
  const own = await pathIn(path, /^gitdir: (.*)$/m, checkout)
  if (own === null || (await pathIn(join(own, 'gitdir'), /^(.*)$/m, own)) !== path) return none
  const common = (await pathIn(join(own, 'commondir'), /^(.*)$/m, own)) ?? own
  const others = (await readdir(join(common, 'worktrees')).catch(() => [])).filter(
    (name) => name !== basename(own),
  )
  return {
    writes: [common],
    keeps: [
      path,
      ...others.map((name) => join(common, 'worktrees', name)),
      ...RUN_BY_GIT.map((name) => join(common, name)),
      ...['HEAD', 'index'].map((name) => join(common, name)),
      ...['gitdir', 'commondir', 'config.worktree'].map((name) => join(own, name)),
    ],
  }
}

async function pathIn(file: string, pattern: RegExp, base: string): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const path = pattern.exec(text)?.[1]?.trim() ?? ''
  return path === '' ? null : resolve(base, path)
}

/** The repository around a folder, from one call of `git rev-parse`. */
import { readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { type Failure, fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { exists } from '../system/exists.ts'
import type { Git, GitOptions } from './git-client.ts'
import type { GitFailure } from './git-failure.ts'

export interface Repository {
  /** The top of the checkout that the folder is in, links resolved. */
  readonly top: string
  /** The folder relative to the top; empty: the folder is the top. */
  readonly below: string
  /** The folder that all checkouts of the repository share, links resolved: `<repository>/.git`. */
  readonly commonFolder: string
  /** This checkout's own git folder: the common one, or `worktrees/<name>` in it. */
  readonly gitFolder: string
  /** Null: the repository has no commits. */
  readonly head: string | null
  /** Null: no branch is checked out. */
  readonly branch: string | null
  readonly isShallow: boolean
  readonly hasSubmodules: boolean
}

const FACTS = [
  'rev-parse',
  '--path-format=absolute',
  '--is-bare-repository',
  '--is-shallow-repository',
  '--show-toplevel',
  '--absolute-git-dir',
  '--git-common-dir',
]

/** `git`: also a repository that git or Troupe does not trust. */
type RepositoryFailure = GitFailure | RefusedFolder

interface RefusedFolder extends Failure {
  readonly type: 'not-a-repository' | 'bare' | 'git' | 'not-found'
}

export async function repositoryAround(
  git: Git,
  folder: string,
  signal?: AbortSignal,
): Promise<Result<Repository, RepositoryFailure>> {
  const options = signal ? { signal } : {}
  const asked = await git.run(folder, [...FACTS, 'HEAD', '--symbolic-full-name', 'HEAD'], options)
  if (asked.ok) {
    const lines = asked.value.split('\n')
    return fromLines(folder, { lines: lines.slice(0, -3), head: lines.at(-3), ref: lines.at(-2) })
  }
  if (asked.failure.type !== 'git') return asked
  return withoutHead(git, folder, { failure: asked.failure, options })
}

/**
 * Without commits git can't resolve HEAD. Other failures are distinguished by exit codes and by the files on the disk.
 */
async function withoutHead(
  git: Git,
  folder: string,
  { failure, options }: { readonly failure: GitFailure; readonly options: GitOptions },
): Promise<Result<Repository, RepositoryFailure>> {
  const inside = ['rev-parse', '--is-bare-repository', '--is-inside-work-tree']
  const found = await git.answers(folder, inside, { ...options, accepts: [128] })
  if (!found.ok) return found
  if (found.value.code !== 0) return fail((await refusal(folder)) ?? failure)
  if (found.value.output !== 'false\ntrue\n') return fail(bare(folder))
  const [facts, ref] = await Promise.all([
    git.run(folder, FACTS, options),
    git.answers(folder, ['symbolic-ref', '--quiet', 'HEAD'], { ...options, accepts: [1] }),
  ])
  if (!facts.ok) return facts
  if (!ref.ok) return ref
  return fromLines(folder, {
    lines: facts.value.split('\n').slice(0, -1),
    head: undefined,
    ref: ref.value.output.trim(),
  })
}

/** Why git finds no usable repository; null: a `.git` exists, and git's own message explains what is wrong with it. */
async function refusal(folder: string): Promise<RefusedFolder | null> {
  for (let at = folder; ; at = dirname(at)) {
    if (await isGitFolder(at)) return bare(folder)
    const link = join(at, '.git')
    const content = await readFile(link, 'utf8').catch(() => null)
    const named = content === null ? link : resolve(at, /^gitdir: (.+)$/m.exec(content)?.[1] ?? '')
    if (await isGitFolder(named)) return null
    if (at === dirname(at)) return notARepository(folder)
  }
}

/** The check of git itself: such a folder has `HEAD`, `objects` and `refs`, or names a common folder. */
async function isGitFolder(path: string): Promise<boolean> {
  const has = (name: string) => exists(join(path, name))
  if (!(await has('HEAD'))) return false
  return (await has('commondir')) || ((await has('objects')) && (await has('refs')))
}

async function fromLines(
  folder: string,
  { lines, head, ref }: { lines: readonly string[]; head: string | undefined; ref: string | undefined },
): Promise<Result<Repository, RepositoryFailure>> {
  const [isBare, isShallow, shownTop, shownGitFolder, shownCommon] = lines
  if (lines.length !== 5 || !shownTop || !shownGitFolder || !shownCommon)
    return fail({
      type: 'git',
      message: `The output of git about ${folder} can’t be read. Folder names with line breaks are not supported: rename the folder.`,
    })
  if (isBare === 'true') return fail(bare(folder))
  try {
    const [top, gitFolder, commonFolder, real] = await Promise.all(
      [shownTop, shownGitFolder, shownCommon, folder].map((path) => realpath(path)),
    )
    if (!top || !gitFolder || !commonFolder || !real) throw new Error('unreachable')
    const below = relative(top, real)
    const strange =
      below === '..' || below.startsWith(`..${sep}`) || !(await belongs(top, gitFolder, commonFolder))
    if (strange) return fail(planted(top, gitFolder))
    return ok({
      top,
      below,
      commonFolder,
      gitFolder,
      head: head ?? null,
      branch: ref?.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null,
      isShallow: isShallow === 'true',
      hasSubmodules: await isFile(join(top, '.gitmodules')),
    })
  } catch (error) {
    return fail({ type: 'not-found', message: `The folder ${folder} is gone.`, cause: error })
  }
}

/**
 * Whether a git folder belongs to this checkout. A planted `.git` (a file, or a folder with a `commondir`) can name
 * the repository of another folder, and agents would then read and write files outside their permission.
 */
async function belongs(top: string, gitFolder: string, commonFolder: string): Promise<boolean> {
  if (gitFolder === commonFolder)
    return basename(gitFolder) !== '.git' || dirname(gitFolder) === top || (await namesTop(gitFolder, top))
  if (dirname(dirname(gitFolder)) !== commonFolder || basename(dirname(gitFolder)) !== 'worktrees')
    return false
  const back = await readFile(join(gitFolder, 'gitdir'), 'utf8').catch(() => '')
  const checkout = await realpath(dirname(back.trim())).catch(() => null)
  // The entry of a worktree that was moved by hand still names its old path. Git corrects that itself.
  return checkout === null || checkout === top
}

/** Whether the settings of a repository outside its checkout name the checkout (`core.worktree`). */
async function namesTop(gitFolder: string, top: string): Promise<boolean> {
  const settings = await readFile(join(gitFolder, 'config'), 'utf8').catch(() => '')
  const named = /^\s*worktree\s*=\s*"?(.+?)"?\s*$/m.exec(settings)?.[1]
  if (named === undefined) return false
  return (await realpath(resolve(gitFolder, named)).catch(() => null)) === top
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  )

const notARepository = (folder: string): RefusedFolder => ({
  type: 'not-a-repository',
  message: `${folder} is not in a git repository, so it can have no worktrees. Run \`git init\` and make a first commit, or start the agent without isolation.`,
})

const bare = (folder: string): RefusedFolder => ({
  type: 'bare',
  message: `${folder} is a bare repository or a repository’s own git folder: it has no checked-out files to start from. Open a checkout of the repository, or clone it and open the clone.`,
})

const planted = (top: string, gitFolder: string): RefusedFolder => ({
  type: 'git',
  message: `The folder ${top} names ${gitFolder} as its repository, which belongs to another folder. Nothing was done. If this is intended, open that other folder.`,
})

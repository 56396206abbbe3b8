/** The facts of the repository around a folder, in one question to git. */
import { readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { type Failure, fail, ok, type Result } from '../../../shared/result.ts'
import type { Git } from './git-client.ts'

export interface Repository {
  /** The top of the checkout that the folder is in, links resolved. */
  readonly top: string
  /** The folder, below the top; empty: it is the top. */
  readonly below: string
  /** What all checkouts of the repository share, links resolved: `<repository>/.git`. */
  readonly commonFolder: string
  /** This checkout's own git folder: the common one, or `worktrees/<name>` in it. */
  readonly gitFolder: string
  /** Null: nothing was committed yet. */
  readonly head: string | null
  /** Null: none is checked out. */
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

/**
 * Failures: `not-a-repository`, `bare`, `git` (a repository that git or we don't trust), `not-found` (the folder),
 * `no-git`, `aborted`.
 */
export async function repositoryAround(
  git: Git,
  folder: string,
  signal?: AbortSignal,
): Promise<Result<Repository>> {
  const options = signal ? { signal } : {}
  const asked = await git.run(folder, [...FACTS, 'HEAD', '--symbolic-full-name', 'HEAD'], options)
  if (asked.ok) {
    const lines = asked.value.split('\n')
    return fromLines(folder, { lines: lines.slice(0, -3), head: lines.at(-3), ref: lines.at(-2) })
  }
  if (!/ambiguous argument 'HEAD'/.test(asked.failure.message)) return fail(inWords(asked.failure, folder))
  const [facts, ref] = await Promise.all([
    git.run(folder, FACTS, options),
    git.answers(folder, ['symbolic-ref', '-q', 'HEAD'], { ...options, accepts: [1] }),
  ])
  if (!facts.ok) return fail(inWords(facts.failure, folder))
  if (!ref.ok) return ref
  return fromLines(folder, {
    lines: facts.value.split('\n').slice(0, -1),
    head: undefined,
    ref: ref.value.output.trim(),
  })
}

async function fromLines(
  folder: string,
  { lines, head, ref }: { lines: readonly string[]; head: string | undefined; ref: string | undefined },
): Promise<Result<Repository>> {
  const [isBare, isShallow, shownTop, shownGitFolder, shownCommon] = lines
  if (lines.length !== 5 || !shownTop || !shownGitFolder || !shownCommon)
    return fail({
      type: 'git',
      message: `git says about ${folder} what can’t be understood. Line breaks in names of folders are not possible here: rename the folder.`,
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
 * Whether a git folder is that of this checkout. A planted `.git` (a file, or a folder with a `commondir`) can
 * name somebody else's repository: then agents would read and write what they were not let into.
 */
async function belongs(top: string, gitFolder: string, commonFolder: string): Promise<boolean> {
  if (gitFolder === commonFolder)
    return basename(gitFolder) !== '.git' || dirname(gitFolder) === top || (await saysTop(gitFolder, top))
  if (dirname(dirname(gitFolder)) !== commonFolder || basename(dirname(gitFolder)) !== 'worktrees')
    return false
  const back = await readFile(join(gitFolder, 'gitdir'), 'utf8').catch(() => '')
  const checkout = await realpath(dirname(back.trim())).catch(() => null)
  // One that was moved by hand still says its old place: git mends that itself.
  return checkout === null || checkout === top
}

/** A repository beside its checkout says so in its settings. */
async function saysTop(gitFolder: string, top: string): Promise<boolean> {
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

function inWords(failure: Failure, folder: string): Failure {
  const { type, message } = failure
  if (type !== 'git') return failure
  if (/cannot use bare repository/.test(message)) return bare(folder)
  if (/must be run in a work tree/.test(message)) return bare(folder)
  if (/not a git repository/i.test(message))
    return {
      type: 'not-a-repository',
      message: `${folder} is not in a git repository, so there can be no worktree. Make one with \`git init\` and a first commit, or start the agent without isolation.`,
    }
  return failure
}

const bare = (folder: string): Failure => ({
  type: 'bare',
  message: `${folder} is a bare repository, or a repository’s own git folder: no files are checked out in it, so there is nothing to start from. Open a folder with its files, or clone it and open the clone.`,
})

const planted = (top: string, gitFolder: string): Failure => ({
  type: 'git',
  message: `The folder ${top} says that its repository is ${gitFolder}, which belongs to another folder. Nothing was done. If that is meant, open that other folder.`,
})

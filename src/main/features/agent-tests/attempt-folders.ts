/**
 * The folders of attempts: `attempts/RUN/ATTEMPT` in the data folder, each a repository of its own that borrows the objects
 * of the user's one. Git never writes to the user's repository, so nothing can be left in it, whenever Troupe is killed.
 */

import { createHash } from 'node:crypto'
import { copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { CaseStart } from '../../../shared/agent-tests/agent-tests.ts'
import { CASES_FOLDER } from '../../../shared/agent-tests/case-file.ts'
import { type Failure, fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import type { AgentWorktree } from '../../../shared/worktrees/worktree.ts'
import type { Git } from '../../platform/git/git-client.ts'
import { type Repository, repositoryAround } from '../../platform/git/repository.ts'
import { exists } from '../../platform/system/exists.ts'
import { isBelow } from '../../platform/system/plain-text.ts'
import { identityOf, isRunning, type ProcessIdentity } from '../../platform/system/process-identity.ts'
import { realFolderOf } from '../../platform/system/real-folder.ts'
import type { Worktrees } from '../../runtime/ports/worktrees.ts'
import { realOf } from '../definitions/agent-folders.ts'

/** What the folder of an attempt begins with. */
export interface AttemptStart {
  /** The folder whose objects are borrowed. */
  readonly objects: string
  readonly commit: string
  /** Equal for equal files, whatever else the commit says. */
  readonly tree: string
  /** The branch that is checked out in the folder. */
  readonly branch: string
  /** The agent's folder, below the top. */
  readonly below: string
  /** Git's file about a history that is not whole; null: there is none. */
  readonly shallow: string | null
  /** Paths in this folder mean paths in that of the attempt; null: there is none. */
  readonly from: string | null
}

export interface AttemptFolders {
  /** Fails with `no-git`, `commit-gone`, `files-gone` or `io`. */
  prepare(wanted: {
    readonly runId: string
    readonly folder: string
    readonly caseFile: string
    readonly start: CaseStart
  }): Promise<Result<AttemptStart>>
  /** Makes the folder of one attempt, whose name ends with its number. Fails with `io`. */
  make(
    start: AttemptStart,
    attempt: { readonly runId: string; readonly id: string; readonly number: number },
  ): Promise<Result<AttemptFolder>>
  /** Paths of files that differ from the start, relative to the top. Files that git ignores are left out. */
  changed(folder: AttemptFolder): Promise<Result<readonly string[]>>
  /** Begins to remove the folder. */
  remove(folder: AttemptFolder): void
  /** Resolves when nothing of the run is left. */
  removeRun(runId: string): Promise<void>
  /** Removes what runs of dead processes left. */
  sweep(): Promise<void>
  /** The worktrees of the runtime, which leave these folders alone. */
  around(worktrees: Worktrees): Worktrees
}

export interface AttemptFolder {
  readonly worktree: AgentWorktree
  readonly cwd: string
  /** The environment of Troupe's own git: a git folder and an index that the agent can't change. */
  readonly git: Readonly<Record<string, string>>
}

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Troupe',
  GIT_AUTHOR_EMAIL: 'troupe@localhost',
  GIT_COMMITTER_NAME: 'Troupe',
  GIT_COMMITTER_EMAIL: 'troupe@localhost',
}

export function createAttemptFolders({
  dataFolder,
  git,
}: {
  readonly dataFolder: string
  readonly git: Git
}): AttemptFolders {
  const base = join(dataFolder, 'attempts')
  let self: Promise<ProcessIdentity> | null = null
  const outside = new Map<string, Promise<string>>()
  /** Folders that are being removed. */
  const leaving = new Set<Promise<void>>()

  /** The folder of a run, with a note of the process that it belongs to. */
  async function runFolder(runId: string): Promise<string> {
    const path = join(base, runId)
    if (await exists(join(path, OWNER))) return path
    self ??= identityOf(process.pid)
    await mkdir(path, { recursive: true, mode: 0o700 })
    await writeFile(join(path, OWNER), JSON.stringify(await self))
    return path
  }

  async function ofCommit(folder: string, commit: string): Promise<Result<AttemptStart>> {
    const found = await repositoryAround(git, folder)
    if (!found.ok)
      return fail({ type: 'no-git', message: `The case begins at a commit. ${found.failure.message}` })
    const repository = found.value
    const named = await git.run(repository.top, [
      'rev-parse',
      '--verify',
      '--end-of-options',
      `${commit}^{commit}`,
    ])
    if (!named.ok || repository.head === null)
      return fail({
        type: 'commit-gone',
        message:
          commit === 'HEAD'
            ? 'The repository has no commit yet, and the case begins at one.'
            : `The commit ${commit} is not in this repository${repository.isShallow ? ', which has only a part of its history' : ''}.`,
      })
    const hash = named.value.trim()
    const tree = await treeOf(git, repository.top, hash)
    return tree.ok ? ok(startOf(repository, hash, tree.value)) : tree
  }

  /** Commits the files of a case in a repository below the run's folder, once. */
  async function ofFiles(
    runId: string,
    {
      folder,
      caseFile,
      files,
    }: { readonly folder: string; readonly caseFile: string; readonly files: string },
  ): Promise<Result<AttemptStart>> {
    const source = join(folder, caseFile, '..', files)
    const real = await realOf(source)
    if (!(await exists(source)) || !isBelow(await realOf(folder), real))
      return fail({
        type: 'files-gone',
        message: `The folder ${files} beside the case is gone, or it is a link that leads elsewhere.`,
      })
    try {
      const top = join(await runFolder(runId), `start-${nameOf(`${caseFile}/${files}`)}`)
      if (!(await exists(join(top, '.git', 'HEAD')))) {
        await cp(real, top, {
          recursive: true,
          verbatimSymlinks: true,
          filter: (path) => basename(path) !== '.git',
        })
        await writeRepository(join(top, '.git'), {
          commit: null,
          branch: 'main',
          objects: null,
          shallow: null,
        })
        for (const args of [
          ['add', '-A', '--force', '.'],
          ['commit', '-q', '--allow-empty', '-m', 'The files of the case'],
        ]) {
          const done = await git.run(top, args, { environment: IDENTITY })
          if (!done.ok) return done
        }
      }
      const found = await repositoryAround(git, top)
      if (!found.ok) return found
      const tree = await treeOf(git, top, found.value.head ?? 'HEAD')
      return tree.ok ? ok({ ...startOf(found.value, found.value.head ?? '', tree.value), from: null }) : tree
    } catch (thrown) {
      return fail(io('The files of the case could not be copied', thrown))
    }
  }

  /** The git folder of a start that no agent sees, for what Troupe asks about its attempts. Made once a run. */
  function outsideOf(run: string, start: AttemptStart): Promise<string> {
    const path = join(run, `git-${nameOf(`${start.objects}\0${start.commit}`)}`)
    const made = outside.get(path) ?? writeRepository(path, start).then(() => path)
    outside.set(path, made)
    return made
  }

  async function removeFolder(path: string): Promise<void> {
    for (const other of await worktreesOf(path, join(dataFolder, 'worktrees'))) {
      await rm(other, { recursive: true, force: true }).catch(() => {})
      await rm(`${other}.json`, { force: true }).catch(() => {})
    }
    await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
    await rm(`${path}.index`, { force: true }).catch(() => {})
  }

  return {
    prepare: ({ runId, folder, caseFile, start }) =>
      start.type === 'files'
        ? ofFiles(runId, { folder, caseFile, files: start.folder })
        : ofCommit(folder, start.type === 'head' ? 'HEAD' : start.commit),

    async make(start, { runId, id: attemptId, number }) {
      const id = `${attemptId.slice(0, 8)}-${number}`
      try {
        const run = await runFolder(runId)
        const path = join(run, id)
        await writeRepository(join(path, '.git'), start)
        const top = await realOf(path)
        const own = {
          GIT_DIR: await outsideOf(run, start),
          GIT_WORK_TREE: top,
          GIT_INDEX_FILE: `${path}.index`,
        }
        const filled = await git.run(top, ['read-tree', '-m', '-u', 'HEAD'], { environment: own })
        if (!filled.ok)
          return fail({
            type: 'io',
            message: `The folder of the attempt could not be filled: ${filled.failure.message}`,
          })
        await copyFile(own.GIT_INDEX_FILE, join(path, '.git', 'index'))
        const cwd = join(top, start.below)
        await mkdir(cwd, { recursive: true })
        const from = start.from ?? top
        const location = { id, path: top, branch: start.branch, base: start.commit, from, target: null }
        const aliases = start.from === null ? [] : [start.from]
        return ok({ worktree: { ...location, own: false, aliases, isRepository: true }, cwd, git: own })
      } catch (thrown) {
        return fail(io('The folder of the attempt could not be made', thrown))
      }
    },

    async changed({ worktree: { path }, git: own }) {
      const args = ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all']
      const listed = await git.run(path, args, { environment: own })
      return listed.ok ? ok(listed.value.split('\0').flatMap((entry) => entry.slice(3) || [])) : listed
    },

    remove({ worktree: { path } }) {
      const gone = removeFolder(path).finally(() => leaving.delete(gone))
      leaving.add(gone)
    },

    async removeRun(runId) {
      await Promise.all(leaving)
      const path = join(base, runId)
      for (const known of outside.keys()) if (dirname(known) === path) outside.delete(known)
      await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
    },

    async sweep() {
      const runs = await readdir(base).catch(() => [])
      for (const run of runs) {
        const path = join(base, run)
        const owner = await ownerOf(path)
        if (owner !== null && (await isRunning(owner))) continue
        await rm(path, { recursive: true, force: true }).catch(() => {})
      }
    },

    around(worktrees) {
      const isOurs = ({ path }: { readonly path: string }) => isBelow(realFolderOf(base) ?? base, path)
      return {
        ...worktrees,
        restore: async (location, signal) => {
          if (!isOurs(location)) return worktrees.restore(location, signal)
          return (await exists(location.path)) ? ok({ notes: [] }) : fail(ENDED)
        },
        save: async (location, how) =>
          isOurs(location) ? ok({ ...NOTHING_SAVED, head: location.base }) : worktrees.save(location, how),
        release: async (location) => (isOurs(location) ? false : worktrees.release(location)),
      }
    },
  }
}

/** The process that a run belongs to. */
const OWNER = 'owner.json'

async function ownerOf(runFolder: string): Promise<ProcessIdentity | null> {
  try {
    return JSON.parse(await readFile(join(runFolder, OWNER), 'utf8'))
  } catch {
    return null
  }
}

const nameOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12)

function startOf(repository: Repository, commit: string, tree: string): AttemptStart {
  const { top, below, commonFolder, branch, isShallow } = repository
  return {
    ...{ commit, tree, below, branch: branch ?? 'main', from: top },
    objects: join(commonFolder, 'objects'),
    shallow: isShallow ? join(commonFolder, 'shallow') : null,
  }
}

/** A digest of the files of a commit, without `.claude`: an agent that is changed is tested with the same files. */
async function treeOf(git: Git, top: string, commit: string): Promise<Result<string>> {
  const listed = await git.run(top, ['ls-tree', '-z', '--full-tree', commit])
  if (!listed.ok) return listed
  const entries = listed.value.split('\0').filter((entry) => !entry.endsWith('\t.claude'))
  return ok(nameOf(entries.join('\0')))
}

/**
 * Writes what `git init` would, without a process, and lets the branch begin at a commit. Cases are not checked out: the
 * agent would read what is expected of it.
 */
async function writeRepository(
  folder: string,
  {
    commit,
    branch,
    objects,
    shallow,
  }: Pick<AttemptStart, 'branch' | 'shallow'> & {
    readonly commit: string | null
    readonly objects: string | null
  },
): Promise<void> {
  const inGit = (...names: readonly string[]) => join(folder, ...names)
  const ref = inGit('refs', 'heads', ...branch.split('/'))
  await Promise.all(
    [inGit('objects', 'info'), inGit('objects', 'pack'), inGit('info'), dirname(ref)].map((each) =>
      mkdir(each, { recursive: true }),
    ),
  )
  const isLong = commit?.length === 64
  const format = isLong ? '[extensions]\n\tobjectformat = sha256\n' : ''
  await Promise.all([
    writeFile(inGit('HEAD'), `ref: refs/heads/${branch}\n`),
    writeFile(
      inGit('config'),
      `[core]\n\trepositoryformatversion = ${isLong ? 1 : 0}\n\tbare = false\n\tsparseCheckout = true\n${format}`,
    ),
    writeFile(inGit('info', 'sparse-checkout'), `/*\n!${CASES_FOLDER}/\n`),
    ...(commit === null ? [] : [writeFile(ref, `${commit}\n`)]),
    ...(objects === null ? [] : [writeFile(inGit('objects', 'info', 'alternates'), `${objects}\n`)]),
    ...(shallow === null ? [] : [cp(shallow, inGit('shallow'))]),
  ])
}

/** The folders of worktrees that agents of the attempt got, which are all in one folder of the program. */
async function worktreesOf(path: string, within: string): Promise<readonly string[]> {
  const entries = join(path, '.git', 'worktrees')
  const names = await readdir(entries).catch(() => [])
  const folders = await Promise.all(
    names.map((name) => readFile(join(entries, name, 'gitdir'), 'utf8').catch(() => '')),
  )
  return folders
    .map((file) => dirname(file.trim()))
    .filter((folder) => isBelow(realFolderOf(within) ?? within, folder))
}

const NOTHING_SAVED = {
  ...{ commits: 0, files: 0, insertions: 0, deletions: 0, unchanged: true, committedAs: null, problems: [] },
  check: { kind: 'nothing' as const },
}

const ENDED = {
  type: 'not-there' as const,
  message: 'This attempt has ended, and its folder was removed. Run the case again for another one.',
}

const io = (what: string, thrown: unknown): Failure => ({
  type: 'io',
  message: `${what}: ${messageOf(thrown)}`,
})

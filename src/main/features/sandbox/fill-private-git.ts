/** Fills an agent's private copy of a git folder from the repository. No command of the agent runs meanwhile. */
import {
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import {
  alternatesOf,
  type Checkout,
  type Filled,
  filesBelow,
  forceFolder,
  forceFolders,
  type GitFileVersions,
  gitFileVersion,
  REAL_OBJECTS,
  type Store,
} from './private-git-files.ts'

/** Files of the common folder. */
const SHARED = ['packed-refs', 'shallow', 'HEAD', 'description']
/** Files of a checkout. `HEAD` and the index are among them. */
const OF_CHECKOUT = [
  ...[
    'HEAD',
    'index',
    'ORIG_HEAD',
    'FETCH_HEAD',
    'MERGE_HEAD',
    'MERGE_MSG',
    'MERGE_MODE',
    'CHERRY_PICK_HEAD',
  ],
  ...['REVERT_HEAD', 'COMMIT_EDITMSG', 'config.worktree', 'commondir', 'gitdir'],
]
/** Folders of a checkout in the middle of an operation. */
const UNFINISHED = ['rebase-merge', 'rebase-apply', 'sequencer']

/** Throws if the disk does. */
export function fillPrivateGit({ common, own }: Checkout, store: Store, before: Filled | null): Filled {
  const { copy, fixed } = store
  const isWorktree = own !== common
  const ownCopy = join(copy, relative(common, own))
  for (const folder of [copy, fixed, join(fixed, 'empty'), join(copy, 'refs')]) forceFolder(folder)
  forceFolders(copy, relative(common, own))
  for (const folder of [REAL_OBJECTS, 'info', 'hooks', 'modules', 'lfs', 'annex'])
    forceFolder(join(copy, folder))
  fillObjects(common, copy)
  fillFixed(common, store, isWorktree)

  const versions = new Map<string, GitFileVersions>()
  const put = (path: string, original: string) => {
    const at = join(copy, path)
    forceFolders(copy, dirname(path))
    const known = before?.versions.get(path)
    const now = gitFileVersion(original)
    if (known === undefined || known.original !== now || known.copy !== gitFileVersion(at))
      copyOver(original, at, fixed)
    versions.set(path, { copy: gitFileVersion(at), original: now })
  }
  for (const name of SHARED) put(name, join(common, name))
  const below = relative(copy, ownCopy)
  const inOwn = (name: string) => (below === '' ? name : `${below}/${name}`)
  const isBusy =
    isWorktree && UNFINISHED.some((name) => lstatSync(join(ownCopy, name), { throwIfNoEntry: false }))
  // An operation that a command of the agent left unfinished goes on in the copy.
  if (!isBusy) {
    for (const name of OF_CHECKOUT) put(inOwn(name), join(own, name))
    for (const name of UNFINISHED) putFolder(join(own, name), join(ownCopy, name))
    put(inOwn('logs/HEAD'), join(own, 'logs', 'HEAD'))
  }
  const refs = fillRefs({ common, copy, put })
  const head = textOf(join(own, 'HEAD')).trim()
  const rebased = textOf(join(own, 'rebase-merge', 'head-name')).trim()
  const checkedOut = /^ref: (refs\/heads\/\S+)$/.exec(head)?.[1] ?? null
  const branch = checkedOut ?? (rebased.startsWith('refs/heads/') ? rebased : null)
  if (branch !== null && !isBusy) put(`logs/${branch}`, join(common, 'logs', branch))
  const commit = branch === null ? head : refs.get(branch)
  return {
    ...{ head, branch, refs, versions },
    commit: commit && /^[0-9a-f]{40,64}$/.test(commit) ? commit : null,
    ignored: textOf(join(common, 'info', 'exclude')),
  }
}

/** New objects are added here; those of the repository are beside it. */
function fillObjects(common: string, copy: string): void {
  const objects = join(copy, 'objects')
  for (const folder of [objects, join(objects, 'info'), join(objects, 'pack')]) forceFolder(folder)
  const others = [`../${REAL_OBJECTS}`, ...alternatesOf(join(common, 'objects'))]
  const [at, text] = [join(objects, 'info', 'alternates'), `${others.join('\n')}\n`]
  const found = lstatSync(at, { throwIfNoEntry: false })
  if (found?.isFile() === true && found.size === Buffer.byteLength(text) && textOf(at) === text) return
  rmSync(at, { force: true, recursive: true })
  writeFileSync(at, text)
}

/** What is mounted read-only into the copy, so that a change fails at once: settings, ignored files, the user's stash. */
function fillFixed(common: string, { copy, fixed }: Store, isWorktree: boolean): void {
  const settings = textOf(join(common, 'config'))
    .replace(/(:\/\/)[^/@\s]*@/g, '$1')
    .replace(/^\s*(extraheader|password|pass|token)\s*=.*$/gim, '')
  writeChanged(join(fixed, 'config'), settings)
  standFor(join(copy, 'config'))
  forceFolder(join(fixed, 'info'))
  for (const name of ['attributes', 'sparse-checkout', 'grafts'])
    copyOver(join(common, 'info', name), join(fixed, 'info', name), fixed)
  if (isWorktree) return
  // In the user's own checkout nothing is stashed: git finds that out before it changes a file.
  const stash = textOf(join(common, 'refs', 'stash'))
  forceFolder(join(fixed, 'refs'))
  writeChanged(join(fixed, 'refs', 'stash'), stash)
  standFor(join(copy, 'refs', 'stash'))
}

/** Writes a file of ours, unless it has this text: a disk takes longer to replace a file than to read it. */
export function writeChanged(path: string, text: string): void {
  if (!existsSync(path) || textOf(path) !== text) writeFileSync(path, text)
}

/** An empty file, on which another one is mounted. */
function standFor(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.isFile() === true && found.size === 0) return
  rmSync(path, { recursive: true, force: true })
  writeFileSync(path, '', { flag: 'wx' })
}

/** The refs of the repository. An agent in a worktree has a stash of its own. */
function fillRefs({
  common,
  copy,
  put,
}: {
  readonly common: string
  readonly copy: string
  put(path: string, original: string): void
}): ReadonlyMap<string, string> {
  const refs = new Map<string, string>()
  for (const line of textOf(join(common, 'packed-refs')).split('\n')) {
    const [, commit, name] = /^([0-9a-f]{40,64}) (refs\/\S+)$/.exec(line) ?? []
    if (commit !== undefined && name !== undefined) refs.set(name, commit)
  }
  const loose = filesBelow(join(common, 'refs')).filter((path) => path !== 'stash')
  for (const path of loose) {
    put(`refs/${path}`, join(common, 'refs', path))
    refs.set(`refs/${path}`, textOf(join(common, 'refs', path)).trim())
  }
  const wanted = new Set([...loose, 'stash'])
  for (const path of filesBelow(join(copy, 'refs'))) if (!wanted.has(path)) rmSync(join(copy, 'refs', path))
  for (const name of ['heads', 'tags']) forceFolder(join(copy, 'refs', name))
  return refs
}

function putFolder(original: string, copy: string): void {
  rmSync(copy, { recursive: true, force: true })
  if (lstatSync(original, { throwIfNoEntry: false })?.isDirectory() !== true) return
  forceFolder(copy)
  for (const path of filesBelow(original)) {
    forceFolders(copy, dirname(path))
    copyFileSync(join(original, path), join(copy, path), constants.COPYFILE_FICLONE)
  }
}

/** Replaces whatever is at the path, whose folder must be there, or removes it where there is no original. */
function copyOver(original: string, at: string, drafts: string): void {
  if (lstatSync(original, { throwIfNoEntry: false })?.isFile() !== true) {
    rmSync(at, { recursive: true, force: true })
    return
  }
  if (lstatSync(at, { throwIfNoEntry: false })?.isDirectory()) rmSync(at, { recursive: true })
  const draft = join(drafts, `draft-${basename(at)}`)
  copyFileSync(original, draft, constants.COPYFILE_FICLONE)
  // Git compares the time of its index with those of files: a newer one would hide a change.
  const { atime, mtime } = statSync(original)
  utimesSync(draft, atime, mtime)
  renameSync(draft, at)
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

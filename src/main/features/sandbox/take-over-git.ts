/**
 * Takes over from an agent's private copy of a git folder what a command may change: objects, the agent's own branch, its
 * index, and in a worktree its checked-out commit. The copy is hostile: nothing in it is followed, run or believed.
 */
import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { inflateSync } from 'node:zlib'
import { messageOf, sentence } from '../../../shared/kernel/result.ts'
import type { Git } from '../../platform/git/git-client.ts'
import { inGitFolder } from '../../platform/git/with-options.ts'
import { notInFuture } from '../../platform/system/file-times.ts'
import { OUTSIDE_OFFER } from '../../runtime/ports/sandbox.ts'
import { plainIndex } from './index-file.ts'
import { isFolderBelow, readBelow } from './open-below.ts'
import { type Checkout, type Filled, filesBelow, gitFileVersion, type Store } from './private-git-files.ts'

interface TakenOver {
  /** Sentences for the agent. */
  readonly notKept: readonly string[]
  /** Whether every object is in the repository now, so that those of the copy can go. */
  readonly isSpent: boolean
}

interface Work {
  readonly checkout: Checkout
  readonly store: Store
  readonly filled: Filled
  readonly git: Git
}

/** Bytes of one object, and of an index. */
const LARGEST = 1024 * 1024 * 1024
const LARGEST_TEXT = 64 * 1024

export async function takeOverGit(work: Work): Promise<TakenOver> {
  const { checkout, store } = work
  const isWorktree = checkout.own !== checkout.common
  const notKept: string[] = []
  try {
    const objects = await takeObjects(work)
    if (objects !== null) return { notKept: [objects], isSpent: false }
    const head = await takeHead(work, isWorktree)
    notKept.push(...head)
    if (head.length === 0) notKept.push(...(await takeIndex(work)))
    if (isWorktree) await takeUnfinished(work)
    notKept.push(...otherRefs(work))
  } catch (thrown) {
    notKept.push(
      `The changes of git's folder were not kept: ${sentence(messageOf(thrown))} The files in the working folder are as the command left them.`,
    )
  }
  const added = filesBelow(join(store.copy, 'objects'), 10).length > 1
  return { notKept, isSpent: added && notKept.length === 0 }
}

// ---- objects ------------------------------------------------------------------------------------

/** @returns why an object can't be taken; null: all are in the repository */
async function takeObjects({ checkout: { common }, store: { copy }, git }: Work): Promise<string | null> {
  for (const path of filesBelow(join(copy, 'objects'), 200_000)) {
    const [, start = '', rest = ''] = /^([0-9a-f]{2})\/([0-9a-f]{38}|[0-9a-f]{62})$/.exec(path) ?? []
    const to = join(common, 'objects', path)
    if (start !== '' && !existsSync(to)) {
      const bytes = readBelow(copy, `objects/${path}`, LARGEST)
      if (bytes === null || !isObject(bytes, start + rest))
        return `Nothing of what the command did with git was kept: the object ${start}${rest} is damaged.`
      addFile(to, bytes)
    } else if (/^pack\/pack-[0-9a-f]+\.pack$/.test(path) && !existsSync(to)) {
      const bytes = readBelow(copy, `objects/${path}`, LARGEST)
      const args = ['index-pack', '--stdin', '--fix-thin', '--strict']
      const added = bytes && (await inGitFolder(git, common).run(common, args, { input: bytes }))
      if (!added?.ok)
        return 'Nothing of what the command did with git was kept: a pack of objects is damaged.'
    }
  }
  return null
}

/** Whether the compressed bytes are the object with this name. */
function isObject(bytes: Buffer, name: string): boolean {
  try {
    const content = inflateSync(bytes, { maxOutputLength: LARGEST })
    const end = content.indexOf(0)
    const [, size] =
      /^(?:blob|tree|commit|tag) (\d+)$/.exec(content.subarray(0, Math.min(end, 64)).toString('latin1')) ?? []
    if (size === undefined || Number(size) !== content.length - end - 1) return false
    return (
      createHash(name.length === 40 ? 'sha1' : 'sha256')
        .update(content)
        .digest('hex') === name
    )
  } catch {
    return false
  }
}

function addFile(path: string, bytes: Buffer): void {
  mkdirSync(dirname(path), { recursive: true })
  const draft = `${dirname(path)}/tmp_obj_troupe_${process.pid}`
  writeFileSync(draft, bytes, { mode: 0o444 })
  try {
    linkSync(draft, path)
  } catch (thrown) {
    if (!existsSync(path)) throw thrown
  } finally {
    unlinkSync(draft)
  }
}

// ---- the branch ---------------------------------------------------------------------------------

const isCommitId = (text: string): boolean => /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text)

/** Moves the branch and what is checked out. @returns why that was not done */
async function takeHead(work: Work, isWorktree: boolean): Promise<readonly string[]> {
  const { checkout, store, filled, git } = work
  const { common, own } = checkout
  const { branch, commit } = filled
  const its = inGitFolder(git, own)
  const tip = branch === null ? null : refOf(store, branch)
  if (branch !== null && tip !== null && tip !== commit) {
    const refused = await whyNotMoved(work, tip, isWorktree)
    if (refused !== null) return [refused]
    const args = [
      'update-ref',
      '--create-reflog',
      '-m',
      lastMessage(store, branch),
      branch,
      tip,
      commit ?? '',
    ]
    const moved = await its.run(common, args)
    if (!moved.ok)
      return [
        `The branch ${shortName(branch)} was not moved to ${tip.slice(0, 12)}, because it changed in the repository meanwhile: ${sentence(moved.failure.message)} The commit is kept under that id.`,
      ]
  }
  const head = textOf(store, join(relative(common, own), 'HEAD'))
  if (head === filled.head) return []
  if (isCommitId(head) && (isWorktree || isCommitId(filled.head))) {
    const refused = await whyNotMoved(work, head, isWorktree)
    if (refused !== null) return [refused]
    const set = await its.run(common, ['update-ref', '--no-deref', 'HEAD', head])
    return set.ok ? [] : [`The checked-out commit was not changed: ${sentence(set.failure.message)}`]
  }
  if (isWorktree && branch !== null && head === `ref: ${branch}`) {
    const set = await its.run(common, ['symbolic-ref', 'HEAD', branch])
    return set.ok ? [] : [`The branch was not checked out again: ${sentence(set.failure.message)}`]
  }
  const now = head.startsWith('ref: refs/heads/')
    ? `the branch ${shortName(head.slice(5))}`
    : 'another commit'
  const stays = branch === null ? 'the former commit' : `the branch ${shortName(branch)}`
  return [
    `Git's folder was not changed: the command checked out ${now}, and commands in the sandbox stay on ${stays}. The files in the working folder may be those of ${now} now; \`git status\` lists them as changes. ${OUTSIDE_OFFER}`,
  ]
}

/** In the user's own checkout a branch only grows, or its last commit is amended. */
async function whyNotMoved(work: Work, tip: string, isWorktree: boolean): Promise<string | null> {
  const { filled, git, checkout } = work
  const lost = await missing(work, tip)
  if (lost !== null || isWorktree || filled.commit === null) return lost
  const its = inGitFolder(git, checkout.common)
  const options = { accepts: [1] }
  const grows = await its.answers(
    checkout.common,
    ['merge-base', '--is-ancestor', filled.commit, tip],
    options,
  )
  if (grows.ok && grows.value.code === 0) return null
  const parents = async (commit: string) => {
    const found = await its.run(checkout.common, ['rev-parse', `${commit}^@`])
    return found.ok ? found.value : null
  }
  const [old, fresh] = await Promise.all([parents(filled.commit), parents(tip)])
  if (old !== null && old === fresh) return null
  return `The branch ${shortName(filled.branch ?? '')} was not moved to ${tip.slice(0, 12)}: in the user's own checkout, a command in the sandbox adds and amends commits, and removes none. ${OUTSIDE_OFFER}`
}

/** @returns why the commit can't be used: it, or something that it needs, is not in the repository */
async function missing({ checkout: { common }, git }: Work, commit: string): Promise<string | null> {
  const args = ['rev-list', '--objects', '--quiet', commit, '--not', '--all']
  const walked = await inGitFolder(git, common).run(common, args)
  return walked.ok
    ? null
    : `The commit ${commit.slice(0, 12)} was not kept, because it is not whole: ${sentence(walked.failure.message)}`
}

const shortName = (ref: string): string => makePlain(ref.replace(/^refs\/(heads|tags|remotes)\//, ''))

/** The text of the branch's last entry in the log of the copy, for the log of the repository. */
function lastMessage(store: Store, branch: string): string {
  const log = readBelow(store.copy, `logs/${branch}`, 16 * 1024 * 1024)?.toString('utf8') ?? ''
  const line = log.trimEnd().split('\n').at(-1) ?? ''
  return makePlain(line.split('\t')[1] ?? '') || 'changed by an agent'
}

// ---- the index ----------------------------------------------------------------------------------

async function takeIndex(work: Work): Promise<readonly string[]> {
  const { checkout, store, filled, git } = work
  const { common, own, top } = checkout
  const path = join(relative(common, own), 'index')
  const known = filled.versions.get(path)
  const at = join(store.copy, path)
  if (known !== undefined && gitFileVersion(at) === known.copy) return []
  const bytes = readBelow(store.copy, path, LARGEST)
  if (bytes === null) return []
  const real = join(own, 'index')
  const former = existsSync(real) ? readFileSync(real) : null
  if (former?.equals(bytes) === true) return []
  const index = plainIndex(bytes, former)
  if (index === null)
    return ["What was staged was not kept: git's index is damaged or in a form that Troupe does not read."]
  if (former !== null && known !== undefined && gitFileVersion(real) !== known.original)
    return ['What was staged was not kept: somebody else changed the index of this checkout meanwhile.']
  const lock = `${real}.lock`
  let fd: number
  try {
    fd = openSync(lock, 'wx', 0o644)
  } catch {
    return ['What was staged was not kept: another git command holds index.lock. Stage it again.']
  }
  try {
    writeFileSync(fd, index.bytes)
    closeSync(fd)
    // Git looks again at files that changed since this time: a later one would hide a change.
    const time = notInFuture(lstatSync(at).mtimeMs)
    utimesSync(lock, time, time)
    renameSync(lock, real)
  } catch (thrown) {
    rmSync(lock, { force: true })
    throw thrown
  }
  // Each entry is compared with its file once, and not by every status. Code 1: some differ.
  const refresh = ['update-index', '-q', '--refresh']
  if (index.unsure > 0) await inGitFolder(git, own).answers(top, refresh, { accepts: [1] })
  return []
}

// ---- unfinished operations ----------------------------------------------------------------------

/** Heads of operations, each the id of a commit. */
const HEADS = ['ORIG_HEAD', 'MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD']

/**
 * In a worktree, what shows that an operation is unfinished. The steps of a rebase stay in the copy, because a step can
 * run a program; the repository gets only what names the branch.
 */
async function takeUnfinished({ checkout, store, filled, git }: Work): Promise<void> {
  const { common, own } = checkout
  // What the agent stashed is its own. The ref keeps its objects from being collected.
  const stash = refOf(store, 'refs/stash')
  const anchor = `refs/troupe/stash/${basename(own)}`
  if (stash !== (filled.refs.get(anchor) ?? null))
    await inGitFolder(git, common).run(
      common,
      stash === null ? ['update-ref', '-d', anchor] : ['update-ref', anchor, stash],
    )
  const from = relative(common, own)
  for (const name of HEADS) {
    const lines = textOf(store, join(from, name)).split('\n')
    if (lines.every(isCommitId)) writeFileSync(join(own, name), `${lines.join('\n')}\n`)
    else rmSync(join(own, name), { force: true })
  }
  const isRebasing = isFolderBelow(store.copy, join(from, 'rebase-merge'))
  const marker = join(own, 'rebase-merge')
  if (!isRebasing) {
    if (existsSync(join(marker, 'troupe'))) rmSync(marker, { recursive: true })
    return
  }
  mkdirSync(marker, { recursive: true })
  writeFileSync(join(marker, 'troupe'), 'The steps of this rebase are in the sandbox of its agent.\n')
  writeFileSync(join(marker, 'head-name'), `${filled.branch ?? 'detached HEAD'}\n`)
  for (const name of ['onto', 'orig-head']) {
    const text = textOf(store, join(from, 'rebase-merge', name))
    if (isCommitId(text)) writeFileSync(join(marker, name), `${text}\n`)
  }
}

// ---- everything else ----------------------------------------------------------------------------

/** Branches, tags and remotes that a command made, moved or removed in the copy. */
function otherRefs({ store, filled, checkout }: Work): readonly string[] {
  const isWorktree = checkout.own !== checkout.common
  const mine = new Set([filled.branch, ...(isWorktree ? ['refs/stash'] : [])])
  const names = new Set([
    ...filesBelow(join(store.copy, 'refs')).map((path) => `refs/${path}`),
    ...packedRefs(store).keys(),
    ...filled.refs.keys(),
  ])
  const changed = [...names].filter(
    (name) =>
      !mine.has(name) && name !== 'refs/stash' && refOf(store, name) !== (filled.refs.get(name) ?? null),
  )
  if (changed.length === 0) return []
  const shown = changed.sort().slice(0, 5).map(shortName).join(', ')
  const more = changed.length > 5 ? ` and ${changed.length - 5} more` : ''
  const branch = filled.branch === null ? 'no branch' : `only the branch ${shortName(filled.branch)}`
  return [
    `Not kept in the repository: ${shown}${more}. Commands in the sandbox change ${branch}. ${OUTSIDE_OFFER}`,
  ]
}

function refOf(store: Store, name: string): string | null {
  const loose = textOf(store, name)
  const found = loose === '' ? (packedRefs(store).get(name) ?? null) : loose
  return found !== null && (isCommitId(found) || found.startsWith('ref: ')) ? found : null
}

function packedRefs(store: Store): ReadonlyMap<string, string> {
  const path = join(store.copy, 'packed-refs')
  const version = gitFileVersion(path)
  if (packed.version === `${path} ${version}`) return packed.refs
  const refs = new Map<string, string>()
  for (const line of (readBelow(store.copy, 'packed-refs', LARGEST)?.toString('utf8') ?? '').split('\n')) {
    const [, commit, name] = /^([0-9a-f]{40,64}) (refs\/\S+)$/.exec(line) ?? []
    if (commit !== undefined && name !== undefined) refs.set(name, commit)
  }
  packed = { version: `${path} ${version}`, refs }
  return refs
}

/** The last one that was read. */
let packed: { readonly version: string; readonly refs: ReadonlyMap<string, string> } = {
  version: '',
  refs: new Map(),
}

/** A short text file of the copy, without white space around; '' where there is none. */
const textOf = ({ copy }: Store, path: string): string =>
  readBelow(copy, path, LARGEST_TEXT)?.toString('utf8').trim() ?? ''

/** Without control characters, and short. */
const makePlain = (text: string): string => text.replace(/[^\x20-\x7e\u00a0-\uffff]/g, '').slice(0, 200)

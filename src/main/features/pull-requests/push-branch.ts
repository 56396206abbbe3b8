/**
 * Pushes a worktree's branch. What would go where is read first and shown; then exactly that commit is pushed, by git with
 * the user's own login, without hooks. A branch at the remote is replaced only if it is exactly what was pushed last.
 */

import { countOf } from '../../../shared/kernel/amounts.ts'
import { maskAddresses } from '../../../shared/kernel/mask-secrets.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import type { PushPreview } from '../../../shared/pull-requests/pull-request.ts'
import { branchRef } from '../../platform/git/branches.ts'
import { changedFiles } from '../../platform/git/diff-tree.ts'
import type { Git, GitOptions } from '../../platform/git/git-client.ts'
import type { GitFailure } from '../../platform/git/git-failure.ts'
import { isAncestor } from '../../platform/git/merge-base.ts'
import { commitOf } from '../../platform/git/rev-parse.ts'
import { type RemoteAddress, readRemoteAddress } from './remote-address.ts'

export interface PushTools {
  readonly git: Git
  /** What git needs to log in as the user does: agents for ssh, helpers that ask. */
  readonly login: Readonly<Record<string, string>>
}

/** A remote that Troupe can push to. */
interface Remote {
  readonly name: string
  /** Where git pushes to, without a password. */
  readonly address: string
  /** What git asks about the branches there: the name, or the address where another one is for reading. */
  readonly asked: string
  /** The repository that pull requests belong to: of the address for reading, or else of the one for pushing. */
  readonly repository: RemoteAddress
}

/** ms that git waits for a remote. */
const PATIENCE = 120_000

const REMOTE_NAME = /^[A-Za-z0-9][\w./-]*$/

/** The names of the remotes, `origin` first. */
export async function remoteNames({ git }: PushTools, folder: string): Promise<readonly string[]> {
  const listed = await git.run(folder, ['remote'])
  const names = listed.ok ? listed.value.split('\n').filter((name) => REMOTE_NAME.test(name)) : []
  return names.toSorted((a, b) => Number(b === 'origin') - Number(a === 'origin'))
}

/** Fails with `bad-remote` or as git does. @param name one of `remoteNames` */
export async function findRemote({ git }: PushTools, folder: string, name: string): Promise<Result<Remote>> {
  const [forReading, forPushing] = await Promise.all([
    git.run(folder, ['remote', 'get-url', '--all', '--', name]),
    git.run(folder, ['remote', 'get-url', '--push', '--all', '--', name]),
  ])
  if (!forReading.ok) return forReading
  if (!forPushing.ok) return forPushing
  const [address = '', ...more] = linesOf(forPushing.value)
  if (more.length > 0)
    return fail({
      type: 'bad-remote',
      message: `${name} pushes to ${more.length + 1} places at once. Troupe pushes to one: give ${name} one pushurl, or choose another remote.`,
    })
  const target = readRemoteAddress(address)
  if (!target.ok) return target
  const [readFrom = ''] = linesOf(forReading.value)
  const source = readRemoteAddress(readFrom)
  if (!source.ok) return source
  const repository = source.value.kind === 'host' ? source.value : target.value
  return ok({
    name,
    address: maskAddresses(address),
    asked: readFrom === address ? name : address,
    repository,
  })
}

interface PushedBefore {
  readonly remote: string
  readonly branch: string
  readonly commit: string
}

interface Wanted {
  /** The repository's folder. */
  readonly folder: string
  /** The local branch. */
  readonly local: string
  readonly remote: Remote
  /** The branch at the remote; null: the first of `proposed` that the remote does not have. */
  readonly branch: string | null
  readonly proposed: readonly string[]
  /** Null: the remote's main branch. */
  readonly base: string | null
  readonly pushed: PushedBefore | null
}

type Push = Pick<
  PushPreview,
  | 'branch'
  | 'base'
  | 'head'
  | 'change'
  | 'replaces'
  | 'commits'
  | 'moreCommits'
  | 'files'
  | 'moreFiles'
  | 'notes'
  | 'obstacle'
>

const MOST_COMMITS = 100
const MOST_FILES = 200

/** What a push would send. Asks the remote, and changes nothing. Fails as git does. */
export async function previewPush(tools: PushTools, wanted: Wanted): Promise<Result<Push>> {
  const { git } = tools
  const { folder, local, remote, pushed } = wanted
  const head = await commitOf(git, folder, branchRef(local))
  if (head === null)
    return fail({ type: 'not-there', message: `The branch ${local} is gone, so there is nothing to push.` })
  const candidates = [
    ...new Set([wanted.branch, ...wanted.proposed, wanted.base].flatMap((name) => name ?? [])),
  ]
  const asked = await readRemote(tools, wanted, candidates)
  const known = asked.ok ? asked.value : { main: null, tips: new Map<string, string>() }
  const branch = wanted.branch ?? wanted.proposed.find((name) => !known.tips.has(name)) ?? local
  const base = wanted.base ?? known.main ?? 'main'
  const tip = known.tips.get(branch) ?? null
  const change = await changeOf(tools, folder, {
    head,
    tip,
    isOurs: isOurs(pushed, { remote: remote.name, branch, tip }),
  })
  const target = known.tips.get(base) ?? null
  const here = async (commit: string | null) =>
    commit !== null && (await commitOf(git, folder, commit)) !== null
  const start =
    target !== null && (await here(target))
      ? target
      : ((await commitOf(git, folder, `refs/remotes/${remote.name}/${base}`)) ??
        (await commitOf(git, folder, branchRef(base))))
  const missing = ['--not', `--remotes=${remote.name}`, ...(await existing(tools, folder, [target, tip]))]
  const [log, count, ofBase, files] = await Promise.all([
    git.run(folder, [
      'log',
      '-z',
      `--max-count=${MOST_COMMITS}`,
      '--format=%H%x1f%s%x1f%an',
      head,
      ...missing,
      '--',
    ]),
    git.run(folder, ['rev-list', '--count', head, ...missing, '--']),
    countOwn(tools, folder, { base, missing }),
    filesSince(tools, folder, { start, head }),
  ])
  if (!log.ok) return log
  if (!count.ok) return count
  if (!files.ok) return files
  const commits = log.value.split('\0').flatMap((line) => {
    const [sha = '', subject = '', author = ''] = line.trim().split('\u001f')
    return sha === '' ? [] : [{ sha, subject, author }]
  })
  const workflows = files.value.filter(({ path }) => CI_FILES.test(path))
  return ok({
    ...{ branch, base, head, change, replaces: change === 'replaces' ? tip : null, commits },
    moreCommits: Math.max(0, Number(count.value) - commits.length),
    files: files.value
      .slice(0, MOST_FILES)
      .map(({ path, insertions, deletions }) => ({ path, insertions, deletions })),
    moreFiles: Math.max(0, files.value.length - MOST_FILES),
    notes: [
      ...(ofBase > 0
        ? [
            `${countOf(ofBase, 'commit')} of ${base} ${ofBase === 1 ? 'is' : 'are'} not at ${remote.name} yet and would go too.`,
          ]
        : []),
      ...(workflows.length > 0
        ? [
            `Changes what the forge runs: ${workflows
              .map(({ path }) => path)
              .slice(0, 5)
              .join(', ')}.`,
          ]
        : []),
    ],
    obstacle: asked.ok
      ? obstacleOf({ branch, base, main: known.main, change, remote: remote.name, hasBase: target !== null })
      : explainPush(asked.failure, remote.name),
  })
}

/** Files that make a forge run something. */
const CI_FILES =
  /^(\.github\/(workflows|actions)\/|\.gitlab-ci|\.gitea\/workflows\/|\.forgejo\/workflows\/|bitbucket-pipelines\.yml$)/

interface RemoteFacts {
  /** The branch that the remote checks out by itself. */
  readonly main: string | null
  /** The commits of the branches that were asked about, where they exist. */
  readonly tips: ReadonlyMap<string, string>
}

async function readRemote(
  tools: PushTools,
  { folder, remote }: Pick<Wanted, 'folder' | 'remote'>,
  branches: readonly string[],
): Promise<Result<RemoteFacts, GitFailure>> {
  const listed = await tools.git.run(
    folder,
    ['ls-remote', '--symref', '--', remote.asked, 'HEAD', ...branches.map(branchRef)],
    reaching(tools),
  )
  if (!listed.ok) return listed
  const lines = linesOf(listed.value).map((line) => line.split('\t'))
  const main = lines.find(([value, ref]) => ref === 'HEAD' && value?.startsWith('ref: refs/heads/'))?.[0]
  const heads = branchRef('')
  return ok({
    main: main?.slice(`ref: ${heads}`.length) ?? null,
    tips: new Map(
      lines.flatMap(([commit = '', ref = '']) =>
        ref.startsWith(heads) ? [[ref.slice(heads.length), commit] as const] : [],
      ),
    ),
  })
}

/** The user's login, and no kind of address that runs a program. */
const reaching = ({ login }: PushTools): GitOptions => ({
  environment: { ...login, GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh' },
  signal: AbortSignal.timeout(PATIENCE),
})

const isOurs = (
  pushed: PushedBefore | null,
  { remote, branch, tip }: { readonly remote: string; readonly branch: string; readonly tip: string | null },
): boolean => pushed !== null && pushed.remote === remote && pushed.branch === branch && pushed.commit === tip

async function changeOf(
  { git }: PushTools,
  folder: string,
  {
    head,
    tip,
    isOurs: ours,
  }: { readonly head: string; readonly tip: string | null; readonly isOurs: boolean },
): Promise<Push['change']> {
  if (tip === null) return 'new'
  if (tip === head) return 'same'
  if (await isAncestor(git, folder, { older: tip, newer: head })) return 'forward'
  return ours ? 'replaces' : 'diverged'
}

function existing(
  { git }: PushTools,
  folder: string,
  commits: readonly (string | null)[],
): Promise<string[]> {
  return Promise.all(commits.map((one) => (one === null ? null : commitOf(git, folder, one)))).then((found) =>
    found.filter((one) => one !== null),
  )
}

/** Commits of the local target branch that the remote lacks, which a push of work on top of them sends too. */
async function countOwn(
  { git }: PushTools,
  folder: string,
  { base, missing }: { readonly base: string; readonly missing: readonly string[] },
): Promise<number> {
  const tip = await commitOf(git, folder, branchRef(base))
  if (tip === null) return 0
  const counted = await git.run(folder, ['rev-list', '--count', tip, ...missing, '--'])
  return counted.ok ? Number(counted.value) : 0
}

async function filesSince(
  { git }: PushTools,
  folder: string,
  { start, head }: { readonly start: string | null; readonly head: string },
) {
  if (start === null) return ok([])
  const forked = await git.answers(folder, ['merge-base', start, head], { accepts: [1] })
  if (!forked.ok) return forked
  return changedFiles(git, folder, { from: forked.value.output.trim() || start, to: head })
}

interface Situation {
  readonly branch: string
  readonly base: string
  readonly main: string | null
  readonly change: Push['change']
  readonly remote: string
  readonly hasBase: boolean
}

function obstacleOf({ branch, base, main, change, remote, hasBase }: Situation): string | null {
  if (branch === base || branch === main)
    return `${branch} is ${branch === base ? 'the target itself' : `the main branch of ${remote}`}. Choose another branch name.`
  if (!hasBase) return `${remote} has no branch ${base}. Choose a target that exists there.`
  return change === 'diverged'
    ? `${branch} at ${remote} has commits that are not from this worktree. Choose another branch name, or merge them first.`
    : null
}

/**
 * Pushes a commit to a branch. `change` and `replaces` are those of the preview that the user saw.
 * Fails with `refused` or `moved`, with the reason and the next step.
 */
export async function pushCommit(
  tools: PushTools,
  folder: string,
  push: Pick<Push, 'branch' | 'head' | 'change' | 'replaces'> & { readonly remote: string },
): Promise<Result<void>> {
  const { remote, branch, head, change, replaces } = push
  const ref = branchRef(branch)
  // An empty commit means that the branch must not exist.
  const lease = change === 'new' ? '' : change === 'replaces' ? replaces : null
  const done = await tools.git.run(
    folder,
    [
      ...['push', '--no-verify', '--no-follow-tags', '--recurse-submodules=no'],
      ...(lease === null ? [] : [`--force-with-lease=${ref}:${lease}`]),
      ...['--', remote, `${head}:${ref}`],
    ],
    reaching(tools),
  )
  if (done.ok) return ok(undefined)
  const moved =
    done.failure.type === 'git' && /stale info|fetch first|non-fast-forward/.test(done.failure.message)
  return fail({ type: moved ? 'moved' : 'refused', message: explainPush(done.failure, remote) })
}

/** Why git did not reach a remote or was refused by it, and what to do. */
function explainPush({ type, message }: GitFailure, remote: string): string {
  if (type === 'aborted') return `${remote} did not answer in two minutes. Check the network, then try again.`
  const reason = REASONS.find(([pattern]) => pattern.test(message))?.[1]
  if (reason !== undefined) return reason(remote, saidBy(message))
  return `Git could not push to ${remote}. It said: ${saidBy(message) || message}`
}

const REASONS: readonly (readonly [RegExp, (remote: string, said: string) => string])[] = [
  [
    /Could not resolve host|Name or service not known|Network is unreachable|Connection (refused|timed out)|No route to host/i,
    (remote) => `${remote} can’t be reached. Check the network, then try again.`,
  ],
  [
    /stale info|fetch first|non-fast-forward/,
    (remote) => `The branch at ${remote} has changed since. Nothing was pushed. Look at it again, then push.`,
  ],
  [
    /protected branch|GH006|not allowed to (force )?push/i,
    (remote, said) =>
      `${remote} protects this branch, so it refused the push. Choose another branch name. It said: ${said}`,
  ],
  [
    /GH013|push protection|secret/i,
    (remote, said) =>
      `${remote} refused the push, as it seems because of a secret in a commit. Remove it from the commit, not only from the file. It said: ${said}`,
  ],
  [/hook declined|pre-receive/i, (remote, said) => `A rule of ${remote} refused the push. It said: ${said}`],
  [
    /Permission denied \(|could not read (Username|Password)|Authentication failed|terminal prompts disabled|Host key verification failed|HTTP 40[13]|returned error: 40[13]/i,
    (remote) =>
      `${remote} did not accept your login. Run git ls-remote ${remote} in a terminal and log in there, then try again.`,
  ],
  [
    /Repository not found|does not appear to be a git repository|does not exist|returned error: 404/i,
    (remote) => `${remote} is no repository that your login may see. Check its address with git remote -v.`,
  ],
  [
    /transport '.*' not allowed/,
    (remote) => `The address of ${remote} names a program, so it was not used. Check it with git remote -v.`,
  ],
]

/** The lines that the remote itself printed, as one line. */
function saidBy(message: string): string {
  const lines = [...message.matchAll(/^(?:git push failed: )?remote: ?(.*)$/gm)].map(([, line = '']) => line)
  return makeVisible(lines.join(' ').replaceAll('\u001b[K', '')).replace(/\s+/g, ' ').trim().slice(0, 400)
}

const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '')

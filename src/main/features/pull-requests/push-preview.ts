/** What a push of a worktree's branch would send, and where: read first, so that the user sees it. */

import { countOf } from '../../../shared/kernel/amounts.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { PushPreview } from '../../../shared/pull-requests/pull-request.ts'
import { branchRef } from '../../platform/git/branches.ts'
import { changedFiles } from '../../platform/git/diff-tree.ts'
import type { GitFailure } from '../../platform/git/git-failure.ts'
import { isAncestor } from '../../platform/git/merge-base.ts'
import { commitOf } from '../../platform/git/rev-parse.ts'
import { explainPush } from './push-commit.ts'
import { outputLines, type PushTools, type Remote, reaching } from './remotes.ts'

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
> & {
  /** Of all commits that the pull request would have, pushed before or not: the newest first. */
  readonly subjects: readonly string[]
}

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
  const [log, count, ofBase, files, subjects] = await Promise.all([
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
    subjectsSince(tools, folder, { start, head }),
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
    subjects,
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
  const lines = outputLines(listed.value).map((line) => line.split('\t'))
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

async function subjectsSince(
  { git }: PushTools,
  folder: string,
  { start, head }: { readonly start: string | null; readonly head: string },
): Promise<readonly string[]> {
  if (start === null) return []
  const args = [
    'log',
    '--no-merges',
    `--max-count=${MOST_COMMITS}`,
    '--format=%s',
    head,
    '--not',
    start,
    '--',
  ]
  const listed = await git.run(folder, args)
  return listed.ok ? outputLines(listed.value) : []
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

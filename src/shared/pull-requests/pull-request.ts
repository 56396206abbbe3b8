/**
 * A pull request (GitLab: merge request) of a worktree, as the forge tells it, and what a push would send. All text in it
 * is from outside: it is shown and quoted, never carried out.
 */
import { countOf } from '../kernel/amounts.ts'

/** `gitea`: also Forgejo. `other`: a host whose forge is not known. */
export type ForgeKind = 'github' | 'gitlab' | 'bitbucket' | 'gitea' | 'other'

/** The forge of a remote. */
export interface Forge {
  readonly kind: ForgeKind
  /** "GitHub", or the host where the forge is not known. */
  readonly name: string
  readonly host: string
  /** The program that Troupe asks; null: it knows none for this forge, or it is not installed. */
  readonly program: 'gh' | 'glab' | null
  /** Why there is no program, with the next step; null: there is one. */
  readonly problem: string | null
}

export interface PullRequestCheck {
  readonly id: string
  readonly name: string
  readonly state: 'passed' | 'failed' | 'running' | 'queued' | 'skipped'
  /** ms since the epoch; null: not started, or unknown. */
  readonly startedAt: number | null
  /** Its duration in ms; null: not ended, or unknown. */
  readonly ms: number | null
  /** An https address of the remote's host; null: none. */
  readonly url: string | null
  /** Whether its log can be read, and whether it can be started again. */
  readonly hasLog: boolean
}

export interface PullRequestComment {
  readonly id: string
  readonly author: string
  /** Null: it is about the whole pull request. */
  readonly path: string | null
  readonly line: number | null
  readonly lastLine: number | null
  readonly side: 'before' | 'after'
  readonly text: string
  /** ms since the epoch. */
  readonly at: number
  readonly resolved: boolean
  readonly replies: readonly { readonly author: string; readonly text: string; readonly at: number }[]
}

export interface PullRequest {
  readonly number: number
  readonly title: string
  /** An https address of the remote's host; null: the forge gave another one. */
  readonly url: string | null
  readonly state: 'open' | 'draft' | 'merged' | 'closed'
  readonly branch: string
  readonly base: string
  /** The newest commit that it has. */
  readonly head: string
  readonly conflicts: boolean
  /** Null: the forge does not tell. */
  readonly files: number | null
  readonly commits: number | null
  readonly insertions: number | null
  readonly deletions: number | null
  /** Failed ones first. */
  readonly checks: readonly PullRequestCheck[]
  /** The oldest first, resolved ones last. */
  readonly comments: readonly PullRequestComment[]
}

/** What Review shows of a worktree's pull request. */
export interface PullRequestView {
  /** Null: the repository has no remote that Troupe can use. */
  readonly forge: Forge | null
  /** Null: there is none, or it is unknown. */
  readonly pull: PullRequest | null
  /** The branch at the remote; null: nothing was pushed from here. */
  readonly branch: string | null
  /** ms since the epoch; null: nothing was pushed from here. */
  readonly pushedAt: number | null
  /** Commits of the worktree that were not pushed. */
  readonly toPush: number
  /** The checks whose log was sent to the agent, by id. */
  readonly sent: readonly string[]
  /** Failed checks that were sent without being asked for. */
  readonly sentByItself: number
  /** Whether it is merged and has every commit and file of the worktree. */
  readonly nothingMissing: boolean
  /** When the forge was asked, in ms since the epoch; null: it was not. */
  readonly readAt: number | null
  /** ms until the forge is asked again; null: there is nothing to wait for. */
  readonly nextIn: number | null
  /** Why the state could not be read now; the last known one is shown. */
  readonly problem: string | null
}

/** The pull request of a worktree, as it was when the forge was last asked. */
export interface KnownPullRequest {
  readonly id: string
  readonly number: number
  readonly state: PullRequest['state']
  readonly passed: number
  readonly checks: number
}

/** Exactly what a push sends, and where. */
export interface PushPreview {
  readonly remotes: readonly string[]
  readonly remote: string
  /** The address of the push, without a password. */
  readonly address: string
  readonly forge: Forge | null
  /** The branch at the remote. */
  readonly branch: string
  /** The branch that the pull request asks to be merged into. */
  readonly base: string
  /** The commit that is pushed. */
  readonly head: string
  /**
   * `new`: the remote has no such branch. `same`: it is up to date. `forward`: commits are added to it. `replaces`: it
   * is exactly what was pushed last from here, and is replaced. `diverged`: it has other commits, so it is not pushed.
   */
  readonly change: 'new' | 'same' | 'forward' | 'replaces' | 'diverged'
  /** The commit at the remote that is replaced; null: none. */
  readonly replaces: string | null
  /** Commits that the remote lacks, the newest first. */
  readonly commits: readonly { readonly sha: string; readonly subject: string; readonly author: string }[]
  readonly moreCommits: number
  readonly files: readonly {
    readonly path: string
    readonly insertions: number | null
    readonly deletions: number | null
  }[]
  readonly moreFiles: number
  /** Files with uncommitted changes, which are not pushed. */
  readonly uncommitted: number
  readonly notes: readonly string[]
  /** Why it can't be pushed so, with the next step; null: it can. */
  readonly obstacle: string | null
  readonly title: string
  readonly body: string
  /** The path of the repository's template that the body contains; null: it has none. */
  readonly template: string | null
  /** The number of the pull request that the branch has already; null: none is known. */
  readonly number: number | null
}

/** What came of a push. */
export interface OpenedPullRequest {
  readonly number: number | null
  /** The address of the pull request, or of the forge's page that makes one. Always https at the remote's host. */
  readonly url: string | null
  /** Whether the user finishes it on the forge's page. */
  readonly inBrowser: boolean
}

/** How many checks there are, and how many of them passed. Skipped ones do not count. */
export function countChecks(
  checks: readonly PullRequestCheck[],
): Pick<KnownPullRequest, 'passed' | 'checks'> {
  const counted = checks.filter(({ state }) => state !== 'skipped')
  return { passed: counted.filter(({ state }) => state === 'passed').length, checks: counted.length }
}

/** "3 of 5 passed". */
export function checksText(all: readonly PullRequestCheck[]): string {
  const { passed, checks } = countChecks(all)
  return checks === 0 ? 'None' : `${passed} of ${checks} passed`
}

/** Why a pull request can't be merged now; null: nothing is in the way, as far as the forge tells. */
export function mergeWaits({ state, checks, conflicts }: PullRequest): string | null {
  if (state === 'merged') return 'Merged.'
  if (state === 'closed') return 'Closed without a merge.'
  if (state === 'draft') return 'It is a draft.'
  if (conflicts) return 'It conflicts with its target.'
  const failing = checks.filter((check) => check.state === 'failed').length
  const running = checks.filter((check) => check.state === 'running' || check.state === 'queued').length
  if (failing + running === 0) return null
  if (failing === 0) return `Merging waits for ${countOf(running, 'running check')}.`
  if (running === 0) return `Merging waits for ${countOf(failing, 'failing check')}.`
  return `Merging waits for ${failing} failing and ${countOf(running, 'running check')}.`
}

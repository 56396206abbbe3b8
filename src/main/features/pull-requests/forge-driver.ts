/** What a forge can be asked about pull requests, whichever it is. */
import type { Result } from '../../../shared/kernel/result.ts'
import type { PullRequest, PullRequestCheck } from '../../../shared/pull-requests/pull-request.ts'

interface NewPullRequest {
  readonly branch: string
  readonly base: string
  readonly title: string
  /** Markdown. */
  readonly body: string
  readonly draft: boolean
}

/** Each method makes one request or a few. Fails as `ForgeProgram.text`. */
export interface ForgeDriver {
  /** The newest pull request of a branch of the repository itself; null: it has none. */
  find(branch: string): Promise<Result<PullRequest | null>>
  create(request: NewPullRequest): Promise<Result<{ readonly number: number; readonly url: string | null }>>
  /** The whole log of a check that has one. @param check its id */
  log(check: string): Promise<Result<string>>
  rerun(check: string): Promise<Result<string>>
  /** Answers a comment on lines. @param comment its id */
  reply(number: number, comment: string, text: string): Promise<Result<string>>
  /** Comments on the whole pull request. */
  comment(number: number, text: string): Promise<Result<string>>
}

const RANK: Readonly<Record<PullRequestCheck['state'], number>> = {
  failed: 0,
  running: 1,
  queued: 2,
  passed: 3,
  skipped: 4,
}

/** Failed checks first; open comments before resolved ones, each by their time. */
export function orderedPull(pull: PullRequest): PullRequest {
  return {
    ...pull,
    checks: pull.checks.toSorted((a, b) => RANK[a.state] - RANK[b.state] || (a.name < b.name ? -1 : 1)),
    comments: pull.comments.toSorted((a, b) => Number(a.resolved) - Number(b.resolved) || a.at - b.at),
  }
}

/** ms since the epoch; null: no valid time. */
export function momentOf(text: string | null | undefined): number | null {
  const at = Date.parse(text ?? '')
  // GitHub tells the year 1 of what has not begun.
  return Number.isNaN(at) || at <= 0 ? null : at
}

/**
 * The pull requests of worktrees: what a push would send, the push, what the forge tells, and what of it goes to the
 * agent. Nothing is pushed, answered or started again without the user's command.
 */
import type { InputOf } from '../../../shared/kernel/command.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { pullRequestContract } from '../../../shared/pull-requests/contract.ts'
import type {
  Forge,
  KnownPullRequest,
  OpenedPullRequest,
  PullRequest,
  PullRequestCheck,
  PullRequestView,
  PushPreview,
} from '../../../shared/pull-requests/pull-request.ts'
import type { ReviewWorktree } from '../../../shared/worktrees/review.ts'
import { branchRef } from '../../platform/git/branches.ts'
import { isAncestor } from '../../platform/git/merge-base.ts'
import { commitOf } from '../../platform/git/rev-parse.ts'
import { inParallel } from '../../platform/system/in-parallel.ts'
import type { Runtime } from '../../runtime/ports/runtime.ts'
import type { Review, WorktreeKey } from '../../runtime/ports/worktrees.ts'
import { taskSlug } from '../worktrees/new-worktree.ts'
import { findWorktreeOf, messageAgent } from '../worktrees/review/review-handlers.ts'
import { draftBody, draftTitle, findTemplate } from './draft-text.ts'
import type { ForgeDriver } from './forge-driver.ts'
import {
  createForgeReadings,
  type ForgeReading,
  type PushedWorktree as Found,
  NO_REMOTE,
  nextReadingIn,
  type ReadingParts,
} from './forge-readings.ts'
import { checksMessage, commentMessage, logTail } from './outside-text.ts'
import { pushCommit } from './push-commit.ts'
import { previewPush } from './push-preview.ts'
import { newRequestPage } from './remote-address.ts'
import { findRemote, remoteNames } from './remotes.ts'

export interface PullRequestParts extends ReadingParts {
  readonly review: Pick<Review, 'list' | 'discard'>
  readonly runtime: Pick<Runtime, 'dispatch' | 'snapshot'>
  readonly isTrusted: (folder: string) => boolean
}

type OpenRequest = InputOf<(typeof pullRequestContract)['pullRequest.open']>

/** A pull request that the forge knows, and how to ask about it. */
interface CurrentPullRequest extends Found {
  readonly pull: PullRequest
  readonly forge: Forge
  readonly driver: ForgeDriver
}

export type PullRequests = ReturnType<typeof createPullRequests>

export function createPullRequests(parts: PullRequestParts) {
  const { git, review, runtime, records, findForge, isTrusted, now } = parts
  const readings = createForgeReadings(parts)
  const { forgeOf } = readings

  async function find(key: WorktreeKey): Promise<Result<Found>> {
    if (!isTrusted(key.folder)) return fail(NOT_TRUSTED)
    const found = await findWorktreeOf(review, key)
    return found.ok ? ok({ worktree: found.value, record: await records.read(found.value.path) }) : found
  }

  async function viewOf(
    { folder }: WorktreeKey,
    { worktree, record }: Found,
    read: ForgeReading,
  ): Promise<PullRequestView> {
    const { forge, pull, readAt, problem } = read
    const tip = await commitOf(git, folder, branchRef(worktree.branch))
    return {
      ...{ forge, pull, readAt, problem, nextIn: nextReadingIn(read) },
      ...{ branch: record?.branch ?? null, pushedAt: record?.pushedAt ?? null },
      toPush: record === null || tip === null ? 0 : await countSince(folder, record.commit, tip),
      ...{ sent: record?.sent ?? [], sentByItself: record?.sentByItself ?? 0 },
      nothingMissing:
        record !== null &&
        !record.removed &&
        tip !== null &&
        (await isAllIn(folder, { worktree, pull, tip })),
    }
  }

  async function countSince(folder: string, pushed: string, tip: string): Promise<number> {
    const counted = await git.answers(folder, ['rev-list', '--count', tip, '--not', pushed, '--'], {
      accepts: [128],
    })
    return counted.ok && counted.value.code === 0 ? Number(counted.value.output) : 0
  }

  /** Whether a merged pull request has every commit of the worktree, and the worktree has no further files. */
  async function isAllIn(
    folder: string,
    {
      worktree,
      pull,
      tip,
    }: { readonly worktree: ReviewWorktree; readonly pull: PullRequest | null; readonly tip: string },
  ): Promise<boolean> {
    if (pull?.state !== 'merged' || worktree.uncommitted > 0 || worktree.state === 'working') return false
    if (worktree.problem !== null || worktree.resolving !== null) return false
    return pull.head === tip || (await isAncestor(git, folder, { older: tip, newer: pull.head }))
  }

  /** The view of a worktree's pull request. Sends nothing to the agent. */
  async function read(key: WorktreeKey, isWanted: boolean): Promise<Result<PullRequestView>> {
    const found = await find(key)
    if (!found.ok) return found
    const known = await readings.read(key, found.value, isWanted)
    return ok(
      await viewOf(key, { ...found.value, record: await records.read(found.value.worktree.path) }, known),
    )
  }

  /** The open pull request with its driver, for what changes something or reads more of it. */
  async function current(key: WorktreeKey): Promise<Result<CurrentPullRequest>> {
    const found = await find(key)
    if (!found.ok) return found
    const { forge, pull, problem } = await readings.read(key, found.value, false)
    if (pull === null || forge === null)
      return fail({ type: 'not-there', message: problem ?? 'This worktree has no pull request.' })
    const remote = found.value.record?.remote ?? (await remoteNames(parts, key.folder))[0] ?? ''
    const at = await forgeOf(key.folder, remote)
    if (!at.ok) return at
    if (at.value?.driver === null || at.value === null)
      return fail({ type: 'no-program', message: at.value?.forge.problem ?? NO_REMOTE })
    return ok({ ...found.value, pull, forge, driver: at.value.driver })
  }

  async function checkOf(key: WorktreeKey, id: string) {
    const now = await current(key)
    if (!now.ok) return now
    const check = now.value.pull.checks.find((one) => one.id === id)
    if (check === undefined)
      return fail({
        type: 'not-there',
        message: 'This check is no longer part of the pull request. Look again.',
      })
    return ok({ ...now.value, check })
  }

  async function commentOf(key: WorktreeKey, id: string) {
    const now = await current(key)
    if (!now.ok) return now
    const comment = now.value.pull.comments.find((one) => one.id === id)
    if (comment === undefined)
      return fail({
        type: 'not-there',
        message: 'This comment is no longer part of the pull request. Look again.',
      })
    return ok({ ...now.value, comment })
  }

  /** Sends failed checks with their logs as one message. */
  async function sendChecks(
    { worktree, pull, driver, forge }: CurrentPullRequest,
    checks: readonly PullRequestCheck[],
    isByItself: boolean,
  ): Promise<Result<void>> {
    const logs = await inParallel(checks, 2, async (check) => {
      const log = check.hasLog ? await driver.log(check.id) : null
      return { check, log: log?.ok === true ? logTail(log.value) : null }
    })
    const sent = await messageAgent(runtime, worktree, checksMessage(aboutOf(worktree, pull, forge), logs))
    if (!sent.ok) return sent
    await records.update(worktree.path, (known) =>
      known === null
        ? null
        : {
            ...known,
            sent: [...known.sent, ...checks.map(({ id }) => id)],
            sentByItself: known.sentByItself + (isByItself ? 1 : 0),
          },
    )
    return ok(undefined)
  }

  async function preview(
    key: WorktreeKey & {
      readonly remote: string | null
      readonly branch: string | null
      readonly base: string | null
    },
  ): Promise<Result<PushPreview>> {
    const found = await find(key)
    if (!found.ok) return found
    const { worktree, record } = found.value
    const { folder } = key
    const names = await remoteNames(parts, folder)
    const wanted = key.remote ?? record?.remote ?? names[0]
    const name = names.find((one) => one === wanted) ?? (key.remote === null ? names[0] : undefined)
    if (name === undefined) return fail({ type: 'no-remote', message: NO_REMOTE })
    const remote = await findRemote(parts, folder, name)
    if (!remote.ok) return remote
    const known = record?.remote === name ? record : null
    const pull = readings.known(worktree.path)?.pull ?? null
    const push = await previewPush(parts, {
      ...{ folder, local: worktree.branch, remote: remote.value },
      branch: key.branch ?? known?.branch ?? null,
      proposed: [`troupe/${taskSlug(worktree.task)}`, worktree.branch].filter((one) => !one.endsWith('/')),
      base: key.base ?? pull?.base ?? worktree.target,
      pushed: known && { remote: known.remote, branch: known.branch, commit: known.commit },
    })
    if (!push.ok) return push
    const { subjects, ...sent } = push.value
    const forge = await findForge(remote.value.repository)
    const template =
      forge === null
        ? null
        : await findTemplate(git, folder, { kind: forge.forge.kind, commit: push.value.head })
    const work = {
      task: worktree.task,
      report: await reportOf(worktree),
      subjects,
      folders: [worktree.path],
    }
    return ok({
      ...sent,
      ...{ remotes: names, remote: name, address: remote.value.address, forge: forge?.forge ?? null },
      uncommitted: worktree.uncommitted,
      notes: [
        ...sent.notes,
        ...(worktree.state === 'working'
          ? ['The agent is still working. Its later commits need another push.']
          : []),
      ],
      ...{ title: draftTitle(work), body: draftBody(work, template), template: template?.path ?? null },
      number: known?.branch === push.value.branch ? (known.known?.number ?? null) : null,
    })
  }

  async function reportOf({ conversationId, agentId }: ReviewWorktree): Promise<string> {
    const snapshot = await runtime.snapshot(conversationId)
    return snapshot.ok ? (snapshot.value.agents.find(({ id }) => id === agentId)?.report ?? '') : ''
  }

  return {
    find,
    read,
    current,
    sendChecks,
    preview,
    async list(folder: string): Promise<Result<readonly KnownPullRequest[]>> {
      if (!isTrusted(folder)) return ok([])
      const { worktrees } = await review.list(folder, { thorough: false })
      const known = await Promise.all(
        worktrees.map(async ({ id, path }) => ({ id, record: await records.read(path) })),
      )
      return ok(known.flatMap(({ id, record }) => (record?.known ? [{ id, ...record.known }] : [])))
    },
    async open(request: OpenRequest): Promise<Result<OpenedPullRequest>> {
      const shown = await preview(request)
      if (!shown.ok) return shown
      const { change, replaces, obstacle, remote, branch, base } = shown.value
      if (obstacle !== null) return fail({ type: 'refused', message: obstacle })
      if (shown.value.head !== request.head || replaces !== request.replaces)
        return fail({
          type: 'moved',
          message:
            'The work or the branch has changed since you looked. Nothing was pushed. Look at it again, then push.',
        })
      if (change !== 'same') {
        const pushed = await pushCommit(parts, request.folder, {
          remote,
          branch,
          head: request.head,
          change,
          replaces,
        })
        if (!pushed.ok) return pushed
      }
      const found = await find(request)
      if (!found.ok) return found
      const { worktree } = found.value
      readings.forget(worktree.path)
      await records.update(worktree.path, (known) => ({
        ...(known !== null && known.remote === remote && known.branch === branch ? known : NOTHING_KNOWN),
        ...{ v: 1 as const, remote, branch, commit: request.head, pushedAt: now() },
      }))
      const at = await forgeOf(request.folder, remote)
      if (!at.ok) return at
      if (request.text === null || at.value === null) return ok({ number: null, url: null, inBrowser: false })
      const { driver, forge, repository } = at.value
      if (driver === null)
        return ok({
          number: null,
          url: newRequestPage(forge.kind, repository, { branch, base, ...request.text }),
          inBrowser: true,
        })
      const made = await driver.create({ branch, base, ...request.text })
      if (!made.ok)
        return fail({
          ...made.failure,
          message: `${change === 'same' ? '' : `The commits were pushed to ${branch} at ${remote}. `}The pull request was not made. ${made.failure.message}`,
        })
      const { number } = made.value
      readings.forget(worktree.path)
      await records.update(
        worktree.path,
        (known) =>
          known && {
            ...known,
            known: { number, state: request.text?.draft ? 'draft' : 'open', passed: 0, checks: 0 },
          },
      )
      return ok({ ...made.value, inBrowser: false })
    },
    async log({ check: id, ...key }: WorktreeKey & { readonly check: string }): Promise<Result<string>> {
      const found = await checkOf(key, id)
      if (!found.ok) return found
      if (!found.value.check.hasLog)
        return fail({
          type: 'no-log',
          message: `${found.value.forge.name} has no log of this check that can be read here. Open it in the browser.`,
        })
      const log = await found.value.driver.log(id)
      return log.ok ? ok(logTail(log.value)) : log
    },
    async sendCheck({ check: id, ...key }: WorktreeKey & { readonly check: string }): Promise<Result<void>> {
      const found = await checkOf(key, id)
      return found.ok ? sendChecks(found.value, [found.value.check], false) : found
    },
    async rerun({ check: id, ...key }: WorktreeKey & { readonly check: string }): Promise<Result<void>> {
      const found = await checkOf(key, id)
      if (!found.ok) return found
      if (!found.value.check.hasLog)
        return fail({
          type: 'no-log',
          message: 'This check can be started again only on its own page. Open it in the browser.',
        })
      const started = await found.value.driver.rerun(id)
      if (!started.ok) return started
      readings.forget(found.value.worktree.path)
      return ok(undefined)
    },
    async sendComment({
      comment: id,
      ...key
    }: WorktreeKey & { readonly comment: string }): Promise<Result<void>> {
      const found = await commentOf(key, id)
      if (!found.ok) return found
      const { worktree, pull, forge, comment } = found.value
      const sent = await messageAgent(
        runtime,
        worktree,
        commentMessage(aboutOf(worktree, pull, forge), comment),
      )
      return sent.ok ? ok(undefined) : sent
    },
    async reply({
      comment: id,
      text,
      ...key
    }: WorktreeKey & { readonly comment: string; readonly text: string }): Promise<Result<void>> {
      const found = await commentOf(key, id)
      if (!found.ok) return found
      const { driver, pull, comment, worktree } = found.value
      const sent = await (comment.path === null
        ? driver.comment(pull.number, text)
        : driver.reply(pull.number, id, text))
      if (!sent.ok) return sent
      readings.forget(worktree.path)
      return ok(undefined)
    },
    async remove(key: WorktreeKey): Promise<Result<void>> {
      const view = await read(key, false)
      if (!view.ok) return view
      const found = await find(key)
      if (!found.ok) return found
      if (!view.value.nothingMissing)
        return fail({
          type: 'missing',
          message:
            'The worktree stays: it has commits or files that the merged pull request lacks, or its agent works.',
        })
      const { worktree } = found.value
      const gone = await review.discard(key, worktree.branch, worktree.version)
      if (gone.ok) await records.update(worktree.path, (known) => known && { ...known, removed: true })
      return gone
    },
  }
}

const NOT_TRUSTED = {
  type: 'not-trusted',
  message: 'This folder is not trusted, so its repository is not read. Trust the folder first.',
}

const NOTHING_KNOWN = { known: null, sent: [], sentByItself: 0, removed: false }

const aboutOf = ({ branch, path }: ReviewWorktree, { number }: PullRequest, { name }: Forge) => ({
  ...{ number, branch, path },
  forge: name,
})

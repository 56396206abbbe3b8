/** `troupe pr list`, `status`, `checks` and `open`: pull requests of worktrees without a window. */

import type { Dispatch } from '../../../shared/ipc/handlers.ts'
import { countOf, formatDuration } from '../../../shared/kernel/amounts.ts'
import {
  checksText,
  mergeWaits,
  type PullRequestView,
  type PushPreview,
} from '../../../shared/pull-requests/pull-request.ts'
import { EXIT, isYes, jsonLine, oneLine, type Spoken, table } from '../../platform/command-line/terminal.ts'
import type { Review } from '../../runtime/ports/worktrees.ts'
import { printRefusal, worktreeNamed } from '../worktrees/command-line/change-worktree.ts'
import type { PullRequests } from './pull-requests.ts'

/** The values of `troupe pr …`. */
export type PullRequestCommand =
  | { readonly verb: 'pr-list'; readonly json: boolean }
  | { readonly verb: 'pr-status' | 'pr-checks'; readonly name: string; readonly json: boolean }
  | OpenCommand

interface OpenCommand {
  readonly verb: 'pr-open'
  readonly name: string
  readonly remote: string | null
  readonly branch: string | null
  readonly base: string | null
  readonly title: string | null
  readonly draft: boolean
  readonly pushOnly: boolean
  readonly yes: boolean
  readonly json: boolean
}

interface PullRequestsContext extends Spoken {
  readonly review: Pick<Review, 'list'>
  readonly pulls: Pick<PullRequests, 'list' | 'read' | 'log'>
  /** Checks what the user gave. */
  readonly dispatch: Dispatch<'pullRequest.preview' | 'pullRequest.open'>
  /** Real path. */
  readonly folder: string
  readonly trusted: boolean
}

type Key = { readonly folder: string; readonly id: string }

/** @returns the exit code */
export async function pullRequestsCommand(
  command: PullRequestCommand,
  context: PullRequestsContext,
): Promise<number> {
  const { review, pulls, folder, output } = context
  const refuse = (failure: { readonly type: string; readonly message: string }) =>
    printRefusal({ ...context, json: command.json }, failure)
  if (!context.trusted) return refuse({ type: 'not-trusted', message: UNTRUSTED })
  const { worktrees, problem } = await review.list(folder, { thorough: false })
  if (problem !== null) return refuse({ type: 'problem', message: problem })
  if (command.verb === 'pr-list') {
    const known = await pulls.list(folder)
    if (!known.ok) return refuse(known.failure)
    const branchOf = (id: string) => worktrees.find((one) => one.id === id)?.branch ?? id
    const rows = known.value.map(({ id, number, state, passed, checks }) => [
      ...[`#${number}`, state, branchOf(id), checks === 0 ? '–' : `${passed} of ${checks} passed`],
    ])
    const lines = rows.length === 0 ? [NONE] : table([['number', 'state', 'worktree', 'checks'], ...rows])
    output.write(command.json ? jsonLine({ pullRequests: known.value }) : printed(lines))
    return EXIT.done
  }
  const found = worktreeNamed(command.name, worktrees, 'worktrees')
  if (!found.ok) return refuse(found.failure)
  const key = { folder, id: found.value.id }
  if (command.verb === 'pr-open') return open(command, key, context)
  const view = await pulls.read(key, true)
  if (!view.ok) return refuse(view.failure)
  const { pull } = view.value
  if (pull === null)
    return refuse({
      type: 'not-there',
      message:
        view.value.problem ??
        `${found.value.branch} has no pull request. Make one with: troupe pr open ${key.id}`,
    })
  if (command.json) output.write(jsonLine(view.value))
  else if (command.verb === 'pr-status') output.write(printed(statusLines(view.value)))
  else output.write(printed(await checkLines(view.value, key, context)))
  const failed = pull.checks.some(({ state }) => state === 'failed')
  return failed && command.verb === 'pr-checks' ? EXIT.failed : EXIT.done
}

const UNTRUSTED =
  'This folder is not trusted, so its repository is not read. Trust it in the window, or add --trust for this command.'

const NONE = 'No pull requests. Make one from a worktree with: troupe pr open ID'

const printed = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')

function statusLines({ pull, problem, toPush }: PullRequestView): readonly string[] {
  if (pull === null) return []
  const waits = mergeWaits(pull)
  const open = pull.comments.filter(({ resolved }) => !resolved).length
  return [
    oneLine(`#${pull.number} ${pull.state}: ${pull.title}`),
    oneLine(`  ${pull.branch} into ${pull.base}`),
    `  checks: ${checksText(pull.checks)}; comments: ${open} open`,
    ...(waits === null ? [] : [`  ${waits}`]),
    ...(toPush === 0 ? [] : [`  ${countOf(toPush, 'commit')} of the worktree not pushed yet`]),
    ...(pull.url === null ? [] : [`  ${pull.url}`]),
    ...(problem === null ? [] : [oneLine(`  as last seen: ${problem}`)]),
  ]
}

async function checkLines(
  { pull }: PullRequestView,
  key: Key,
  { pulls }: PullRequestsContext,
): Promise<readonly string[]> {
  const checks = pull?.checks ?? []
  if (checks.length === 0) return ['No checks.']
  const lines = [
    ...table(checks.map(({ state, name, ms }) => [state, name, ms === null ? '–' : formatDuration(ms)])),
  ]
  for (const { id, name, state, hasLog } of checks) {
    if (state !== 'failed' || !hasLog) continue
    const log = await pulls.log({ ...key, check: id })
    const text = log.ok ? log.value : log.failure.message
    lines.push(
      '',
      oneLine(`The end of the log of ${name}:`),
      ...text.split('\n').map((line) => `  ${oneLine(line)}`),
    )
  }
  return lines
}

/** Shows what would go where, asks, and pushes it. */
async function open(command: OpenCommand, key: Key, context: PullRequestsContext): Promise<number> {
  const { dispatch, output, errors, ask } = context
  const refuse = (failure: { readonly type: string; readonly message: string }) =>
    printRefusal({ ...context, json: command.json }, failure)
  const { remote, branch, base } = command
  const shown = await dispatch({ type: 'pullRequest.preview', ...key, remote, branch, base })
  if (!shown.ok) return refuse(shown.failure)
  const preview = shown.value
  const title = command.title ?? preview.title
  const note = command.json ? errors : output
  note.write(printed(previewLines(preview, command.pushOnly ? null : title)))
  if (preview.obstacle !== null) return refuse({ type: 'refused', message: preview.obstacle })
  if (!command.yes) {
    if (ask === null || command.json)
      return refuse({
        type: 'confirm',
        message: 'Nothing was pushed, because nobody can be asked here. Add --yes to agree.',
      })
    if (!isYes(await ask(`Push to ${oneLine(preview.address)}? [y/N] `))) {
      note.write('Nothing was pushed.\n')
      return EXIT.done
    }
  }
  const opened = await dispatch({
    type: 'pullRequest.open',
    ...key,
    ...{ remote: preview.remote, branch: preview.branch, base: preview.base },
    ...{ head: preview.head, replaces: preview.replaces },
    text:
      command.pushOnly || preview.number !== null
        ? null
        : { title, body: preview.body, draft: command.draft },
  })
  if (!opened.ok) return refuse(opened.failure)
  const { number, url, inBrowser } = opened.value
  if (command.json) output.write(jsonLine({ branch: preview.branch, head: preview.head, ...opened.value }))
  else {
    output.write(
      oneLine(`Pushed ${preview.head.slice(0, 10)} to ${preview.branch} at ${preview.remote}.`).concat('\n'),
    )
    if (number !== null) output.write(`Made pull request #${number}${url === null ? '' : `: ${url}`}\n`)
    if (inBrowser && url !== null) output.write(`Make the pull request here: ${url}\n`)
  }
  return EXIT.done
}

function previewLines(preview: PushPreview, title: string | null): readonly string[] {
  const { commits, moreCommits, files, moreFiles, uncommitted, notes, forge } = preview
  return [
    `To ${preview.address} (${preview.remote}${forge === null ? '' : `, ${forge.name}`})`,
    `Branch ${preview.branch}${CHANGES[preview.change]}, into ${preview.base}`,
    ...(title === null ? [] : [`Title  ${title}`]),
    `${countOf(commits.length + moreCommits, 'commit')}:`,
    ...commits.slice(0, MOST).map(({ sha, subject }) => `  ${sha.slice(0, 10)} ${subject}`),
    ...more(commits.length + moreCommits),
    `${countOf(files.length + moreFiles, 'file')}:`,
    ...files
      .slice(0, MOST)
      .map(({ path, insertions, deletions }) => `  ${path} +${insertions ?? 0} −${deletions ?? 0}`),
    ...more(files.length + moreFiles),
    ...(uncommitted === 0
      ? []
      : [
          `${countOf(uncommitted, 'file')} ${uncommitted === 1 ? 'has' : 'have'} uncommitted changes, which are not pushed.`,
        ]),
    ...notes,
  ].map((line) => oneLine(line))
}

const MOST = 20

const more = (all: number): readonly string[] => (all > MOST ? [`  and ${all - MOST} more`] : [])

const CHANGES: Readonly<Record<PushPreview['change'], string>> = {
  new: ' (new)',
  same: ' (up to date)',
  forward: ' (commits are added)',
  replaces: ' (replaces what you pushed last)',
  diverged: '',
}

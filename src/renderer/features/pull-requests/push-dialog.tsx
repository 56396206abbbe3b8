/** Shows exactly what a push sends and where, and pushes it; with a title and a text it also makes a pull request. */
import { type ReactNode, useEffect, useState } from 'react'
import type { PushPreview } from '../../../shared/pull-requests/pull-request.ts'
import { command } from '../../bridge.ts'
import { openLink, showNotice, useDialogCommand } from '../../stores/overlay-store.ts'
import { DialogError, FormDialog } from '../../ui/form-dialog.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { copyText } from '../../ui/text/copy-text.ts'
import { count } from '../../ui/text/format.ts'
import { PathText, VisibleText } from '../../ui/text/visible-text.tsx'
import { INPUT_CLASS, TextArea, TextField } from '../../ui/text-field.tsx'
import { loadPullRequest, type PullRequestKey, showPush, usePullRequests } from './pull-request-store.ts'

/** The push that is shown, if any. */
export function PushDialog() {
  const pushing = usePullRequests((state) => state.pushing)
  return pushing === null ? null : (
    <OpenPushDialog key={`${pushing.folder}\n${pushing.id}`} pushKey={pushing} />
  )
}

interface Wanted {
  readonly remote: string | null
  readonly branch: string | null
  readonly base: string | null
}

function OpenPushDialog({ pushKey }: { readonly pushKey: PullRequestKey }) {
  const { folder, id } = pushKey
  const [wanted, setWanted] = useState<Wanted>({ remote: null, branch: null, base: null })
  const [shown, setShown] = useState<PushPreview | null>(null)
  const [isLooking, setLooking] = useState(true)
  const [problem, setProblem] = useState<string | null>(null)
  const [typed, setTyped] = useState({ branch: '', base: '', title: '', body: '' })
  const [isDraft, setDraft] = useState(false)
  const { busy, failure, run } = useDialogCommand()
  const { remote, branch, base } = wanted
  useEffect(() => {
    let isOver = false
    setLooking(true)
    void command('pullRequest.preview', { folder, id, remote, branch, base }).then((answer) => {
      if (isOver) return
      setLooking(false)
      setProblem(answer.ok ? null : answer.failure.message)
      if (!answer.ok) return
      const { value } = answer
      setShown(value)
      setTyped((now) => ({
        ...{ branch: value.branch, base: value.base },
        title: now.title === '' ? value.title : now.title,
        body: now.body === '' ? value.body : now.body,
      }))
    })
    return () => {
      isOver = true
    }
  }, [folder, id, remote, branch, base])
  const close = () => showPush(null)
  /** What was typed counts when the field is left, so that the remote is not asked for each letter. */
  const look = () => {
    if (shown === null) return
    if (typed.branch !== shown.branch || typed.base !== shown.base)
      setWanted({ remote, branch: typed.branch.trim() || null, base: typed.base.trim() || null })
  }
  const isCurrent = shown !== null && !isLooking && typed.branch === shown.branch && typed.base === shown.base
  const makes = shown?.number === null && shown.forge !== null
  const { title, body } = typed
  const push = async () => {
    if (shown === null) return
    const { head, replaces } = shown
    const text = makes ? { title: title.trim(), body, draft: isDraft } : null
    const answer = await run(() =>
      command('pullRequest.open', {
        ...{ folder, id, head, replaces, text },
        ...{ remote: shown.remote, branch: shown.branch, base: shown.base },
      }),
    )
    if (!answer?.ok) return
    close()
    const { number, url, inBrowser } = answer.value
    const pushed = `Pushed ${count(shown.commits.length + shown.moreCommits, 'commit')} to ${shown.branch}.`
    const copied = inBrowser && body !== '' && (await copyText(body))
    showNotice({
      level: 'info',
      text: `${pushed}${number === null ? '' : ` Pull request #${number} is open.`}${copied ? ' The description is in the clipboard.' : ''}`,
      ...(url !== null && { action: { label: 'Open in browser', run: () => void openLink(url) } }),
    })
    if (inBrowser && url !== null) void openLink(url)
    void loadPullRequest(pushKey, true)
  }
  const isUpToDate = shown?.change === 'same'
  return (
    <FormDialog
      onClose={close}
      width={620}
      title={makes ? 'Push and open a pull request' : 'Push'}
      description={
        shown === null ? (
          'Nothing is sent before you press the button.'
        ) : (
          <>
            To <code className="font-mono text-sm wrap-anywhere">{shown.address}</code>
          </>
        )
      }
      label={labelOf(shown, { busy, makes })}
      isReady={
        isCurrent &&
        shown.obstacle === null &&
        problem === null &&
        (makes ? title.trim() !== '' : !isUpToDate)
      }
      busy={busy}
      onSubmit={() => void push()}
    >
      {shown === null && problem === null && (
        <p role="status" className="flex items-center gap-2 text-fg-1 text-sm">
          <Spinner /> Asking the remote…
        </p>
      )}
      {shown !== null && (
        <>
          <div className="grid grid-cols-2 gap-3">
            {shown.remotes.length > 1 && (
              <label className="col-span-2 grid gap-1 text-fg-1 text-sm">
                Remote
                <select
                  className={`${INPUT_CLASS} h-[1.875rem]`}
                  value={shown.remote}
                  onChange={(event) => setWanted({ remote: event.target.value, branch: null, base: null })}
                >
                  {shown.remotes.map((name) => (
                    <option key={name}>{name}</option>
                  ))}
                </select>
              </label>
            )}
            <TextField
              label="Branch there"
              mono
              value={typed.branch}
              hint={CHANGES[shown.change]}
              onChange={(event) => setTyped({ ...typed, branch: event.target.value })}
              onBlur={look}
            />
            <TextField
              label="Into"
              mono
              value={typed.base}
              onChange={(event) => setTyped({ ...typed, base: event.target.value })}
              onBlur={look}
            />
          </div>
          <WhatGoes shown={shown} />
          {makes && (
            <>
              <TextField
                label="Title"
                value={title}
                maxLength={250}
                onChange={(event) => setTyped({ ...typed, title: event.target.value })}
              />
              <TextArea
                label="Description"
                rows={7}
                value={body}
                hint={shown.template === null ? undefined : `With the template ${shown.template}.`}
                onChange={(event) => setTyped({ ...typed, body: event.target.value })}
              />
              {shown.forge?.program !== null && (
                <label className="flex items-center gap-2 text-fg-1 text-sm">
                  <input
                    type="checkbox"
                    checked={isDraft}
                    onChange={(event) => setDraft(event.target.checked)}
                    className="accent-(--accent)"
                  />
                  Draft
                </label>
              )}
            </>
          )}
          {shown.forge !== null && shown.forge.problem !== null && (
            <p className="text-fg-1 text-sm">{shown.forge.problem}</p>
          )}
        </>
      )}
      <p role="status" className="text-fg-1 text-sm empty:hidden">
        {shown !== null && isLooking ? 'Asking the remote…' : ''}
      </p>
      <DialogError message={failure?.message ?? problem ?? shown?.obstacle ?? null} />
    </FormDialog>
  )
}

function labelOf(
  shown: PushPreview | null,
  { busy, makes }: { readonly busy: boolean; readonly makes: boolean },
): string {
  if (busy) return 'Pushing…'
  if (shown === null) return 'Push'
  const commits = count(shown.commits.length + shown.moreCommits, 'commit')
  const what = shown.change === 'same' ? '' : shown.change === 'replaces' ? 'Replace' : `Push ${commits}`
  if (!makes) return what === '' ? 'Up to date' : what
  const opens = shown.forge?.program === null ? 'open the browser' : 'open'
  return what === '' ? 'Open pull request' : `${what} and ${opens}`
}

const CHANGES: Readonly<Record<PushPreview['change'], string>> = {
  new: 'New at the remote.',
  same: 'The remote has this commit.',
  forward: 'Exists: the commits are added.',
  replaces: 'Replaces exactly what you pushed last.',
  diverged: 'Has commits that are not from here.',
}

function WhatGoes({ shown }: { readonly shown: PushPreview }) {
  const { commits, moreCommits, files, moreFiles, uncommitted, notes } = shown
  return (
    <>
      <Fold summary={count(commits.length + moreCommits, 'commit')} more={moreCommits}>
        {commits.map(({ sha, subject }) => (
          <li key={sha} className="flex gap-2">
            <code className="font-mono text-fg-1 text-xs">{sha.slice(0, 8)}</code>
            <span className="min-w-0 truncate text-fg-0" dir="auto" title={subject}>
              <VisibleText>{subject}</VisibleText>
            </span>
          </li>
        ))}
      </Fold>
      <Fold summary={count(files.length + moreFiles, 'file')} more={moreFiles}>
        {files.map(({ path, insertions, deletions }) => (
          <li key={path} className="flex gap-2">
            <span className="min-w-0 flex-1 font-mono text-fg-0 text-xs">
              <PathText path={path} />
            </span>
            <span className="font-mono text-xs">
              <span className="text-ok">+{insertions ?? 0}</span>{' '}
              <span className="text-bad">−{deletions ?? 0}</span>
            </span>
          </li>
        ))}
      </Fold>
      {(uncommitted > 0 || notes.length > 0) && (
        <ul className="grid gap-1 text-fg-1 text-sm">
          {uncommitted > 0 && (
            <li>
              {count(uncommitted, 'file')} {uncommitted === 1 ? 'has' : 'have'} uncommitted changes, which are
              not pushed.
            </li>
          )}
          {notes.map((note) => (
            <li key={note}>
              <VisibleText>{note}</VisibleText>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

interface FoldProps {
  readonly summary: string
  /** How many are not in the list. */
  readonly more: number
  readonly children: ReactNode
}

/** Open from the start: what goes is to be seen. */
function Fold({ summary, more, children }: FoldProps) {
  return (
    <details open className="text-sm">
      <summary className="cursor-default text-fg-1">{summary}</summary>
      <ul className="mt-1 grid max-h-28 gap-0.5 overflow-y-auto rounded-md bg-bg-0 px-2.5 py-1.5">
        {children}
        {more > 0 && <li className="text-fg-1">and {more} more</li>}
      </ul>
    </details>
  )
}

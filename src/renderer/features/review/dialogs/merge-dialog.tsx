/** Before a merge: what goes where, and how. What is refused is said, and nothing has changed then. */
import { type FormEvent, useEffect, useId, useState } from 'react'
import type { MergeMethod, ReviewCommit, ReviewSnapshot, ReviewWorktree } from '../../../../shared/review.ts'
import { changeWords, checkWords } from '../../../../shared/work-words.ts'
import { command } from '../../../bridge.ts'
import { showReviewDialog, showView } from '../../../stores/review-store.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { count } from '../../../ui/format.ts'
import { Spinner } from '../../../ui/spinner.tsx'
import { INPUT_CLASS, TextField } from '../../../ui/text-field.tsx'
import { VisibleText } from '../../../ui/visible-text.tsx'
import { MERGE_METHODS, methodWords } from '../merge-methods.ts'
import { mergeWorktree } from '../review-actions.ts'
import { RefusalBox } from './refusal-box.tsx'
import { useRequest } from './use-request.ts'

interface MergeDialogProps {
  readonly snapshot: ReviewSnapshot
  readonly worktree: ReviewWorktree
  readonly method: MergeMethod
  /** Another branch than its target is to be chosen. */
  readonly elsewhere: boolean
}

export function MergeDialog({ snapshot, worktree, method: first, elsewhere }: MergeDialogProps) {
  const form = useId()
  const { folder } = snapshot
  const target = worktree.target ?? snapshot.current ?? ''
  const [method, setMethod] = useState<MergeMethod>(first)
  const [into, setInto] = useState(elsewhere ? '' : target)
  const [message, setMessage] = useState('')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const { busy, refusal, forgetRefusal, ask } = useRequest()
  const commits = useCommits(folder, worktree)
  const branch = into.trim()
  const wrong = branchError(branch, snapshot)
  const picks = method === 'cherry-pick'
  const canMerge = branch !== '' && wrong === null && !busy && (!picks || chosen.size > 0)
  const close = () => showReviewDialog(null)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!canMerge) return
    const answer = await ask(() =>
      mergeWorktree(folder, {
        id: worktree.id,
        method,
        into: branch === worktree.target ? null : branch,
        // In the order in which they were made.
        commits: picks
          ? (commits ?? [])
              .map(({ sha }) => sha)
              .filter((sha) => chosen.has(sha))
              .reverse()
          : [],
        message: (method === 'merge' || method === 'squash') && message.trim() !== '' ? message.trim() : null,
      }),
    )
    if (answer?.ok) close()
  }
  const showConflicts = () => {
    close()
    showView('conflicts')
  }
  return (
    <Dialog
      open
      onClose={close}
      width={520}
      title={`Merge ${worktree.agentName}`}
      description={
        <>
          <code className="font-mono text-sm">{worktree.branch}</code>: {count(worktree.commits, 'commit')},{' '}
          {changeWords(worktree)}
          {branch === target && worktree.check !== null && `, ${checkWords(worktree.check)}`}
        </>
      }
      actions={
        <>
          <Button size="md" onClick={close}>
            Cancel
          </Button>
          <Button
            size="md"
            variant="primary"
            type="submit"
            form={form}
            disabled={!canMerge}
            focusableWhenDisabled
          >
            {busy && <Spinner size={11} />}
            {busy ? 'Merging…' : `${methodWords(method).label} into ${branch === '' ? '…' : branch}`}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={(event) => void submit(event)} className="grid gap-3">
        <fieldset className="grid gap-1">
          <legend className="pb-1 text-fg-1 text-sm">How</legend>
          {MERGE_METHODS.map((words) => (
            <label
              key={words.method}
              className="grid grid-cols-[auto_minmax(0,1fr)] items-start gap-x-2 text-sm"
            >
              <input
                type="radio"
                name={`${form}-method`}
                checked={method === words.method}
                onChange={() => setMethod(words.method)}
                className="mt-[3px] accent-(--accent)"
              />
              <span>
                <span className="text-fg-0">{words.label}</span>{' '}
                <span className="text-fg-2">
                  {words.does(branch === '' ? 'it' : branch, worktree.commits)}
                </span>
              </span>
            </label>
          ))}
        </fieldset>
        {picks && <CommitChoice commits={commits} chosen={chosen} onChange={setChosen} />}
        <TextField
          label="Into the branch"
          mono
          list={`${form}-branches`}
          autoFocus={elsewhere}
          value={into}
          onChange={(event) => {
            setInto(event.target.value)
            forgetRefusal()
          }}
          error={wrong}
        />
        <datalist id={`${form}-branches`}>
          {snapshot.branches.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        {(method === 'merge' || method === 'squash') && (
          <label className="grid gap-1 text-fg-1 text-sm">
            Message of the commit
            <textarea
              rows={2}
              dir="auto"
              value={message}
              placeholder={`Names the task: ${worktree.task.split('\n')[0] ?? ''}`}
              onChange={(event) => setMessage(event.target.value)}
              className={`${INPUT_CLASS} resize-none py-1.5`}
            />
          </label>
        )}
        <Notes worktree={worktree} into={branch} current={snapshot.current} />
        <RefusalBox words={refusal?.message ?? null}>
          {refusal?.type === 'conflicts' && <Button onClick={showConflicts}>Show the conflicts</Button>}
        </RefusalBox>
      </form>
    </Dialog>
  )
}

/** What a person should know before. */
function Notes(props: {
  readonly worktree: ReviewWorktree
  readonly into: string
  readonly current: string | null
}) {
  const { worktree, into, current } = props
  const notes = [
    ...(worktree.uncommitted > 0
      ? [
          `${count(worktree.uncommitted, 'file')} in it ${worktree.uncommitted === 1 ? 'is' : 'are'} not committed; that is done first.`,
        ]
      : []),
    ...(into !== '' && into === current
      ? [
          `${into} is checked out here: your files change with it. If uncommitted changes of yours are in the way, nothing is done.`,
        ]
      : []),
    ...(worktree.check?.kind === 'conflicts' && into === worktree.target
      ? [
          `It conflicts with ${into}, so this will be refused until the conflicts are resolved. Nothing is changed then.`,
        ]
      : []),
    'The worktree stays until you remove it.',
  ]
  return (
    <ul className="grid gap-1 text-fg-2 text-sm">
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  )
}

interface CommitChoiceProps {
  readonly commits: readonly ReviewCommit[] | null
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
}

function CommitChoice({ commits, chosen, onChange }: CommitChoiceProps) {
  return (
    <fieldset className="grid gap-1">
      <legend className="pb-1 text-fg-1 text-sm">Commits, the newest first</legend>
      {commits === null && (
        <p className="flex items-center gap-2 text-fg-2 text-sm">
          <Spinner /> Loading…
        </p>
      )}
      {commits?.length === 0 && (
        <p className="text-fg-1 text-sm">There is no commit in it yet. Merge or squash commits it first.</p>
      )}
      <div className="grid max-h-40 gap-1 overflow-y-auto">
        {commits?.map(({ sha, subject, author }) => (
          <label key={sha} className="grid grid-cols-[auto_auto_minmax(0,1fr)] items-baseline gap-2 text-sm">
            <input
              type="checkbox"
              checked={chosen.has(sha)}
              onChange={(event) => {
                const next = new Set(chosen)
                if (event.target.checked) next.add(sha)
                else next.delete(sha)
                onChange(next)
              }}
              className="accent-(--accent)"
            />
            <code className="font-mono text-fg-2 text-xs">{sha.slice(0, 8)}</code>
            <span className="truncate text-fg-0" title={`${subject} (${author})`} dir="auto">
              <VisibleText>{subject}</VisibleText>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

function useCommits(folder: string, { id, commits }: ReviewWorktree): readonly ReviewCommit[] | null {
  const [known, setKnown] = useState<readonly ReviewCommit[] | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: as it gets another commit
  useEffect(() => {
    let gone = false
    void command('review.changes', { folder, id }).then((answer) => {
      if (!gone) setKnown(answer.ok ? answer.value.commits : [])
    })
    return () => {
      gone = true
    }
  }, [folder, id, commits])
  return known
}

function branchError(branch: string, { branches }: ReviewSnapshot): string | null {
  if (branch === '' || branches.includes(branch)) return null
  const some = branches.slice(0, 5).join(', ')
  return `There is no branch “${branch}” here. There ${branches.length === 1 ? 'is' : 'are'} ${some}${branches.length > 5 ? ' …' : ''}.`
}

/** Confirms a merge: the method, the target branch and the commit message. A failed merge changes nothing. */
import { useId } from 'react'
import { formatChanges, mergeCheckText } from '../../../../shared/worktrees/format-work.ts'
import type { ReviewCommit, ReviewWorktree } from '../../../../shared/worktrees/review.ts'
import { showReviewDialog } from '../../../stores/review-store.ts'
import { Button } from '../../../ui/button.tsx'
import { DialogError, FormDialog } from '../../../ui/form-dialog.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { count } from '../../../ui/text/format.ts'
import { VisibleText } from '../../../ui/text/visible-text.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { CommitMessageFields } from '../commit-message.tsx'
import { MERGE_METHODS, methodText, worktreeName } from '../worktree-text.ts'
import { type MergeFormOptions, useMergeForm } from './use-merge-form.ts'

export function MergeDialog(props: MergeFormOptions) {
  const { snapshot, worktree } = props
  const form = useMergeForm(props)
  const { method, branch, busy, failure } = form
  const id = useId()
  const close = () => showReviewDialog(null)
  const target = worktree.target ?? snapshot.current ?? ''
  return (
    <FormDialog
      onClose={close}
      width={520}
      title={`Merge ${worktreeName(snapshot.worktrees, worktree.id)}`}
      description={
        <>
          <code className="font-mono text-sm">{worktree.branch}</code>
          {worktree.state !== 'merged' &&
            `: ${count(worktree.commits, 'commit')}, ${formatChanges(worktree)}`}
          {branch === target && worktree.check !== null && `, ${mergeCheckText(worktree.check)}`}
        </>
      }
      label={
        busy
          ? 'Merging…'
          : form.conflicts
            ? 'Ask agent to resolve'
            : `${methodText(method).label} into ${branch === '' ? '…' : branch}`
      }
      isReady={form.conflicts ? form.canAsk : form.canMerge}
      busy={busy}
      onSubmit={() => void form.submit()}
      otherAction={
        form.conflicts && (
          <Button size="md" onClick={form.resolveByHand}>
            Resolve by hand
          </Button>
        )
      }
    >
      <MethodChoice form={form} name={`${id}-method`} commits={worktree.commits} />
      {method === 'cherry-pick' && (
        <CommitChoice commits={form.commits} chosen={form.chosen} onChange={form.setChosen} />
      )}
      <TextField
        label="Target branch"
        mono
        list={`${id}-branches`}
        autoFocus={props.elsewhere}
        value={form.into}
        onChange={(event) => form.setInto(event.target.value)}
        error={form.branchError}
      />
      <datalist id={`${id}-branches`}>
        {snapshot.branches.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {form.takesMessage && <CommitMessageFields message={form.message} />}
      <MergeNotes worktree={worktree} into={branch} current={snapshot.current} conflicts={form.conflicts} />
      <DialogError message={failure?.message ?? null} />
    </FormDialog>
  )
}

interface MethodChoiceProps {
  readonly form: ReturnType<typeof useMergeForm>
  /** Groups the radio buttons. */
  readonly name: string
  readonly commits: number
}

function MethodChoice({ form, name, commits }: MethodChoiceProps) {
  return (
    <fieldset className="grid gap-1">
      <legend className="pb-1 text-fg-1 text-sm">Method</legend>
      {MERGE_METHODS.map(({ method, label, effect }) => (
        <label key={method} className="grid grid-cols-[auto_minmax(0,1fr)] items-start gap-x-2 text-sm">
          <input
            type="radio"
            name={name}
            checked={form.method === method}
            onChange={() => form.setMethod(method)}
            className="mt-[3px] accent-(--accent)"
          />
          <span>
            <span className="text-fg-0">{label}</span>{' '}
            <span className="text-fg-2">
              {effect(form.branch === '' ? 'the branch' : form.branch, commits)}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

interface CommitChoiceProps {
  /** Newest first; null while loading. */
  readonly commits: readonly ReviewCommit[] | null
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
}

/** The commits of a worktree, to choose which ones a cherry-pick copies. */
function CommitChoice({ commits, chosen, onChange }: CommitChoiceProps) {
  return (
    <fieldset className="grid gap-1">
      <legend className="pb-1 text-fg-1 text-sm">Commits, newest first</legend>
      {commits === null && (
        <p className="flex items-center gap-2 text-fg-2 text-sm">
          <Spinner /> Loading…
        </p>
      )}
      {commits?.length === 0 && (
        <p className="text-fg-1 text-sm">No commits yet. Merge and Squash commit the changes first.</p>
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

interface MergeNotesProps {
  readonly worktree: ReviewWorktree
  readonly into: string
  /** The branch checked out in the user's folder. */
  readonly current: string | null
  /** Whether the merge is known to conflict. */
  readonly conflicts: boolean
}

/** Consequences of a merge that the user should know beforehand. */
function MergeNotes({ worktree, into, current, conflicts }: MergeNotesProps) {
  const { uncommitted } = worktree
  const notes = [
    ...(uncommitted > 0
      ? [`${count(uncommitted, 'uncommitted file')} ${uncommitted === 1 ? 'is' : 'are'} committed first.`]
      : []),
    ...(into !== '' && into === current
      ? [
          `${into} is checked out here, so your files change too. If your uncommitted changes are in the way, nothing changes.`,
        ]
      : []),
    ...(conflicts
      ? [`The branch conflicts with ${into}. Its agent can resolve that in its worktree, or you can here.`]
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

/** Confirms a merge: the method, the target branch and the commit message. A failed merge changes nothing. */
import { useId } from 'react'
import { formatChanges, mergeCheckText } from '../../../../shared/format-work.ts'
import { showReviewDialog } from '../../../stores/review-store.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { count } from '../../../ui/format.ts'
import { Spinner } from '../../../ui/spinner.tsx'
import { INPUT_CLASS, TextField } from '../../../ui/text-field.tsx'
import { MERGE_METHODS, methodText } from '../merge-methods.ts'
import { worktreeName } from '../worktree-names.ts'
import { CommitChoice } from './commit-choice.tsx'
import { DialogError } from './dialog-error.tsx'
import { MergeNotes } from './merge-notes.tsx'
import { type MergeOptions, useMergeForm } from './use-merge-form.ts'

export function MergeDialog(props: MergeOptions) {
  const { snapshot, worktree } = props
  const form = useMergeForm(props)
  const { method, branch, busy, failure } = form
  const id = useId()
  const close = () => showReviewDialog(null)
  const target = worktree.target ?? snapshot.current ?? ''
  return (
    <Dialog
      open
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
      actions={
        <>
          <Button size="md" onClick={close}>
            Cancel
          </Button>
          {form.conflicts && (
            <Button size="md" onClick={form.resolveByHand}>
              Resolve by hand
            </Button>
          )}
          <Button
            size="md"
            variant="primary"
            type="submit"
            form={id}
            disabled={form.conflicts ? !form.canAsk : !form.canMerge}
            focusableWhenDisabled
          >
            {busy && <Spinner size={11} />}
            {busy
              ? 'Merging…'
              : form.conflicts
                ? 'Ask agent to resolve'
                : `${methodText(method).label} into ${branch === '' ? '…' : branch}`}
          </Button>
        </>
      }
    >
      <form
        id={id}
        onSubmit={(event) => {
          event.preventDefault()
          void form.submit()
        }}
        className="grid gap-3"
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
        {form.takesMessage && (
          <label className="grid gap-1 text-fg-1 text-sm">
            Commit message
            <textarea
              rows={2}
              dir="auto"
              value={form.message}
              placeholder={`Defaults to the task: ${worktree.task.split('\n')[0] ?? ''}`}
              onChange={(event) => form.setMessage(event.target.value)}
              className={`${INPUT_CLASS} resize-none py-1.5`}
            />
          </label>
        )}
        <MergeNotes worktree={worktree} into={branch} current={snapshot.current} conflicts={form.conflicts} />
        <DialogError message={failure?.message ?? null} />
      </form>
    </Dialog>
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

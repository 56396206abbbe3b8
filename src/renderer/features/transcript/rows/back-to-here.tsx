/** At a message of the user: what agents changed after it, and the way back to before it. */
import { FileDiff, Undo2 } from 'lucide-react'
import { messageSummary } from '../../../../shared/changes/changes-amounts.ts'
import type { TranscriptRow } from '../../../../shared/transcript/transcript-row.ts'
import { backTo, messageGoneBackTo, openChanges, useChanges } from '../../../stores/changes-store.ts'
import { useConversation } from '../../../stores/conversation-store.ts'
import { backTitle } from '../../../ui/text/back-title.ts'
import { classNames } from '../../../ui/text/class-names.ts'
import { formatClock } from '../../../ui/text/format.ts'

type UserMessage = Extract<TranscriptRow, { kind: 'user' }>

/** A line above the message. Plain buttons, because every message of the user has them. */
export function BackToHere({ row }: { readonly row: UserMessage }) {
  const readOnly = useConversation((state) => state.readOnly)
  const isShown = useChanges((state) => messageGoneBackTo(state) === row.seq)
  if (readOnly) return null
  const title = backTitle(row)
  return (
    <div className="flex w-full items-center gap-2 text-fg-2 text-xs">
      <span className={classNames('h-px w-4', isShown ? 'bg-fg-0' : 'bg-line')} />
      {formatClock(row.at)}
      <button
        type="button"
        title={title}
        aria-pressed={isShown}
        onClick={() => backTo({ seq: row.seq, title })}
        className={classNames(
          'inline-flex items-center gap-1 rounded-sm px-1 hover:bg-bg-3 hover:text-fg-0',
          isShown ? 'text-fg-0' : 'text-fg-1',
        )}
      >
        <Undo2 size={12} aria-hidden="true" />
        Back to here…
      </button>
      <span className={classNames('h-px flex-1', isShown ? 'bg-fg-0' : 'bg-line')} />
    </div>
  )
}

/** "7 files, 2 commands" that agents changed after the message. Opens the changes. */
export function ChangedSince({ row: { seq } }: { readonly row: UserMessage }) {
  const text = useChanges((state) => messageSummary(state.list, seq))
  if (text === null) return null
  return (
    <button
      type="button"
      aria-label={`Changes: ${text}`}
      onClick={() => openChanges()}
      className="inline-flex items-center gap-1.5 rounded-sm px-1 text-fg-2 text-xs hover:bg-bg-3 hover:text-fg-0"
    >
      <FileDiff size={12} aria-hidden="true" />
      {text}
    </button>
  )
}

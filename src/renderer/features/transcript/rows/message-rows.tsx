/** Messages of the user, the program and the model, and the model's thinking. */
import { ChevronRight, CornerDownRight, FileDiff, Undo2 } from 'lucide-react'
import { memo, useLayoutEffect, useRef, useSyncExternalStore } from 'react'
import { messageSummary } from '../../../../shared/changes/changes-amounts.ts'
import type { TranscriptRow } from '../../../../shared/events/transcript-row.ts'
import { backTo, messageGoneBackTo, openChanges, useChanges } from '../../../stores/changes-store.ts'
import { useConversation } from '../../../stores/conversation-store.ts'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/text/class-names.ts'
import { backTitle, formatClock } from '../../../ui/text/format.ts'
import { CopyButton } from '../copy-button.tsx'
import { useFold, useSurroundings } from '../surroundings.ts'
import { BranchButtons, EditMessage, useEdit } from './edit-message.tsx'
import { ImageView } from './image-view.tsx'
import { LongText, TextPieces } from './long-text.tsx'
import { FoldedText } from './output-text.tsx'

type RowOf<K extends TranscriptRow['kind']> = Extract<TranscriptRow, { kind: K }>

/** The user's message, as plain text, with a line of actions below. */
export const UserRow = memo(function UserRow({ row }: { readonly row: RowOf<'user'> }) {
  const canBranch = useCanBranch()
  const edit = useEdit(row)
  return (
    <div className="group/message flex flex-col items-end gap-1.5">
      {canBranch && <BackMark row={row} />}
      {row.images.map((image, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the images of one message never move
        <ImageView key={index} image={image} label={`Image ${index + 1} of your message`} />
      ))}
      {edit !== null ? (
        <EditMessage row={row} text={edit} />
      ) : (
        row.text !== '' && (
          <div data-selectable="" className="max-w-[88%] rounded-[12px_12px_3px_12px] bg-bg-3 px-3 py-2">
            {row.typed === undefined ? (
              <LongText rowKey={row.key} text={row.text} format="plain" />
            ) : (
              <TypedCommand row={row} typed={row.typed} />
            )}
          </div>
        )
      )}
      {edit === null && <MessageActions row={row} canBranch={canBranch} />}
    </div>
  )
})

interface MessageActionsProps {
  readonly row: RowOf<'user'>
  readonly canBranch: boolean
}

/**
 * The line below a message. What changed after it is always there; its time and its actions show while the pointer or the
 * focus is on the message. Their space is kept, so that nothing moves.
 */
export function MessageActions({ row, canBranch }: MessageActionsProps) {
  return (
    <div className="-mt-1 -mb-1.5 flex min-h-[22px] flex-wrap items-center justify-end gap-x-2 text-fg-2 text-xs">
      <span className={classNames('flex items-center', ON_HOVER)}>
        <time className="mr-1 font-mono tabular-nums">{formatClock(row.at)}</time>
        {row.text !== '' && <CopyButton text={row.typed ?? row.text} label="Copy message" />}
        {canBranch && <BranchButtons row={row} />}
        {canBranch && <BackToHere row={row} />}
      </span>
      {canBranch && <ChangesAfterMessage row={row} />}
    </div>
  )
}

/** A command as the user typed it, and what the agent received for it. */
function TypedCommand({ row, typed }: { readonly row: RowOf<'user'>; readonly typed: string }) {
  const [open, toggle] = useFold(row.key)
  return (
    <>
      <p className="whitespace-pre-wrap break-words font-mono text-sm">{typed}</p>
      <Button
        data-unsearched=""
        variant="quiet"
        className="-ml-2.5 mt-0.5"
        aria-expanded={open}
        onClick={toggle}
      >
        {open ? 'Hide what was sent' : 'Show what was sent'}
      </Button>
      {open && (
        <div className="mt-1 border-line-strong border-t pt-1.5 text-fg-1">
          <TextPieces rowKey={row.key} text={row.text} format="plain" />
        </div>
      )}
    </>
  )
}

/** Branches begin at messages to the main agent. A scratch conversation has none. */
function useCanBranch(): boolean {
  const { agentId } = useSurroundings()
  return useConversation(
    ({ record, agents }) => record?.scratch === false && agents.get(agentId)?.parentId === null,
  )
}

const ON_HOVER = 'opacity-0 group-focus-within/message:opacity-100 group-hover/message:opacity-100'

/** A task or a note from Troupe, with a label. Long text is folded. */
export const ReceivedRow = memo(function ReceivedRow({ row }: { readonly row: RowOf<'user'> }) {
  return (
    <div className="group/message rounded-md border border-line px-2.5 py-1.5">
      <div className="flex h-[22px] items-center justify-between gap-2 text-fg-2 text-xs">
        <span className="flex items-center gap-1.5">
          <CornerDownRight size={12} strokeWidth={1.75} aria-hidden="true" />
          {row.from === 'parent' ? 'Its task' : 'Note from Troupe'}
        </span>
        <CopyButton text={row.text} label="Copy message" className={ON_HOVER} />
      </div>
      <FoldedText rowKey={row.key} text={row.text} />
      {row.images.map((image, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the images of one message never move
        <ImageView key={index} image={image} label={`Image ${index + 1}`} />
      ))}
    </div>
  )
})

/** Text of the model. */
export const TextRow = memo(function TextRow({ row }: { readonly row: RowOf<'text'> }) {
  return (
    <div className={MODEL_TEXT} data-selectable="">
      <ModelText row={row} />
      <CopyMessage text={row.text} />
    </div>
  )
})

/** The button has the row's right edge and the transcript's padding for itself: it covers no text. */
export const MODEL_TEXT = 'group/message relative pr-2'

export function CopyMessage({ text }: { readonly text: string }) {
  return (
    <CopyButton
      text={text}
      label="Copy message"
      className={classNames('absolute top-0 -right-2.5 max-w-[18px]', ON_HOVER)}
    />
  )
}

/** Text that has just streamed is rendered already: its element moves into the row. */
function ModelText({ row }: { readonly row: RowOf<'text'> }) {
  const { streamed } = useSurroundings()
  const host = useSyncExternalStore(streamed.subscribe, () => streamed.entryOfRow(row.key)?.host ?? null)
  const position = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (host) position.current?.append(host)
  }, [host])
  return host ? (
    <div ref={position} />
  ) : (
    <LongText
      rowKey={row.key}
      text={row.text}
      format="markdown"
      // The user watched the text arrive, so it stays open.
      openAtFirst={streamed.hasStreamed(row.key)}
    />
  )
}

/** The model's thinking: one line until opened. */
export const ThinkingRow = memo(function ThinkingRow({ row }: { readonly row: RowOf<'thinking'> }) {
  const [open, toggle] = useFold(row.key)
  return (
    <div className="border-line-strong border-l-2 pl-2 text-fg-2 text-sm italic">
      <button
        type="button"
        aria-expanded={open}
        aria-label={open ? 'Fold the thinking' : `Thinking: ${firstLine(row.text)}`}
        onClick={toggle}
        className="flex w-full min-w-0 items-center gap-1 text-left hover:text-fg-1"
      >
        <ChevronRight
          size={12}
          aria-hidden="true"
          className={classNames('shrink-0 transition-transform duration-100', open && 'rotate-90')}
        />
        <span dir="auto" className="truncate">
          {open ? 'Thinking' : firstLine(row.text)}
        </span>
      </button>
      {open && (
        <div data-selectable="" className="pt-1 pb-0.5">
          <TextPieces rowKey={row.key} text={row.text} format="plain" />
        </div>
      )}
    </div>
  )
})

/** The part of the text that fills one line. */
function firstLine(text: string): string {
  return text.trim().slice(0, 300).replace(/\s+/g, ' ')
}

type UserMessage = Extract<TranscriptRow, { kind: 'user' }>

/** A line above the message that the preview goes back to. */
function BackMark({ row }: { readonly row: UserMessage }) {
  const isShown = useChanges((state) => messageGoneBackTo(state) === row.seq)
  if (!isShown) return null
  return (
    <div className="flex w-full items-center gap-2 text-fg-0 text-xs">
      <span className="h-px w-4 bg-fg-0" />
      <Undo2 size={12} aria-hidden="true" />
      {formatClock(row.at)}, back to here
      <span className="h-px flex-1 bg-fg-0" />
    </div>
  )
}

/** The way back to before a message. A plain button, because every message of the user has one. */
function BackToHere({ row }: { readonly row: UserMessage }) {
  const readOnly = useConversation((state) => state.readOnly)
  const isShown = useChanges((state) => messageGoneBackTo(state) === row.seq)
  if (readOnly) return null
  const title = backTitle(row)
  return (
    <button
      type="button"
      title={title}
      aria-pressed={isShown}
      onClick={() => backTo({ seq: row.seq, title })}
      className="inline-flex h-[22px] items-center gap-1 rounded-sm px-1 text-fg-1 hover:bg-bg-3 hover:text-fg-0"
    >
      <Undo2 size={13} aria-hidden="true" />
      Back to here…
    </button>
  )
}

/** "7 files, 2 commands" that agents changed after the message. Opens the changes. */
function ChangesAfterMessage({ row: { seq } }: { readonly row: UserMessage }) {
  const text = useChanges((state) => messageSummary(state.list, seq))
  if (text === null) return null
  return (
    <button
      type="button"
      aria-label={`Changes: ${text}`}
      onClick={() => openChanges()}
      className="inline-flex h-[22px] items-center gap-1.5 rounded-sm px-1 hover:bg-bg-3 hover:text-fg-0"
    >
      <FileDiff size={12} aria-hidden="true" />
      {text}
    </button>
  )
}

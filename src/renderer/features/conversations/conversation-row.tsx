/** A row of the conversation list. */
import { Archive, ArchiveRestore, Copy, Download, GitBranch, Pencil, Pin, PinOff, Trash2 } from 'lucide-react'
import { type KeyboardEvent, memo, type RefObject, useEffect, useRef } from 'react'
import type { ConversationSummary } from '../../../shared/state/conversation-summary.ts'
import { duplicateConversation, exportConversation } from '../../stores/conversation-actions.ts'
import { markConversation, renameConversation, trashConversation } from '../../stores/listed-conversations.ts'
import { openConversation } from '../../stores/shown-conversation.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { Dot, type DotStatus } from '../../ui/dot.tsx'
import { useNow } from '../../ui/machine.ts'
import { ContextMenu, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { count, formatAgo } from '../../ui/text/format.ts'
import { useUnseen } from './seen-store.ts'

interface ConversationRowProps {
  readonly summary: ConversationSummary
  readonly current: boolean
  readonly renaming: boolean
  readonly onRename: (on: boolean) => void
}

export const ConversationRow = memo(function ConversationRow(props: ConversationRowProps) {
  const { summary, current, renaming, onRename } = props
  const unseen = useUnseen(summary)
  const button = useFocusAfter<HTMLButtonElement>(renaming)
  const rename = async (title: string | null) => {
    onRename(false)
    if (title !== null && title !== summary.title) await renameConversation(summary.id, title)
  }
  const { id, pinned, archived } = summary
  const keys = {
    f2: () => onRename(true),
    delete: () => void trashConversation(id),
    p: () => void markConversation(id, { pinned: !pinned }),
    e: () => void markConversation(id, { archived: !archived }),
    d: () => void duplicateConversation(id),
    x: () => exportConversation(id),
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey
    const act = hasModifier ? undefined : actionOf(keys, event.key.toLowerCase())
    if (act === undefined) return
    event.preventDefault()
    act()
  }
  if (renaming)
    return (
      <li className="px-2.5 py-0.5">
        <TitleField title={summary.title} onDone={(title) => void rename(title)} />
      </li>
    )
  return (
    <ContextMenu
      area={
        <li>
          <button
            ref={button}
            type="button"
            data-conversation=""
            aria-current={current ? 'page' : undefined}
            onClick={() => void openConversation(summary.id)}
            onDoubleClick={() => onRename(true)}
            onKeyDown={onKeyDown}
            className={classNames(
              'grid w-full grid-cols-[14px_minmax(0,1fr)_auto] items-center gap-2 px-3.5 py-1 text-left text-sm focus-visible:-outline-offset-2',
              current ? 'bg-bg-3 text-fg-0' : 'text-fg-1 hover:bg-bg-2',
            )}
          >
            <State summary={summary} unseen={unseen} />
            <span
              dir="auto"
              className={classNames(
                'truncate text-left',
                unseen && isTold(summary) && 'font-semibold text-fg-0',
              )}
            >
              {summary.branchOf !== null && (
                <>
                  <GitBranch size={12} strokeWidth={1.75} aria-hidden="true" className="mr-1 inline" />
                  <span className="sr-only">Branch: </span>
                </>
              )}
              {pinned && (
                <>
                  <Pin size={12} strokeWidth={1.75} aria-hidden="true" className="mr-1 inline" />
                  <span className="sr-only">Pinned: </span>
                </>
              )}
              {archived && (
                <>
                  <Archive size={12} strokeWidth={1.75} aria-hidden="true" className="mr-1 inline" />
                  <span className="sr-only">Archived: </span>
                </>
              )}
              {summary.title === '' ? 'Untitled conversation' : summary.title}
            </span>
            <Ago at={summary.updatedAt} />
          </button>
        </li>
      }
    >
      <MenuItem icon={Pencil} keys="F2" onSelect={() => onRename(true)}>
        Rename
      </MenuItem>
      <MenuItem icon={pinned ? PinOff : Pin} keys="P" onSelect={keys.p}>
        {pinned ? 'Unpin' : 'Pin'}
      </MenuItem>
      <MenuItem icon={Copy} keys="D" onSelect={keys.d}>
        Duplicate
      </MenuItem>
      <MenuItem icon={Download} keys="X" onSelect={keys.x}>
        Export…
      </MenuItem>
      <MenuItem icon={archived ? ArchiveRestore : Archive} keys="E" onSelect={keys.e}>
        {archived ? 'Unarchive' : 'Archive'}
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={Trash2} danger keys="Del" onSelect={() => void trashConversation(summary.id)}>
        Move to trash
      </MenuItem>
    </ContextMenu>
  )
})

const actionOf = (keys: Readonly<Record<string, () => void>>, key: string): (() => void) | undefined =>
  Object.hasOwn(keys, key) ? keys[key] : undefined

interface StateProps {
  readonly summary: ConversationSummary
  readonly unseen: boolean
}

/** The dot of a conversation with pending questions, running agents, or an end that the user should know. */
function State({ summary, unseen }: StateProps) {
  const mark = markOf(summary, unseen)
  if (mark === null) return <span />
  const [status, text] = mark
  return (
    <span className="grid place-items-center" style={agentStyle('neutral')} title={text}>
      {status === 'unseen' ? (
        <span aria-hidden="true" className="size-2 rounded-full bg-accent" />
      ) : (
        <Dot status={status} />
      )}
      <span className="sr-only">{text}</span>
    </span>
  )
}

function markOf(
  { requests, running, outcome }: ConversationSummary,
  unseen: boolean,
): readonly [DotStatus | 'unseen', string] | null {
  if (requests > 0) return ['needs-you', count(requests, 'pending question')]
  if (running > 0) return ['running', `${count(running, 'agent')} running`]
  switch (outcome?.kind) {
    case 'failed':
      return ['failed', 'failed']
    case 'interrupted':
      return ['failed', 'interrupted']
    case 'limit':
      return ['stopped', 'stopped at a limit']
    case 'done':
      return unseen ? ['unseen', 'done, not seen yet'] : null
    default:
      return null
  }
}

/** Whether the end of the conversation is news: the user's own stop is not. */
function isTold({ running, outcome }: ConversationSummary): boolean {
  return running === 0 && outcome !== null && outcome.kind !== 'stopped'
}

function Ago({ at }: { readonly at: number }) {
  // The list renders whenever a conversation changes, which is often enough for minutes.
  const now = Math.max(useNow(false), at)
  return <span className="font-mono text-fg-2 text-xs">{formatAgo(at, now)}</span>
}

interface TitleFieldProps {
  readonly title: string
  /** The new title, or null if the user canceled. */
  readonly onDone: (title: string | null) => void
  readonly className?: string
}

/** Renames a title in place: Enter and losing the focus keep the new title, Escape cancels. */
export function TitleField({ title, onDone, className }: TitleFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  const done = useRef(false)
  useEffect(() => {
    field.current?.focus()
    field.current?.select()
  }, [])
  const finish = (next: string | null) => {
    if (done.current) return
    done.current = true
    onDone(next === null || next.trim() === '' ? null : next.trim())
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter') finish(event.currentTarget.value)
    else if (event.key === 'Escape') finish(null)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <input
      aria-label="Title"
      dir="auto"
      defaultValue={title}
      maxLength={200}
      ref={field}
      onKeyDown={onKeyDown}
      onBlur={(event) => finish(event.currentTarget.value)}
      className={classNames(
        'h-6 w-full rounded-sm border border-accent bg-bg-0 px-1.5 text-fg-0 text-sm outline-none',
        className,
      )}
    />
  )
}

/** Returns the focus to an element that was unmounted while `busy`, unless another element has the focus. */
export function useFocusAfter<T extends HTMLElement>(busy: boolean): RefObject<T | null> {
  const element = useRef<T>(null)
  const wasBusy = useRef(false)
  useEffect(() => {
    if (wasBusy.current && !busy && document.activeElement === document.body) element.current?.focus()
    wasBusy.current = busy
  }, [busy])
  return element
}

/** A row of the conversation list. */
import { Pencil, Trash2 } from 'lucide-react'
import { type KeyboardEvent, memo } from 'react'
import type { ConversationSummary } from '../../../shared/conversation-summary.ts'
import { renameConversation, trashConversation } from '../../stores/conversation-actions.ts'
import { openConversation } from '../../stores/shown-conversation.ts'
import { useNow } from '../../stores/use-now.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { classNames } from '../../ui/class-names.ts'
import { Dot } from '../../ui/dot.tsx'
import { count, formatAgo } from '../../ui/format.ts'
import { ContextMenu, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { TitleField } from './title-field.tsx'
import { useFocusAfter } from './use-focus-after.ts'

interface ConversationRowProps {
  readonly summary: ConversationSummary
  readonly current: boolean
  readonly renaming: boolean
  readonly onRename: (on: boolean) => void
}

export const ConversationRow = memo(function ConversationRow(props: ConversationRowProps) {
  const { summary, current, renaming, onRename } = props
  const button = useFocusAfter<HTMLButtonElement>(renaming)
  const rename = async (title: string | null) => {
    onRename(false)
    if (title !== null && title !== summary.title) await renameConversation(summary.id, title)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'F2') onRename(true)
    else if (event.key === 'Delete') void trashConversation(summary.id)
    else return
    event.preventDefault()
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
            aria-current={current ? 'page' : undefined}
            onClick={() => void openConversation(summary.id)}
            onDoubleClick={() => onRename(true)}
            onKeyDown={onKeyDown}
            className={classNames(
              'grid w-full grid-cols-[14px_minmax(0,1fr)_auto] items-center gap-2 px-3.5 py-1 text-left text-sm focus-visible:-outline-offset-2',
              current ? 'bg-bg-3 text-fg-0' : 'text-fg-1 hover:bg-bg-2',
            )}
          >
            <State summary={summary} />
            <span className="truncate">{summary.title}</span>
            <Ago at={summary.updatedAt} />
          </button>
        </li>
      }
    >
      <MenuItem icon={Pencil} keys="F2" onSelect={() => onRename(true)}>
        Rename
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={Trash2} danger keys="Del" onSelect={() => void trashConversation(summary.id)}>
        Move to trash
      </MenuItem>
    </ContextMenu>
  )
})

/** The dot of a conversation with pending questions or running agents. */
function State({ summary }: { readonly summary: ConversationSummary }) {
  const { requests, running } = summary
  if (requests === 0 && running === 0) return <span />
  const text = requests > 0 ? count(requests, 'pending question') : `${count(running, 'agent')} running`
  return (
    <span className="grid place-items-center" style={agentStyle('neutral')}>
      <Dot status={requests > 0 ? 'needs-you' : 'running'} />
      <span className="sr-only">{text}</span>
    </span>
  )
}

function Ago({ at }: { readonly at: number }) {
  // The list renders whenever a conversation changes, which is often enough for minutes.
  const now = Math.max(useNow(false), at)
  return <span className="font-mono text-fg-2 text-xs">{formatAgo(at, now)}</span>
}

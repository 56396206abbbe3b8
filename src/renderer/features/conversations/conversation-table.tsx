/** The table of all conversations. Virtualized: a thousand are as quick as one. */
import { useVirtualizer } from '@tanstack/react-virtual'
import { Archive, Check } from 'lucide-react'
import { memo, type ReactNode, type Ref, useEffect, useRef } from 'react'
import { type ConversationSummary, isInState } from '../../../shared/state/conversation-summary.ts'
import { useSession } from '../../stores/session-store.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { Dot } from '../../ui/dot.tsx'
import { useNow } from '../../ui/machine.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { count, folderName, formatAgo, formatMoney, formatTokens, fullTime } from '../../ui/text/format.ts'
import type { ConversationGroup } from './conversation-groups.ts'

interface ConversationTableProps {
  readonly groups: readonly ConversationGroup[]
  readonly current: string | null
  readonly chosen: ReadonlySet<string>
  /** Shown where no conversation is listed. */
  readonly empty: ReactNode
  readonly onCurrent: (id: string) => void
  readonly onChoose: (id: string) => void
  readonly onOpen: (id: string) => void
  readonly ref: Ref<HTMLDivElement>
}

const COLUMNS =
  'grid grid-cols-[16px_14px_minmax(0,1fr)_132px_118px_104px_92px_70px_64px_56px] max-[1279px]:grid-cols-[16px_14px_minmax(0,1fr)_104px_70px_64px_56px] items-center gap-3 px-3.5 text-sm'
/** Of a small window's columns there are fewer. */
const WIDE = 'max-[1279px]:hidden'

export function ConversationTable(props: ConversationTableProps) {
  const { groups, current, chosen, empty, onCurrent, onChoose, onOpen, ref } = props
  const rows = groups.flatMap(({ title, ids }) => [{ title, amount: ids.length }, ...ids])
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => {
      const row = rows[index]
      return typeof row === 'string' ? row : `group ${row?.title}`
    },
    estimateSize: (index) => (typeof rows[index] === 'string' ? 31 : 26),
    overscan: 12,
  })
  const at = current === null ? -1 : rows.indexOf(current)
  useEffect(() => {
    if (at > 0) virtualizer.scrollToIndex(at, { align: 'auto' })
  }, [virtualizer, at])
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div
        aria-hidden="true"
        className={classNames(COLUMNS, 'h-7 shrink-0 border-line border-b bg-bg-1 text-fg-2 text-xs')}
      >
        <span />
        <span />
        <span>Conversation</span>
        <span className={WIDE}>Folder</span>
        <span className={WIDE}>Branch</span>
        <span>Agents</span>
        <span className={classNames(WIDE, 'text-right')}>Changes</span>
        <span className="text-right">Cost</span>
        <span className="text-right">Tokens</span>
        <span className="text-right">Used</span>
      </div>
      <div
        ref={(element) => {
          scroller.current = element
          if (typeof ref === 'function') ref(element)
          else if (ref) ref.current = element
        }}
        role="listbox"
        aria-label="Conversations"
        aria-multiselectable="true"
        aria-activedescendant={at === -1 ? undefined : `conversation-${at}`}
        tabIndex={0}
        data-conversations=""
        className="flex min-h-0 flex-1 flex-col overflow-y-auto outline-none"
      >
        {rows.length === 0 ? (
          empty
        ) : (
          <div
            role="presentation"
            className="relative shrink-0"
            style={{ height: virtualizer.getTotalSize() }}
          >
            {virtualizer.getVirtualItems().map((item) => {
              const row = rows[item.index]
              if (row === undefined) return null
              return (
                <div
                  key={item.key}
                  role="presentation"
                  className="absolute left-0 w-full"
                  style={{ height: item.size, transform: `translateY(${item.start}px)` }}
                >
                  {typeof row === 'string' ? (
                    <TableRow
                      id={row}
                      elementId={`conversation-${item.index}`}
                      isCurrent={row === current}
                      isChosen={chosen.has(row)}
                      {...{ onCurrent, onChoose, onOpen }}
                    />
                  ) : (
                    <div className="flex h-full items-center gap-2 border-line border-b bg-bg-1 px-3.5 text-fg-2 text-xs">
                      <span className="font-semibold text-fg-1">{row.title}</span>
                      <span className="font-mono">{row.amount.toLocaleString('en')}</span>
                    </div>
                  )}
                </div>
              )
            })}
          </div>
        )}
      </div>
    </div>
  )
}

interface TableRowProps extends Pick<ConversationTableProps, 'onCurrent' | 'onChoose' | 'onOpen'> {
  readonly id: string
  readonly elementId: string
  readonly isCurrent: boolean
  readonly isChosen: boolean
}

const TableRow = memo(function TableRow(props: TableRowProps) {
  const { id, elementId, isCurrent, isChosen, onCurrent, onChoose, onOpen } = props
  const summary = useSession((state) => state.conversations.find((one) => one.id === id))
  const now = Math.max(useNow(false), summary?.updatedAt ?? 0)
  if (summary === undefined)
    return (
      <p className="flex h-full items-center border-line/50 border-b px-14 text-fg-2 text-sm">
        Moved to the trash
      </p>
    )
  const { title, folder, archived, totals, updatedAt } = summary
  const colors = totals?.colors ?? []
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the whole view
    <div
      id={elementId}
      role="option"
      aria-selected={isChosen}
      tabIndex={-1}
      data-current={isCurrent || undefined}
      onClick={() => onCurrent(id)}
      onDoubleClick={() => onOpen(id)}
      className={classNames(
        COLUMNS,
        'h-full cursor-default border-line/50 border-b',
        isChosen ? 'bg-bg-3' : isCurrent ? 'bg-bg-2' : 'hover:bg-bg-2',
        isCurrent && 'shadow-[inset_2px_0_0_var(--accent)]',
        archived ? 'text-fg-2' : 'text-fg-1',
      )}
    >
      <span
        aria-hidden="true"
        onClick={(event) => {
          event.stopPropagation()
          onChoose(id)
        }}
        className={classNames(
          'grid size-3.5 place-items-center rounded-[3px] border',
          isChosen ? 'border-accent bg-accent text-on-accent' : 'border-line-strong',
        )}
      >
        {isChosen && <Check size={11} strokeWidth={2.5} />}
      </span>
      <span className="grid place-items-center" style={agentStyle('neutral')}>
        <Mark summary={summary} />
      </span>
      <span className="flex min-w-0 items-baseline gap-2.5">
        {/* biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/noStaticElementInteractions: Enter does the same */}
        <span
          dir="auto"
          onClick={() => onOpen(id)}
          className={classNames(
            'cursor-pointer max-w-[70%] truncate font-medium',
            archived ? 'text-fg-2' : 'text-fg-0',
          )}
        >
          {title === '' ? 'Untitled conversation' : title}
        </span>
        <News summary={summary} />
      </span>
      <span className={classNames(WIDE, 'truncate')} title={folder}>
        {folderName(folder)}
      </span>
      <span className={classNames(WIDE, 'truncate font-mono text-fg-2 text-xs')} title={totals?.branch}>
        {totals?.branch}
      </span>
      <span
        className="flex items-center gap-[3px]"
        title={totals === null ? undefined : count(totals.agents, 'agent')}
      >
        {colors.map((color, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: dots have no other identity
          <span key={index} style={agentStyle(color)} aria-hidden="true">
            <span className="block size-[7px] rounded-full bg-agent" />
          </span>
        ))}
        {totals !== null && <span className="ml-1 font-mono text-fg-2 text-xs">{totals.agents}</span>}
      </span>
      <span className={classNames(WIDE, 'flex justify-end gap-1.5 font-mono text-xs')}>
        {totals !== null && totals.added > 0 && <span className="text-ok">+{totals.added}</span>}
        {totals !== null && totals.removed > 0 && <span className="text-bad">−{totals.removed}</span>}
      </span>
      <span
        className="text-right font-mono text-xs"
        title={totals?.priced === false ? 'without models of unknown price' : undefined}
      >
        {costText(summary)}
      </span>
      <span className="text-right font-mono text-fg-2 text-xs">
        {totals === null || totals.tokens === 0 ? '–' : formatTokens(totals.tokens)}
      </span>
      <span className="text-right font-mono text-fg-2 text-xs" title={fullTime(updatedAt)}>
        {formatAgo(updatedAt, now)}
      </span>
    </div>
  )
})

function costText({ totals, rehearsal }: ConversationSummary): string {
  if (totals === null || rehearsal || (totals.usd === 0 && !totals.priced)) return '–'
  return formatMoney(totals.usd)
}

function Mark({ summary }: { readonly summary: ConversationSummary }) {
  if (isInState(summary, 'needs-you')) return <Dot status="needs-you" />
  if (isInState(summary, 'running')) return <Dot status="running" />
  if (summary.archived)
    return <Archive size={12} strokeWidth={1.75} aria-hidden="true" className="text-fg-2" />
  if (isInState(summary, 'failed')) return <Dot status="failed" />
  return isInState(summary, 'stopped') ? <Dot status="stopped" /> : null
}

/** What the user should know, or the main agent's last line. */
function News({ summary }: { readonly summary: ConversationSummary }) {
  const { requests, running, outcome, totals, archived } = summary
  const className = 'min-w-0 flex-1 truncate'
  const lastLine = totals?.lastLine ?? ''
  if (requests > 0)
    return (
      <span className={classNames(className, 'text-needs-you')}>{count(requests, 'question')} for you</span>
    )
  if (running > 0)
    return <span className={classNames(className, 'text-fg-2')}>{count(running, 'agent')} at work</span>
  if (!archived && outcome?.kind === 'failed')
    return (
      <span className={classNames(className, 'text-bad')}>
        Failed{lastLine === '' ? '' : `. ${lastLine}`}
      </span>
    )
  if (!archived && outcome?.kind === 'interrupted')
    return <span className={classNames(className, 'text-bad')}>Interrupted: the program ended</span>
  const told = outcome?.kind === 'stopped' ? 'Stopped. ' : outcome?.kind === 'limit' ? 'At its limit. ' : ''
  return (
    <span dir="auto" className={classNames(className, 'text-fg-2')}>
      {told}
      {lastLine}
    </span>
  )
}

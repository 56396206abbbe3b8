/** The heading of a group of the tree: "Needs you  9", "6 agents  5 done · 1 failed". A press, Enter and the arrow keys open it. */
import { ChevronRight } from 'lucide-react'
import { Tooltip } from '../../ui/popover.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { count } from '../../ui/text/format.ts'
import { endText, type GroupName, groupId, type TreeGroup } from './tree-order.ts'

interface GroupRowProps {
  readonly group: TreeGroup
  readonly isOpen: boolean
  /** Whether the row is the tab stop of the tree. */
  readonly tabStop: boolean
  readonly compact: boolean
  /** Gets the id of the group. */
  readonly onFold: (id: string) => void
}

export function GroupRow({ group, isOpen, tabStop, compact, onFold }: GroupRowProps) {
  const { name, agents } = group
  const id = groupId(name)
  const title = name === 'all' ? count(agents, 'agent') : LABELS[name]
  const row = (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree around it handles the keys
    <div
      role="treeitem"
      aria-level={2}
      aria-selected={false}
      aria-expanded={isOpen}
      aria-label={compact ? `${title}: ${endText(group)}` : undefined}
      tabIndex={tabStop ? 0 : -1}
      data-agent-id={id}
      onClick={() => onFold(id)}
      className={classNames(
        'flex shrink-0 select-none items-center text-fg-1 text-sm hover:bg-bg-2 focus-visible:-outline-offset-2',
        compact
          ? 'mx-auto size-8 justify-center gap-0.5 rounded-md'
          : classNames('gap-1.5 pr-3.5', name === 'all' ? 'h-7 pl-7' : 'h-6 pl-3.5'),
      )}
    >
      <ChevronRight
        size={12}
        strokeWidth={2}
        aria-hidden="true"
        className={classNames('shrink-0 text-fg-2', isOpen && 'rotate-90', compact && '-ml-1')}
      />
      {compact ? (
        <span className="font-mono text-xs tabular-nums">{agents}</span>
      ) : (
        <>
          <span className="flex-1">{title}</span>
          <GroupCount group={group} />
        </>
      )}
    </div>
  )
  return compact ? (
    <Tooltip text={`${title} · ${endText(group)}`} side="right">
      {row}
    </Tooltip>
  ) : (
    row
  )
}

function GroupCount({ group }: { readonly group: TreeGroup }) {
  const { name, agents, failed } = group
  if (name === 'all') return <span className="font-mono text-fg-2 text-xs">{endText(group)}</span>
  return (
    <>
      {failed > 0 && <span className="text-bad text-xs">{failed} failed</span>}
      <span
        className={classNames(
          'font-mono text-xs tabular-nums',
          name === 'needs-you' ? 'text-needs-you' : 'text-fg-2',
        )}
      >
        {agents}
      </span>
    </>
  )
}

const LABELS: Readonly<Record<Exclude<GroupName, 'all'>, string>> = {
  'needs-you': 'Needs you',
  working: 'Working',
  queued: 'Queued',
  done: 'Done',
}

/** The heading of a group of the tree: "Needs you  9". A click, Enter and the arrow keys open and collapse the group. */
import { ChevronRight } from 'lucide-react'
import { classNames } from '../../ui/text/class-names.ts'
import { type GroupName, groupId, type TreeGroup } from './tree-order.ts'

interface GroupRowProps {
  readonly group: TreeGroup
  readonly isOpen: boolean
  /** Whether the row is the tab stop of the tree. */
  readonly tabStop: boolean
  /** Gets the id of the group. */
  readonly onFold: (id: string) => void
}

export function GroupRow({ group, isOpen, tabStop, onFold }: GroupRowProps) {
  const { name, agents, failed } = group
  const id = groupId(name)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree around it handles the keys
    <div
      role="treeitem"
      aria-level={2}
      aria-selected={false}
      aria-expanded={isOpen}
      aria-label={`${LABELS[name]}, ${agents}${failed > 0 ? `, ${failed} failed` : ''}`}
      tabIndex={tabStop ? 0 : -1}
      data-agent-id={id}
      onClick={() => onFold(id)}
      className="flex h-6 shrink-0 select-none items-center gap-1.5 pr-3.5 pl-3.5 text-fg-1 text-sm hover:bg-bg-2 focus-visible:-outline-offset-2"
    >
      <ChevronRight
        size={12}
        strokeWidth={2}
        aria-hidden="true"
        className={classNames('shrink-0 text-fg-2', isOpen && 'rotate-90')}
      />
      <span className="flex-1">{LABELS[name]}</span>
      {failed > 0 && <span className="text-bad text-xs">{failed} failed</span>}
      <span
        className={classNames(
          'font-mono text-xs tabular-nums',
          name === 'needs-you' ? 'text-needs-you' : 'text-fg-2',
        )}
      >
        {agents}
      </span>
    </div>
  )
}

const LABELS: Readonly<Record<GroupName, string>> = {
  'needs-you': 'Needs you',
  working: 'Working',
  queued: 'Queued',
  done: 'Done',
}

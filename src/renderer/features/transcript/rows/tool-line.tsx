/** The line of a streaming, waiting, running or finished tool call. */

import {
  BookOpen,
  FilePen,
  FilePlus,
  FileText,
  FolderSearch,
  Globe,
  ListTodo,
  type LucideIcon,
  Mail,
  MessageCircleQuestionMark,
  Plug,
  Search,
  Sparkles,
  SquareTerminal,
  Users,
  Wrench,
} from 'lucide-react'
import type { ReactNode } from 'react'
import type { ToolCallRow, ToolIcon } from '../../../../shared/tools/tool-call-row.ts'
import { classNames } from '../../../ui/text/class-names.ts'
import { VisibleText } from '../../../ui/text/visible-text.tsx'

interface ToolLineProps {
  readonly call: Pick<ToolCallRow, 'icon' | 'label'>
  readonly summary: string
  /** `decided`: denied or stopped, which is no failure. */
  readonly status: 'waiting' | 'running' | 'done' | 'failed' | 'decided'
  /** Shown at the right: "412 lines", "running 6s". */
  readonly note: ReactNode
  readonly open?: boolean
  /** Absent without details. */
  readonly onToggle?: () => void
}

const LINE =
  'grid w-full grid-cols-[13px_minmax(3.1em,auto)_minmax(0,1fr)_auto] items-baseline gap-x-2 rounded-sm bg-bg-2 px-2 py-[3px] text-left font-mono text-[0.71875rem] text-fg-1 leading-[1.5]'

/** The icon has the agent's color. The text has text colors, which are readable beside every agent color. */
export function ToolLine({ call, summary, status, note, open, onToggle }: ToolLineProps) {
  const Icon = toolIcon(call.icon)
  const line = (
    <>
      <Icon
        size={12}
        strokeWidth={2}
        aria-hidden="true"
        className={classNames(
          'self-center',
          status === 'failed' ? 'text-bad' : status === 'decided' ? 'text-fg-3' : 'text-agent',
          status === 'running' && 'pulse-soft',
        )}
      />
      <span className="max-w-40 truncate text-fg-0">{call.label}</span>
      <span dir="auto" className="truncate text-left">
        <VisibleText>{summary}</VisibleText>
      </span>
      <span data-unsearched="" className="text-fg-2 text-xs tabular-nums">
        {note}
      </span>
    </>
  )
  if (onToggle === undefined) return <div className={LINE}>{line}</div>
  return (
    <button
      type="button"
      aria-expanded={open ?? false}
      onClick={onToggle}
      className={classNames(LINE, 'hover:bg-bg-3', open && 'bg-bg-3')}
    >
      {line}
    </button>
  )
}

const ICONS: Readonly<Record<ToolIcon, LucideIcon>> = {
  file: FileText,
  'file-add': FilePlus,
  'file-edit': FilePen,
  'folder-search': FolderSearch,
  search: Search,
  terminal: SquareTerminal,
  globe: Globe,
  list: ListTodo,
  skill: Sparkles,
  mail: Mail,
  people: Users,
  question: MessageCircleQuestionMark,
  book: BookOpen,
  plug: Plug,
  tool: Wrench,
}

function toolIcon(icon: ToolIcon): LucideIcon {
  return ICONS[icon]
}

/** The one line of a tool call, finished, running or still being written. */
import type { ReactNode } from 'react'
import { classNames } from '../../../ui/class-names.ts'
import { VisibleText } from '../../../ui/visible-text.tsx'
import { toolIcon, toolLabel } from './tool-names.ts'

export interface ToolLineProps {
  readonly name: string
  readonly summary: string
  readonly status: 'waiting' | 'running' | 'done' | 'failed'
  /** At the right: "412 lines", "running 6s". */
  readonly note: ReactNode
  readonly open?: boolean
  /** Left out where there is nothing to open yet. */
  readonly onToggle?: () => void
}

const LINE =
  'grid w-full grid-cols-[13px_minmax(3.1em,auto)_minmax(0,1fr)_auto] items-baseline gap-x-2 rounded-sm bg-bg-2 px-2 py-[3px] text-left font-mono text-[0.71875rem] text-fg-1 leading-[1.5]'

/** The icon carries the agent's hue; the words are text colours, as they must be readable in every hue. */
export function ToolLine({ name, summary, status, note, open, onToggle }: ToolLineProps) {
  const Icon = toolIcon(name)
  const line = (
    <>
      <Icon
        size={12}
        strokeWidth={2}
        aria-hidden="true"
        className={classNames(
          'self-center',
          status === 'failed' ? 'text-bad' : 'text-agent',
          status === 'running' && 'pulse-soft',
        )}
      />
      <span className="max-w-40 truncate text-fg-0">{toolLabel(name)}</span>
      <span className="truncate">
        <VisibleText>{summary}</VisibleText>
      </span>
      <span className="text-fg-2 text-xs tabular-nums">{note}</span>
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

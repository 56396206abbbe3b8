/** The line above a timeline: the filter, the legend, which also filters, and the zoom. */
import { ListFilter, MoveRight, ZoomIn, ZoomOut } from 'lucide-react'
import type { ReactNode } from 'react'
import type { SpanKind } from '../../../shared/timeline/span.ts'
import { IconButton } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { formatDuration } from '../../ui/text/format.ts'
import { KIND_NAMES } from './span-text.ts'
import { type Range, toggleKind, useLook, zoom } from './timeline-store.ts'

const KINDS = ['model', 'tool', 'user', 'agents', 'queued', 'retry', 'paused', 'arrows'] as const

export function TimelineFilters({ whole, isWide }: { readonly whole: Range; readonly isWide: boolean }) {
  const { words, hidden, range } = useLook()
  const middle = range === null ? (whole.from + whole.to) / 2 : (range.from + range.to) / 2
  return (
    <div className="flex h-[34px] min-w-0 shrink-0 items-center gap-1 overflow-hidden border-line border-b bg-bg-1 px-3">
      <label
        className={classNames(
          'mr-1.5 flex h-[22px] shrink-0 items-center gap-1.5 rounded-sm border border-line bg-bg-0 px-[7px] text-fg-2 focus-within:border-accent',
          isWide ? 'w-52' : 'w-28',
        )}
      >
        <ListFilter size={12} aria-hidden="true" className="shrink-0" />
        <input
          aria-label="Filter by agent, tool or words"
          placeholder={isWide ? 'Agent, tool or words' : 'Agent, tool'}
          spellCheck={false}
          value={words}
          data-timeline-filter=""
          onChange={({ target }) => useLook.setState({ words: target.value })}
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || words === '') return
            event.stopPropagation()
            useLook.setState({ words: '' })
          }}
          className="w-full min-w-0 bg-transparent text-fg-0 text-sm outline-none placeholder:text-fg-2"
        />
      </label>
      <fieldset aria-label="Shown kinds" className="flex min-w-0 items-center overflow-hidden">
        {KINDS.map((kind) => (
          <KindToggle key={kind} kind={kind} isShown={!hidden.has(kind)} />
        ))}
      </fieldset>
      <span className="flex-1" />
      {isWide && range !== null && (
        <span className="shrink-0 px-1 font-mono text-fg-2 text-xs tabular-nums">
          {formatDuration(range.to - range.from)} of {formatDuration(whole.to - whole.from)}
        </span>
      )}
      <IconButton
        label="Zoom out"
        icon={ZoomOut}
        keys="-"
        onClick={() => zoom(1.5, middle, whole)}
        disabled={range === null}
      />
      <IconButton label="Zoom in" icon={ZoomIn} keys="+" onClick={() => zoom(1 / 1.5, middle, whole)} />
      <button
        type="button"
        disabled={range === null}
        onClick={() => useLook.setState({ range: null })}
        className="flex h-[22px] shrink-0 items-center gap-1.5 rounded-sm px-1.5 text-fg-1 text-sm enabled:hover:bg-bg-3 disabled:text-fg-2"
      >
        Fit <Kbd keys="0" />
      </button>
    </div>
  )
}

function KindToggle({ kind, isShown }: { readonly kind: SpanKind | 'arrows'; readonly isShown: boolean }) {
  return (
    <button
      type="button"
      aria-pressed={isShown}
      onClick={() => toggleKind(kind)}
      className={classNames(
        'flex h-[22px] shrink-0 items-center gap-1.5 rounded-sm px-[7px] text-sm hover:bg-bg-3',
        isShown ? 'text-fg-1' : 'text-fg-2 line-through',
      )}
    >
      <KindSample kind={kind} />
      {KIND_NAMES[kind]}
    </button>
  )
}

/** What a kind looks like. */
export function KindSample({ kind }: { readonly kind: SpanKind | 'arrows' }): ReactNode {
  if (kind === 'arrows') return <MoveRight size={13} aria-hidden="true" className="shrink-0 text-fg-1" />
  return (
    <span
      aria-hidden="true"
      className={classNames('w-4 shrink-0 rounded-[2px]', kind !== 'agents' && 'h-[9px]', SAMPLES[kind])}
    />
  )
}

const SAMPLES: Readonly<Record<SpanKind, string>> = {
  model: 'bg-[color-mix(in_oklab,var(--agent-blue)_30%,var(--bg-1))]',
  tool: 'bg-[color-mix(in_oklab,var(--agent-blue)_82%,light-dark(black,var(--bg-1)))]',
  user: 'bg-[repeating-linear-gradient(45deg,color-mix(in_oklab,var(--needs-you)_72%,transparent)_0_3px,color-mix(in_oklab,var(--needs-you)_14%,transparent)_3px_6px)]',
  agents: 'h-0.5 bg-[color-mix(in_oklab,var(--agent-blue)_48%,var(--bg-1))]',
  queued: 'border border-fg-3 border-dotted',
  retry: 'border border-bad/75 border-dashed',
  paused: 'border border-fg-3',
}

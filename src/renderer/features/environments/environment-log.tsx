/** The log of the selected worktree: its set-up and its servers, following the end until the user scrolls up. */
import { Copy } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { OutputLine, WorktreeEnvironment } from '../../../shared/environments/environments.ts'
import { selectSource, useEnvironmentLog, useEnvironments } from '../../stores/environments-store.ts'
import { IconButton } from '../../ui/button.tsx'
import { useNow } from '../../ui/machine.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { copyText } from '../../ui/text/copy-text.ts'
import { formatDuration, timeText } from '../../ui/text/format.ts'

const ALL = ''
/** px from the end that still count as the end. */
const NEAR = 24

export function EnvironmentLog({ worktree }: { readonly worktree: WorktreeEnvironment }) {
  const source = useEnvironments((state) => state.source)
  const log = useEnvironments((state) => state.log)
  useEnvironmentLog(worktree, source)
  const isItsLog = log?.id === worktree.id && log.source === source
  const lines = isItsLog ? log.lines : []
  const box = useRef<HTMLDivElement>(null)
  const follows = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines move the end
  useEffect(() => {
    if (follows.current) box.current?.scrollTo({ top: box.current.scrollHeight })
  }, [lines])
  const options = [ALL, 'setup', ...worktree.ports.map(({ name }) => name)]
  return (
    <section aria-label="Log" className="flex min-h-0 flex-1 flex-col bg-bg-0">
      <div className="flex h-9 shrink-0 items-center gap-2 border-line border-b bg-bg-1 px-3 text-sm">
        <b className="min-w-0 truncate font-semibold text-fg-0">{worktree.task}</b>
        <Segmented
          label="Shown output"
          value={source ?? ALL}
          options={options.map((value) => ({
            value,
            label: value === ALL ? 'All' : value === 'setup' ? 'set-up' : value,
          }))}
          onChange={(value) => {
            follows.current = true
            selectSource(value === ALL ? null : value)
          }}
        />
        <span className="flex-1" />
        <RunningFor worktree={worktree} />
        <IconButton
          label="Copy the log"
          icon={Copy}
          onClick={() => void copyText(lines.map(plain).join('\n'))}
        />
      </div>
      <div
        ref={box}
        role="log"
        aria-label={`Output of ${worktree.task}`}
        // A log that grows by itself must not be read out.
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the log scrolls with the keys
        tabIndex={0}
        data-selectable=""
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          follows.current = scrollTop + clientHeight > scrollHeight - NEAR
        }}
        className="min-h-0 flex-1 overflow-auto whitespace-pre px-4 py-2 font-mono text-fg-1 text-xs leading-[18px] focus-visible:-outline-offset-2"
      >
        {isItsLog && lines.length === 0 && <p className="text-fg-2">Nothing was run here yet.</p>}
        {isItsLog && log.isCut && <p className="text-fg-2">Earlier lines are not shown.</p>}
        {lines.map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity
          <Line key={at} line={line} />
        ))}
      </div>
    </section>
  )
}

function Line({ line: { at, source, text } }: { readonly line: OutputLine }) {
  return (
    <div>
      <span className="text-fg-2">
        {timeText(at)} {source.padEnd(8)}{' '}
      </span>
      <span className={classNames(source === 'troupe' ? 'text-fg-2' : text.startsWith('$ ') && 'text-fg-0')}>
        {text}
      </span>
    </div>
  )
}

const plain = ({ at, source, text }: OutputLine): string => `${timeText(at)}  ${source.padEnd(8)}  ${text}`

function RunningFor({ worktree: { state } }: { readonly worktree: WorktreeEnvironment }) {
  const begun = Object.values(state.runs).flatMap((run) => (run.kind === 'running' ? [run.since] : []))
  const now = useNow(begun.length > 0)
  if (begun.length === 0) return null
  return (
    <span className="shrink-0 font-mono text-fg-2 text-xs">
      running for {formatDuration(Math.max(0, now - Math.min(...begun)))}
    </span>
  )
}

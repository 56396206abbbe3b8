import { classNames } from './text/class-names.ts'

/** The states of the dot. The shape distinguishes them without the color. */
export type DotStatus =
  | 'queued'
  | 'running'
  | 'waiting'
  | 'pausing'
  | 'paused'
  | 'needs-you'
  | 'completed'
  | 'failed'
  | 'stopped'

const SHAPES: Readonly<Record<DotStatus, string>> = {
  queued: 'rounded-full border-[1.5px] border-dotted border-fg-3',
  running: 'rounded-full bg-agent shadow-[0_0_0_3px_color-mix(in_oklab,var(--agent)_25%,transparent)]',
  waiting: 'rounded-full bg-agent',
  pausing:
    'rounded-full bg-[linear-gradient(90deg,var(--agent)_36%,transparent_36%_64%,var(--agent)_64%)] shadow-[0_0_0_3px_color-mix(in_oklab,var(--agent)_25%,transparent)]',
  paused: 'rounded-full bg-[linear-gradient(90deg,var(--agent)_36%,transparent_36%_64%,var(--agent)_64%)]',
  'needs-you': 'rotate-45 rounded-[2px] bg-needs-you',
  completed: 'rounded-full border-[1.5px] border-agent',
  failed: 'rounded-[2px] bg-bad',
  stopped: 'rounded-[2px] border-[1.5px] border-fg-3',
}

/**
 * The status dot of an agent, in the color of the nearest `agentStyle`. The dot is decoration: adjacent text
 * or the label of the row must state the status.
 */
export function Dot({ status, className }: { readonly status: DotStatus; readonly className?: string }) {
  return (
    <span
      aria-hidden="true"
      data-status={status}
      className={classNames('inline-block size-2 shrink-0', SHAPES[status], className)}
    />
  )
}

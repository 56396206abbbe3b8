import { classNames } from './text/class-names.ts'

/** From this share on, a meter of money, tokens or time is highlighted. */
const NEAR_THE_END = 0.8

interface MeterProps {
  readonly value: number
  readonly max: number
  /** A meter of an agent is highlighted near its limit. At the limit of a conversation the user must act: amber. */
  readonly of?: 'turns' | 'agent' | 'conversation'
  /** Position and width. */
  readonly className?: string
}

/** A thin bar of the used share, in the color of the agent. Adjacent text must state the numbers. */
export function Meter({ value, max, of = 'turns', className = 'w-[34px] self-center' }: MeterProps) {
  const share = max > 0 ? Math.min(1, value / max) : 0
  const fill = fillOf(of, share)
  return (
    <span
      aria-hidden="true"
      data-meter={fill}
      className={classNames('inline-block h-1 shrink-0 overflow-hidden rounded-[2px] bg-bg-3', className)}
    >
      <span className={classNames('block h-full', FILL[fill])} style={{ width: `${share * 100}%` }} />
    </span>
  )
}

const FILL = { plain: 'bg-agent', near: 'bg-fg-0', reached: 'bg-needs-you' }

function fillOf(of: MeterProps['of'], share: number): keyof typeof FILL {
  if (of === 'turns' || share < NEAR_THE_END) return 'plain'
  return of === 'conversation' && share >= 1 ? 'reached' : 'near'
}

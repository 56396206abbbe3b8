/** Moments and durations on the screen: one format everywhere, with the whole date and time on hover. */

import { isClockRunning } from '../../../shared/events/lifecycle.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { timeNow, useNow } from '../machine.ts'
import { agentElapsed } from './agent-text.ts'
import { formatDuration, formatMoment, fullTime } from './format.ts'

/** "12:41", or "Nov 24, 12:41" for another day. `at`: ms since the epoch. */
export function Moment({ at }: { readonly at: number }) {
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={fullTime(at)}
      className="whitespace-nowrap font-mono tabular-nums"
    >
      {formatMoment(at, timeNow())}
    </time>
  )
}

interface LastedProps {
  /** ms since the epoch. */
  readonly since: number
  /** Null: it lasts still, and the text counts on its own, so that the list around it does not render each second. */
  readonly until?: number | null
}

/** "0:42": how long something lasts or lasted. */
export function Lasted({ since, until = null }: LastedProps) {
  const now = useNow(until === null)
  const end = until ?? Math.max(now, since)
  return (
    <time
      dateTime={`PT${Math.max(0, Math.floor((end - since) / 1000))}S`}
      title={until === null ? `Since ${fullTime(since)}` : `${fullTime(since)} to ${fullTime(until)}`}
    >
      <Digits text={formatDuration(end - since)} />
    </time>
  )
}

/** "0:42": how long an agent worked. Renders alone every second. */
export function Worked({ agent }: { readonly agent: AgentState }) {
  const now = useNow(isClockRunning(agent))
  return <Digits text={formatDuration(agentElapsed(agent, now))} />
}

/**
 * A text whose digits change each second. They have a box of their own above invisible zeros, which hold its size and its
 * base line: the page around them is not laid out again, which takes 25 ms with 24 clocks.
 */
function Digits({ text }: { readonly text: string }) {
  return (
    <span
      data-room={text.replaceAll(/\d/g, '0')}
      className="relative whitespace-nowrap font-mono tabular-nums before:invisible before:content-[attr(data-room)]"
    >
      <span className="absolute inset-0 [contain:strict]">{text}</span>
    </span>
  )
}

/** Numbers, times and usage as text of the window. */
import { totalTokens } from '../../../shared/events/model-requests.ts'
import { formatDuration, formatMoney, formatTokens, moneyText } from '../../../shared/kernel/amounts.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { FanOut } from '../../../shared/state/fan-out.ts'
import { formatAmount, type UsedLimit } from '../../../shared/state/spending.ts'

export { formatDuration, formatMoney, formatTokens, moneyText }

/** The age of an entry: "now", "4m", "2h", "3d", then the date. */
export function formatAgo(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000)
  if (minutes < 1) return 'now'
  if (minutes < 60) return `${minutes}m`
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)}h`
  if (minutes < 14 * 24 * 60) return `${Math.floor(minutes / (24 * 60))}d`
  return new Date(at).toLocaleDateString(undefined, { day: 'numeric', month: 'short' })
}

/** "1 agent", "3 agents". */
export function count(amount: number, one: string, many = `${one}s`): string {
  return `${IN_ENGLISH.format(amount)} ${amount === 1 ? one : many}`
}

/** Shared: creating a formatter costs as much as rendering a row. */
const IN_ENGLISH = new Intl.NumberFormat('en')

/** The last part of a path. */
export function folderName(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== '') ?? path
}

/** "840 KB", "12.4 MB". */
export function formatSize(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB']
  let [value, unit] = [bytes, 0]
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1
  return `${value.toFixed(digits).replace(/\.0$/, '')} ${units[unit]}`
}

/** The time of day: "12:41". Milliseconds since the epoch. */
export function formatClock(at: number): string {
  return CLOCK.format(at)
}

const CLOCK = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })

/** A moment: "12:41" today, else "Nov 24, 12:41". Milliseconds since the epoch. */
export function formatMoment(at: number, now: number): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString()
  return isToday ? formatClock(at) : `${DAY.format(at)}, ${formatClock(at)}`
}

const DAY = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' })

/** The whole date and time, for tooltips: "Tuesday, November 24, 2026 at 12:41:07". Milliseconds since the epoch. */
export function fullTime(at: number): string {
  return FULL.format(at)
}

const FULL = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'medium', hourCycle: 'h23' })

/** The time of day with seconds, in the user's form: "12:41:07". Milliseconds since the epoch. */
export function timeText(at: number): string {
  return new Date(at).toLocaleTimeString([], {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hour12: false,
  })
}

/** "$0.42 of $20", "128k of 5M tokens", "2:41 of 60 minutes". */
export function formatUsage({ limit, spent, most, counted }: UsedLimit): string {
  switch (limit) {
    case 'tokens':
      return `${formatTokens(spent)} of ${formatTokens(most)} tokens`
    case 'money':
      return `${moneyText(spent, counted)} of ${formatAmount('money', most)}`
    case 'time':
      return `${formatDuration(spent)} of ${formatAmount('time', most)}`
  }
}

/** "1,200 tokens"; with a cache "120,000 tokens (830,000 with all cached ones)". */
export function tokensText({ countedTokens, usage }: Pick<AgentState, 'countedTokens' | 'usage'>): string {
  const all = totalTokens(usage)
  const cached = all === countedTokens ? '' : ` (${IN_ENGLISH.format(all)} with all cached ones)`
  return `${count(countedTokens, 'token')}${cached}`
}

/** "about 1.8M tokens, $12.40" */
export function estimateText({ tokens, usd }: Pick<FanOut, 'tokens' | 'usd'>): string {
  return `about ${formatTokens(tokens)} tokens${usd === null ? '' : `, ${formatMoney(usd)}`}`
}

/** "Back to 12:41, before “Retry with…”": names a message of the user that the conversation goes back to. */
export function backTitle({ at, text }: { readonly at: number; readonly text: string }): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  const short = line.length > 60 ? `${line.slice(0, 59)}…` : line
  return `Back to ${formatClock(at)}${short === '' ? '' : `, before “${short}”`}`
}

/** The text of a limit's usage, for panels, the status bar and the popover. */
import { formatAmount, type UsedLimit } from '../../../shared/state/spending.ts'
import { formatDuration, formatMoney, formatTokens } from './format.ts'

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

/** A sum of costs, some of which may be unknown. An unknown cost is never $0. */
export function moneyText(usd: number, counted: boolean): string {
  if (counted) return formatMoney(usd)
  return usd === 0 ? 'unknown' : `at least ${formatMoney(usd)}`
}

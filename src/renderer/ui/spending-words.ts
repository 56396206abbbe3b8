/** What was spent of what may be, in the words of the window: the same in panels, the status bar and the popover. */
import { amountWords, type UsedLimit } from '../../shared/spending.ts'
import { formatDuration, formatMoney, formatTokens } from './format.ts'

/** "$0.42 of $20", "128k of 5M tokens", "2:41 of 60 minutes". */
export function usedWords({ limit, spent, most, counted }: UsedLimit): string {
  switch (limit) {
    case 'tokens':
      return `${formatTokens(spent)} of ${formatTokens(most)} tokens`
    case 'money':
      return `${moneyWords(spent, counted)} of ${amountWords('money', most)}`
    case 'time':
      return `${formatDuration(spent)} of ${amountWords('time', most)}`
  }
}

/** A sum in which something is not counted says so. */
export function moneyWords(usd: number, counted: boolean): string {
  if (counted) return formatMoney(usd)
  return usd === 0 ? 'unpriced' : `${formatMoney(usd)} + unpriced`
}

/** The text of an estimate for many agents. */
import type { FanOut } from '../../../shared/state/fan-out.ts'
import { formatMoney, formatTokens } from './format.ts'

/** "about 1.8M tokens, $12.40" */
export function estimateText({ tokens, usd }: Pick<FanOut, 'tokens' | 'usd'>): string {
  return `about ${formatTokens(tokens)} tokens${usd === null ? '' : `, ${formatMoney(usd)}`}`
}

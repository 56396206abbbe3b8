/** What a message counts against limits, from the token counts of the API: its cost, and its tokens by their price. */
import type { Usage } from '../../../shared/events/agent-event.ts'
import { countTokens } from '../../../shared/events/model-requests.ts'
import type { ModelCatalog, ModelFacts, ModelPrice, ModelReply, TokenPrices } from '../ports/model.ts'

const MILLION = 1_000_000
/** The price of one web search of the API. */
const SEARCH_USD = 0.01

interface Spending {
  /** US dollars; null if no price is known. */
  readonly costUsd: number | null
  /** Whole tokens: cached ones by their share of the input price. */
  readonly countedTokens: number
}

/**
 * The spending of a reply, at the price of the model that it names. Gateways use names of their own: a reply in an
 * unknown name costs what the requested model costs.
 */
export function spendingOf(
  { model, usage, webSearch }: Pick<ModelReply, 'model' | 'usage' | 'webSearch'>,
  requested: string,
  models: Pick<ModelCatalog, 'facts'>,
): Spending {
  const asked = models.facts(requested)
  const named = models.facts(model)
  // A server of the settings may name any model, also one with a price of another server.
  const isNamed = asked.provider === undefined && (named.free === true || named.price !== null)
  const facts = isNamed ? named : asked
  const tokens = costOf(usage, facts)
  // A search that failed is not charged.
  const isCharged = webSearch !== undefined && webSearch.error === null && !asked.free
  return {
    costUsd: tokens === null ? null : tokens + (isCharged ? SEARCH_USD : 0),
    countedTokens: countTokens(usage, sharesFor(usage, facts.price)),
  }
}

/** US dollars for one message: 0 if nothing is charged, null if the model has no known price. */
export function costOf(usage: Usage, facts: ModelFacts): number | null {
  if (facts.free) return 0
  if (facts.price === null) return null
  const price = pricesFor(usage, facts.price)
  const { cacheWriteHour: forAnHour = 0 } = usage
  return (
    (usage.input * price.input +
      usage.output * price.output +
      usage.cacheRead * price.cacheRead +
      (usage.cacheWrite - forAnHour) * price.cacheWrite +
      forAnHour * (price.cacheWriteHour ?? price.cacheWrite)) /
    MILLION
  )
}

/** The prices of cached tokens, compared to the price of an input token; undefined: unknown. */
function sharesFor(usage: Usage, price: ModelPrice | null): Parameters<typeof countTokens>[1] {
  if (price === null) return undefined
  const { input, cacheRead, cacheWrite, cacheWriteHour = cacheWrite } = pricesFor(usage, price)
  return input === 0
    ? undefined
    : { read: cacheRead / input, write: cacheWrite / input, writeHour: cacheWriteHour / input }
}

/** A long prompt can have prices of its own. */
function pricesFor({ input, cacheRead, cacheWrite }: Usage, price: ModelPrice): TokenPrices {
  const { longPrompt } = price
  const promptTokens = input + cacheRead + cacheWrite
  return longPrompt !== undefined && promptTokens > longPrompt.aboveTokens ? longPrompt : price
}

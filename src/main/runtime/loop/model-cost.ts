/** The cost of a message, from the token counts of the API. */
import type { Usage } from '../../../shared/events/agent-event.ts'
import type { ModelCatalog, ModelFacts, ModelReply } from '../ports/model.ts'

const MILLION = 1_000_000
/** The price of one web search of the API. */
const SEARCH_USD = 0.01

/** US dollars for one message: 0 if nothing is charged, null if the model has no known price. */
export function costOf(usage: Usage, facts: ModelFacts): number | null {
  if (facts.free) return 0
  if (facts.price === null) return null
  const { longPrompt } = facts.price
  const promptTokens = usage.input + usage.cacheRead + usage.cacheWrite
  const price = longPrompt !== undefined && promptTokens > longPrompt.aboveTokens ? longPrompt : facts.price
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

/**
 * US dollars for a reply, at the price of the model that it names. Gateways use names of their own: a reply in an
 * unknown name costs what the requested model costs. Null if neither model has a price.
 */
export function replyCost(
  { model, usage, webSearch }: Pick<ModelReply, 'model' | 'usage' | 'webSearch'>,
  requested: string,
  models: Pick<ModelCatalog, 'facts'>,
): number | null {
  const facts = models.facts(requested)
  // A server of the settings may name any model, also one with a price of another server.
  const named = facts.provider === undefined ? costOf(usage, models.facts(model)) : null
  const tokens = named ?? costOf(usage, facts)
  // A search that failed is not charged.
  const isCharged = webSearch !== undefined && webSearch.error === null && !facts.free
  return tokens === null ? null : tokens + (isCharged ? SEARCH_USD : 0)
}

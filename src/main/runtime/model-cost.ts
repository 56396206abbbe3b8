/** What a message cost, from the tokens that the API counted. */
import type { Usage } from '../../shared/agent-event.ts'
import type { ModelFacts } from './ports.ts'

const MILLION = 1_000_000

/** US dollars for one message: nothing where nothing is charged, or null where the model has no price in our table. */
export function costOf(usage: Usage, facts: ModelFacts): number | null {
  if (facts.free) return 0
  if (facts.price === null) return null
  const { longPrompt } = facts.price
  const promptTokens = usage.input + usage.cacheRead + usage.cacheWrite
  const price = longPrompt !== undefined && promptTokens > longPrompt.aboveTokens ? longPrompt : facts.price
  return (
    (usage.input * price.input +
      usage.output * price.output +
      usage.cacheRead * price.cacheRead +
      usage.cacheWrite * price.cacheWrite) /
    MILLION
  )
}

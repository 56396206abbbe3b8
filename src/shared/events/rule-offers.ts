/** The rules that "Always allow" can add for a permission request. */
import type { RuleOffer } from './agent-event.ts'

/** The narrowest first; empty if the user decides each time. Requests of earlier versions have only `alwaysRule`. */
export function offersOf(request: {
  readonly alwaysRule: string | null
  readonly ruleOffers?: readonly RuleOffer[] | undefined
}): readonly RuleOffer[] {
  return request.ruleOffers ?? (request.alwaysRule === null ? [] : [{ rule: request.alwaysRule }])
}

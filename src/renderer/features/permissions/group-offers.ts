/** The rules that "Always allow" can add for several alike requests at once. */

import { offersOf } from '../../../shared/events/rule-offers.ts'
import type { PendingRequest } from '../../../shared/state/agent-state.ts'

type OfferedRequest = Pick<PendingRequest, 'requestId' | 'alwaysRule' | 'ruleOffers'>

interface GroupOffer {
  /** The rule for each request, by its id. */
  readonly rules: ReadonlyMap<string, string>
  /** The different rules. */
  readonly texts: readonly string[]
  /** What they allow beside these requests; null: nothing. */
  readonly alsoCovers: string | null
}

/** First the narrowest rule of each request, then every wider rule that all of them offer. */
export function groupOffers(requests: readonly OfferedRequest[]): readonly GroupOffer[] {
  const offered = requests.map((request) => ({ id: request.requestId, offers: offersOf(request) }))
  const [first, ...others] = offered
  if (first === undefined || offered.some(({ offers }) => offers.length === 0)) return []
  const exact = offerOf(
    offered.map(({ id, offers }) => [id, offers[0]?.rule ?? '']),
    first.offers[0]?.alsoCovers,
  )
  const wider = first.offers
    .filter(({ rule }) => !exact.texts.includes(rule))
    .filter(({ rule }) => others.every(({ offers }) => offers.some((one) => one.rule === rule)))
    .map(({ rule, alsoCovers }) =>
      offerOf(
        offered.map(({ id }) => [id, rule]),
        alsoCovers,
      ),
    )
  return [exact, ...wider]
}

function offerOf(rules: readonly (readonly [string, string])[], alsoCovers: string | undefined): GroupOffer {
  return {
    rules: new Map(rules),
    texts: [...new Set(rules.map(([, rule]) => rule))],
    alsoCovers: alsoCovers ?? null,
  }
}

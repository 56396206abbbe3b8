/** The texts that the agents of a scene stream. */

export const PROSE = `The wrapper retries on any rejected promise, time-outs included. \`charge()\` builds a new key inside the retried function, so each attempt is a new charge.

1. \`src/payments/charge.ts:21\` makes a key per attempt
2. \`src/orders/refund.ts:40\` makes another

\`\`\`ts
export async function charge(order: Order, card: Card) {
  const key = order.chargeKey
  return withRetry(() => gateway.charge({ key, order, card }))
}
\`\`\`

So the key has to be made **before** the first attempt and kept with the order. Two call sites build their own key and have to be changed as well; the queue's tests never let an attempt time out, which is why nobody saw it.

| call site | key | retried |
| --- | --- | --- |
| charge | new each time | yes |
| refund | none | yes |

`

/** `once`: this text, immediately. Otherwise `PROSE` at a steady pace. */
export interface Speech {
  readonly once?: string
  readonly charactersPerSecond: number
  /** The number of characters by which the agent starts later. */
  readonly delay: number
  /** Whether a finished message is followed by another. */
  readonly endless: boolean
}

const CHARACTERS_PER_TOKEN = 4

/** `rate` is in tokens per second, for each agent. */
export function speeches(
  agentIds: readonly string[],
  { rate, endless }: { readonly rate: number; readonly endless: boolean },
): ReadonlyMap<string, Speech> {
  return new Map(
    agentIds.map((agentId, index) => [
      agentId,
      { charactersPerSecond: rate * CHARACTERS_PER_TOKEN, delay: index * 60, endless },
    ]),
  )
}

export function speechOnce(text: string): Speech {
  return { once: text, charactersPerSecond: 0, delay: 0, endless: false }
}

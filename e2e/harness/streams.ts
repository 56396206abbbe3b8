/** Lets agents of a world stream words at a steady pace, message after message. */
import type { Conversation, World } from './world.ts'

const PROSE = `The wrapper retries on any rejected promise, time-outs included. \`charge()\` builds a new key inside the retried function, so each attempt is a new charge.

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

const CHARACTERS_PER_TOKEN = 4

interface StreamOptions {
  readonly agentIds: readonly string[]
  /** Tokens a second, of each agent. */
  readonly rate: number
  /** Whether a finished message is followed by another. */
  readonly endless: boolean
}

/** Streams until the returned function is called. */
export function streamWords(world: World, conversation: Conversation, options: StreamOptions): () => void {
  const said = new Map(options.agentIds.map((agentId, index) => [agentId, -index * 60]))
  let before = performance.now()
  let frame = requestAnimationFrame(step)
  function step(time: number): void {
    const characters = ((time - before) / 1000) * options.rate * CHARACTERS_PER_TOKEN
    before = time
    for (const agentId of options.agentIds) advance(agentId, characters)
    frame = requestAnimationFrame(step)
  }
  function advance(agentId: string, characters: number): void {
    if (conversation.agents.get(agentId)?.status !== 'running') return
    const from = said.get(agentId) ?? 0
    const to = from + characters
    const append = PROSE.slice(Math.max(0, Math.floor(from)), Math.max(0, Math.floor(to)))
    said.set(agentId, to)
    if (append !== '')
      world.stream(conversation, { type: 'live-block', agentId, index: 0, kind: 'text', name: '', append })
    if (to < PROSE.length) return
    if (!options.endless) return void said.set(agentId, PROSE.length)
    said.set(agentId, 0)
    world.act(conversation, (log) =>
      log.answers(agentId, {
        text: PROSE,
        tools: [{ tool: 'Read', summary: 'src/payments/charge.ts', note: '88 lines' }],
      }),
    )
    world.stream(conversation, { type: 'live-clear', agentId, reason: 'finished' })
  }
  return () => cancelAnimationFrame(frame)
}

/** What an agent has streamed so far, in one go. */
export function streamOnce(world: World, conversation: Conversation, agentId: string, text: string): void {
  world.stream(conversation, { type: 'live-block', agentId, index: 0, kind: 'text', name: '', append: text })
}

/** The spending past a limit that agents share, whatever the order in which their requests are answered. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { noLimits } from '../../shared/events/agent-event.ts'
import { triesOf } from '../../shared/testing/tries.ts'
import { freePolicy } from './testing/plain-ports.ts'
import type { Script } from './testing/scripted-model.ts'
import { agentCall, isMain, wantsText } from './testing/scripts.ts'
import { createTestRuntime } from './testing/test-runtime.ts'

/** More would need the user’s answer to an estimate first. */
const COUNT = 10

interface Sent {
  readonly agent: string
  readonly isReport: boolean
  /** The tokens of all answered requests when it was sent. */
  readonly spentBefore: number
  /** The tokens of all other answered requests when it was answered. */
  answeredAt: number
  tokens: number
}

/** Answers the requests of the agents in a random order, with random sizes. */
function play(limit: number, sizes: readonly number[], picks: readonly number[]) {
  const sent: Sent[] = []
  const waiting: (() => void)[] = []
  let [spent, answered] = [0, 0]
  const script: Script = async (request) => {
    const agent = /Do (task-\d+)\./.exec(JSON.stringify(request.messages))?.[1]
    const one: Sent = {
      agent: isMain(request) ? 'main' : (agent ?? 'main'),
      isReport: wantsText(request),
      spentBefore: spent,
      answeredAt: 0,
      tokens: 0,
    }
    sent.push(one)
    if (one.agent !== 'main') await new Promise<void>((resolve) => waiting.push(resolve))
    const input = sizes[answered++ % sizes.length] ?? 1
    one.tokens = input
    one.answeredAt = spent
    spent += input
    const usage = { input, output: 0 }
    if (one.isReport) return { text: 'report', usage }
    if (one.agent !== 'main') return { calls: [['TodoWrite', { todos: [] }]], usage }
    if (request.messages.length > 1) return { text: 'done', usage }
    const tasks = Array.from({ length: COUNT }, (_, index) => agentCall(`task-${index}`))
    return { calls: tasks, usage }
  }
  const troupe = createTestRuntime({
    policy: {
      maxParallelAgents: COUNT + 1,
      limits: { ...freePolicy.limits, conversation: { ...noLimits, tokens: limit } },
    },
    script,
  })
  let picked = 0
  const answerAll = async (settled: Promise<unknown>) => {
    let isOver = false
    void settled.then(() => {
      isOver = true
    })
    while (!isOver) {
      await new Promise<void>((resolve) => setImmediate(resolve))
      const index = (picks[picked++ % picks.length] ?? 0) % Math.max(1, waiting.length)
      waiting.splice(index, 1)[0]?.()
    }
  }
  return { troupe, sent, answerAll }
}

test('each agent spends at most one request past the limit: the one in flight, or its report', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 50, max: 1000 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 30 }),
      fc.array(fc.nat({ max: COUNT }), { minLength: 1, maxLength: 30 }),
      async (limit, sizes, picks) => {
        const { troupe, sent, answerAll } = play(limit, sizes, picks)
        const id = await troupe.begin('Go')
        await answerAll(troupe.runtime.settled(id))
        const snapshot = await troupe.runtime.snapshot(id)
        if (!snapshot.ok) throw new Error(snapshot.failure.message)
        const spent = snapshot.value.agents.reduce((sum, { countedTokens }) => sum + countedTokens, 0)
        expect(spent).toBe(sent.reduce((sum, { tokens }) => sum + tokens, 0))
        // The request that reaches the limit may pass it.
        let allowed = Math.max(...sent.map(({ tokens }) => tokens))
        for (const name of new Set(sent.map(({ agent }) => agent))) {
          // Answered after others had reached the limit, or sent after it was reached.
          const late = sent.filter((one) => one.agent === name && one.answeredAt >= limit)
          expect(late.length).toBeLessThanOrEqual(1)
          for (const one of late) if (one.spentBefore >= limit) expect(one.isReport).toBe(true)
          allowed += late[0]?.tokens ?? 0
        }
        expect(spent - limit).toBeLessThanOrEqual(allowed)
      },
    ),
    {
      numRuns: triesOf(40),
      // One agent gets so many answers that its last turn and the limit come together.
      examples: [[946, [1], [6, 1, 0, 7, 1, 6, 7]]],
    },
  )
})

import { expect, test } from 'vitest'
import { callsOf, grown } from './testing/count-calls.ts'
import { agentCall, echo, script } from './testing/scripts.ts'
import { createTestRuntime } from './testing/test-runtime.ts'

/** A run of so many turns in a window that every fifth turn fills. */
async function callsOfTurns(turns: number): Promise<ReadonlyMap<string, number>> {
  let made = 0
  const troupe = createTestRuntime({
    contextTokens: 1000,
    shell: async ({ cwd }) => ({ output: 'x'.repeat(400), exitCode: 0, ended: 'exit', cwd }),
    script: ({ messages }) => {
      if (JSON.stringify(messages.at(-1)).includes('Write a summary')) return { text: 'SUMMARY' }
      if (++made > turns) return { text: 'done' }
      return { calls: [['Bash', { command: 'ls' }]], usage: { input: made % 5 === 0 ? 990 : 10 } }
    },
  })
  const calls = await callsOf(async () => troupe.runtime.settled(await troupe.begin('Go')))
  const compactions = troupe.events.filter(({ type }) => type === 'context-compacted')
  expect(compactions).toHaveLength(turns / 5)
  await troupe.runtime.close()
  return calls
}

test('a run of four times the turns, with four times the compactions, takes at most about four times the work', async () => {
  await callsOfTurns(5)
  const [few, many] = [await callsOfTurns(20), await callsOfTurns(80)]
  expect(many.get('main/runtime/loop/compact-context.ts')).toBeGreaterThan(100)
  expect(grown(few, many, 4.2)).toEqual([])
})

test('the colors of four times the subagents take at most about four times the work', async () => {
  const callsOfAgents = async (agents: number) => {
    const starts = Array.from({ length: agents }, (_, at) => agentCall(`part ${at}`))
    const troupe = createTestRuntime({ script: script([{ calls: starts }, echo], echo) })
    const calls = await callsOf(async () => troupe.runtime.settled(await troupe.begin('Go')))
    await troupe.runtime.close()
    return calls.get('shared/agent-definition/agent-color.ts') ?? 0
  }
  const [few, many] = [await callsOfAgents(20), await callsOfAgents(80)]
  expect(few).toBeGreaterThan(1000)
  // The first eight have fewer siblings of other colors.
  expect(many).toBeLessThan(5 * few)
})

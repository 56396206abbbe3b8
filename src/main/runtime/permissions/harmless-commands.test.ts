import { expect, it } from 'vitest'
import { judgeHarmlessCommands } from './testing/harmless-commands.ts'

it('asks about at most one of twenty harmless commands, and denies none', async () => {
  const judged = await judgeHarmlessCommands()
  expect(judged.length).toBeGreaterThan(200)
  const asked = judged.filter(({ decision }) => decision.kind !== 'allow')
  const list = asked.map(({ command, decision }) => `${command}: ${decision.because}`).join('\n')
  expect(asked.map(({ decision }) => decision.kind)).not.toContain('deny')
  expect(asked.length, list).toBeLessThanOrEqual(judged.length * 0.05)
})

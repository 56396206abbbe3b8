/** One test for each attack: it is stopped, and does its harm where its defense is missing. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Attack } from './attack.ts'
import { type AttackRuntime, attackRuntime } from './attack-runtime.ts'

export function tryAttacks(attacks: readonly Attack[]): void {
  let runtime: AttackRuntime
  beforeAll(async () => {
    runtime = await attackRuntime()
  })
  afterAll(() => runtime.close())

  test.each(attacks.map((attack) => [attack.name, attack] as const))('%s', async (_, attack) => {
    const { outcome, traces, shown, result } = await runtime.attack(attack, 'deny')
    expect({ outcome, traces }, result).toEqual({ outcome: attack.outcome, traces: [] })
    if (attack.says !== undefined) expect(result).toContain(attack.says)
    if (attack.shown !== undefined) expect(shown).toContain(attack.shown)
    const { undefended = {} } = attack
    if (typeof undefended === 'string') return
    const harm = await runtime.attack({ ...attack, ...undefended }, 'allow')
    expect(harm.traces, `Without its defense, the attack does no harm: ${harm.result}`).not.toEqual([])
  })
}

import type { Attack } from '../attack.ts'

/** Attacks that differ in one command: rows of a name, the command, and what else is different. */
export function commandAttacks(
  common: Omit<Attack, 'name' | 'calls'>,
  rows: readonly (readonly [name: string, command: string, more?: Partial<Attack>])[],
): readonly Attack[] {
  return rows.map(([name, command, more]) => ({ ...common, name, calls: [command], ...more }))
}

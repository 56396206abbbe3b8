/**
 * Attacks that the sandbox stops, in every mode in which its commands run unasked, by main agents and by agents in
 * worktrees. Outside the sandbox, the same script does its harm.
 */
import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PermissionMode } from '../../src/shared/permissions/permission-modes.ts'
import type { Attack, Call } from './attack.ts'
import { type AttackRuntime, attackRuntime } from './attack-runtime.ts'

/**
 * The modes beside `default` in which an attack is tried: one of them, taken in turn, since a mode decides who is asked,
 * and never what a command sees and writes. TROUPE_ALL_MODES=1 tries each attack in all of them.
 */
const OTHER_MODES: readonly PermissionMode[] = ['acceptEdits', 'dontAsk']
const EVERY_MODE: readonly PermissionMode[] = [...OTHER_MODES, 'plan', 'bypassPermissions']

function modesOf(attack: Attack, at: number): readonly PermissionMode[] {
  const others = attack.everyMode ? EVERY_MODE : OTHER_MODES
  const other = others[at % others.length] ?? never()
  return ['default', ...(process.env['TROUPE_ALL_MODES'] === '1' ? others : [other])]
}

const hasSandbox =
  process.platform === 'linux' && existsSync('/usr/bin/bwrap') && existsSync('/usr/bin/socat')

export function trySandboxAttacks(attacks: readonly Attack[]): void {
  describe.runIf(hasSandbox)('a script in the sandbox', () => {
    let runtime: AttackRuntime
    beforeAll(async () => {
      runtime = await attackRuntime({ sandbox: true })
    })
    afterAll(() => runtime.close())

    const inWorktree = (calls: readonly Call[]): readonly Call[] => [
      [
        'Agent',
        { description: 'Do it', prompt: calls, subagent_type: 'general-purpose', isolation: 'worktree' },
      ],
    ]

    const cases = attacks.map((attack, at) => [attack.name, attack, modesOf(attack, at)] as const)
    test.each(cases)('%s', async (_, attack, modes) => {
      const runs = [
        ...modes.map((mode) => ({ mode, calls: attack.calls })),
        // What commands see of the home does not depend on the agent's folder. A folder without git has no worktrees.
        ...(attack.inWorktree === false ||
        (attack.defense === 'hidden files' && attack.rules === undefined) ||
        !hasGit(attack)
          ? []
          : [{ mode: 'default' as const, calls: inWorktree(attack.calls) }]),
      ]
      const endings = await runtime.variants(
        runs.map((run) => ({ ...attack, ...run })),
        'deny',
      )
      for (const [at, run] of runs.entries()) {
        const { outcome, traces, result } = endings[at] ?? never()
        expect({ traces }, `${run.mode}: ${result}`).toEqual({ traces: [] })
        const wanted = run.mode === 'dontAsk' && attack.outcome === 'asked' ? 'denied' : attack.outcome
        expect(outcome, `${run.mode}: ${result}`).toBe(wanted)
      }
      if (typeof attack.undefended === 'string') return
      const harm = await runtime.attack({ ...attack, calls: attack.calls.map(outside) }, 'allow')
      expect(harm.traces, `Outside the sandbox, the script does no harm: ${harm.result}`).not.toEqual([])
    })
  })
}

const never = (): never => {
  throw new Error('A variant did not run.')
}

const outside = (call: Call): Call =>
  typeof call === 'string' ? ['Bash', { command: call, outside_sandbox: true }] : call

const hasGit = ({ before }: Attack): boolean => before?.includes('git init') === true

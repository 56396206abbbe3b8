/**
 * Attacks that the sandbox stops, in every mode in which its commands run unasked, by main agents and by agents in
 * worktrees. Outside the sandbox, the same script does its harm.
 */
import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PermissionMode } from '../../src/shared/permission-modes.ts'
import type { Attack, Call } from './attack.ts'
import { type AttackRuntime, attackRuntime } from './attack-runtime.ts'

const MODES: readonly PermissionMode[] = ['default', 'acceptEdits', 'dontAsk']
const OTHER_MODES: readonly PermissionMode[] = ['plan', 'bypassPermissions']

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

    test.each(attacks.map((attack) => [attack.name, attack] as const))('%s', async (_, attack) => {
      const runs = [
        ...[...MODES, ...(attack.everyMode ? OTHER_MODES : [])].map((mode) => ({
          mode,
          calls: attack.calls,
        })),
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

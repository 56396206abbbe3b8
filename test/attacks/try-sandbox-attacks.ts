/**
 * Attacks that the sandbox stops, in the modes in which its commands run unasked, by main agents and by agents in
 * worktrees. Outside the sandbox, the same script does its harm, which a slow machine does not try.
 */
import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PermissionMode } from '../../src/shared/permissions/permission-modes.ts'
import { isQuick } from '../../src/shared/testing/tries.ts'
import type { Attack, Call } from './attack.ts'
import { type AttackRuntime, attackRuntime } from './attack-runtime.ts'

const MODES: readonly PermissionMode[] = ['default', 'acceptEdits', 'dontAsk']
const MORE_MODES: readonly PermissionMode[] = ['plan', 'bypassPermissions', ...MODES.slice(1)]

const hasSandbox =
  process.platform === 'linux' && existsSync('/usr/bin/bwrap') && existsSync('/usr/bin/socat')

export function trySandboxAttacks(attacks: readonly Attack[]): void {
  describe.runIf(hasSandbox)('a script in the sandbox', () => {
    let runtime: AttackRuntime
    beforeAll(async () => {
      runtime = await attackRuntime({ sandbox: true })
    })
    afterAll(() => runtime.close())

    const trials = trialsOf(attacks).map((trial, at) => [nameOf(trial), trial, modesOf(trial, at)] as const)
    test.each(trials)('%s', async (_, trial, modes) => {
      const attack = inOneCommand(trial)
      const runs = modes.map((mode, at) => ({
        mode,
        calls:
          at === 0 && isTriedInWorktree(attack) ? [...attack.calls, inWorktree(attack.calls)] : attack.calls,
      }))
      const endings = await runtime.variants(
        runs.map((run) => ({ ...attack, ...run })),
        'deny',
      )
      for (const [at, { mode }] of runs.entries()) {
        const { outcomes, traces, result } = endings[at] ?? never()
        expect({ traces }, `${mode}: ${result}`).toEqual({ traces: [] })
        const wanted = mode === 'dontAsk' && attack.outcome === 'asked' ? 'denied' : attack.outcome
        expect([...new Set(outcomes)], `${mode}: ${result}`).toEqual([wanted])
      }
      for (const one of isQuick ? [] : trial) {
        if (typeof one.undefended === 'string') continue
        const harm = await runtime.attack({ ...one, calls: one.calls.map(outside) }, 'allow')
        expect(harm.traces, `Outside the sandbox, ${one.name} does no harm: ${harm.result}`).not.toEqual([])
      }
    })
  })
}

/** The attacks that are tried together. */
function trialsOf(attacks: readonly Attack[]): readonly (readonly Attack[])[] {
  const trials = new Map<string, Attack[]>()
  for (const attack of attacks) {
    const { name, together = name } = attack
    trials.set(together, [...(trials.get(together) ?? []), attack])
  }
  return [...trials.values()]
}

const nameOf = (trial: readonly Attack[]): string => trial.map(({ name }) => name).join('; ')

/**
 * The modes in which attacks are tried: one, taken in turn, since a mode decides who is asked, and never what a command
 * sees and writes. TROUPE_ALL_MODES=1 tries each in all of them.
 */
function modesOf(trial: readonly Attack[], at: number): readonly PermissionMode[] {
  const [{ everyMode = false } = {}] = trial
  const all = process.env['TROUPE_ALL_MODES'] === '1'
  if (everyMode) return ['default', ...(all ? MORE_MODES : [taken(MORE_MODES, at)])]
  return all || (trial.length > 1 && !isQuick) ? MODES : [taken(MODES, at)]
}

const taken = (modes: readonly PermissionMode[], at: number) => modes[at % modes.length] ?? never()

/** One attack of all of them: each has a script of its own, and one command runs all scripts. */
function inOneCommand(trial: readonly Attack[]): Attack {
  const [first, ...others] = trial
  if (first === undefined || others.length === 0) return first ?? never()
  const files: Record<string, string> = {}
  for (const [at, one] of trial.entries())
    for (const [path, text] of Object.entries(one.files ?? {})) {
      const own = path === JOB ? `project/job-${at}.sh` : path
      if (files[own] !== undefined && files[own] !== text) throw new Error(`Two attacks need another ${own}.`)
      files[own] = text
    }
  const rulesOf = (kind: 'ask' | 'deny') => trial.flatMap(({ rules }) => rules?.[kind] ?? [])
  return {
    ...first,
    files,
    before: [...new Set(trial.map(({ before = '' }) => before))].join('\n'),
    calls: [trial.map((_, at) => `bash job-${at}.sh`).join('; ')],
    ...(trial.some(({ rules }) => rules) && { rules: { ask: rulesOf('ask'), deny: rulesOf('deny') } }),
  }
}

const JOB = 'project/job.sh'

/** What commands see of the home does not depend on the agent's folder. A folder without git has no worktrees. */
const isTriedInWorktree = ({ inWorktree, defense, rules, before }: Attack): boolean =>
  inWorktree !== false &&
  (defense !== 'hidden files' || rules !== undefined) &&
  before?.includes('git init') === true

const inWorktree = (calls: readonly Call[]): Call => [
  'Agent',
  { description: 'Do it', prompt: calls, subagent_type: 'general-purpose', isolation: 'worktree' },
]

const outside = (call: Call): Call =>
  typeof call === 'string' ? ['Bash', { command: call, outside_sandbox: true }] : call

const never = (): never => {
  throw new Error('A variant did not run.')
}

/** The attempts of a comparison side by side: a pure view over the comparison and the states of its agents. */

import type { Attempt, AttemptCheck, Comparison } from '../comparison/comparison.ts'
import { workedUntil } from '../events/lifecycle.ts'
import { totalTokens } from '../events/model-requests.ts'
import { type AgentState, isLive } from './agent-state.ts'

export interface AttemptRow {
  readonly agentId: string
  /** "reviewer", "reviewer 2" for the second attempt of the same agent with the same model. */
  readonly label: string
  /** The model, or the program with its version. */
  readonly model: string
  /** `limit`: it reported at a limit, before its task was done. Null: the agent is not known. */
  readonly status: AgentState['status'] | 'limit' | null
  readonly isLive: boolean
  /** Why it failed; null: it did not. */
  readonly failure: string | null
  readonly check: AttemptCheck | null
  readonly counts: TestCounts | null
  /** Work of the agent, without waiting; ms. */
  readonly ms: number
  /** Of the agent and its own subagents, as limits count them. Null: not reported. */
  readonly tokens: number | null
  /** US dollars. Null: not reported, or a model has no known price. */
  readonly costUsd: number | null
  /** Null: the agent has not ended, or its work was not saved. */
  readonly work: { readonly files: number; readonly insertions: number; readonly deletions: number } | null
  readonly report: string
  readonly isMerged: boolean
}

/** @param now ms since the epoch */
export function attemptRows(
  { attempts, merged }: Comparison,
  states: readonly AgentState[],
  now: number,
): readonly AttemptRow[] {
  const byId = new Map(states.map((state) => [state.id, state]))
  return attempts.map((attempt, index) => {
    const state = byId.get(attempt.agentId) ?? null
    const family = state === null ? [] : states.filter(({ id }) => isWithin(id, attempt.agentId, byId))
    const { check } = attempt
    return {
      agentId: attempt.agentId,
      label: labelOf(attempts, index),
      model: state?.model ?? attempt.model ?? '',
      status: state === null ? null : state.reachedLimit !== null && !isLive(state) ? 'limit' : state.status,
      isLive: state !== null && isLive(state),
      failure: state?.failure?.message ?? null,
      check,
      counts: check === null ? null : testCounts(check.output),
      ms: state === null ? 0 : workedUntil(state, now),
      tokens: tokensOf(family),
      costUsd: costOf(family),
      work: state === null || isLive(state) ? null : state.work,
      report: state?.report ?? '',
      isMerged: merged?.agentId === attempt.agentId,
    }
  })
}

/** Whether a check waits or runs. Not from the file of the schemas, which the window does not load. */
const hasOpenCheck = (check: AttemptCheck | null): boolean =>
  check?.state === 'waiting' || check?.state === 'running'

/** `running`: an agent or a check has not ended. */
export function comparisonStatus(rows: readonly AttemptRow[]): 'running' | 'done' {
  return rows.some(({ isLive, check }) => isLive || hasOpenCheck(check)) ? 'running' : 'done'
}

/** The rows whose check passed, or all that changed something where nothing was checked; the smallest change first. */
export function bestRows(rows: readonly AttemptRow[]): readonly AttemptRow[] {
  const changed = rows.filter(({ work }) => work !== null && work.files > 0)
  const passed = changed.filter(({ check }) => check?.state === 'passed')
  const size = ({ work }: AttemptRow) => (work === null ? 0 : work.insertions + work.deletions)
  const candidates = changed.some(({ check }) => check !== null) ? passed : changed
  return candidates.toSorted((one, other) => size(one) - size(other))
}

function labelOf(attempts: readonly Attempt[], index: number): string {
  const { agent, model } = attempts[index] ?? { agent: '', model: null }
  const same = attempts.filter((other) => other.agent === agent && other.model === model)
  if (same.length === 1) return agent
  const before = attempts.slice(0, index).filter((other) => other.agent === agent && other.model === model)
  return `${agent} ${before.length + 1}`
}

function isWithin(id: string, root: string, byId: ReadonlyMap<string, AgentState>): boolean {
  for (let at: string | null = id; at !== null; at = byId.get(at)?.parentId ?? null)
    if (at === root) return true
  return false
}

/** An external agent that has told nothing has not used nothing. */
const tellsNothing = ({ backing, usage, costUsd }: AgentState): boolean =>
  backing === 'acp' && totalTokens(usage) === 0 && costUsd === 0

function tokensOf(family: readonly AgentState[]): number | null {
  const total = family.reduce((sum, { countedTokens }) => sum + countedTokens, 0)
  return total === 0 && family.some(({ backing }) => backing === 'acp') ? null : total
}

function costOf(family: readonly AgentState[]): number | null {
  if (family.some((state) => !state.priced || tellsNothing(state))) return null
  return family.reduce((sum, { costUsd }) => sum + costUsd, 0)
}

export interface TestCounts {
  readonly passed: number
  readonly failed: number
}

/** Null: the output has no counts that are known. The last counts of an output are those of the whole run. */
export function testCounts(output: string): TestCounts | null {
  for (const read of [wordedCounts, tapCounts, mochaCounts]) {
    const counts = read(output)
    if (counts !== null) return counts
  }
  return null
}

/** Summary lines of vitest, jest, pytest, bun and cargo: "Tests  1 failed | 12 passed (13)". */
const SUMMARY = /^(?:\s*Tests:?\s|=+ .*\bin [\d.]+ ?s|test result:|\s*\d+ (?:pass|fail)\b)/

/** The lines of one summary are added: cargo prints one for each crate, bun one for each count. */
function wordedCounts(output: string): TestCounts | null {
  const lines = output.split('\n').filter((line) => SUMMARY.test(line))
  const sum = (words: string) =>
    lines.reduce(
      (total, line) => total + Number(new RegExp(`(\\d+) (?:${words})\\b`).exec(line)?.[1] ?? 0),
      0,
    )
  const counts = { passed: sum('passed|pass'), failed: sum('failed|fail') + sum('errors|error') }
  return counts.passed + counts.failed === 0 ? null : counts
}

/** node:test: "# pass 3", or "ℹ pass 3" on a terminal. */
function tapCounts(output: string): TestCounts | null {
  const passed = lastOf(output, /^(?:#|ℹ) pass (\d+)$/gm)
  const failed = lastOf(output, /^(?:#|ℹ) fail (\d+)$/gm)
  return passed === null && failed === null ? null : { passed: passed ?? 0, failed: failed ?? 0 }
}

/** mocha: "12 passing (3s)". */
function mochaCounts(output: string): TestCounts | null {
  const passed = lastOf(output, /^\s*(\d+) passing\b/gm)
  return passed === null ? null : { passed, failed: lastOf(output, /^\s*(\d+) failing\b/gm) ?? 0 }
}

function lastOf(output: string, pattern: RegExp): number | null {
  const found = [...output.matchAll(pattern)].at(-1)?.[1]
  return found === undefined ? null : Number(found)
}

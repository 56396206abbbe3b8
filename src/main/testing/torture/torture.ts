/** Many rounds, two at a time, and what they add up to. */
import type { AgentEvent } from '../../../shared/agent-event.ts'
import { realTroupe } from '../real-troupe.ts'
import { createCrew } from './crew.ts'
import { type Measure, plansOf } from './kill-plan.ts'
import { killRound, type RoundOutcome } from './kill-round.ts'

export interface TortureOptions {
  readonly rounds: number
  readonly seed: number
  /** The only one of the rounds that is run. */
  readonly only?: number | undefined
  /** Kills at random come within so many ms; by default as long as an undisturbed run takes. */
  readonly span?: number | undefined
  /** The command line's file; the sources by default. */
  readonly program?: string
  /** Called after each round. */
  readonly onRound?: (round: number, outcome: RoundOutcome) => void
}

export interface TortureOutcome {
  readonly rounds: number
  readonly killed: number
  readonly acknowledged: number
  readonly effects: number
  readonly unknownOutcomes: number
  readonly cutOff: number
  readonly resumed: number
  readonly lost: number
  readonly doubled: number
  readonly span: number
  readonly failed: readonly { readonly round: number; readonly outcome: RoundOutcome }[]
}

const CREW = { agents: 8, turns: 5 }
/** Most of a round is a process starting, which waits for the disk as long as it computes. */
const LANES = 2

export async function torture(options: TortureOptions): Promise<TortureOutcome> {
  const { rounds, seed, only, program } = options
  const measured = await measureRun(program)
  const measure = { ...measured, runMs: options.span ?? measured.runMs }
  const outcomes: { readonly round: number; readonly outcome: RoundOutcome }[] = []
  const due = only === undefined ? Array.from({ length: rounds }, (_, round) => round) : [only]
  const lane = async () => {
    for (let round = due.shift(); round !== undefined; round = due.shift()) {
      const plans = plansOf(round, seed, measure)
      const outcome = await killRound({ ...CREW, plans, ...(program === undefined ? {} : { program }) })
      outcomes.push({ round, outcome })
      options.onRound?.(round, outcome)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  const sum = (count: (outcome: RoundOutcome) => number) =>
    outcomes.reduce((total, { outcome }) => total + count(outcome), 0)
  return {
    rounds: outcomes.length,
    killed: sum(({ killed }) => killed),
    acknowledged: sum(({ acknowledged }) => acknowledged),
    effects: sum(({ effects }) => effects),
    unknownOutcomes: sum(({ unknownOutcomes }) => unknownOutcomes),
    cutOff: sum(({ cutOff }) => cutOff),
    resumed: sum(({ resumed }) => resumed),
    lost: sum(({ lost }) => lost.length),
    doubled: sum(({ doubled }) => doubled.length),
    span: Math.round(measure.runMs),
    failed: outcomes.filter(({ outcome }) => outcome.folder !== null),
  }
}

/** An undisturbed run, beside which nothing runs. */
async function measureRun(program: string | undefined): Promise<Measure> {
  const troupe = await realTroupe(createCrew(CREW), {}, { keepRequests: 0, ...(program ? { program } : {}) })
  try {
    const begun = performance.now()
    let first = begun
    const counts = new Map<AgentEvent['type'], number>()
    const running = troupe.start(['run', 'Go', '--json', '--permission-mode', 'bypassPermissions'])
    running.onEvent(({ type }) => {
      if (counts.size === 0) first = performance.now()
      counts.set(type, (counts.get(type) ?? 0) + 1)
    })
    const { code, errors } = await running.ended
    if (code !== 0) throw new Error(`A run that nobody disturbed ended with ${code}: ${errors}`)
    return { counts, bootMs: first - begun, runMs: performance.now() - first }
  } finally {
    await troupe.close()
  }
}

/** Runs many rounds, two at a time, and sums them up. */
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { type CrewScript, createCrew } from './crew.ts'
import { apartCrew, livelyCrew, plainCrew } from './crews.ts'
import { type Measure, plansOf } from './kill-plan.ts'
import { killRound, type RoundOutcome, stageFor } from './kill-round.ts'

interface TortureOptions {
  readonly rounds: number
  readonly seed: number
  /** The crews, whose rounds alternate; by default all. */
  readonly crews?: readonly CrewName[]
  /** Runs only this round. */
  readonly only?: number | undefined
  /** The command line's file; the sources by default. */
  readonly program?: string
  /** Called after each round. */
  readonly onRound?: (round: number, outcome: RoundOutcome) => void
}

interface TortureOutcome {
  readonly rounds: number
  readonly killed: number
  readonly acknowledged: number
  readonly effects: number
  readonly unknownOutcomes: number
  readonly cutOff: number
  readonly resumed: number
  readonly lost: number
  readonly doubled: number
  readonly failed: readonly { readonly round: number; readonly outcome: RoundOutcome }[]
}

const SCRIPTS = { plain: plainCrew, lively: livelyCrew, apart: apartCrew } as const
type CrewName = keyof typeof SCRIPTS
export const crewNames: readonly CrewName[] = ['plain', 'lively', 'apart']
/** Most of a round is process start, which waits for the disk as long as it computes. */
const LANES = 2

export async function torture(options: TortureOptions): Promise<TortureOutcome> {
  const { rounds, seed, only, program } = options
  const stages: { readonly script: CrewScript; readonly measure: Measure }[] = []
  for (const script of (options.crews ?? crewNames).map((name) => SCRIPTS[name]))
    stages.push({ script, measure: await measureRun(script, program) })
  const outcomes: { readonly round: number; readonly outcome: RoundOutcome }[] = []
  const due = only === undefined ? Array.from({ length: rounds }, (_, round) => round) : [only]
  const lane = async () => {
    for (let round = due.shift(); round !== undefined; round = due.shift()) {
      const stage = stages[round % stages.length]
      if (!stage) throw new Error('there is always a stage')
      const plans = plansOf(Math.floor(round / stages.length), seed + (round % stages.length), stage.measure)
      const outcome = await killRound({
        script: stage.script,
        plans,
        ...(program === undefined ? {} : { program }),
      })
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
    failed: outcomes.filter(({ outcome }) => outcome.folder !== null),
  }
}

/** An undisturbed run, with nothing else running. */
async function measureRun(script: CrewScript, program: string | undefined): Promise<Measure> {
  const crew = createCrew(script)
  const troupe = await stageFor(crew, program)
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
    if (code !== 0) throw new Error(`The undisturbed run ended with ${code}: ${errors}`)
    return { counts, requests: crew.requests, bootMs: first - begun }
  } finally {
    await troupe.close()
  }
}

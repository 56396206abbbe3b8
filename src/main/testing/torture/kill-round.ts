/**
 * One round: a run is killed, goes on, is perhaps killed again, and is left alone at last. After each process
 * the disk is held against what it promised; at the end everybody must have been brought to an end.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isLive } from '../../../shared/agent-state.ts'
import { type RealTroupe, type RunningTroupe, realTroupe } from '../real-troupe.ts'
import { Acknowledged } from './acknowledged.ts'
import * as checks from './checks.ts'
import { type Crew, type CrewScript, createCrew, goOn } from './crew.ts'
import { type Disk, readDisk, readLetters } from './disk.ts'
import { makeRepository, notKept } from './kept-work.ts'
import { inWords, type KillPlan, killAsPlanned } from './kill-plan.ts'
import { misdelivered, mistold } from './told-once.ts'

export interface RoundOptions {
  /** A process for each, and one more that is left alone. */
  readonly plans: readonly KillPlan[]
  readonly script: CrewScript
  /** The command line's file; the sources by default. */
  readonly program?: string
}

export interface RoundOutcome {
  /** Processes that died as planned; others had ended before their time came. */
  readonly killed: number
  readonly acknowledged: number
  readonly effects: number
  /** How often an agent was cut off, and how often that one came to its end all the same. */
  readonly cutOff: number
  readonly resumed: number
  /** Intents that had no result at a kill. */
  readonly unknownOutcomes: number
  readonly lost: readonly string[]
  readonly doubled: readonly string[]
  /** Anything else that is not as it should be. */
  readonly problems: readonly string[]
  /** Where its data lies, if something was wrong. */
  readonly folder: string | null
}

export async function killRound(options: RoundOptions): Promise<RoundOutcome> {
  const crew = createCrew(options.script)
  const troupe = await stageFor(crew, options.program)
  const round = new Round(troupe, crew)
  try {
    for (const plan of options.plans) await round.process(plan)
    await round.process(null)
  } catch (thrown) {
    round.problems.push(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown))
  }
  const outcome = await round.outcome()
  await troupe.close({ keep: outcome.folder !== null })
  return outcome
}

/** A folder with what the crew needs in it. */
export async function stageFor(crew: Crew, program: string | undefined): Promise<RealTroupe> {
  const troupe = await realTroupe(
    crew,
    {},
    { keepRequests: 0, ...(program === undefined ? {} : { program }) },
  )
  for (const [path, content] of Object.entries(crew.files)) {
    await mkdir(dirname(join(troupe.folder, path)), { recursive: true })
    await writeFile(join(troupe.folder, path), content)
  }
  if (crew.isRepository) await makeRepository(troupe.folder)
  return troupe
}

class Round {
  readonly problems: string[] = []
  private readonly lost: string[] = []
  private readonly doubled: string[] = []
  private readonly tally = { killed: 0, acknowledged: 0, effects: 0, cutOff: 0, resumed: 0 }
  private readonly troupe: RealTroupe
  private readonly crew: Crew
  private conversationId: string | null = null
  private disk: Disk = new Map()
  /** The disk as each kill left it. */
  private readonly cuts: Disk[] = []
  private count = 0

  constructor(troupe: RealTroupe, crew: Crew) {
    this.troupe = troupe
    this.crew = crew
  }

  /** Runs a process to its end or its kill. */
  async process(plan: KillPlan | null): Promise<void> {
    const where = `process ${++this.count}${plan ? ` (to be killed ${inWords(plan)})` : ''}: `
    const { running, acknowledged } = this.start()
    if (plan) killAsPlanned(running, plan, this.crew)
    const { code, result, errors } = await running.ended
    if (code !== null) acknowledged.takeEnd()

    const former = this.disk
    this.disk = await readDisk(this.troupe.home)
    const effects = await this.troupe.linesOf('effects.txt')
    const promised = acknowledged.events()
    this.tally.acknowledged += promised.length
    this.tally.effects = effects.length
    const note = (to: string[], what: readonly string[]) => to.push(...what.map((words) => where + words))
    note(this.lost, [
      ...checks.lost(this.disk, promised, this.crew.told),
      ...checks.shortened(former, this.disk),
    ])
    note(this.doubled, checks.doubled(this.disk, effects))
    note(this.problems, [...checks.damaged(this.disk), ...checks.unannounced(this.disk, effects)])
    if (code === null) {
      this.tally.killed++
      this.cuts.push(this.disk)
    } else if (this.hasBegun()) {
      if (code !== 0) note(this.problems, [`it ended with ${code}: ${errors.trim()}`])
      note(this.problems, [
        ...this.cuts.flatMap((cut) => checks.notClosed(cut, this.disk)),
        ...checks.unresumed(this.disk, result),
      ])
    } else {
      // Its main agent never came to the disk: that is said, and the next process begins anew.
      if (code === 0 || !/cut off before it began/.test(errors))
        note(this.problems, [`nothing had begun, and it ended with ${code}: ${errors.trim()}`])
      this.conversationId = null
      if (!plan) await this.process(null)
    }
  }

  async outcome(): Promise<RoundOutcome> {
    const unknown = this.cuts.flatMap(checks.unknownOutcomes)
    this.problems.push(
      ...checks.untold(unknown, this.crew.told),
      ...misdelivered(this.disk, await readLetters(this.troupe.home)),
      ...mistold(this.disk),
      ...(this.crew.isRepository ? await notKept(this.disk, this.troupe) : []),
    )
    const cutOff = this.cuts.flatMap((cut) =>
      [...cut.values()].filter(({ state }) => state && state.turn > 0 && isLive(state)),
    )
    const resumed = cutOff.filter(({ agentId }) => {
      const state = this.disk.get(agentId)?.state
      return state && !isLive(state) && state.status !== 'interrupted'
    })
    const { lost, doubled, problems } = this
    const isGood = lost.length + doubled.length + problems.length === 0
    return {
      ...this.tally,
      cutOff: cutOff.length,
      resumed: resumed.length,
      unknownOutcomes: new Set(unknown.map(({ id }) => id)).size,
      lost,
      doubled,
      problems,
      folder: isGood ? null : this.troupe.base,
    }
  }

  private start(): { readonly running: RunningTroupe; readonly acknowledged: Acknowledged } {
    const acknowledged = new Acknowledged()
    const words =
      this.conversationId === null ? ['Go'] : [goOn(this.unfinished()), '--resume', this.conversationId]
    const running = this.troupe.start(['run', ...words, '--json', '--permission-mode', 'bypassPermissions'])
    running.onEvent((event) => {
      acknowledged.take(event)
      if (event.type === 'agent-spawned') this.conversationId ??= event.conversationId
    })
    return { running, acknowledged }
  }

  /** The subagents that a restart is to bring to their end. */
  private unfinished(): readonly string[] {
    return [...this.disk.values()].flatMap(({ agentId, state }) =>
      state && state.parentId !== null && state.turn > 0 && state.status !== 'completed' ? [agentId] : [],
    )
  }

  private hasBegun(): boolean {
    return [...this.disk.values()].some(({ state }) => state?.parentId === null)
  }
}

/**
 * One round: a run is killed, resumed, perhaps killed again, and finally completes. After each process the disk is
 * checked against its promises; at the end every agent must have ended.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isLive } from '../../../shared/state/agent-state.ts'
import { type RealTroupe, type RunningTroupe, realTroupe } from '../real-troupe.ts'
import { Acknowledged } from './acknowledged.ts'
import * as checks from './checks.ts'
import { type Crew, type CrewScript, createCrew, toBackground } from './crew.ts'
import { type Disk, readDisk, readMailboxMessages } from './disk.ts'
import { makeRepository, notKept } from './kept-work.ts'
import { asText, type KillPlan, killAsPlanned } from './kill-plan.ts'
import { misdelivered, wronglyReported } from './reported-once.ts'

interface RoundOptions {
  /** One process for each kill, and one more that completes. */
  readonly plans: readonly KillPlan[]
  readonly script: CrewScript
  /** The command line's file; the sources by default. */
  readonly program?: string
}

export interface RoundOutcome {
  /** Processes that died as planned; others ended before. */
  readonly killed: number
  readonly acknowledged: number
  readonly effects: number
  /** The number of interruptions of agents, and of interrupted agents that ended. */
  readonly cutOff: number
  readonly resumed: number
  /** Intents without a result at a kill. */
  readonly unknownOutcomes: number
  readonly lost: readonly string[]
  readonly doubled: readonly string[]
  /** All other findings. */
  readonly problems: readonly string[]
  /** The folder with the round's data, if there were findings. */
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

/** Creates a folder with the crew's files. */
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
  /** The disk after each kill. */
  private readonly cuts: Disk[] = []
  private count = 0

  constructor(troupe: RealTroupe, crew: Crew) {
    this.troupe = troupe
    this.crew = crew
  }

  /** Runs a process to its end or its kill. */
  async process(plan: KillPlan | null): Promise<void> {
    const where = `process ${++this.count}${plan ? ` (to be killed ${asText(plan)})` : ''}: `
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
    const note = (to: string[], what: readonly string[]) => to.push(...what.map((args) => where + args))
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
      // The main agent was never on disk: the program says so, and the next process starts from the beginning.
      if (code === 0 || !/ended before it began/.test(errors))
        note(this.problems, [`nothing had begun, and it ended with ${code}: ${errors.trim()}`])
      this.conversationId = null
      if (!plan) await this.process(null)
    }
  }

  async outcome(): Promise<RoundOutcome> {
    const unknown = this.cuts.flatMap(checks.unknownOutcomes)
    this.problems.push(
      ...checks.unreported(unknown, this.crew.told),
      ...misdelivered(this.disk, await readMailboxMessages(this.troupe.home)),
      ...wronglyReported(this.disk),
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
    const args =
      this.conversationId === null
        ? ['Go']
        : [toBackground(this.unfinished()), '--resume', this.conversationId]
    const running = this.troupe.start(['run', ...args, '--json', '--permission-mode', 'bypassPermissions'])
    running.onEvent((event) => {
      acknowledged.take(event)
      if (event.type === 'agent-spawned') this.conversationId ??= event.conversationId
    })
    return { running, acknowledged }
  }

  /** The subagents that a restart must finish. */
  private unfinished(): readonly string[] {
    return [...this.disk.values()].flatMap(({ agentId, state }) =>
      state && state.parentId !== null && state.turn > 0 && state.status !== 'completed' ? [agentId] : [],
    )
  }

  private hasBegun(): boolean {
    return [...this.disk.values()].some(({ state }) => state?.parentId === null)
  }
}

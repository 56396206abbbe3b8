/** The results of an agent's cases beside each other: a row for each case, a cell for each version. */
import { type AgentCase, type AgentVersion, type CaseAttempt, grouped } from './agent-tests.ts'
import {
  chanceOfDifference,
  type Interval,
  judge,
  median,
  type PassCount,
  type PassPair,
  rateInterval,
  type VersionJudgment,
} from './statistics.ts'

/** What attempts came to. Attempts that are broken, stopped or have not ended do not count. */
export interface GridFigures extends PassCount {
  readonly interval: Interval
  /** Medians of the attempts that count; null: nothing is known. */
  readonly usd: number | null
  readonly ms: number | null
  readonly tokens: number | null
  /** Against the version in use; null: chance may have made the difference, or there is nothing to compare. */
  readonly judgment: VersionJudgment | null
  /** How often chance alone makes such a difference to the version in use; null: there is nothing to compare. */
  readonly chance: number | null
}

/** The attempts of one version at one case. */
export interface GridCell extends GridFigures {
  readonly version: AgentVersion
  /** By number. Those at an earlier text of the case, or with earlier files, are left out. */
  readonly attempts: readonly CaseAttempt[]
}

export interface GridRow {
  readonly case: AgentCase
  /** In the order of the versions. */
  readonly cells: readonly GridCell[]
}

/** All cases of one version. Each case is compared within itself. */
export interface GridTotal extends GridFigures {
  readonly version: AgentVersion
  /** Cases. */
  readonly better: number
  readonly worse: number
}

export interface Grid {
  readonly rows: readonly GridRow[]
  readonly totals: readonly GridTotal[]
  /** The version that the others are compared with; null: it is none of these. */
  readonly inUse: AgentVersion | null
}

export interface GridInput {
  readonly cases: readonly AgentCase[]
  readonly versions: readonly AgentVersion[]
  readonly attempts: readonly CaseAttempt[]
}

export function createGrid({ cases, versions, attempts }: GridInput): Grid {
  const inUse = versions.find(({ ref }) => isVersionInUse(ref)) ?? null
  const byCase = grouped(attempts, ({ caseFile }) => caseFile)
  const byCell = grouped(
    cases.flatMap((row) => comparableAt(row, byCase.get(row.file) ?? [])),
    ({ caseFile, versionId }) => cellKey(caseFile, versionId),
  )
  const attemptsOf = (file: string, version: AgentVersion) =>
    newestText(byCell.get(cellKey(file, version.id)) ?? [])
  const pairOf = (file: string, version: AgentVersion): readonly PassPair[] =>
    inUse === null || version.id === inUse.id
      ? []
      : comparable([countOf(attemptsOf(file, inUse)), countOf(attemptsOf(file, version))])
  const rows = cases.map((row): GridRow => {
    const cells = versions.map((version): GridCell => {
      const own = attemptsOf(row.file, version)
      return { version, attempts: own, ...figuresOf(own, pairOf(row.file, version)) }
    })
    return { case: row, cells }
  })
  const totals = versions.map((version, at): GridTotal => {
    const cells = rows.flatMap(({ cells }) => cells[at] ?? [])
    const judged = (as: VersionJudgment) => cells.filter(({ judgment }) => judgment === as).length
    const figures = figuresOf(
      cells.flatMap((cell) => cell.attempts),
      cases.flatMap(({ file }) => pairOf(file, version)),
    )
    return { version, better: judged('better'), worse: judged('worse'), ...figures }
  })
  return { rows, totals, inUse }
}

const cellKey = (caseFile: string, versionId: string): string => `${versionId} ${caseFile}`

/** Without attempts at another text of the case, or with other files than the newest one: they compare nothing. */
function comparableAt({ digest }: AgentCase, attempts: readonly CaseAttempt[]): readonly CaseAttempt[] {
  const ofText = attempts.filter(
    ({ content }) => digest === undefined || content === undefined || content.case === digest,
  )
  const files = newestOf(ofText.filter(({ state }) => state !== 'broken'))?.content?.files
  return ofText.filter(
    (attempt) => !counts(attempt) || files === undefined || (attempt.content?.files ?? files) === files,
  )
}

const newestOf = (attempts: readonly CaseAttempt[]): CaseAttempt | null =>
  attempts.reduce<CaseAttempt | null>(
    (best, attempt) => (best === null || attempt.at > best.at ? attempt : best),
    null,
  )

/** An attempt's key has what its agent is told in it: the key that changed last is that of now. */
function newestText(attempts: readonly CaseAttempt[]): readonly CaseAttempt[] {
  const newest = newestOf(attempts)
  return attempts.filter(({ key }) => key === newest?.key).sort((a, b) => a.number - b.number)
}

const comparable = (pair: PassPair): readonly PassPair[] =>
  pair.every(({ counted }) => counted > 0) ? [pair] : []

function figuresOf(attempts: readonly CaseAttempt[], pairs: readonly PassPair[]): GridFigures {
  const counted = attempts.filter(counts)
  const count = countOf(attempts)
  return {
    ...count,
    interval: rateInterval(count),
    usd: median(counted.flatMap(({ usd }) => usd ?? [])),
    ms: median(counted.map(({ ms }) => ms)),
    tokens: median(counted.map(({ tokens }) => tokens)),
    judgment: judge(pairs),
    chance: pairs.length === 0 ? null : chanceOfDifference(pairs),
  }
}

/** Whether a reference names the definition in use as it is. */
export function isVersionInUse({ base, model, effort, skill }: AgentVersion['ref']): boolean {
  return base.type === 'in-use' && model === null && effort === null && skill === null
}

/** Whether an attempt says something about its version. */
export const counts = ({ state }: Pick<CaseAttempt, 'state'>): boolean =>
  state === 'passed' || state === 'failed'

/** The attempts that count, and those of them that passed. */
function countOf(attempts: readonly CaseAttempt[]): PassCount {
  const counted = attempts.filter(counts)
  return { passed: counted.filter(({ state }) => state === 'passed').length, counted: counted.length }
}

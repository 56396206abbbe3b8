/** What a run does: its attempts in their order, without those that earlier ones stand for. */
import { createHash } from 'node:crypto'
import { type AgentCase, type CaseAttempt, grouped } from '../../../shared/agent-tests/agent-tests.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { MemorySource, SkillSource } from '../../runtime/ports/definitions.ts'
import type { AttemptFolders, AttemptStart } from './attempt-folders.ts'
import type { LoadedVersion } from './definition-versions.ts'

/** The attempts of one version at one case. */
export interface PlannedCell {
  readonly case: AgentCase
  readonly version: LoadedVersion
  /** Equal for equal content of both. */
  readonly key: string
  readonly content: NonNullable<CaseAttempt['content']>
  /** A failure: no attempt can begin. */
  readonly start: Result<AttemptStart>
  /** Attempts of equal content that count, the earliest first: at most as many as are wanted. */
  readonly reused: readonly CaseAttempt[]
  /** The numbers of the attempts to make. */
  readonly numbers: readonly number[]
}

interface Wanted {
  readonly runId: string
  readonly folder: string
  readonly cases: readonly AgentCase[]
  readonly versions: readonly LoadedVersion[]
  /** For each version at each case. */
  readonly attempts: number
  /** Attempts that can be reused. */
  readonly earlier: Iterable<CaseAttempt>
}

interface PlanParts {
  readonly folders: Pick<AttemptFolders, 'prepare'>
  readonly skills: Pick<SkillSource, 'load'>
  readonly memory: Pick<MemorySource, 'load'>
  readonly isTrusted: (folder: string) => boolean
  /** Whether a script plays the agents. */
  readonly isRehearsal: () => boolean
}

export async function planRun(parts: PlanParts, wanted: Wanted): Promise<readonly PlannedCell[]> {
  const { runId, folder, cases, versions, attempts } = wanted
  const byKey = grouped(
    [...wanted.earlier].filter(({ state }) => state === 'passed' || state === 'failed'),
    ({ key }) => key,
  )
  const told = await Promise.all(versions.map((version) => toldTo(parts, folder, version)))
  const cells: PlannedCell[] = []
  for (const each of cases) {
    const start = await parts.folders.prepare({ runId, folder, caseFile: each.file, start: each.start })
    const content = { case: digestOfCase(each), files: digestOf(beginOf(start)) }
    versions.forEach((version, index) => {
      const made = keyOf(each, start, [version.id, told[index]])
      const key = parts.isRehearsal() ? `${PLAYED}${made}` : made
      const reused = [...(byKey.get(key) ?? [])]
        .sort((a, b) => a.number - b.number || a.at - b.at)
        .slice(0, attempts)
      const taken = new Set(reused.map(({ number }) => number))
      const free: number[] = []
      for (let number = 1; free.length < attempts - reused.length; number++)
        if (!taken.has(number)) free.push(number)
      cells.push({ case: each, version, key, content, start, reused, numbers: free })
    })
  }
  return cells
}

/** What a script played stands for no attempt of a model. */
const PLAYED = 'rehearsal-'

/** Names and files do not count: a case that was renamed is the same one. */
function keyOf(
  { task, role, checks, limits, permissions }: AgentCase,
  start: Result<AttemptStart>,
  version: unknown,
): string {
  return digestOf([task, role, checks, limits, permissions, beginOf(start), version])
}

const beginOf = (start: Result<AttemptStart>) =>
  start.ok ? [start.value.tree, start.value.below] : start.failure.type

/** Equal for cases that ask and check the same, whatever they are called and begin with. */
export const digestOfCase = ({ task, role, checks, limits, permissions }: AgentCase): string =>
  digestOf([task, role, checks, limits, permissions])

/** What an attempt's agent is told besides its definition: skills, and the instructions of the user and the folder. */
async function toldTo(
  { skills, memory, isTrusted }: PlanParts,
  folder: string,
  { definition }: LoadedVersion,
): Promise<string> {
  const trust = { trusted: isTrusted(folder) }
  const [{ files }, ...loaded] = await Promise.all([
    // An attempt has no memory of its own.
    memory.load(folder, { ...definition, memory: null }, trust),
    ...definition.skills.map((name) => skills.load(folder, name, trust)),
  ])
  return digestOf([...loaded.map((skill) => skill?.body ?? null), ...files.map(({ text }) => text)])
}

const digestOf = (content: unknown): string =>
  createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 20)

/** The cases of a run. Fails with `no-cases`. */
export function chosenCases(
  all: readonly AgentCase[],
  { agent, files }: { readonly agent: string; readonly files: readonly string[] },
): Result<readonly AgentCase[]> {
  const own = all.filter((each) => each.agent === agent)
  const missing = files.find((file) => !all.some((each) => each.file === file))
  if (missing !== undefined)
    return fail({
      type: 'no-cases',
      message: `The case ${missing} is gone, or it has problems. See it in the Test bench.`,
    })
  const chosen = files.length === 0 ? own : all.filter(({ file }) => files.includes(file))
  return chosen.length > 0
    ? ok(chosen)
    : fail({
        type: 'no-cases',
        message: `There is no case for ${agent}. Make one first, such as from a conversation with it.`,
      })
}

interface Costs {
  readonly usd: number | null
  readonly ms: number | null
}

/** What one attempt costs on average, by what is known: of this case with this model, or else of the model. */
export function expectedCosts(
  attempts: Iterable<CaseAttempt>,
  modelOf: (versionId: string) => string | undefined,
): (caseFile: string, model: string) => Costs {
  const known = [...attempts].filter(
    ({ state, key }) => (state === 'passed' || state === 'failed') && !key.startsWith(PLAYED),
  )
  const byModel = grouped(known, ({ versionId }) => modelOf(versionId) ?? '')
  return (caseFile, model) => {
    const ofModel = byModel.get(model) ?? []
    const ofCase = ofModel.filter((attempt) => attempt.caseFile === caseFile)
    const used = ofCase.length > 0 ? ofCase : ofModel
    const priced = used.flatMap(({ usd }) => (usd === null ? [] : [usd]))
    return { usd: meanOf(priced), ms: meanOf(used.map(({ ms }) => ms)) }
  }
}

const meanOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length

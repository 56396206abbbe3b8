/** `troupe agents test`: runs the cases of agents, one agent after another, and prints what passed. */
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { relative, resolve, sep } from 'node:path'
import type {
  AgentTestsSnapshot,
  CaseAttempt,
  TestRun,
  VersionRef,
} from '../../../shared/agent-tests/agent-tests.ts'
import { createGrid, type Grid } from '../../../shared/agent-tests/grid.ts'
import { resultsJunit } from '../../../shared/agent-tests/results-junit.ts'
import { fail, messageOf, ok, type Result, sentence } from '../../../shared/kernel/result.ts'
import { splitModel } from '../../../shared/models/model-provider.ts'
import { type CommandLineRoot, type ComposedRun, compose } from '../../command-line.ts'
import { folderAt } from '../../platform/command-line/given-paths.ts'
import { complain, EXIT, jsonLine, outputs } from '../../platform/command-line/terminal.ts'
import { interruptible, prepareStart } from '../run/start-run.ts'
import { createTestProgress, failureLines, gridLines, progressOutput } from './test-lines.ts'

export interface TestOptions {
  readonly names: readonly string[]
  readonly case: readonly string[]
  readonly attempts: number
  readonly version: readonly string[]
  readonly model: readonly string[]
  readonly compare: boolean
  readonly maxUsd: number | null
  readonly stopWhenClear: boolean
  readonly fresh: boolean
  readonly junit: string | null
  readonly init: boolean
  readonly cwd: string | null
  readonly trust: boolean
  readonly rehearsal: boolean
  readonly scenario: string | null
  readonly json: boolean
}

/** @returns the exit code */
export async function testAgents(root: CommandLineRoot, options: TestOptions): Promise<number> {
  const found = folderAt(options.cwd ?? '.')
  if (!found.ok) return complain(found.failure.message, EXIT.usage)
  const folder = found.value
  const nothing = {
    permissionMode: null,
    rules: { allow: [], deny: [] },
    mcpConfig: [],
    agents: { json: null, files: [] },
  }
  const start = await prepareStart(root, { ...options, ...nothing, model: null })
  if (!start.ok) return complain(start.failure.message, EXIT.usage)
  const { access, composition } = start.value
  // A request must be seen to fail its attempt: without a user it would be denied, and the agent would go on.
  const composed = await compose(root, {
    ...composition,
    trusted: options.trust ? [folder] : [],
    attended: true,
  })
  return await interruptible(composed, async ({ signal }) => {
    const switched = await composed.program.switchAccess(access.with(composed.settings))
    if (!switched.ok) return complain(switched.failure.message, EXIT.usage)
    if (options.init) return await writeFirstCase(composed, folder, options.names[0] ?? '')
    return await runAgents({ composed, folder, options, signal, isKeyless: access.isKeyless })
  })
}

async function writeFirstCase({ program }: ComposedRun, folder: string, agent: string): Promise<number> {
  const known = await program.agentTests.versions.list({ folder, agent, draft: null })
  if (!known.ok) return complain(known.failure.message, EXIT.usage)
  const text = await program.handlers['agentTests.readCase']({ folder, agent, file: null })
  const saved = text.ok
    ? await program.handlers['agentTests.saveCase']({ folder, agent, file: null, text: text.value.text })
    : text
  if (!saved.ok) return complain(saved.failure.message, EXIT.failed)
  outputs().output.write(
    `${saved.value.file}\nSay in it what the agent is told and what must be true, then: troupe agents test ${agent}\n`,
  )
  return EXIT.done
}

interface Testing {
  readonly composed: ComposedRun
  readonly folder: string
  readonly options: TestOptions
  readonly signal: AbortSignal
  /** Whether there is no access to the main provider. */
  readonly isKeyless: boolean
}

/** A run that has ended, with what it consists of. */
interface Tested {
  readonly run: TestRun
  readonly attempts: readonly CaseAttempt[]
  readonly grid: Grid
}

async function runAgents(testing: Testing): Promise<number> {
  const { composed, folder, options, signal } = testing
  const { program } = composed
  const state = await program.agentTests.state(folder)
  if (state.refusal !== null)
    return complain(
      `${state.refusal}${program.policy.trusted(folder) ? '' : ' For this run: --trust.'}`,
      EXIT.usage,
    )
  const chosen = chosenAgents(state, testing)
  if (!chosen.ok)
    return complain(chosen.failure.message, chosen.failure.type === 'usage' ? EXIT.usage : EXIT.failed)
  const versions = await wantedVersions(options)
  if (!versions.ok) return complain(versions.failure.message, EXIT.usage)
  const tested: Tested[] = []
  let left = options.maxUsd
  for (const { agent, caseFiles } of chosen.value) {
    const one = await runAgent(testing, { agent, caseFiles, versions: versions.value, maxUsd: left }, state)
    if (!one.ok) return complain(one.failure.message, EXIT_OF[one.failure.type] ?? EXIT.failed)
    if (signal.aborted)
      return complain('Interrupted. The same command goes on with the rest.', EXIT.interrupted)
    tested.push(one.value)
    if (left !== null) left = Math.max(left - one.value.run.usd, 0.0001)
    print(one.value, options)
  }
  if (options.junit !== null) {
    const written = await writeJunit(resolve(options.junit), tested)
    if (!written.ok) return complain(written.failure.message, EXIT.failed)
  }
  const code = exitCode(tested, options)
  if (options.json)
    outputs(options).output.write(
      jsonLine({ type: 'result', ok: code === EXIT.done, runs: tested.map(({ run }) => withoutTexts(run)) }),
    )
  return code
}

const EXIT_OF: Readonly<Record<string, number>> = {
  'no-access': EXIT.noAccess,
  'not-found': EXIT.usage,
  'no-cases': EXIT.usage,
  'no-price': EXIT.usage,
  unreadable: EXIT.usage,
}

interface ChosenAgent {
  readonly agent: string
  /** Empty: all its cases. */
  readonly caseFiles: readonly string[]
}

/** Fails with `usage`, or with `problems` where a case that would be run can't be read. */
function chosenAgents(
  { cases, problems }: AgentTestsSnapshot,
  { folder, options }: Testing,
): Result<readonly ChosenAgent[]> {
  const files = options.case.map((file) => relative(folder, resolve(folder, file)).split(sep).join('/'))
  const named = options.names.map(
    (name) => cases.find(({ agent }) => agent.toLowerCase() === name.toLowerCase())?.agent ?? name,
  )
  const isMeant = (file: string) =>
    files.length > 0
      ? files.includes(file)
      : named.length === 0 || named.includes(file.split('/').at(-2) ?? '')
  const wrong = problems.filter(({ file }) => isMeant(file))
  if (wrong.length > 0)
    return fail({
      type: 'problems',
      message: wrong
        .map(({ file, line, message }) => `${file}${line === null ? '' : `:${line}`}: ${message}`)
        .join('\n'),
    })
  const unknown = files.find((file) => !cases.some((each) => each.file === file))
  if (unknown !== undefined) return fail({ type: 'usage', message: `There is no case ${unknown}.` })
  const agents =
    named.length > 0
      ? named
      : [...new Set(cases.filter(({ file }) => isMeant(file)).map(({ agent }) => agent))]
  return agents.length === 0
    ? fail({
        type: 'usage',
        message: 'No agent has a case here. To begin with one: troupe agents test NAME --init',
      })
    : ok(
        agents.map((agent) => ({
          agent,
          caseFiles: files.filter((file) => cases.some((each) => each.file === file && each.agent === agent)),
        })),
      )
}

/** Each version with each model. */
async function wantedVersions(options: TestOptions): Promise<Result<readonly VersionRef[]>> {
  const given = options.version.length > 0 ? options.version : ['in-use']
  const bases: VersionRef['base'][] = []
  for (const text of given) {
    const base = await baseOf(text)
    if (!base.ok) return base
    bases.push(base.value)
  }
  const models = options.model.length > 0 ? options.model : [null]
  const refs = bases.flatMap((base) =>
    models.map((model): VersionRef => ({ base, model, effort: null, skill: null })),
  )
  const inUse: VersionRef = { base: { type: 'in-use' }, model: null, effort: null, skill: null }
  const isThere = refs.some((ref) => JSON.stringify(ref) === JSON.stringify(inUse))
  return ok(options.compare && !isThere ? [inUse, ...refs] : refs)
}

/** A file that exists, or a commit: `origin/main` is one, too. */
async function baseOf(text: string): Promise<Result<VersionRef['base']>> {
  if (text === 'in-use') return ok({ type: 'in-use' })
  const file = resolve(text)
  if (!existsSync(file) && !text.endsWith('.md')) return ok({ type: 'commit', commit: text })
  try {
    return ok({ type: 'draft', text: await readFile(file, 'utf8') })
  } catch (thrown) {
    return fail({ type: 'usage', message: `--version ${text}: ${sentence(messageOf(thrown))}` })
  }
}

async function runAgent(
  { composed: { program, settings }, folder, options, signal, isKeyless }: Testing,
  wanted: ChosenAgent & { readonly versions: readonly VersionRef[]; readonly maxUsd: number | null },
  { cases }: AgentTestsSnapshot,
): Promise<Result<Tested>> {
  const { agentTests } = program
  const resolved = await agentTests.versions.resolve({ folder, ...wanted })
  if (!resolved.ok) return resolved
  const needsAccess = resolved.value.some(
    ({ definition, model }) =>
      definition.program === undefined && splitModel(model || settings.model).provider === null,
  )
  if (isKeyless && needsAccess)
    return fail({
      type: 'no-access',
      message: 'No access to a model. Set ANTHROPIC_API_KEY, or add --rehearsal.',
    })
  const begun = await agentTests.begin({
    ...{ folder, ...wanted, attempts: options.attempts },
    ...{ stopsWhenClear: options.stopWhenClear, isFresh: options.fresh },
  })
  if (!begun.ok) return begun
  const { runId } = begun.value
  const { output } = outputs(options)
  const progress = createTestProgress(progressOutput(), { cases, versions: resolved.value })
  const stopWatching = agentTests.runs.watch(({ attempts }) => {
    if (!options.json) return progress.show(attempts)
    for (const attempt of attempts)
      if (ENDED.has(attempt.state)) output.write(jsonLine({ type: 'attempt', ...attempt }))
  })
  const stop = () => void agentTests.close()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  await agentTests.runs.ended(runId)
  signal.removeEventListener('abort', stop)
  stopWatching()
  progress.end()
  const { runs } = await agentTests.runs.results(folder)
  const run = runs.find(({ id }) => id === runId)
  if (run === undefined) return fail({ type: 'bug', message: 'The run is gone.' })
  const attempts = agentTests.runs.attemptsOf(runId)
  const ran = cases.filter(({ file }) => run.caseFiles.includes(file))
  return ok({ run, attempts, grid: createGrid({ cases: ran, versions: run.versions, attempts }) })
}

const ENDED: ReadonlySet<string> = new Set(['passed', 'failed', 'broken', 'stopped'])

function print({ run, attempts, grid }: Tested, options: TestOptions): void {
  if (options.json) return
  const { output, errors } = outputs(options)
  for (const line of [...gridLines(run, grid), ...failureLines(run, grid, attempts)])
    output.write(`${line}\n`)
  if (run.because !== null) errors.write(`troupe: ${run.because}\n`)
}

const withoutTexts = (run: TestRun) => ({
  ...run,
  versions: run.versions.map(({ text: _, ref: __, ...version }) => version),
})

/** Broken and stopped attempts fail the command, because something could not be measured. */
function exitCode(tested: readonly Tested[], { compare }: TestOptions): number {
  if (tested.some(({ run }) => run.state === 'stopped')) return EXIT.limit
  const isBad = ({ attempts, grid }: Tested): boolean => {
    if (attempts.some(({ state }) => state === 'broken' || state === 'stopped')) return true
    return compare
      ? grid.rows.some(({ cells }) => cells.some(({ judgment }) => judgment === 'worse')) ||
          grid.totals.some(({ judgment }) => judgment === 'worse')
      : attempts.some(({ state }) => state === 'failed')
  }
  return tested.some(isBad) ? EXIT.failed : EXIT.done
}

/** One file for all agents. */
async function writeJunit(file: string, tested: readonly Tested[]): Promise<Result<void>> {
  const suites = tested.map(({ run, attempts, grid }) => {
    const cases = grid.rows.map((row) => row.case)
    const text = resultsJunit({
      cases,
      versions: run.versions,
      attempts,
      agent: run.agent,
      startedAt: run.startedAt,
    })
    return text.slice(text.indexOf(OPEN) + OPEN.length, text.lastIndexOf('</testsuites>'))
  })
  try {
    await writeFile(file, `<?xml version="1.0" encoding="UTF-8"?>\n${OPEN}${suites.join('')}</testsuites>\n`)
    return ok(undefined)
  } catch (thrown) {
    return fail({ type: 'io', message: `The results were not written to ${file}: ${messageOf(thrown)}` })
  }
}

const OPEN = '<testsuites>'

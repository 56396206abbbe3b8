/** The commands of the command line that work with a model: their access, their program, and its end. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { ModelAccess } from '../../../shared/models/model-access.ts'
import { splitModel } from '../../../shared/models/model-provider.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import {
  type CommandLineRoot,
  type ComposedRun,
  type Composition,
  compose,
  type RunSettings,
} from '../../command-line.ts'
import { folderAt, missingFile } from '../../platform/command-line/given-paths.ts'
import { complain, EXIT, outputs } from '../../platform/command-line/terminal.ts'
import { realFolderOf } from '../../platform/system/real-folder.ts'
import type { RunCommandContext, RunOptions } from './begin-run.ts'
import type { BestOptions } from './best-command.ts'
import type { Goal } from './goal.ts'
import { createInterruption, type Interruption } from './interruption.ts'
import type { UnmergedBranch } from './run-outcome.ts'
import type { RunStartOptions, TaskOptions } from './run-rules.ts'

/** Carries out one task; without one, that of the recorded scenario. @returns the exit code */
export async function runTask(root: CommandLineRoot, given: RunOptions): Promise<number> {
  const task = given.scenario === null ? ok(given.task) : await recordedTask(root, given, given.scenario)
  if (!task.ok) return complain(task.failure.message, EXIT.usage)
  const goal = await goalOf(given)
  if (!goal.ok) return complain(goal.failure.message, EXIT.usage)
  const options = { ...given, task: task.value, goal: goal.value }
  const { agent } = options
  const isNew = options.resume === null && !options.continue
  const hasOwnModel = ({ mainAgent, coordinatorMode }: RunSettings): boolean =>
    agent !== null || (isNew && mainAgent !== null && !(options.coordinator ?? coordinatorMode))
  return await withModel(root, { ...options, hasOwnModel }, async (context, resume) => {
    const { carryOutRun } = await import('./run-command.ts')
    return await carryOutRun({ ...options, resume }, context)
  })
}

/** What the run must reach; null: nothing. Fails with a message for the user. */
async function goalOf({ until, outputSchema, maxRounds }: RunOptions): Promise<Result<Goal | null>> {
  if (until === null && outputSchema === null) return ok(null)
  const { USUAL_ROUNDS } = await import('./goal.ts')
  const rounds = maxRounds ?? USUAL_ROUNDS
  if (outputSchema === null) return ok({ until, schema: null, maxRounds: rounds })
  const { readReportSchema } = await import('./report-schema.ts')
  const schema = readReportSchema(outputSchema)
  return schema.ok ? ok({ until, schema: schema.value, maxRounds: rounds }) : schema
}

/** The given task, or that of the recording. Says when the recording was made at another commit. */
async function recordedTask(
  { given }: CommandLineRoot,
  { task, cwd }: RunOptions,
  scenario: string,
): Promise<Result<string>> {
  const text = await readFile(resolve(scenario), 'utf8').catch(() => null)
  // What is wrong with the file is said when it is played.
  if (text === null || task !== '') return ok(task)
  const [{ readScenario }, { createGit }, { commitOf }, { childEnvironment }] = await Promise.all([
    import('../rehearsal/scenario-schema.ts'),
    import('../../platform/git/git-client.ts'),
    import('../../platform/git/rev-parse.ts'),
    import('../../platform/shell/child-environment.ts'),
  ])
  const read = readScenario(text)
  if (!read.ok) return read
  const { task: recorded = '', commit } = read.value
  if (recorded.trim() === '')
    return fail({
      type: 'no-task',
      message: 'This scenario has no task of its own. Write one: troupe run TASK --scenario FILE',
    })
  const folder = folderAt(cwd ?? '.')
  if (commit !== undefined && folder.ok) {
    const git = createGit({ environment: childEnvironment(given.forChildren) })
    const now = await commitOf(git, folder.value, 'HEAD')
    if (now === null || !now.startsWith(commit))
      complain(
        `The scenario was recorded at commit ${commit}, and this folder is ${now === null ? 'no git repository' : `at ${now.slice(0, commit.length)}`}. Tool calls may differ.`,
        0,
      )
  }
  return ok(recorded)
}

/** Gives one task to several agents. @returns the exit code */
export function compareAgents(root: CommandLineRoot, options: BestOptions): Promise<number> {
  // Each agent may have a program or a model of its own.
  return withModel(root, { ...options, hasOwnModel: () => true }, async (context) => {
    const { bestCommand } = await import('./best-command.ts')
    return await bestCommand(options, context)
  })
}

interface WithModel
  extends TaskOptions,
    Partial<Pick<RunOptions, 'markFolder' | 'verify' | 'resume' | 'continue'>> {
  /** Whether the agent may have a model of its own, which needs no access. */
  readonly hasOwnModel: (settings: RunSettings) => boolean
}

/**
 * Composes the program, reaches the model, and does the work.
 * @param work with the id of the conversation or the agent that is resumed; null: none
 * @returns the exit code
 */
async function withModel(
  root: CommandLineRoot,
  options: WithModel,
  work: (context: RunCommandContext, resume: string | null) => Promise<number>,
): Promise<number> {
  const found = folderAt(options.cwd ?? '.')
  if (!found.ok) return complain(found.failure.message, EXIT.usage)
  const folder = found.value
  const start = await prepareStart(root, options)
  if (!start.ok) return complain(start.failure.message, EXIT.usage)
  const { access, composition } = start.value
  const { verify = false } = options
  // A conversation that is resumed by its id has its own folder.
  const ofRun = (options.resume ?? null) === null ? [folder] : []
  const composed = await compose(root, {
    ...composition,
    trusted: options.trust ? ofRun : [],
    marked: options.markFolder ? ofRun : [],
    verify,
  })
  const { program, settings } = composed
  void program.changes.clean()
  return await interruptible(composed, async (interruption) => {
    const newest = options.continue ? await newestIn(folder, program) : ok(options.resume ?? null)
    if (!newest.ok) return complain(newest.failure.message, EXIT.usage)
    const resume = newest.value
    // A model of a provider needs no access of its own.
    const model = program.models.resolve(options.model ?? settings.model)
    const needsAccess = async () => !options.hasOwnModel(settings) && !(await runsProgram(program, resume))
    if (access.isKeyless && splitModel(model).provider === null && (await needsAccess()))
      return complain(
        'No access to a model. Set ANTHROPIC_API_KEY, or add --rehearsal: then a script surveys the folder without a model.',
        EXIT.noAccess,
      )
    const switched = await program.switchAccess(access.with(settings))
    if (!switched.ok) return complain(switched.failure.message, EXIT.usage)
    const context = contextOf(options, { composed, folder, rehearsal: access.rehearsal, interruption })
    return await work(context, resume)
  })
}

/** The id of the folder's newest conversation. Fails with a message for the user. */
async function newestIn(folder: string, { runtime }: ComposedRun['program']): Promise<Result<string>> {
  const [newest] = (await runtime.conversations())
    .filter((one) => one.folder === folder && !one.scratch)
    .sort((a, b) => b.updatedAt - a.updatedAt)
  return newest === undefined
    ? fail({ type: 'usage', message: `${folder} has no conversation yet. Leave --continue out.` })
    : ok(newest.id)
}

/** Whether an external agent is the main agent of the conversation: it brings its own model. */
async function runsProgram({ store }: ComposedRun['program'], id: string | null): Promise<boolean> {
  if (id === null) return false
  const record = await store.read(id)
  if (!record.ok) return false
  const states = await store.states([record.value.mainAgentId])
  return states.ok && states.value[0]?.definition.program !== undefined
}

/** The access and the composition of a command. Fails with a message for the user. */
export async function prepareStart(
  root: CommandLineRoot,
  options: RunStartOptions,
): Promise<
  Result<{
    readonly access: ReturnType<typeof accessOf>
    readonly composition: Composition
  }>
> {
  const mcpConfig = options.mcpConfig.map((file) => resolve(file))
  const missing = missingFile(options.agents) ?? mcpConfig.find((file) => !existsSync(file)) ?? null
  if (missing !== null) return fail({ type: 'no-file', message: `File not found: ${missing}` })
  const { wrongRule } = await import('./run-rules.ts')
  const wrong = wrongRule(options.rules)
  if (wrong !== null) return fail({ type: 'wrong-rule', message: wrong })
  const access = accessOf(root, options)
  const { rules, agents } = options
  const scenarioFile = options.rehearsal ? null : access.scenarioFile
  return ok({ access, composition: { rules, mcpConfig, scenarioFile, agents } })
}

/** How a run reaches a model, by its options and the environment. */
function accessOf({ given, userSettings }: CommandLineRoot, options: RunStartOptions) {
  const scenarioFile = options.scenario === null ? given.rehearsal.scenarioFile : resolve(options.scenario)
  const rehearsal = options.rehearsal || scenarioFile !== null
  const { key, authToken, baseUrl } = given.api
  const isKeyless = !rehearsal && key === null && authToken === null && userSettings.apiKeyHelper === null
  return {
    scenarioFile,
    rehearsal,
    isKeyless,
    with: (settings: Pick<Settings, 'baseUrl'>): ModelAccess =>
      rehearsal
        ? { kind: 'rehearsal' }
        : isKeyless
          ? { kind: 'none' }
          : { kind: 'api', key, authToken, baseUrl: baseUrl ?? settings.baseUrl },
  }
}

/** Closes the program when the work has ended, or was interrupted. */
export async function interruptible(
  { program }: ComposedRun,
  work: (interruption: Interruption) => Promise<number>,
): Promise<number> {
  const interruption = createInterruption({
    process,
    endNow: program.endNow,
    say: (text) => complain(text, 0),
  })
  try {
    return await work(interruption)
  } finally {
    await program.close()
    interruption.over()
  }
}

function contextOf(
  options: Pick<RunOptions, 'json'>,
  {
    composed: { program, settings },
    folder,
    rehearsal,
    interruption,
  }: {
    readonly composed: ComposedRun
    readonly folder: string
    readonly rehearsal: boolean
    readonly interruption: Interruption
  },
): RunCommandContext {
  const { output, errors } = outputs(options)
  return {
    runtime: program.runtime,
    slash: program.slash,
    folder,
    permissionMode: settings.permissionMode,
    isTrusted: program.policy.trusted,
    trust: (path) => settings.trustedFolders.push(realFolderOf(path) ?? path),
    mark: (path) => settings.bypassFolders.push(path),
    rehearsal,
    interrupted: interruption.signal,
    now: program.now,
    unmerged: (conversationId) => unmergedOf(conversationId, program),
    output,
    errors: {
      isTTY: process.stderr.isTTY === true,
      size: () => ({ columns: process.stderr.columns ?? 100, rows: process.stderr.rows ?? 24 }),
      write: errors.write,
      moveUp: (lines) => process.stderr.write(`\u001b[${lines}A\u001b[J`),
    },
  }
}

async function unmergedOf(
  conversationId: string,
  { runtime, review }: ComposedRun['program'],
): Promise<readonly UnmergedBranch[]> {
  const snapshot = await runtime.snapshot(conversationId)
  if (!snapshot.ok || !snapshot.value.agents.some(({ worktree }) => worktree?.own)) return []
  const { worktrees } = await review.list(snapshot.value.record.folder, { thorough: false })
  return worktrees
    .filter((one) => one.conversationId === conversationId && one.state === 'ready')
    .map(({ branch, agentId }) => ({ branch, agentId }))
}

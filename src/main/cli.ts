/**
 * The command line's composition root: `troupe …` without a window. Each command loads only what it needs, so
 * that its first request leaves early.
 */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ModelAccess } from '../shared/model-access.ts'
import { withProbe } from '../shared/model-probe.ts'
import { splitModel } from '../shared/model-provider.ts'
import type { Settings } from '../shared/settings.ts'
import type { SettingsStore } from './adapters/settings/settings-store.ts'
import { readUserSettings } from './adapters/settings/user-settings.ts'
import { eraseVariables } from './adapters/system/erase-variables.ts'
import { realFolderOf } from './adapters/system/real-folder.ts'
import type { WorkerProgram } from './adapters/workers/launch-worker.ts'
import type { WorkerCommandArguments } from './cli-workers.ts'
import type { AcpArguments } from './command-line/acp/parse-acp.ts'
import { askLine } from './command-line/ask-line.ts'
import { dataFolderOf } from './command-line/data-folder.ts'
import { folderAt, missingFile } from './command-line/given-paths.ts'
import { createInterruption, type Interruption } from './command-line/interruption.ts'
import type { AgentsArguments, GivenAgents, ReadFilesOptions } from './command-line/parse-agents.ts'
import type { Arguments, RunOptions, WindowArguments } from './command-line/parse-arguments.ts'
import { parseArguments } from './command-line/parse-arguments.ts'
import type { ChangesArguments } from './command-line/parse-changes.ts'
import type { HooksArguments } from './command-line/parse-hooks.ts'
import type { McpArguments } from './command-line/parse-mcp.ts'
import type { ModelsArguments } from './command-line/parse-models.ts'
import type { PermissionsArguments } from './command-line/parse-permissions.ts'
import type { PluginsArguments } from './command-line/parse-plugins.ts'
import type { TrustArguments } from './command-line/parse-trust.ts'
import type { WorktreesArguments } from './command-line/parse-worktrees.ts'
import type { RunRules } from './command-line/run-rules.ts'
import { jsonOutput, type TextOutput, textOutput } from './command-line/safe-output.ts'
import { EXIT, USAGE } from './command-line/usage.ts'
import type { ComposeForJob } from './command-line/worker-command.ts'
import type { ComposedRuntime } from './compose-runtime.ts'
import { KEY_READABLE, KEY_VARIABLES, readEnvironment, withVariables } from './environment.ts'
import { eraseProviderKeys } from './erase-provider-keys.ts'

const ofProcess = readEnvironment(process.env)
const isKeyErased = eraseVariables(KEY_VARIABLES)
const home = homedir()
const dataFolder =
  ofProcess.dataFolder === null
    ? dataFolderOf({ platform: process.platform, home, environment: process.env })
    : resolve(ofProcess.dataFolder)
const userSettings = readUserSettings({ dataFolder, home })
const given = withVariables(ofProcess, userSettings.env)
/** The folder that holds `agents/` and package.json, above `src/main` or `out`. */
const programFolder = above(dirname(fileURLToPath(import.meta.url)))
const errors = textOutput(process.stderr)

process.on('uncaughtException', (thrown) => {
  process.exit(complain(thrown.stack ?? thrown.message, EXIT.failed))
})
void main()

async function main(): Promise<void> {
  // The exit code if the event loop runs empty before the command has ended.
  process.exitCode = EXIT.failed
  if (!isKeyErased) complain(KEY_READABLE, 0)
  const parsed = parseArguments(process.argv.slice(2))
  process.exitCode = parsed.ok
    ? await perform(parsed.value)
    : complain(`${oneLine(parsed.failure.message)} Options: troupe --help`, EXIT.usage)
}

async function perform(command: Arguments): Promise<number> {
  if (!existsSync(join(programFolder, 'agents')))
    return complain(
      'The folders agents and docs and the file package.json are missing above cli.mjs. Copy them together with out/cli.mjs, out/cli-main.cjs, out/documents.cjs and node_modules/@vscode.',
      EXIT.failed,
    )
  switch (command.verb) {
    case 'help':
      output().write(`${USAGE}\n`)
      return EXIT.done
    case 'version':
      output().write(`${await version()}\n`)
      return EXIT.done
    case 'window':
      return window(command)
    case 'run':
      return run(command)
    case 'acp':
      return acp(command)
    case 'agents-read':
      return read(command)
    case 'agents-list':
    case 'agents-lint':
    case 'agents-explain':
    case 'agents-approve':
      return agents(command)
    case 'conversations-list':
    case 'conversations-show':
    case 'context':
      return conversations(command)
    case 'worker':
    case 'worker-connect':
    case 'worker-key':
    case 'worker-trust':
    case 'nats-setup':
      return workers(command)
    case 'worktrees-list':
    case 'worktrees-merge':
    case 'worktrees-discard':
    case 'worktrees-undo-discard':
    case 'worktrees-gc':
      return worktrees(command)
    case 'changes-list':
    case 'changes-revert':
    case 'changes-redo':
      return changes(command)
    case 'hooks-list':
    case 'hooks-test':
    case 'hooks-approve':
    case 'hooks-refuse':
      return hooks(command)
    case 'mcp-list':
    case 'mcp-test':
    case 'mcp-approve':
    case 'mcp-refuse':
    case 'mcp-add':
    case 'mcp-remove':
      return mcp(command)
    case 'models-list':
    case 'models-probe':
      return models(command)
    case 'plugins-list':
    case 'plugins-add':
    case 'plugins-enable':
    case 'plugins-disable':
    case 'plugins-remove':
    case 'plugins-update':
      return plugins(command)
    case 'trust-list':
    case 'trust-add':
    case 'trust-revoke':
      return trust(command)
    case 'permissions-explain':
    case 'permissions-list':
      return permissions(command)
  }
}

/** Opens the window with the checkout's start script, and ends with the window. */
async function window({ folder: path, rules, mcpConfig }: WindowArguments): Promise<number> {
  const found = path === null ? null : folderAt(path)
  if (found !== null && !found.ok) return complain(found.failure.message, EXIT.usage)
  const folder = found?.value ?? null
  const { wrongStart } = await import('./command-line/run-rules.ts')
  const start = { rules, mcpConfig: mcpConfig.map((file) => resolve(file)) }
  const wrong = wrongStart(start)
  if (wrong !== null) return complain(wrong, EXIT.usage)
  const script = join(programFolder, 'scripts', 'run.mjs')
  if (!existsSync(script))
    return complain('There is no window here: start the Troupe app, and open the folder there.', EXIT.usage)
  const { openWindow } = await import('./command-line/open-window.ts')
  const closed = await openWindow(script, { folder, ...start, keys: given.api, environment: process.env })
  return closed.ok ? closed.value : complain(closed.failure.message, EXIT.failed)
}

async function run(options: RunOptions): Promise<number> {
  const found = folderAt(options.cwd ?? '.')
  if (!found.ok) return complain(found.failure.message, EXIT.usage)
  const folder = found.value
  const mcpConfig = options.mcpConfig.map((file) => resolve(file))
  const missing = missingFile(options.agents) ?? mcpConfig.find((file) => !existsSync(file)) ?? null
  if (missing !== null) return complain(`File not found: ${missing}`, EXIT.usage)
  const { scenarioFile, rehearsal, isKeyless, accessWith } = accessOf(options)

  const { wrongRule } = await import('./command-line/run-rules.ts')
  const wrong = wrongRule(options.rules)
  if (wrong !== null) return complain(wrong, EXIT.usage)

  // A resumed conversation has its own folder.
  const ofRun = options.resume === null ? [folder] : []
  const { program, settings } = await compose({
    trusted: options.trust ? ofRun : [],
    marked: options.markFolder ? ofRun : [],
    rules: options.rules,
    mcpConfig,
    scenarioFile: options.rehearsal ? null : scenarioFile,
    agents: options.agents,
    verify: options.verify,
  })
  void program.changes.clean()
  const interruption = createInterruption({
    process,
    endNow: program.endNow,
    say: (text) => complain(text, 0),
  })
  try {
    // A model of a provider needs no access of its own.
    const model = program.models.resolve(options.model ?? settings.model)
    if (isKeyless && options.agent === null && splitModel(model).provider === null)
      return complain(
        'No access to a model. Set ANTHROPIC_API_KEY, or add --rehearsal: then a script surveys the folder without a model.',
        EXIT.noAccess,
      )
    const switched = await program.switchAccess(accessWith(settings))
    if (!switched.ok) return complain(switched.failure.message, EXIT.usage)
    return await runTask(options, { program, settings, folder, rehearsal, interruption })
  } finally {
    await program.close()
    interruption.over()
  }
}

/** Serves an editor until it is gone. Standard output carries only the protocol. */
async function acp(options: AcpArguments): Promise<number> {
  const mcpConfig = options.mcpConfig.map((file) => resolve(file))
  const missing = missingFile(options.agents) ?? mcpConfig.find((file) => !existsSync(file)) ?? null
  if (missing !== null) return complain(`File not found: ${missing}`, EXIT.usage)
  const { wrongRule } = await import('./command-line/run-rules.ts')
  const wrong = wrongRule(options.rules)
  if (wrong !== null) return complain(wrong, EXIT.usage)
  const { scenarioFile, rehearsal, isKeyless, accessWith } = accessOf(options)
  const ofEditor = new Map<string, Readonly<Record<string, object>>>()
  const { program, settings } = await compose({
    trusted: [],
    rules: options.rules,
    mcpConfig,
    mcpServersOf: (folder) => ofEditor.get(folder) ?? {},
    scenarioFile: options.rehearsal ? null : scenarioFile,
    agents: options.agents,
    attended: true,
  })
  const interruption = createInterruption({
    process,
    endNow: program.endNow,
    say: (text) => complain(text, 0),
  })
  try {
    const switched = await program.switchAccess(accessWith(settings))
    if (!switched.ok) return complain(switched.failure.message, EXIT.usage)
    const { serveEditor } = await import('./command-line/acp/serve-editor.ts')
    await serveEditor(options, {
      program,
      settings,
      rehearsal,
      isKeyless,
      ofEditor,
      version: await version(),
      interrupted: interruption.signal,
      complain: (message) => complain(message, 0),
    })
    return interruption.signal.aborted ? EXIT.interrupted : EXIT.done
  } finally {
    await program.close()
    interruption.over()
    // An editor that only ended its side would keep the program alive.
    process.stdin.destroy()
  }
}

/** How a run reaches a model, by its options and the environment. */
function accessOf(options: { readonly rehearsal: boolean; readonly scenario: string | null }) {
  const scenarioFile = options.scenario === null ? given.rehearsal.scenarioFile : resolve(options.scenario)
  const rehearsal = options.rehearsal || scenarioFile !== null
  const { key, authToken, baseUrl } = given.api
  const isKeyless = !rehearsal && key === null && authToken === null && userSettings.apiKeyHelper === null
  const accessWith = (settings: Pick<Settings, 'baseUrl'>): ModelAccess =>
    rehearsal
      ? { kind: 'rehearsal' }
      : isKeyless
        ? { kind: 'none' }
        : { kind: 'api', key, authToken, baseUrl: baseUrl ?? settings.baseUrl }
  return { scenarioFile, rehearsal, isKeyless, accessWith }
}

/** Does not load the runtime, because scripts call this for thousands of files. */
async function read(options: ReadFilesOptions): Promise<number> {
  endWithReader()
  const { agentsRead } = await import('./command-line/agents-read.ts')
  return await agentsRead(options, {
    cwd: process.cwd(),
    input: process.stdin,
    output: output(options),
    errors,
  })
}

/** A closed pipe (`troupe … | head`) ends the program silently; any other write error is reported. */
function endWithReader(): void {
  process.stdout.on('error', (failure: NodeJS.ErrnoException) => {
    if (failure.code === 'EPIPE') process.exit(EXIT.done)
    process.exit(complain(`The output could not be written: ${failure.message}`, EXIT.failed))
  })
}

interface Running {
  readonly program: ComposedRuntime
  readonly settings: MutableSettings
  readonly folder: string
  readonly rehearsal: boolean
  readonly interruption: Interruption
}

async function runTask(options: RunOptions, { program, settings, folder, rehearsal, interruption }: Running) {
  const { runCommand } = await import('./command-line/run-command.ts')
  return await runCommand(options, {
    runtime: program.runtime,
    slash: program.slash,
    folder,
    model: settings.model,
    permissionMode: settings.permissionMode,
    coordinator: settings.coordinatorMode,
    isTrusted: program.policy.trusted,
    trust: (path) => settings.trustedFolders.push(realFolderOf(path) ?? path),
    mark: (path) => settings.bypassFolders.push(path),
    rehearsal,
    interrupted: interruption.signal,
    output: output(options),
    errors: {
      isTTY: process.stderr.isTTY === true,
      size: () => ({ columns: process.stderr.columns ?? 100, rows: process.stderr.rows ?? 24 }),
      write: errors.write,
      moveUp: (lines) => process.stderr.write(`\u001b[${lines}A\u001b[J`),
    },
  })
}

async function agents(command: Exclude<AgentsArguments, ReadFilesOptions>): Promise<number> {
  endWithReader()
  const found = folderAt(command.cwd ?? '.')
  if (!found.ok) return complain(found.failure.message, EXIT.usage)
  const folder = found.value
  const given = command.verb === 'agents-approve' ? null : command.agents
  const missing = given && missingFile(given)
  if (missing !== null) return complain(`File not found: ${missing}`, EXIT.usage)
  const { program, settings } = await compose({
    trusted: command.trust ? [folder] : [],
    scenarioFile: null,
    ...(given && { agents: given }),
  })
  try {
    const trusted = program.policy.trusted(folder)
    const skills = await program.skills.list(folder, { trusted })
    const known = { tools: program.toolNames(), skills: skills.map(({ name }) => name), servers: [] }
    const around = {
      definitions: program.definitions,
      folder,
      trusted,
      cwd: process.cwd(),
      output: output(command),
      errors,
    }
    switch (command.verb) {
      case 'agents-list': {
        const { agentsList } = await import('./command-line/agents-list.ts')
        return await agentsList(command, around)
      }
      case 'agents-lint': {
        const { agentsLint } = await import('./command-line/agents-lint.ts')
        const { files, definitionFiles } = program
        return await agentsLint(command, { ...around, known, files, definitionFiles })
      }
      case 'agents-approve': {
        const { agentsApprove } = await import('./command-line/agents-approve.ts')
        return await agentsApprove(command, { ...around, definitionFiles: program.definitionFiles })
      }
      case 'agents-explain': {
        const { agentsExplain } = await import('./command-line/agents-explain.ts')
        const facts = {
          known,
          resolveModel: program.models.resolve,
          defaultModel: settings.model,
          userMode: settings.permissionMode,
        }
        return await agentsExplain(command, { ...around, facts })
      }
    }
  } finally {
    await program.close()
  }
}

async function conversations(
  command: Extract<Arguments, { verb: 'conversations-list' | 'conversations-show' | 'context' }>,
): Promise<number> {
  endWithReader()
  const { program } = await compose({ trusted: [], scenarioFile: null })
  try {
    const { runtime, store } = program
    if (command.verb === 'context') {
      const { contextCommand } = await import('./command-line/context.ts')
      return await contextCommand(command, { runtime, output: output(command), errors })
    }
    const around = { runtime, store, json: command.json, output: output(command), errors }
    const { conversationsList, conversationsShow } = await import('./command-line/conversations.ts')
    return command.verb === 'conversations-list'
      ? await conversationsList(around)
      : await conversationsShow(command.id, around)
  } finally {
    await program.close()
  }
}

async function worktrees(command: WorktreesArguments): Promise<number> {
  endWithReader()
  const found = folderAt(command.cwd ?? '.')
  if (!found.ok) return complain(found.failure.message, EXIT.usage)
  const folder = found.value
  const { program } = await compose({
    trusted: command.trust ? [folder] : [],
    scenarioFile: null,
  })
  try {
    const { worktrees } = await import('./command-line/worktrees.ts')
    return await worktrees(command, {
      review: program.review,
      folder,
      trusted: program.policy.trusted(folder),
      now: Date.now(),
      output: output(command),
      errors,
      ask: process.stdin.isTTY === true && process.stderr.isTTY === true && !command.json ? askLine : null,
    })
  } finally {
    await program.close()
  }
}

async function changes(command: ChangesArguments): Promise<number> {
  endWithReader()
  const { program } = await compose({ trusted: [], scenarioFile: null })
  try {
    const { changesCommand } = await import('./command-line/changes.ts')
    return await changesCommand(command, {
      changes: program.changes,
      cwd: process.cwd(),
      output: output(command),
      errors,
      ask: process.stdin.isTTY === true && process.stderr.isTTY === true ? askLine : null,
    })
  } finally {
    await program.close()
  }
}

async function mcp(command: McpArguments): Promise<number> {
  endWithReader()
  const found = folderAt(command.cwd ?? '.')
  if (!found.ok) return complain(found.failure.message, EXIT.usage)
  const folder = found.value
  const { program } = await compose({ trusted: command.trust ? [folder] : [], scenarioFile: null })
  try {
    const { mcpCommand } = await import('./command-line/mcp.ts')
    return await mcpCommand(command, {
      servers: program.mcp,
      folder,
      trusted: program.policy.trusted(folder),
      output: output(command),
      errors,
    })
  } finally {
    await program.close()
  }
}

async function models(command: ModelsArguments): Promise<number> {
  endWithReader()
  const { program, settings, change } = await compose({ trusted: [], scenarioFile: null })
  try {
    const { modelsCommand } = await import('./command-line/models.ts')
    const { key, authToken, baseUrl } = given.api
    await program.switchAccess(
      key === null && authToken === null && userSettings.apiKeyHelper === null
        ? { kind: 'none' }
        : { kind: 'api', key, authToken, baseUrl: baseUrl ?? settings.baseUrl },
    )
    return await modelsCommand(command, {
      providers: settings.providers,
      defaultModel: settings.model,
      probe: program.probeModel,
      keep: async (probe) => {
        const providers = withProbe(settings.providers, probe)
        return providers && change({ providers })
      },
      output: output(command),
      errors,
    })
  } finally {
    await program.close()
  }
}

async function hooks(command: HooksArguments): Promise<number> {
  endWithReader()
  const found = folderAt(command.cwd ?? '.')
  if (!found.ok) return complain(found.failure.message, EXIT.usage)
  const folder = found.value
  const { program } = await compose({ trusted: command.trust ? [folder] : [], scenarioFile: null })
  try {
    const { hooksCommand } = await import('./command-line/hooks.ts')
    return await hooksCommand(command, {
      hooks: program.hooks,
      folder,
      trusted: program.policy.trusted(folder),
      output: output(command),
      errors,
    })
  } finally {
    await program.close()
  }
}

async function trust(command: TrustArguments): Promise<number> {
  endWithReader()
  const path = command.verb === 'trust-list' ? '.' : (command.folder ?? '.')
  const found = folderAt(path)
  // A folder that is gone can lose its trust.
  if (!found.ok && command.verb === 'trust-add') return complain(found.failure.message, EXIT.usage)
  const { program, settings, change } = await compose({ trusted: [], scenarioFile: null })
  try {
    const { trustCommand } = await import('./command-line/trust.ts')
    return await trustCommand(command, {
      folders: settings.trustedFolders,
      folder: found.ok ? found.value : resolve(path),
      isTrusted: program.policy.trusted,
      save: (trustedFolders) => change({ trustedFolders: [...trustedFolders] }),
      approveAll: program.definitionFiles.approveAll,
      output: output(command),
      errors,
    })
  } finally {
    await program.close()
  }
}

async function permissions(command: PermissionsArguments): Promise<number> {
  endWithReader()
  const found = folderAt(command.cwd ?? '.')
  if (!found.ok) return complain(found.failure.message, EXIT.usage)
  const folder = found.value
  const { wrongRule } = await import('./command-line/run-rules.ts')
  const wrong = wrongRule(command.rules)
  if (wrong !== null) return complain(wrong, EXIT.usage)
  const explains = command.verb === 'permissions-explain'
  const { program, settings } = await compose({
    trusted: command.trust ? [folder] : [],
    rules: command.rules,
    scenarioFile: null,
    ...(explains && { agents: command.agents }),
  })
  try {
    const { rules, policy, layered, settingsFiles } = program
    if (!explains) {
      const { permissionsList } = await import('./command-line/permissions-list.ts')
      const { problems } = await layered.permissions(folder)
      const trusted = policy.trusted(folder)
      return permissionsList(command, {
        rules: await rules.of(folder),
        problems,
        trusted,
        output: output(command),
      })
    }
    const { permissionsExplain } = await import('./command-line/permissions-explain.ts')
    return await permissionsExplain(command, {
      folder,
      errors,
      testCall: settingsFiles.testCall,
      userMode: settings.permissionMode,
      output: output(command),
    })
  } finally {
    await program.close()
  }
}

async function plugins(command: PluginsArguments): Promise<number> {
  endWithReader()
  const [
    { createInstalledPlugins },
    { createSettingsStore },
    { createGit },
    { childEnvironment },
    { pluginsCommand },
  ] = await Promise.all([
    import('./adapters/plugins/installed-plugins.ts'),
    import('./adapters/settings/settings-store.ts'),
    import('./adapters/git/git-client.ts'),
    import('./adapters/shell/child-environment.ts'),
    import('./command-line/plugins.ts'),
  ])
  const settings = createSettingsStore({ file: join(dataFolder, 'settings.json'), now: Date.now })
  try {
    for (const problem of await settings.load()) complain(problem, 0)
    const git = createGit({ environment: childEnvironment(given.forChildren) })
    const { turnedOffPlugins: turnedOff } = userSettings
    const installed = createInstalledPlugins({ dataFolder, settings, git, turnedOff })
    return await pluginsCommand(command, { plugins: installed, output: output(command), errors })
  } finally {
    settings.close()
  }
}

async function workers(command: WorkerCommandArguments): Promise<number> {
  const { performWorkerCommand } = await import('./cli-workers.ts')
  return await performWorkerCommand(command, {
    dataFolder,
    home,
    given,
    version,
    compose: async (options) => (await compose(options)).program,
    output: output(),
    complain,
    endWithReader,
  })
}

type MutableSettings = Omit<Settings, 'trustedFolders' | 'bypassFolders'> & {
  readonly trustedFolders: string[]
  readonly bypassFolders: string[]
}

interface Composition {
  /** Folders to trust for this run, in addition to those of the settings. */
  readonly trusted: readonly string[]
  /** Folders to mark for bypassPermissions for this run, in addition to those of the settings. */
  readonly marked?: readonly string[]
  /** Files with MCP servers for this run. Absolute. */
  readonly mcpConfig?: readonly string[]
  /** MCP servers that an editor gave for a folder. */
  readonly mcpServersOf?: (folder: string) => Readonly<Record<string, object>>
  /** Whether a user answers permission requests. By default only the program of a worker's job has one. */
  readonly attended?: boolean
  readonly rules?: RunRules
  readonly scenarioFile: string | null
  readonly agents?: GivenAgents
  /** Set for the runtime of a worker's job. */
  readonly worker?: ComposeForJob | null
  /** Verifies the changes of this run, whatever the settings say. */
  readonly verify?: boolean
}

async function compose({
  trusted,
  marked = [],
  rules,
  mcpConfig = [],
  mcpServersOf,
  attended,
  scenarioFile,
  agents = { json: null, files: [] },
  worker = null,
  verify = false,
}: Composition): Promise<{
  readonly program: ComposedRuntime
  readonly settings: MutableSettings
  readonly change: SettingsStore['change']
}> {
  const [{ composeRuntime }, { createSettingsStore }] = await Promise.all([
    import('./compose-runtime.ts'),
    import('./adapters/settings/settings-store.ts'),
  ])
  const store = createSettingsStore({
    file: join(dataFolder, 'settings.json'),
    now: Date.now,
    below: userSettings.below,
    above: userSettings.above,
    others: { files: userSettings.files, read: () => readUserSettings({ dataFolder, home }) },
  })
  for (const problem of [...userSettings.problems, ...(await store.load())]) complain(problem, 0)
  if (!eraseProviderKeys(store.current.providers)) complain(KEY_READABLE, 0)
  const { trustedFolders, bypassFolders } = store.current
  const settings = {
    ...store.current,
    coordinatorMode: given.coordinatorMode ?? store.current.coordinatorMode,
    trustedFolders: [...trustedFolders, ...trusted.map((path) => realFolderOf(path) ?? path)],
    bypassFolders: [...bypassFolders, ...marked],
  }
  const program = await composeRuntime({
    dataFolder,
    home,
    environment: given.forChildren,
    settings: { current: settings },
    agentsFolder: join(programFolder, 'agents'),
    ...(rules && { rules }),
    commandLineAgents: { json: agents.json, files: agents.files.map((file) => resolve(file)) },
    docsFolder: join(programFolder, 'docs'),
    managedAgents: given.managedAgents,
    mcpConfig,
    ...(mcpServersOf && { mcpServersOf }),
    ...(given.mcpToolsForSubagents && { mcpToolsForSubagents: given.mcpToolsForSubagents }),
    forkSubagents: given.forkSubagents,
    apiKeyHelper: userSettings.apiKeyHelper,
    turnedOffPlugins: userSettings.turnedOffPlugins,
    // The user of the program that sent the job answers a worker's requests.
    attended: attended ?? worker !== null,
    rehearsal: { pace: worker?.pace ?? given.rehearsal.pace ?? 0, scenarioFile },
    ...(worker === null
      ? { workerProgram: workerProgram() }
      : {
          conversationsFolder: worker.conversationsFolder,
          ...(worker.tasks && { tasks: worker.tasks }),
          ...(worker.limits && { limits: worker.limits }),
        }),
    ...(worker !== null
      ? { verification: 'off' as const }
      : verify
        ? { verification: 'always' as const }
        : {}),
    onProblem: (problem) => complain(problem, 0),
  })
  return { program, settings, change: store.change }
}

/** How this program starts a worker: as itself. */
function workerProgram(): WorkerProgram {
  const script = process.argv[1] ?? fileURLToPath(import.meta.url)
  return {
    command: [process.execPath, ...process.execArgv, script],
    environment: {
      ...given.forChildren,
      TROUPE_HOME: dataFolder,
      ...(given.managedAgents !== null && { TROUPE_MANAGED_AGENTS: given.managedAgents }),
    },
    tmux: given.tmuxPane !== null,
  }
}

function above(folder: string): string {
  return existsSync(join(folder, 'package.json')) || dirname(folder) === folder
    ? folder
    : above(dirname(folder))
}

async function version(): Promise<string> {
  const { readFile } = await import('node:fs/promises')
  const { version } = JSON.parse(await readFile(join(programFolder, 'package.json'), 'utf8')) as {
    version: string
  }
  return version
}

/** Ends the sentence, because another one follows. */
function oneLine(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`
}

function output({ json }: { readonly json: boolean } = { json: false }): TextOutput {
  return json ? jsonOutput(process.stdout) : textOutput(process.stdout)
}

function complain(message: string, code: number): number {
  errors.write(`troupe: ${message}\n`)
  return code
}

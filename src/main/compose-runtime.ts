/**
 * Composes the runtime with its adapters, in the same way for the window and the command line. Reads nothing
 * from the environment itself.
 */
import { dirname, join } from 'node:path'
import type { Hooks } from '../shared/hooks/hooks.ts'
import type { FolderContents } from '../shared/ipc/folder-contents.ts'
import type { Setup } from '../shared/ipc/setup.ts'
import { messageOf } from '../shared/kernel/result.ts'
import type { McpServers } from '../shared/mcp/mcp.ts'
import type { ModelAccess } from '../shared/models/model-access.ts'
import type { ModelProbe } from '../shared/models/model-probe.ts'
import type { SlashCommands } from '../shared/slash/slash-command.ts'
import type { NatsAccess, NatsFinding, Workers } from '../shared/workers/worker-presence.ts'
import type { ComposeOptions } from './compose-options.ts'
import { composeChanges } from './features/changes/compose-changes.ts'
import { managedFolders } from './features/definitions/agent-folders.ts'
import { createDefinitionApprovals } from './features/definitions/definition-approvals.ts'
import { createDefinitionFiles } from './features/definitions/definition-files.ts'
import { createDefinitionSource } from './features/definitions/definition-source.ts'
import { createPendingWrites } from './features/definitions/pending-writes.ts'
import { readPlugin } from './features/definitions/plugin-folders.ts'
import { createSkillSource } from './features/definitions/skill-source.ts'
import { createAcpPrograms } from './features/external-agents/acp/acp-programs.ts'
import { composeNpm, composePrograms } from './features/external-agents/compose-programs.ts'
import type { ProgramCatalog } from './features/external-agents/programs/outside-programs.ts'
import { composeHooks } from './features/hooks/compose-hooks.ts'
import { composeMcp } from './features/mcp/compose-mcp.ts'
import { createMemorySource } from './features/memory/memory-source.ts'
import { withSettingsInstructions } from './features/memory/settings-instructions.ts'
import { createModelProviders, type ModelProviders } from './features/models/model-providers.ts'
import { createModelSwitch, type ModelSwitch } from './features/models/model-switch.ts'
import { probeModel } from './features/models/probe-model.ts'
import { type ComposedRules, composeRules } from './features/permissions/compose-rules.ts'
import { type ComposedTexts, composeTexts, noteWrites } from './features/permissions/compose-texts.ts'
import { createPermissionRules } from './features/permissions/permission-rules.ts'
import { policyOf } from './features/permissions/policy-of.ts'
import { createInstalledPlugins, type InstalledPlugins } from './features/plugins/installed-plugins.ts'
import { createPluginParts, type ReadPluginParts } from './features/plugins/plugin-parts.ts'
import { composeSandbox } from './features/sandbox/compose-sandbox.ts'
import { type ComposedSettings, composeSettings } from './features/settings/compose-settings.ts'
import { createKeyHelper } from './features/settings/key-helper.ts'
import { createSetup } from './features/setup/create-setup.ts'
import { folderContents } from './features/setup/folder-contents.ts'
import { createCommandFiles } from './features/slash/command-files.ts'
import { composeSlash } from './features/slash/compose-slash.ts'
import { composeStatusExtras } from './features/status-line/compose-status-extras.ts'
import { createMaildirMailbox } from './features/teams/mailbox/maildir-mailbox.ts'
import { createTaskFiles } from './features/teams/tasks/task-files.ts'
import { createPanePresence } from './features/workers/pane-presence.ts'
import { composeWorkers } from './features/workers/sides/compose-workers.ts'
import { openRemote } from './features/workers/sides/open-remote.ts'
import { paneSide } from './features/workers/sides/pane-side.ts'
import { combineWorkers } from './features/workers/workers.ts'
import { createWorktrees } from './features/worktrees/create-worktrees.ts'
import { createReview } from './features/worktrees/review/create-review.ts'
import { createApprovals } from './platform/approvals/approvals.ts'
import { createSeenTexts } from './platform/approvals/seen-texts.ts'
import { createDocumentReader, documentScript } from './platform/documents/documents.ts'
import { createNodeFileSystem } from './platform/files/node-file-system.ts'
import { createFolderReader } from './platform/folders/folder-reader.ts'
import { createGit } from './platform/git/git-client.ts'
import { createModelCatalog } from './platform/models/model-catalog.ts'
import { findRipgrep } from './platform/search/ripgrep-path.ts'
import { createRipgrepSearch } from './platform/search/ripgrep-search.ts'
import { childEnvironment } from './platform/shell/child-environment.ts'
import { commandEnvironment } from './platform/shell/command-environment.ts'
import { createShell } from './platform/shell/create-shell.ts'
import { createCommandOwner, endLostCommands } from './platform/shell/end-lost-commands.ts'
import { findShell } from './platform/shell/find-shell.ts'
import { createFolderTrust } from './platform/system/folder-trust.ts'
import { realFolderOf } from './platform/system/real-folder.ts'
import { createSystemClock } from './platform/system/system-clock.ts'
import { createIds } from './platform/system/time-ids.ts'
import { createConversationTrash } from './platform/transcripts/conversation-trash.ts'
import { createTranscriptStore } from './platform/transcripts/create-transcript-store.ts'
import { dataPaths } from './platform/transcripts/data-paths.ts'
import { createWebPages } from './platform/web/web-pages.ts'
import type { Changes } from './runtime/changes.ts'
import { createRuntime } from './runtime/create-runtime.ts'
import { isSecret } from './runtime/permissions/sensitive-files.ts'
import type { ConversationTrash, DefinitionFiles, Ports } from './runtime/ports.ts'
import type { Runtime } from './runtime/runtime.ts'
import type { Sandbox } from './runtime/sandbox.ts'
import type { Review } from './runtime/worktrees.ts'

/** The runtime, and the ports that its users call directly. It starts without access to a model. */
export interface ComposedRuntime
  extends Pick<
    Ports,
    | 'store'
    | 'definitions'
    | 'skills'
    | 'folders'
    | 'search'
    | 'models'
    | 'files'
    | 'mailbox'
    | 'rules'
    | 'policy'
  > {
  readonly runtime: Runtime
  /** Whether commands run in a sandbox, and why not. */
  readonly sandbox: Pick<Sandbox, 'state'>
  readonly trash: ConversationTrash
  readonly definitionFiles: DefinitionFiles
  readonly review: Review
  /** What agents changed, and its undo. */
  readonly changes: Changes
  /** The settings files of all layers. */
  readonly layered: ComposedSettings
  readonly settingsFiles: ComposedRules
  /** Texts that agents are told, and that wait for the user. */
  readonly texts: ComposedTexts
  readonly plugins: InstalledPlugins
  /** The hooks and MCP servers of approved plugins. */
  readonly pluginParts: ReadPluginParts
  /** The workers that carry out agents for this program. */
  readonly workers: Workers
  readonly mcp: McpServers
  /** The external agents that Troupe knows. */
  readonly programs: ProgramCatalog
  readonly slash: SlashCommands
  readonly hooks: Hooks
  /** What was found of the user's setup. */
  readonly setup: Setup
  /** What the status line's command is told beside the snapshot. */
  readonly statusExtras: ReturnType<typeof composeStatusExtras>
  /** What a folder brings, counted without interpreting it. */
  folderContents(folder: string): Promise<FolderContents>
  /** The names of all tools. */
  readonly toolNames: () => readonly string[]
  readonly providers: ModelProviders
  /** Gives external agents these variables, where their definitions name them. The environment comes first. */
  setProgramKeys(keys: Readonly<Record<string, string>>): void
  readonly switchAccess: ModelSwitch['switchTo']
  /** Looks whether a NATS server can be used with these settings. */
  readonly testNats: (settings: NatsAccess) => Promise<readonly NatsFinding[]>
  readonly testAccess: ModelSwitch['test']
  readonly listModels: ModelSwitch['listModels']
  /** Tests in two small requests whether a model can do an agent's work. */
  readonly probeModel: (model: string) => Promise<ModelProbe>
  /** Stops every agent, flushes, releases all locks and ends all commands. */
  close(): Promise<void>
  /** Kills all commands at once, for use while the program exits. */
  endNow(): void
}

export async function composeRuntime(options: ComposeOptions): Promise<ComposedRuntime> {
  const { dataFolder, home, settings, onProblem = () => {} } = options
  const isTrusted = createFolderTrust({ settings, home, dataFolder })
  // With a folder, all in it is trusted; the user was asked about what was there.
  const isInherited = (folder: string) => isTrusted(dirname(realFolderOf(folder) ?? folder))
  const clock = createSystemClock()
  const environment = childEnvironment(options.environment)
  const { exported, ofSettings } = options.forCommands ?? { exported: options.environment, ofSettings: {} }
  const commandVariables = () =>
    commandEnvironment({
      environment: exported,
      ofSettings,
      lists: settings.current.commandVariables,
      keys: Object.values(settings.current.providers).flatMap(({ keyVariable }) => keyVariable ?? []),
    })
  const ofCommands = commandVariables().variables
  const providers = createModelProviders({
    clock,
    providers: () => settings.current.providers,
    environment: options.environment,
  })
  const models = providers.catalog(createModelCatalog({ aliases: () => settings.current.modelAliases }))
  const { apiKeyHelper = null } = options
  const keyHelper =
    apiKeyHelper === null ? null : createKeyHelper({ command: apiKeyHelper, environment, now: clock.now })
  const model = createModelSwitch({
    clock,
    keyHelper,
    models,
    providers,
    defaultModel: () => settings.current.model,
    rehearsal: options.rehearsal,
  })
  endLostCommands(dataFolder).catch((thrown: unknown) => onProblem(messageOf(thrown)))
  const owner = await createCommandOwner(dataFolder)
  const gitClient = createGit({ environment })
  const layered = composeSettings({
    dataFolder,
    home,
    isTrusted,
    isInherited,
    git: gitClient,
    ...(options.managedSettings && { managed: options.managedSettings }),
  })
  const sandbox = composeSandbox({
    git: gitClient,
    approvedScripts: layered.scripts,
    dataFolder,
    home,
    programFolder: dirname(options.docsFolder),
    environment: ofCommands,
    sshAgent: options.environment['SSH_AUTH_SOCK'] ?? null,
    settings,
    onProblem,
  })
  const commands = createShell({
    environment: ofCommands,
    current: () => commandVariables().variables,
    owner,
    confine: sandbox.confine,
  })
  const installed = createInstalledPlugins({
    dataFolder,
    settings,
    git: gitClient,
    npm: composeNpm({ environment, variables: options.environment, home }),
    ...(options.turnedOffPlugins && { turnedOff: options.turnedOffPlugins }),
  })
  const plugins = installed.enabled
  const pluginStyles = async () =>
    (await Promise.all(plugins().map(readPlugin))).flatMap(({ plugin }) => plugin?.outputStyles ?? [])
  const variables: Record<string, string | undefined> = { ...options.environment }
  const programs = composePrograms({
    ...{ dataFolder, home, environment, settings, clock, variables },
    programFolder: dirname(options.docsFolder),
  })
  const definitionWrites = createPendingWrites()
  const texts = createSeenTexts({
    approvals: createApprovals({ dataFolder, name: 'texts.json' }),
    ...{ dataFolder, isInherited },
  })
  const definitionApprovals = createDefinitionApprovals(createApprovals({ dataFolder }), {
    texts,
    isInherited,
  })
  const shared = {
    store: createTranscriptStore({
      dataFolder: options.conversationsFolder ?? dataFolder,
      clock,
      onProblem: (problem) => onProblem(problem.message),
    }),
    definitions: createDefinitionSource({
      builtIn: options.agentsFolder,
      programs: programs.agents,
      home,
      commandLine: options.commandLineAgents ?? { json: null, files: [] },
      plugins,
      managed: [
        ...managedFolders(process.platform),
        ...(options.managedAgents ? [options.managedAgents] : []),
      ],
      approvals: definitionApprovals,
      writes: definitionWrites,
    }),
    skills: createSkillSource({ home, plugins, texts }),
    folders: createFolderReader({
      platform: process.platform,
      git: gitClient,
      shell: async () => (await findShell(environment, undefined)).dialect,
    }),
    search: createRipgrepSearch({ rgPath: findRipgrep, environment }),
    models,
    files: noteWrites(createNodeFileSystem(), texts),
    mailbox: createMaildirMailbox({ folder: join(dataFolder, 'mailboxes'), onProblem }),
  }
  const changesParts = composeChanges({
    dataFolder,
    git: gitClient,
    settings,
    isPlaceholder: sandbox.isPlaceholder,
    onProblem,
  })
  const git = { git: gitClient, dataFolder, now: clock.now, onProblem }
  const review = createReview({
    ...git,
    async conversationExists(id) {
      const read = await shared.store.read(id)
      // A conversation that can't be read now still exists.
      return read.ok || read.failure.type !== 'not-found'
    },
    changedByAgents: changesParts.changedByAgents,
    async onDiscarded(owner) {
      const told = await runtime.worktreeDiscarded(owner)
      if (!told.ok && told.failure.type !== 'not-found') onProblem(told.failure.message)
    },
  })
  const documents = createDocumentReader({ script: documentScript(dirname(options.docsFolder)) })
  const hooks = composeHooks({
    dataFolder,
    layers: layered.layers,
    isTrusted,
    plugins: installed.approved,
    changedPlugins: installed.changed,
    definitions: shared.definitions,
    store: shared.store,
    owner,
    environment: ofCommands,
    mayAllow: () => settings.current.hooksMayAllow,
  })
  const ports: Ports = {
    ...shared,
    interceptors: hooks.interceptors,
    documents,
    pages: createWebPages({ clock, documents }),
    models: {
      resolve: models.resolve,
      problem: (name, below) => (model.isRehearsal ? null : (models.problem?.(name, below) ?? null)),
      // The rehearsal's script costs nothing.
      facts: (id) =>
        model.isRehearsal ? { ...models.facts(id), price: null, free: true } : models.facts(id),
    },
    clock,
    ids: createIds({ clock, random: Math.random }),
    model: model.client,
    shell: commands.shell,
    sandbox,
    memory: withSettingsInstructions(createMemorySource({ home, dataFolder, isSecret, texts }), {
      told: texts.told,
      layers: layered.layers,
      home,
      pluginStyles,
    }),
    worktrees: createWorktrees({
      ...git,
      ...(environment['XDG_CONFIG_HOME'] ? { configHome: environment['XDG_CONFIG_HOME'] } : {}),
    }),
    review,
    tasks: options.tasks ?? createTaskFiles({ folder: dataPaths(dataFolder).boards, onProblem }),
    rules: createPermissionRules({
      dataFolder,
      onProblem,
      settings: async (folder) => {
        const found = await layered.permissions(folder)
        return { ...found, problems: found.mistakes }
      },
      ...(options.rules && { forThisRun: options.rules }),
    }),
    policy: policyOf(settings, { ...options, isTrusted }),
    changes: changesParts.journal,
    random: Math.random,
  }
  const mcp = composeMcp({
    dataFolder,
    sources: {
      home,
      layers: layered.layers,
      pluginParts: createPluginParts(installed.approved),
      configFiles: options.mcpConfig ?? [],
      ...(options.mcpServersOf && { given: options.mcpServersOf }),
    },
    isTrusted,
    variables: options.environment,
    environment,
    clock,
    version: '0.1.0',
    tools: () => runtime.tools,
    mayAskModel: (server) => settings.current.mcpSampling.includes(server),
    openBrowser: options.openBrowser ?? ((url) => onProblem(`Open this address to sign in: ${url.href}`)),
    onProblem,
  })
  let access: ModelAccess = { kind: 'none' }
  const pane =
    options.workerProgram && !options.conversationsFolder
      ? paneSide({
          ...options,
          workerProgram: options.workerProgram,
          ports,
          onProblem,
          access: () => access,
          keys: () => providers.keys,
        })
      : null
  const remote = await openRemote(options, { ports, git: gitClient, access: () => access })
  const limits = options.limits ?? remote?.limits
  const workers = composeWorkers({ ...(pane && { pane: pane.side }), ...(remote && { remote: remote.side }) })
  const outsidePrograms = createAcpPrograms({
    clock,
    files: shared.files,
    journal: changesParts.journal,
    shell: commands.shell,
    mcp: {
      state: mcp.servers.state,
      variables: options.environment,
      toolsForSubagents: () => ports.policy.mcpToolsForSubagents,
    },
    variables,
    environment,
    trusted: isTrusted,
  })
  const commandFiles = createCommandFiles({ home, plugins, texts })
  const runtime = createRuntime(
    { ...ports, outsideTools: mcp.outside },
    {
      ...(limits && { limits }),
      workers,
      programs: outsidePrograms,
      programPaths: { docsFolder: options.docsFolder, settingsFile: join(dataFolder, 'settings.json') },
    },
  )
  const slash = composeSlash({
    commands: commandFiles,
    ports,
    mcp,
    runtime,
    newMode: () => settings.current.permissionMode,
  })
  const changes = changesParts.of(runtime, shared.store)
  return {
    ...shared,
    runtime,
    sandbox,
    rules: ports.rules,
    policy: ports.policy,
    layered,
    settingsFiles: composeRules({
      dataFolder,
      home,
      permissions: layered.permissions,
      approveEntries: layered.approveEntries,
      deps: { ...ports, tools: runtime.tools },
    }),
    plugins: installed,
    pluginParts: createPluginParts(installed.approved),
    workers: combineWorkers([createPanePresence({ dataFolder }), ...(remote ? [remote.workers] : [])]),
    review,
    changes,
    definitionFiles: createDefinitionFiles({
      programs: programs.agents,
      definitions: shared.definitions,
      files: shared.files,
      home,
      dataFolder,
      isTrusted,
      approvals: definitionApprovals,
      writes: definitionWrites,
    }),
    trash: createConversationTrash(dataFolder),
    mcp: mcp.servers,
    programs,
    texts: composeTexts({ ...ports, texts, commands: commandFiles, isTrusted }),
    slash,
    hooks: hooks.hooks,
    statusExtras: composeStatusExtras({
      ...{ dataFolder, isTrusted, layers: layered.layers, transcripts: hooks.transcripts },
      addedFolders: async (folder) => (await layered.permissions(folder)).additionalDirectories,
      changes,
    }),
    setup: createSetup({
      ...{ home, dataFolder, isTrusted, layered, slash, pluginStyles, commandVariables, saw: texts.saw },
      ...{ memory: ports.memory, definitions: shared.definitions, skills: shared.skills },
      ...{ hooks: hooks.hooks, mcp: mcp.servers, plugins: installed },
      ...(options.managedSettings && { managed: options.managedSettings }),
    }),
    folderContents: (folder) => folderContents(folder, home),
    toolNames: () => runtime.tools.names(),
    providers,
    setProgramKeys(keys) {
      for (const name of Object.keys(variables)) delete variables[name]
      Object.assign(variables, keys, options.environment)
    },
    async switchAccess(next) {
      const switched = await model.switchTo(next)
      if (switched.ok) {
        access = next
        runtime.accessChanged()
      }
      return switched
    },
    async testNats(wanted) {
      const { testNats } = await import('./features/workers/sides/test-nats.ts')
      return testNats(wanted, { dataFolder, now: clock.now })
    },
    testAccess: model.test,
    listModels: model.listModels,
    probeModel: (name) => probeModel(models.resolve(name), { client: model.client, clock }),
    async close() {
      await runtime.close()
      await pane?.close()
      await remote?.close()
      await Promise.all([mcp.close(), programs.close()])
      await Promise.all([hooks.close(), commands.killAll(), model.close()])
      await sandbox.close()
    },
    endNow() {
      hooks.endNow()
      commands.killAllNow()
      sandbox.closeNow()
    },
  }
}

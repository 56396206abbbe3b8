/**
 * The features of a program, in their order: each is composed from the platform and those before it, in the same way for
 * the window and the command line. They end in the opposite order.
 */
import { join } from 'node:path'
import { dispatchTo, handlersOf } from '../shared/ipc/handlers.ts'
import { ok } from '../shared/kernel/result.ts'
import { createAttemptFolders } from './features/agent-tests/attempt-folders.ts'
import { composeAgentTests } from './features/agent-tests/feature.ts'
import { composeChanges } from './features/changes/feature.ts'
import { defaultsBySettings, listForWindow } from './features/conversations/feature.ts'
import { managedFolders } from './features/definitions/agent-folders.ts'
import { createDefinitionApprovals } from './features/definitions/definition-approvals.ts'
import { createDefinitionFiles, definitionHandlers } from './features/definitions/definition-files.ts'
import { createDefinitionSource } from './features/definitions/definition-source.ts'
import { createPendingWrites } from './features/definitions/pending-writes.ts'
import { readPlugin } from './features/definitions/plugin-folders.ts'
import { createSkillSource } from './features/definitions/skill-source.ts'
import { composeEnvironments, environmentHandlers } from './features/environments/feature.ts'
import { createExternalAgents } from './features/external-agents/backing/external-agent-backing.ts'
import { composeExternalAgents, composeNpm, programHandlers } from './features/external-agents/feature.ts'
import { composeHistories, historyHandlers } from './features/histories/feature.ts'
import { composeHooks, hookHandlers } from './features/hooks/feature.ts'
import { composeInsight, insightHandlers } from './features/insight/feature.ts'
import { composeMcp } from './features/mcp/feature.ts'
import { createMemorySource } from './features/memory/memory-source.ts'
import { withSettingsInstructions } from './features/memory/settings-instructions.ts'
import { composeModels } from './features/models/feature.ts'
import { composePermissions, trustHandlers } from './features/permissions/feature.ts'
import { composeRules, ruleHandlers } from './features/permissions/listed-rules.ts'
import { composeTexts, noteWrites } from './features/permissions/waiting-texts.ts'
import { createInstalledPlugins, pluginHandlers } from './features/plugins/installed-plugins.ts'
import { createPluginParts } from './features/plugins/plugin-parts.ts'
import { composePullRequests, pullRequestHandlers } from './features/pull-requests/feature.ts'
import { composeSandbox } from './features/sandbox/feature.ts'
import { composeSearch, searchHandlers, searchScript } from './features/search/feature.ts'
import { composeSettings } from './features/settings/feature.ts'
import { createSetup, setupHandlers } from './features/setup/create-setup.ts'
import { folderContents } from './features/setup/folder-contents.ts'
import { composeSharing, sharingForWindow } from './features/sharing/feature.ts'
import { composeSlash, createCommandFiles, slashHandlers } from './features/slash/feature.ts'
import { composeStatusExtras } from './features/status-line/feature.ts'
import { createMaildirMailbox } from './features/teams/mailbox/maildir-mailbox.ts'
import { createTaskFiles } from './features/teams/tasks/task-files.ts'
import { composeUpdates, updateHandlers } from './features/updates/feature.ts'
import { composeWorkers, workerHandlers } from './features/workers/feature.ts'
import { createWorktrees } from './features/worktrees/create-worktrees.ts'
import { createCommentReplies } from './features/worktrees/review/comment-replies.ts'
import { createReview } from './features/worktrees/review/create-review.ts'
import { reviewHandlers } from './features/worktrees/review/review-handlers.ts'
import { readWorktreeSettings } from './features/worktrees/worktree-settings.ts'
import { createApprovals } from './platform/approvals/approvals.ts'
import { createSeenTexts } from './platform/approvals/seen-texts.ts'
import { createDocumentReader, documentScript } from './platform/documents/documents.ts'
import { createNodeFileSystem } from './platform/files/node-file-system.ts'
import { createFolderReader } from './platform/folders/folder-reader.ts'
import type { ProgramLaunch } from './platform/launch-options.ts'
import { createPlatform } from './platform/platform.ts'
import { createRipgrepSearch, findRipgrep } from './platform/search/ripgrep-search.ts'
import { createShell } from './platform/shell/create-shell.ts'
import { findShell } from './platform/shell/find-shell.ts'
import { createIds, randomFraction } from './platform/system/random-names.ts'
import { createConversationSizes } from './platform/transcripts/conversation-sizes.ts'
import { createConversationTrash } from './platform/transcripts/conversation-trash.ts'
import { dataPaths } from './platform/transcripts/data-paths.ts'
import { createWebPages } from './platform/web/web-pages.ts'
import { createRuntime } from './runtime/assemble.ts'
import { isSecret } from './runtime/paths/sensitive-files.ts'
import { limitsOfEnvironmentCommand } from './runtime/permissions/user-command-limits.ts'
import type { Ports } from './runtime/ports/ports.ts'
import type { Runtime } from './runtime/ports/runtime.ts'

/** The runtime, and the parts of the features that the window and the command line use. */
export type ComposedRuntime = Awaited<ReturnType<typeof composeRuntime>>

/** As in package.json. */
const VERSION = '0.1.0'

/** It starts without access to a model. */
export async function composeRuntime(options: ProgramLaunch) {
  const { base, histories } = composeHistories(await createPlatform(options))
  const { dataFolder, home, settings, onProblem, isTrusted, isInherited, clock, git, store } = base
  const { environment, commandVariables, owner, programFolder } = base
  const ofCommands = commandVariables().variables
  // Features that begin before the runtime ask for it only later.
  const running = (): Runtime => runtime

  const models = composeModels(base, { ...options, onAccess: () => running().accessChanged() })
  const layered = composeSettings({
    ...base,
    ...(options.managedSettings && { managed: options.managedSettings }),
  })
  const sandbox = composeSandbox({
    ...base,
    environment: ofCommands,
    approvedScripts: layered.scripts,
    sshAgent: options.environment['SSH_AUTH_SOCK'] ?? null,
    imageOf: (folder) => environments.service.imageOf(folder),
  })
  const commands = createShell({
    environment: ofCommands,
    current: () => commandVariables().variables,
    owner,
    confine: sandbox.confine,
  })
  const plugins = createInstalledPlugins({
    ...base,
    npm: composeNpm(base),
    ...(options.turnedOffPlugins && { turnedOff: options.turnedOffPlugins }),
  })
  const pluginParts = createPluginParts(plugins.approved)
  const pluginStyles = async () =>
    (await Promise.all(plugins.enabled().map(readPlugin))).flatMap(({ plugin }) => plugin?.outputStyles ?? [])
  /** What external agents get, where their definitions name a variable: the stored keys, and the environment. */
  const variables: Record<string, string | undefined> = { ...options.environment }
  const programs = composeExternalAgents({ ...base, variables })

  const texts = createSeenTexts({
    approvals: createApprovals({ dataFolder, name: 'texts.json' }),
    ...{ dataFolder, isInherited },
  })
  const ofDefinitions = {
    programs: programs.agents,
    approvals: createDefinitionApprovals(createApprovals({ dataFolder }), { texts, isInherited }),
    writes: createPendingWrites(),
  }
  const definitions = createDefinitionSource({
    ...ofDefinitions,
    builtIn: options.agentsFolder,
    home,
    commandLine: options.commandLineAgents ?? { json: null, files: [] },
    plugins: plugins.enabled,
    managed: [...managedFolders(process.platform), ...(options.managedAgents ? [options.managedAgents] : [])],
  })
  const ofFolder = { home, plugins: plugins.enabled, texts }
  const commandFiles = createCommandFiles(ofFolder)
  const documents = createDocumentReader({ script: documentScript(programFolder) })
  const recorded = composeChanges({ ...base, isPlaceholder: sandbox.isPlaceholder })
  const review = createReview({
    ...base,
    async conversationExists(id) {
      const read = await store.read(id)
      // A conversation that can't be read now still exists.
      return read.ok || read.failure.type !== 'not-found'
    },
    changedByAgents: recorded.changedByAgents,
    repliesTo: createCommentReplies({ store, saved: (id) => running().saved(id) }),
    onLeaving: (path) => environments.service.leave({ path }),
    async onDiscarded(owner, path) {
      await environments.service.removed({ path })
      const told = await running().worktreeDiscarded(owner)
      if (!told.ok && told.failure.type !== 'not-found') onProblem(told.failure.message)
    },
  })
  const hooks = composeHooks({
    ...base,
    layers: layered.layers,
    plugins: plugins.approved,
    changedPlugins: plugins.changed,
    definitions,
    environment: ofCommands,
    mayAllow: () => settings.current.hooksMayAllow,
  })

  const environments = composeEnvironments({
    ...base,
    shell: commands.shell,
    limits: (given, signal) => limitsOfEnvironmentCommand(ports, given, signal),
    worktrees: createWorktrees({
      ...base,
      ...(environment['XDG_CONFIG_HOME'] ? { configHome: environment['XDG_CONFIG_HOME'] } : {}),
      onLeaving: (path) => environments.service.leave({ path }),
      settingsOf: async (folder) =>
        readWorktreeSettings((await layered.layers.read(folder, { trusted: isTrusted(folder) })).layers),
    }),
    waits: () => settings.current.worktreeSetup === 'wait',
    attended: () => ports.policy.attended,
    runtime: running,
  })
  const attemptFolders = createAttemptFolders(base)
  const ports: Ports = {
    ...{ clock, store, definitions, sandbox, review, documents },
    ...composePermissions(base, options, {
      ...layered,
      defaults: defaultsBySettings({ ...base, isRehearsal: models.isRehearsal }),
    }),
    ids: createIds({ clock, random: randomFraction }),
    random: randomFraction,
    model: models.client,
    models: models.ofAgents,
    files: noteWrites(createNodeFileSystem(), texts),
    search: createRipgrepSearch({ rgPath: findRipgrep, environment }),
    shell: commands.shell,
    pages: createWebPages({ clock, documents }),
    skills: createSkillSource(ofFolder),
    folders: createFolderReader({
      platform: process.platform,
      git,
      shell: async () => (await findShell(environment, undefined)).dialect,
    }),
    memory: withSettingsInstructions(
      createMemorySource({ home, dataFolder, isSecret, texts, now: clock.now }),
      {
        ...{ told: texts.told, layers: layered.layers, home, pluginStyles },
      },
    ),
    mailbox: createMaildirMailbox({ folder: join(dataFolder, 'mailboxes'), onProblem }),
    tasks: options.tasks ?? createTaskFiles({ folder: dataPaths(dataFolder).boards, onProblem }),
    worktrees: attemptFolders.around(environments.worktrees),
    environments: environments.forAgents,
    changes: recorded.journal,
    interceptors: hooks.interceptors,
  }
  const mcp = composeMcp({
    ...base,
    sources: {
      ...{ home, layers: layered.layers, pluginParts },
      configFiles: options.mcpConfig ?? [],
      ...(options.mcpServersOf && { given: options.mcpServersOf }),
    },
    version: VERSION,
    tools: () => running().tools,
    mayAskModel: (server) => settings.current.mcpSampling.includes(server),
    openBrowser: options.openBrowser ?? ((url) => onProblem(`Open this address to sign in: ${url.href}`)),
  })
  const workers = await composeWorkers(base, { ...options, ports, models })
  const runtime: Runtime = createRuntime(
    { ...ports, serverTools: mcp.serverTools },
    {
      ...(workers.limits && { limits: workers.limits }),
      workers: workers.workers,
      programs: createExternalAgents({
        ...{ clock, environment, variables },
        files: ports.files,
        journal: recorded.journal,
        shell: commands.shell,
        mcp: {
          state: mcp.servers.state,
          variables: options.environment,
          toolsForSubagents: () => ports.policy.mcpToolsForSubagents,
        },
        trusted: isTrusted,
      }),
      programPaths: { docsFolder: options.docsFolder, settingsFile: join(dataFolder, 'settings.json') },
    },
  )

  const slash = composeSlash({
    ...{ commands: commandFiles, ports, mcp, runtime },
    newMode: () => settings.current.permissionMode,
  })
  const changes = recorded.of(runtime, store)
  const { memory, skills, rules, policy, search, files, mailbox } = ports
  const { providers, switchAccess, testAccess, listModels, probeModel } = models
  const definitionFiles = createDefinitionFiles({ ...base, ...ofDefinitions, definitions, files })
  const settingsFiles = composeRules({
    ...{ dataFolder, home },
    ...{ permissions: layered.permissions, approveEntries: layered.approveEntries },
    deps: { ...ports, tools: runtime.tools },
  })
  const waitingTexts = composeTexts({ ...ports, texts, commands: commandFiles, isTrusted })
  const setup = createSetup({
    ...{ home, dataFolder, isTrusted, layered, slash, pluginStyles, commandVariables, saw: texts.saw },
    ...{ memory, definitions, skills, plugins, hooks: hooks.hooks, mcp: mcp.servers },
    ...(options.managedSettings && { managed: options.managedSettings }),
  })
  const trash = createConversationTrash(dataFolder)
  const sharing = composeSharing(base, {
    ...{ ids: ports.ids, version: VERSION, launch: options, access: models.access, variables },
  })
  const searches = composeSearch({
    ...{ dataFolder, home, variables: options.environment, settings, environment },
    ready: (conversationId) => histories.ready(conversationId, { isCurrent: true }),
    script: searchScript(programFolder),
    rgPath: findRipgrep,
  })
  const shared = sharingForWindow(sharing)
  const pulls = composePullRequests({ ...base, review, runtime })
  const pullRequests = pullRequestHandlers({ pulls, clock, most: () => settings.current.sendFailedChecks })
  const updates = composeUpdates({ ...base, version: VERSION })
  const toolNames = () => runtime.tools.names()
  const agentTests = composeAgentTests(base, {
    ...{
      ...ports,
      definitionFiles,
      runtime,
      trash,
      folders: attemptFolders,
      isRehearsal: models.isRehearsal,
    },
    expand: slash.expand,
    limitsOf: (given, signal) => limitsOfEnvironmentCommand(ports, { ...given, hosts: [] }, signal),
  })
  const handlers = {
    ...runtime.handlers,
    'conversation.list': listForWindow(runtime, clock.now),
    'conversation.sizes': createConversationSizes(dataFolder, store),
    ...definitionHandlers({ definitionFiles, definitions, skills, toolsIn: runtime.toolsIn, isTrusted }),
    ...agentTests.handlers,
    ...reviewHandlers({ review, runtime, isTrusted }),
    ...environmentHandlers(environments.service),
    ...pullRequests.handlers,
    ...handlersOf('changes', changes, 'list', 'space', 'file', 'history'),
    ...handlersOf('changes', changes, 'preview', 'undo', 'previewRedo', 'redo'),
    'changes.clean': async () => {
      await changes.clean()
      return changes.space()
    },
    ...historyHandlers(histories, { files, runtime }),
    ...hookHandlers(hooks.hooks, runtime),
    ...handlersOf('mcp', mcp.servers, 'approve', 'refuse', 'add', 'remove', 'reconnect', 'test'),
    'mcp.resources': async ({ folder }: { readonly folder: string }) =>
      ok(await mcp.servers.resources(folder)),
    ...slashHandlers(slash),
    ...programHandlers(programs),
    ...ruleHandlers(settingsFiles, waitingTexts),
    ...trustHandlers(base, definitionFiles),
    ...setupHandlers(setup),
    ...pluginHandlers(plugins),
    ...workerHandlers(workers, mailbox),
    ...searchHandlers(searches),
    ...updateHandlers(updates),
    ...handlersOf('sharing', shared, 'preview', 'progress', 'cancel'),
    ...insightHandlers(composeInsight(base)),
    'sandbox.state': async () => ok(await sandbox.state()),
    'access.models': listModels,
    'trash.list': trash.list,
  }
  return {
    /** Answers the commands of the window; the desktop answers what is about the window itself. */
    handlers,
    /** Carries out a command as for the window. */
    dispatch: dispatchTo<keyof typeof handlers>(handlers),
    ...{
      now: clock.now,
      newKey: base.newKey,
      runtime,
      store,
      definitions,
      skills,
      search,
      files,
      mailbox,
      rules,
      policy,
      sandbox,
    },
    environments: environments.service,
    agentTests: agentTests.tests,
    ...{ updates, review, pulls, changes, layered, plugins, pluginParts, programs, slash, histories },
    ...{ providers, switchAccess, testAccess, listModels, probeModel },
    models: models.models,
    mcp: mcp.servers,
    hooks: hooks.hooks,
    workers: workers.presence,
    testNats: workers.testNats,
    ...{ definitionFiles, settingsFiles, setup, trash, sharing, shared, toolNames },
    texts: waitingTexts,
    statusExtras: composeStatusExtras({
      ...{ dataFolder, isTrusted, layers: layered.layers, transcripts: hooks.transcripts, changes },
      addedFolders: async (folder) => (await layered.permissions(folder)).additionalDirectories,
    }),
    /** What a folder brings, counted without interpreting it. */
    folderContents: (folder: string) => folderContents(folder, home),
    /** Gives external agents these variables, where their definitions name them. The environment comes first. */
    setProgramKeys(keys: Readonly<Record<string, string>>) {
      for (const name of Object.keys(variables)) delete variables[name]
      Object.assign(variables, keys, options.environment)
    },
    /** Stops every agent, flushes, releases all locks and ends all commands. */
    async close() {
      updates.close()
      environments.overlaps.close()
      pullRequests.close()
      await agentTests.tests.close()
      await Promise.all([runtime.close(), environments.service.close()])
      await workers.close()
      await Promise.all([mcp.close(), programs.close(), searches.close()])
      await Promise.all([hooks.close(), commands.killAll(), models.close()])
      await sandbox.close()
    },
    /** Kills all commands at once, for use while the program exits. */
    endNow() {
      hooks.endNow()
      commands.killAllNow()
      sandbox.closeNow()
    },
  }
}

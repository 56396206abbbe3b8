/** The commands of the command line that look at the program's data or change it, without a model at work. */
import { join, resolve } from 'node:path'
import { withProbe } from '../shared/models/model-probe.ts'
import { type ComposedRun, type Composition, withProgram } from './cli-compose.ts'
import { type CommandLineRoot, complain, endWithReader, isInteractive, outputs } from './cli-root.ts'
import type { ChangesArguments } from './features/changes/parse-changes.ts'
import type { AgentsArguments, ReadFilesOptions } from './features/definitions/command-line/parse-agents.ts'
import type { ProgramsArguments } from './features/external-agents/parse-programs.ts'
import type { HooksArguments } from './features/hooks/parse-hooks.ts'
import type { McpArguments } from './features/mcp/parse-mcp.ts'
import type { ModelsArguments } from './features/models/parse-models.ts'
import type { PermissionsArguments } from './features/permissions/parse-permissions.ts'
import type { TrustArguments } from './features/permissions/parse-trust.ts'
import type { PluginsArguments } from './features/plugins/parse-plugins.ts'
import type { DoctorArguments } from './features/setup/parse-doctor.ts'
import type { WorktreesArguments } from './features/worktrees/command-line/parse-worktrees.ts'
import type { Arguments } from './parse-arguments.ts'
import { askLine } from './platform/command-line/ask-line.ts'
import { folderAt, missingFile } from './platform/command-line/given-paths.ts'
import { EXIT } from './platform/command-line/usage.ts'

/** A program with nothing of its own for this command. */
const PLAIN: Composition = { trusted: [], scenarioFile: null }

/** Does not load the runtime, because scripts call this for thousands of files. @returns the exit code */
export async function readAgentFiles(options: ReadFilesOptions): Promise<number> {
  endWithReader()
  const { agentsRead } = await import('./features/definitions/command-line/agents-read.ts')
  return await agentsRead(options, { cwd: process.cwd(), input: process.stdin, ...outputs(options) })
}

/** @returns the exit code */
export async function agents(
  root: CommandLineRoot,
  command: Exclude<AgentsArguments, ReadFilesOptions>,
): Promise<number> {
  const given = command.verb === 'agents-approve' ? null : command.agents
  const missing = given && missingFile(given)
  if (missing !== null) return complain(`File not found: ${missing}`, EXIT.usage)
  return await inFolder(root, command, {
    composition: given && { agents: given },
    async work({ program, settings, folder, trusted }) {
      const skills = await program.skills.list(folder, { trusted })
      const known = { tools: program.toolNames(), skills: skills.map(({ name }) => name), servers: [] }
      const { definitions, definitionFiles, files } = program
      const around = { definitions, folder, trusted, cwd: process.cwd(), ...outputs(command) }
      switch (command.verb) {
        case 'agents-list': {
          const { agentsList } = await import('./features/definitions/command-line/agents-list.ts')
          return await agentsList(command, around)
        }
        case 'agents-lint': {
          const { agentsLint } = await import('./features/definitions/command-line/agents-lint.ts')
          return await agentsLint(command, { ...around, known, skills, files, definitionFiles })
        }
        case 'agents-approve': {
          const { agentsApprove } = await import('./features/definitions/command-line/agents-approve.ts')
          return await agentsApprove(command, { ...around, definitionFiles })
        }
        case 'agents-explain': {
          const { agentsExplain } = await import('./features/definitions/command-line/agents-explain.ts')
          const { model: defaultModel, permissionMode: userMode } = settings
          const facts = { known, resolveModel: program.models.resolve, defaultModel, userMode }
          return await agentsExplain(command, { ...around, facts })
        }
      }
    },
  })
}

/** @returns the exit code */
export async function conversations(
  root: CommandLineRoot,
  command: Extract<Arguments, { verb: 'conversations-list' | 'conversations-show' | 'context' }>,
): Promise<number> {
  endWithReader()
  return await withProgram(root, PLAIN, async ({ program: { runtime, store } }) => {
    if (command.verb === 'context') {
      const { contextCommand } = await import('./features/conversations/context-command.ts')
      return await contextCommand(command, { runtime, ...outputs(command) })
    }
    const around = { runtime, store, json: command.json, ...outputs(command) }
    const { conversationsList, conversationsShow } = await import(
      './features/conversations/conversations-command.ts'
    )
    return command.verb === 'conversations-list'
      ? await conversationsList(around)
      : await conversationsShow(command.id, around)
  })
}

/** @returns the exit code */
export async function worktrees(root: CommandLineRoot, command: WorktreesArguments): Promise<number> {
  return await inFolder(root, command, {
    async work({ program, folder, trusted }) {
      const { worktrees } = await import('./features/worktrees/command-line/worktrees.ts')
      return await worktrees(command, {
        review: program.review,
        workMerged: program.runtime.workMerged,
        folder,
        trusted,
        now: Date.now(),
        ...outputs(command),
        ask: isInteractive() && !command.json ? askLine : null,
      })
    },
  })
}

/** @returns the exit code */
export async function changes(root: CommandLineRoot, command: ChangesArguments): Promise<number> {
  endWithReader()
  return await withProgram(root, PLAIN, async ({ program }) => {
    const { changesCommand } = await import('./features/changes/changes-command.ts')
    const { changes } = program
    const ask = isInteractive() ? askLine : null
    return await changesCommand(command, { changes, cwd: process.cwd(), ...outputs(command), ask })
  })
}

/** @returns the exit code */
export async function doctor(root: CommandLineRoot, command: DoctorArguments): Promise<number> {
  return await inFolder(root, command, {
    async work({ program, folder }) {
      const { doctorCommand } = await import('./features/setup/doctor.ts')
      return await doctorCommand(command, {
        setup: program.setup,
        folder,
        home: root.home,
        ...outputs(command),
        ask: isInteractive() && !command.json ? askLine : null,
      })
    },
  })
}

/** @returns the exit code */
export async function mcp(root: CommandLineRoot, command: McpArguments): Promise<number> {
  return await inFolder(root, command, {
    async work({ program, folder, trusted }) {
      const { mcpCommand } = await import('./features/mcp/mcp-command.ts')
      return await mcpCommand(command, { servers: program.mcp, folder, trusted, ...outputs(command) })
    },
  })
}

/** @returns the exit code */
export async function models(root: CommandLineRoot, command: ModelsArguments): Promise<number> {
  endWithReader()
  return await withProgram(root, PLAIN, async ({ program, settings, change }) => {
    const { modelsCommand } = await import('./features/models/models-command.ts')
    const { key, authToken, baseUrl } = root.given.api
    await program.switchAccess(
      key === null && authToken === null && root.userSettings.apiKeyHelper === null
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
      ...outputs(command),
    })
  })
}

/** @returns the exit code */
export async function hooks(root: CommandLineRoot, command: HooksArguments): Promise<number> {
  return await inFolder(root, command, {
    async work({ program, folder, trusted }) {
      const { hooksCommand } = await import('./features/hooks/hooks-command.ts')
      return await hooksCommand(command, { hooks: program.hooks, folder, trusted, ...outputs(command) })
    },
  })
}

/** @returns the exit code */
export async function trust(root: CommandLineRoot, command: TrustArguments): Promise<number> {
  endWithReader()
  const path = command.verb === 'trust-list' ? '.' : (command.folder ?? '.')
  const found = folderAt(path)
  // A folder that is gone can lose its trust.
  if (!found.ok && command.verb === 'trust-add') return complain(found.failure.message, EXIT.usage)
  return await withProgram(root, PLAIN, async ({ program, settings, change }) => {
    const { trustCommand } = await import('./features/permissions/trust.ts')
    return await trustCommand(command, {
      folders: settings.trustedFolders,
      folder: found.ok ? found.value : resolve(path),
      isTrusted: program.policy.trusted,
      save: (trustedFolders) => change({ trustedFolders: [...trustedFolders] }),
      approveAll: program.definitionFiles.approveAll,
      ...outputs(command),
    })
  })
}

/** @returns the exit code */
export async function permissions(root: CommandLineRoot, command: PermissionsArguments): Promise<number> {
  const { wrongRule } = await import('./features/run/run-rules.ts')
  const wrong = wrongRule(command.rules)
  if (wrong !== null) return complain(wrong, EXIT.usage)
  const { rules } = command
  return await inFolder(root, command, {
    composition: { rules, ...(command.verb === 'permissions-explain' && { agents: command.agents }) },
    async work({ program, settings, folder, trusted }) {
      const { layered, settingsFiles } = program
      if (command.verb === 'permissions-explain') {
        const { permissionsExplain } = await import('./features/permissions/permissions-explain.ts')
        const { permissionMode: userMode } = settings
        const { testCall } = settingsFiles
        return await permissionsExplain(command, { folder, testCall, userMode, ...outputs(command) })
      }
      if (command.verb === 'permissions-approve') {
        const { permissionsApprove } = await import('./features/permissions/permissions-list.ts')
        return permissionsApprove(command, {
          ...{ folder, texts: program.texts, ...outputs(command) },
          approved: await layered.approveEntries(folder),
        })
      }
      const { permissionsList } = await import('./features/permissions/permissions-list.ts')
      const { problems } = await layered.permissions(folder)
      const { output } = outputs(command)
      return permissionsList(command, { rules: await program.rules.of(folder), problems, trusted, output })
    },
  })
}

/** Does not load the runtime. @returns the exit code */
export async function programs(root: CommandLineRoot, command: ProgramsArguments): Promise<number> {
  endWithReader()
  const [
    { composePrograms },
    { createSettingsStore },
    { createSystemClock },
    { childEnvironment },
    { addProgram },
    { programsCommand },
  ] = await Promise.all([
    import('./features/external-agents/feature.ts'),
    import('./features/settings/settings-store.ts'),
    import('./platform/system/system-clock.ts'),
    import('./platform/shell/child-environment.ts'),
    import('./features/external-agents/programs/add-program.ts'),
    import('./features/external-agents/programs-command.ts'),
  ])
  const { dataFolder, home, given } = root
  const settings = createSettingsStore({ file: join(dataFolder, 'settings.json') })
  const known = composePrograms({
    ...{ dataFolder, home, settings, programFolder: root.programFolder },
    environment: childEnvironment(given.forChildren),
    variables: given.forChildren,
    clock: createSystemClock(),
  })
  try {
    for (const problem of await settings.load()) complain(problem, 0)
    return await programsCommand(command, {
      programs: known,
      add: (program) => addProgram(program, home),
      ask: isInteractive() && !command.json ? askLine : null,
      ...outputs(command),
    })
  } finally {
    await known.close()
    settings.close()
  }
}

/** @returns the exit code */
export async function plugins(root: CommandLineRoot, command: PluginsArguments): Promise<number> {
  endWithReader()
  const [
    { createInstalledPlugins },
    { createSettingsStore },
    { createGit },
    { childEnvironment },
    { composeNpm },
    { pluginsCommand },
  ] = await Promise.all([
    import('./features/plugins/installed-plugins.ts'),
    import('./features/settings/settings-store.ts'),
    import('./platform/git/git-client.ts'),
    import('./platform/shell/child-environment.ts'),
    import('./features/external-agents/feature.ts'),
    import('./features/plugins/plugins-command.ts'),
  ])
  const { dataFolder, given, userSettings } = root
  const settings = createSettingsStore({ file: join(dataFolder, 'settings.json') })
  try {
    for (const problem of await settings.load()) complain(problem, 0)
    const environment = childEnvironment(given.forChildren)
    const git = createGit({ environment })
    const npm = composeNpm({ environment, variables: given.forChildren, home: root.home })
    const { turnedOffPlugins: turnedOff } = userSettings
    const installed = createInstalledPlugins({ dataFolder, settings, git, npm, turnedOff })
    return await pluginsCommand(command, { plugins: installed, ...outputs(command) })
  } finally {
    settings.close()
  }
}

interface InFolder {
  readonly composition?: Partial<Composition> | null
  work(composed: ComposedRun & { readonly folder: string; readonly trusted: boolean }): Promise<number>
}

/** Composes the program for the folder that the command names, or the one it was called in. */
async function inFolder(
  root: CommandLineRoot,
  { cwd, trust }: { readonly cwd: string | null; readonly trust: boolean },
  { composition, work }: InFolder,
): Promise<number> {
  endWithReader()
  const found = folderAt(cwd ?? '.')
  if (!found.ok) return complain(found.failure.message, EXIT.usage)
  const folder = found.value
  return await withProgram(root, { ...PLAIN, trusted: trust ? [folder] : [], ...composition }, (composed) =>
    work({ ...composed, folder, trusted: composed.program.policy.trusted(folder) }),
  )
}

/** All command handlers. */

import type { AgentRef } from '../../../shared/commands/agent-page.ts'
import { fail, messageOf, ok, sentence } from '../../../shared/kernel/result.ts'
import type { DraftStorage } from '../../../shared/messages/draft.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import type { StartInfo } from '../../../shared/window/contract.ts'
import type { Access } from '../access/model-access.ts'
import type { ProviderAccess } from '../access/providers.ts'
import type { Folders } from '../folders/folders.ts'
import type { HookRuns } from '../hook-runs.ts'
import type { Program, SettingsPort } from '../services.ts'
import type { CommandHandlers, HandlersOf } from './command-handlers.ts'
import { type ConversationDeps, conversationCommands } from './conversations.ts'
import { type DefinitionDeps, definitionCommands } from './definitions.ts'
import { type FolderDeps, folderCommands } from './folders.ts'
import { type McpDeps, mcpCommands } from './mcp.ts'
import { type ProgramDeps, programCommands } from './programs.ts'
import { type ReviewDeps, reviewCommands } from './reviews.ts'
import { settingsFileCommands } from './settings-files.ts'
import { slashCommands } from './slash.ts'
import { type StatusLineDeps, statusLineCommands } from './status-line.ts'
import { type SystemDeps, systemCommands } from './system.ts'
import { teamCommands } from './teams.ts'
import { type TrashDeps, trashCommands } from './trash.ts'
import { tryDefinitionCommands } from './try-definitions.ts'
import { verificationCommands } from './verifications.ts'
import { type WorkerDeps, workerCommands } from './workers.ts'

interface CommandDeps
  extends AccessDeps,
    AgentWindowDeps,
    Omit<ConversationDeps, 'isRehearsal'>,
    DefinitionDeps,
    DraftDeps,
    FolderDeps,
    HookDeps,
    McpDeps,
    ProgramDeps,
    ProviderDeps,
    ReviewDeps,
    StatusLineDeps,
    SystemDeps,
    TrashDeps,
    WorkerDeps {
  readonly start: () => Promise<StartInfo>
}

export function createCommands(deps: CommandDeps): CommandHandlers {
  const withRehearsal = { ...deps, isRehearsal: () => deps.access.isRehearsal() }
  return {
    start: async () => ok(await deps.start()),
    ...folderCommands(deps),
    ...conversationCommands(withRehearsal),
    ...definitionCommands(deps),
    ...changesCommands(deps),
    ...comparisonCommands(deps),
    ...draftCommands(deps),
    ...tryDefinitionCommands(withRehearsal),
    ...agentCommands(deps),
    ...agentWindowCommands(deps),
    ...hookCommands(deps),
    ...mcpCommands(deps),
    ...slashCommands(deps),
    ...reviewCommands(deps),
    ...settingsCommands(deps),
    ...settingsFileCommands(deps),
    ...sandboxCommands(deps),
    ...accessCommands(deps),
    ...programCommands(deps),
    ...providerCommands(deps),
    ...statusLineCommands(deps),
    ...systemCommands(deps),
    ...teamCommands(deps),
    ...trashCommands(deps),
    ...verificationCommands(deps),
    ...workerCommands(deps),
  }
}

/** Handlers for the access to a model. */
interface AccessDeps {
  readonly access: Access
  readonly program: () => Promise<Program>
}

function accessCommands({ access, program }: AccessDeps): HandlersOf<'access'> {
  return {
    'access.set': (wanted) => access.set(wanted),
    'access.test': (wanted) => access.test(wanted),
    'access.models': async () => (await program()).listModels(),
  }
}

/** Handlers for agents in windows of their own. */
interface AgentWindowDeps {
  readonly agentWindow: {
    open(agent: AgentRef): void
    close(agent: AgentRef): void
  }
}

function agentWindowCommands({ agentWindow }: AgentWindowDeps): HandlersOf<'agentWindow'> {
  return {
    'agentWindow.open': async (agent) => ok(agentWindow.open(agent)),
    'agentWindow.close': async (agent) => ok(agentWindow.close(agent)),
  }
}

/** Handlers for one agent. */
export function agentCommands({
  program,
}: {
  readonly program: () => Promise<Program>
}): HandlersOf<'agent'> {
  return {
    'agent.stop': async ({ conversationId, agentId }) =>
      (await program()).runtime.stopAgent(conversationId, agentId),
    'agent.pause': async ({ conversationId, agentId }) =>
      (await program()).runtime.pauseAgent(conversationId, agentId),
    'agent.continue': async ({ conversationId, agentId }) =>
      (await program()).runtime.continueAgent(conversationId, agentId),
    'agent.retry': async ({ conversationId, agentId }) =>
      (await program()).runtime.retryNow(conversationId, agentId),
    'agent.toBackground': async ({ conversationId, agentId }) =>
      (await program()).runtime.moveToBackground(conversationId, agentId),
    'agent.definitionChange': async ({ conversationId, agentId }) =>
      (await program()).runtime.definitionChange(conversationId, agentId),
    'agent.context': async ({ conversationId, agentId }) =>
      (await program()).runtime.context(conversationId, agentId),
    'agent.setLimits': async ({ conversationId, agentId, limits }) =>
      (await program()).runtime.setAgentLimits(conversationId, agentId, limits),
    'agent.renew': async ({ conversationId, agentId }) =>
      (await program()).runtime.renewDefinition(conversationId, agentId),
    'agent.answer': async ({ decision, feedback, rule, choice, ...prompt }) => {
      const { runtime } = await program()
      const given = choice === undefined ? {} : { choice }
      if (decision === 'deny') return runtime.answer(prompt, { decision, feedback, ...given })
      if (decision === 'allow-once') return runtime.answer(prompt, { decision, ...given })
      return runtime.answer(prompt, { decision, ...(rule !== undefined && { rule }) })
    },
    'agent.stopCommand': async (command) => (await program()).runtime.stopCommand(command),
    'agent.setProgramOption': async (choice) => (await program()).runtime.setProgramOption(choice),
    'agent.login': async (login) => (await program()).runtime.login(login),
    'agent.answerForm': async ({ answer, ...form }) => (await program()).runtime.answerForm(form, answer),
    'agent.transcript': async ({ conversationId, agentId, before, limit }, call) => {
      const { store, runtime } = await program()
      // Deltas continue from the newest page only, so they wait until the window has the page.
      if (before === null) call.hold()
      const page = await store.page(agentId, { before, limit })
      if (!page.ok) return page
      const { events } = page.value
      const older = (events[0]?.seq ?? 0) > 0
      if (before !== null) return ok({ events, older, live: [] })
      const live = runtime.live(agentId)
      call.stream.watchFrom(conversationId, agentId, live)
      return ok({ events, older, live })
    },
    'agent.watch': async ({ conversationId, agentIds }, { stream }) =>
      ok(stream.watch(conversationId, agentIds)),
    'agent.toolOutput': async ({ agentId, toolUseId }) =>
      (await program()).store.toolOutput(agentId, toolUseId),
  }
}

/** Handlers for the changes of agents and their undo. */
function changesCommands({ program }: { readonly program: () => Promise<Program> }): HandlersOf<'changes'> {
  return {
    'changes.list': async ({ conversationId }) => (await program()).changes.list(conversationId),
    'changes.space': async () => (await program()).changes.space(),
    'changes.clean': async () => {
      const { changes } = await program()
      await changes.clean()
      return changes.space()
    },
    'changes.history': async ({ conversationId, path }) =>
      (await program()).changes.history(conversationId, path),
    'changes.file': async (question) => (await program()).changes.file(question),
    'changes.preview': async ({ conversationId, scope, choices }) =>
      (await program()).changes.preview(conversationId, scope, choices),
    'changes.undo': async ({ conversationId, ...undo }) =>
      (await program()).changes.undo(conversationId, undo),
    'changes.previewRedo': async ({ conversationId, choices }) =>
      (await program()).changes.previewRedo(conversationId, choices),
    'changes.redo': async ({ conversationId, ...redo }) =>
      (await program()).changes.redo(conversationId, redo),
  }
}

/** Handlers for comparisons. */
function comparisonCommands({
  program,
  folders,
}: {
  readonly program: () => Promise<Program>
  readonly folders: Folders
}): HandlersOf<'comparison'> {
  return {
    'comparison.start': async (wanted) => (await program()).runtime.compare(wanted),
    'comparison.stop': async ({ conversationId, comparisonId }) =>
      (await program()).runtime.stopComparison(conversationId, comparisonId),
    'comparison.check': async ({ conversationId, agentId }) =>
      (await program()).runtime.checkAttempt(conversationId, agentId),
    'comparison.suggestCheck': async ({ folder }) => {
      const known = await folders.known(folder)
      return known.ok ? ok(await (await program()).runtime.suggestCheck(known.value)) : known
    },
  }
}

/** Handlers for unsent messages. */
interface DraftDeps {
  readonly drafts: DraftStorage
}

function draftCommands({ drafts }: DraftDeps): HandlersOf<'draft'> {
  return {
    'draft.list': async () => ok(await drafts.list()),
    'draft.save': async (draft) => {
      try {
        return ok(await drafts.save(draft))
      } catch (error) {
        return fail({
          type: 'not-saved',
          message: `The unsent message can't be saved: ${sentence(messageOf(error))} It is kept until Troupe closes.`,
        })
      }
    },
  }
}

/** Handlers for the hooks of a folder. */
interface HookDeps {
  readonly program: () => Promise<Program>
  readonly hookRuns: HookRuns
}

function hookCommands({ program, hookRuns }: HookDeps): HandlersOf<'hooks'> {
  return {
    'hooks.state': async ({ folder }) => {
      const { hooks, runtime } = await program()
      if (hooks === undefined) return ok({ entries: [], problems: [], runs: [] })
      const [state, conversations] = await Promise.all([hooks.state(folder), runtime.conversations()])
      const ids = conversations.filter((one) => one.folder === folder).map(({ id }) => id)
      return ok({ ...state, runs: hookRuns.of(new Set(ids)) })
    },
    'hooks.decide': async ({ folder, id, decision }) => {
      const { hooks } = await program()
      return hooks === undefined ? fail(NONE) : hooks.decide(folder, id, decision)
    },
    'hooks.test': async ({ folder, event, tool, input }) => {
      const { hooks } = await program()
      return hooks === undefined ? fail(NONE) : ok(await hooks.test(folder, event, { tool, input }))
    },
  }
}

const NONE = { type: 'no-hooks', message: 'This program has no hooks.' }

/** Handlers for model providers. */
interface ProviderDeps {
  readonly providers: ProviderAccess
}

function providerCommands({ providers }: ProviderDeps): HandlersOf<'provider'> {
  return {
    'provider.save': (wanted) => providers.save(wanted),
    'provider.remove': ({ name }) => providers.remove(name),
    'provider.probe': ({ model }) => providers.probe(model),
  }
}

/** Handler for the state of the sandbox. */
function sandboxCommands({ program }: { readonly program: () => Promise<Program> }): HandlersOf<'sandbox'> {
  return {
    'sandbox.state': async () => {
      const { sandbox } = await program()
      if (sandbox === undefined) return fail({ type: 'not-here', message: 'This program has no sandbox.' })
      return ok(await sandbox.state())
    },
  }
}

/** Settings that affect safety or the key's destination have their own commands, with their own checks. */
const protectedKeys: readonly (keyof Settings)[] = [
  'access',
  'baseUrl',
  'providers',
  'trustedFolders',
  'bypassFolders',
  'plugins',
]

/** Handlers for the settings. */
export function settingsCommands({ settings }: { readonly settings: SettingsPort }): HandlersOf<'settings'> {
  return {
    'settings.origins': async () => ok(settings.origins?.() ?? {}),
    'settings.change': async ({ patch }) => {
      const refused = protectedKeys.filter((key) => patch[key] !== undefined)
      if (refused.length > 0)
        return fail({
          type: 'not-here',
          message: `Not allowed here: ${refused.join(', ')}. Nothing was changed.`,
        })
      return settings.change(patch)
    },
  }
}

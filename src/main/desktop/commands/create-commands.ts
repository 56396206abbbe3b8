/** All command handlers. */

import { ok } from '../../../shared/result.ts'
import type { StartInfo } from '../../../shared/start-info.ts'
import { type AccessDeps, accessCommands } from './access.ts'
import { type AgentWindowDeps, agentWindowCommands } from './agent-windows.ts'
import { agentCommands } from './agents.ts'
import { changesCommands } from './changes.ts'
import type { CommandHandlers } from './command-handlers.ts'
import { comparisonCommands } from './comparisons.ts'
import { type ConversationDeps, conversationCommands } from './conversations.ts'
import { type DefinitionDeps, definitionCommands } from './definitions.ts'
import { type DraftDeps, draftCommands } from './drafts.ts'
import { type FolderDeps, folderCommands } from './folders.ts'
import { type HookDeps, hookCommands } from './hooks.ts'
import { type McpDeps, mcpCommands } from './mcp.ts'
import { type ProgramDeps, programCommands } from './programs.ts'
import { type ProviderDeps, providerCommands } from './providers.ts'
import { type ReviewDeps, reviewCommands } from './reviews.ts'
import { sandboxCommands } from './sandbox.ts'
import { settingsCommands } from './settings.ts'
import { settingsFileCommands } from './settings-files.ts'
import { slashCommands } from './slash.ts'
import { type StatusLineDeps, statusLineCommands } from './status-line.ts'
import { type SystemDeps, systemCommands } from './system.ts'
import { teamCommands } from './teams.ts'
import { type TrashDeps, trashCommands } from './trash.ts'
import { tryDefinitionCommands } from './try-definitions.ts'
import { verificationCommands } from './verifications.ts'
import { type WorkerDeps, workerCommands } from './workers.ts'

export interface CommandDeps
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

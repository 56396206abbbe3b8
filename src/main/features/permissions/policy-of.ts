/** The runtime's policy: what the user's settings and the options of this start allow. */
import { join } from 'node:path'
import { defaultLimits, moneyLimit } from '../../../shared/settings/default-limits.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import type { ComposeOptions } from '../../compose-options.ts'
import type { Policy } from '../../runtime/ports.ts'

/** The policy as the current settings state it; each access reads them again. */
export function policyOf(
  settings: { readonly current: Settings },
  {
    dataFolder,
    home,
    forkSubagents = false,
    attended = true,
    verification,
    mcpToolsForSubagents,
    isTrusted,
  }: Pick<
    ComposeOptions,
    'dataFolder' | 'home' | 'forkSubagents' | 'attended' | 'verification' | 'mcpToolsForSubagents'
  > & { readonly isTrusted: (folder: string) => boolean },
): Policy {
  const ms = (minutes: number | null) => (minutes === null ? null : minutes * 60_000)
  return {
    ownPaths: { dataFolder, settingsFile: join(dataFolder, 'settings.json'), home },
    trusted: isTrusted,
    bypassAllowed: (folder) => isTrusted(folder) && settings.current.bypassFolders.includes(folder),
    attended,
    get maxParallelAgents() {
      return settings.current.maxParallelAgents
    },
    get maxAgents() {
      return settings.current.maxAgents
    },
    get maxDepth() {
      return settings.current.maxDepth
    },
    get forkSubagents() {
      return forkSubagents || settings.current.forkSubagents
    },
    get carryOver() {
      return settings.current.worktreeCarryOver
    },
    get verification() {
      return verification ?? settings.current.verification
    },
    get mcpToolsForSubagents() {
      return mcpToolsForSubagents ?? settings.current.mcpToolsForSubagents
    },
    get limits() {
      const { current } = settings
      const agent = {
        tokens: current.agentTokens,
        ...moneyLimit(current.agentUsd, defaultLimits.agentUsd),
        ms: ms(current.agentMinutes),
        spawns: current.agentSpawns,
      }
      return {
        agent,
        background: { ...agent, ms: ms(current.backgroundMinutes) },
        conversation: {
          tokens: current.conversationTokens,
          ...moneyLimit(current.conversationUsd, defaultLimits.conversationUsd),
          ms: ms(current.conversationMinutes),
          spawns: null,
        },
      }
    },
  }
}

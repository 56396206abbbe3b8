/** The permission rules of a folder, its trust, and the runtime's policy: what the user's settings and the options of this start allow. */
import { join } from 'node:path'
import type { CommandHandlers } from '../../../shared/ipc/handlers.ts'
import { ok, type Result } from '../../../shared/kernel/result.ts'
import { defaultLimits, moneyLimit } from '../../../shared/settings/limit-amounts.ts'
import { folderAt } from '../../platform/command-line/given-paths.ts'
import type { ProgramLaunch } from '../../platform/launch-options.ts'
import type { Platform } from '../../platform/platform.ts'
import type { PermissionRules, Policy } from '../../runtime/ports/ports.ts'
import type { ComposedSettings } from '../settings/feature.ts'
import { createPermissionRules } from './permission-rules.ts'

type PermissionOptions = Pick<
  ProgramLaunch,
  'forkSubagents' | 'attended' | 'showsTitles' | 'verification' | 'mcpToolsForSubagents' | 'rules'
>

/** `permissions`: the rules of the settings files. */
export function composePermissions(
  base: Platform,
  options: PermissionOptions,
  { permissions, defaults }: Pick<ComposedSettings, 'permissions'> & Pick<Policy, 'defaults'>,
): { readonly rules: PermissionRules; readonly policy: Policy } {
  return {
    rules: createPermissionRules({
      ...base,
      settings: async (folder) => {
        const found = await permissions(folder)
        return { ...found, problems: found.mistakes }
      },
      ...(options.rules && { forThisRun: options.rules }),
    }),
    policy: policyOf(base, options, defaults),
  }
}

/** Trusts folders, and takes trust back. Fails as `folderAt`, and as a change of the settings does. */
export function trustHandlers(
  { settings, isTrusted }: Pick<Platform, 'settings' | 'isTrusted'>,
  { approveAll }: { approveAll(folder: string): Promise<Result<void>> },
): Pick<CommandHandlers, 'folder.trust'> {
  const save = async (path: string, trusted: boolean) => {
    const others = settings.current.trustedFolders.filter((each) => each !== path)
    const saved = await settings.change?.({ trustedFolders: trusted ? [...others, path] : others })
    return saved?.ok === false ? saved : ok({ path, trusted: isTrusted(path) })
  }
  return {
    'folder.trust': async ({ path, trusted }) => {
      const real = folderAt(path)
      if (!real.ok)
        return !trusted && settings.current.trustedFolders.includes(path) ? save(path, false) : real
      // The answer is about what the folder has now: its agents wait only if they change later.
      const approved = trusted ? await approveAll(real.value) : ok(undefined)
      return approved.ok ? save(real.value, trusted) : approved
    },
  }
}

/** The policy as the current settings state it; each access reads them again. */
function policyOf(
  { dataFolder, home, settings, isTrusted }: Platform,
  {
    forkSubagents = false,
    attended = true,
    showsTitles = false,
    verification,
    mcpToolsForSubagents,
  }: PermissionOptions,
  defaults: Policy['defaults'],
): Policy {
  const ms = (minutes: number | null) => (minutes === null ? null : minutes * 60_000)
  return {
    defaults,
    ownPaths: { dataFolder, settingsFile: join(dataFolder, 'settings.json'), home },
    trusted: isTrusted,
    bypassAllowed: (folder, trusted) =>
      settings.current.bypassFolders.includes(folder) && (trusted ?? isTrusted(folder)),
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
    get titlesByModel() {
      return showsTitles && settings.current.modelTitles
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

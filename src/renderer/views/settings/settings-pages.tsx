/** Every page of the settings, in the order of the list: an entry here is all that a page needs. */
import {
  Blocks,
  Box,
  Cable,
  ChartColumn,
  Gauge,
  HardDrive,
  Key,
  Keyboard,
  ListChecks,
  type LucideIcon,
  Puzzle,
  Server,
  Shield,
  SlidersHorizontal,
  Users,
  Webhook,
} from 'lucide-react'
import { type ComponentType, type ReactNode, useEffect } from 'react'
import { HistorySettings } from '../../features/conversations/histories.tsx'
import { ProgramSettings } from '../../features/external-agents/program-settings.tsx'
import { loadPrograms, readyAmount, usePrograms } from '../../features/external-agents/programs-store.ts'
import { HookAnswers, HookRows, HooksSettings } from '../../features/hooks/hooks-settings.tsx'
import { isWaiting, useHooks } from '../../features/hooks/hooks-store.ts'
import { InsightPage } from '../../features/insight/insight-page.tsx'
import { KeysPage } from '../../features/keys/keys-page.tsx'
import { LimitsSettings } from '../../features/limits/limits-settings.tsx'
import { McpSettings, ServerRows } from '../../features/mcp/mcp-settings.tsx'
import { AccessSettings } from '../../features/models/access-settings.tsx'
import { ModelSettings } from '../../features/models/model-settings.tsx'
import { ProviderSettings } from '../../features/models/provider-settings.tsx'
import { ModeAndTrust } from '../../features/permissions/mode-and-trust.tsx'
import { PermissionsPage, RuleRows } from '../../features/permissions/permissions-page.tsx'
import { PluginRow, PluginSettings } from '../../features/plugins/plugin-settings.tsx'
import { SandboxSection } from '../../features/sandbox/sandbox-settings.tsx'
import { AppearanceSettings } from '../../features/settings/appearance-settings.tsx'
import { SetupPage, SetupRows } from '../../features/setup/setup-page.tsx'
import { scanSetup, useSetup } from '../../features/setup/setup-store.ts'
import { CoordinationSettings } from '../../features/teams/coordination-settings.tsx'
import { UpdateSettings } from '../../features/updates/update-settings.tsx'
import { WorkersSettings } from '../../features/workers/workers-settings.tsx'
import { StorageSettings, WorktreeSettings } from '../../features/worktrees/worktree-settings.tsx'
import { MARKED, useMcp } from '../../stores/mcp-store.ts'
import { type SettingsPart, useSettingsFiles } from '../../stores/settings-store.ts'

interface PageEntry {
  readonly part: SettingsPart
  readonly title: string
  readonly icon: LucideIcon
  /** The heading in the list; null: none. */
  readonly group: 'Window' | 'Models' | 'Safety' | 'Tools' | 'Computer' | null
  /** What the list counts: what waits for the user, and otherwise all there is. */
  readonly useCounts?: () => PageCounts
  /** How many settings its rows have. */
  readonly settings?: number
  /** Other words that find the page. */
  readonly words?: string
}

/** At the end of a page's line in the list. */
export interface PageCounts {
  readonly waiting?: number
  /** Shown where nothing waits. */
  readonly amount?: number | string
}

/** A page of rows. A search shows the rows. */
export interface RowsPage extends PageEntry {
  readonly sentence: ReactNode
  readonly sections: readonly ComponentType[]
  /** Whether its rows tell what the conversation uses. */
  readonly hasUse?: true
}

/** A page with content of its own. A search finds the page, and its rows if it has some. */
export interface OwnPage extends PageEntry {
  readonly component: ComponentType
  readonly sections?: readonly ComponentType[]
}

export const SETTINGS_PAGES: readonly (RowsPage | OwnPage)[] = [
  {
    part: 'setup',
    title: 'Your setup',
    icon: ListChecks,
    group: null,
    component: SetupWithPlugins,
    sections: [SetupRows],
    useCounts: useSetupCounts,
    words: 'doctor import claude code cursor codex gemini files memory skills agents',
  },
  {
    part: 'insight',
    title: 'Insight',
    icon: ChartColumn,
    group: null,
    component: InsightPage,
    words: 'cost money spending usage tokens cache time report statistics csv',
  },
  {
    part: 'general',
    title: 'General',
    icon: SlidersHorizontal,
    group: 'Window',
    sentence: 'The window, and the programs that it opens files with. A change counts at once.',
    sections: [AppearanceSettings, UpdateSettings, HistorySettings],
    settings: 12,
  },
  {
    part: 'keys',
    title: 'Keys',
    icon: Keyboard,
    group: 'Window',
    component: KeysPage,
    words: 'keybindings keyboard shortcuts rebind conflicts',
  },
  {
    part: 'access',
    title: 'Access and models',
    icon: Key,
    group: 'Models',
    sentence: 'What answers agents, and the models of new conversations.',
    sections: [AccessSettings, ModelSettings, ProviderSettings],
    settings: 11,
  },
  {
    part: 'limits',
    title: 'Limits',
    icon: Gauge,
    group: 'Models',
    sentence:
      'At a limit an agent reports and stops. Raise the limit to continue. A change counts at once, for running agents too.',
    sections: [LimitsSettings],
    hasUse: true,
    settings: 13,
  },
  {
    part: 'coordination',
    title: 'Coordination',
    icon: Users,
    group: 'Models',
    sentence: 'How agents work together, and what happens to their changes.',
    sections: [CoordinationSettings, WorktreeSettings],
    settings: 6,
  },
  {
    part: 'permissions',
    title: 'Permissions',
    icon: Shield,
    group: 'Safety',
    component: PermissionsPage,
    sections: [ModeAndTrust, RuleRows],
    useCounts: useRuleCounts,
    words: 'rules allow deny ask',
    settings: 3,
  },
  {
    part: 'sandbox',
    title: 'Sandbox',
    icon: Box,
    group: 'Safety',
    sentence:
      'In the sandbox a command of an agent writes only to the agent’s folder, reads no key files, and reaches no host that you have not allowed.',
    sections: [SandboxSection],
    settings: 6,
  },
  {
    part: 'mcp',
    title: 'MCP servers',
    icon: Blocks,
    group: 'Tools',
    component: McpSettings,
    sections: [ServerRows],
    useCounts: useServerCounts,
    words: 'mcpServers mcpSampling tools server add approve',
  },
  {
    part: 'hooks',
    title: 'Hooks',
    icon: Webhook,
    group: 'Tools',
    component: HooksSettings,
    sections: [HookAnswers, HookRows],
    useCounts: useHookCounts,
    words: 'hooks command event matcher add',
    settings: 1,
  },
  {
    part: 'plugins',
    title: 'Plugins',
    icon: Puzzle,
    group: 'Tools',
    sentence: 'Nothing of a plugin is used before you enable it, and again after its content changed.',
    sections: [PluginSettings],
    useCounts: usePluginCounts,
    settings: 2,
  },
  {
    part: 'programs',
    title: 'External agents',
    icon: Cable,
    group: 'Tools',
    sentence: 'Claude Code, Codex, Gemini CLI and opencode as agents of Troupe.',
    sections: [ProgramSettings],
    useCounts: useProgramCounts,
  },
  {
    part: 'workers',
    title: 'Workers',
    icon: Server,
    group: 'Computer',
    sentence:
      'Workers on other machines get their jobs through a NATS server. A change of the connection counts at the next start.',
    sections: [WorkersSettings],
    settings: 5,
  },
  {
    part: 'storage',
    title: 'Storage',
    icon: HardDrive,
    group: 'Computer',
    sentence: 'How long Troupe keeps what undo needs.',
    sections: [StorageSettings],
    settings: 2,
  },
]

function SetupWithPlugins() {
  return <SetupPage renderPlugin={(plugin) => <PluginRow plugin={plugin} />} />
}

function useSetupCounts(): PageCounts {
  useEffect(() => {
    if (useSetup.getState().report === null) void scanSetup()
  }, [])
  const waiting = useSetup(
    ({ report }) => report?.items.filter(({ state }) => state === 'needs-you').length ?? 0,
  )
  return { waiting }
}

function useRuleCounts(): PageCounts {
  const amount = useSettingsFiles(
    (store) => store.rules?.entries.filter(({ list }) => list !== 'additionalDirectories').length ?? 0,
  )
  return { amount }
}

function useServerCounts(): PageCounts {
  const waiting = useMcp((store) => store.state?.servers.filter(MARKED.waiting).length ?? 0)
  const amount = useMcp((store) => store.state?.servers.length ?? 0)
  return { waiting, amount }
}

function useHookCounts(): PageCounts {
  const waiting = useHooks((store) => store.state?.entries.filter(isWaiting).length ?? 0)
  const amount = useHooks((store) => store.state?.entries.length ?? 0)
  return { waiting, amount }
}

function usePluginCounts(): PageCounts {
  return { amount: useSettingsFiles((store) => store.plugins?.length ?? 0) }
}

function useProgramCounts(): PageCounts {
  useEffect(() => {
    if (usePrograms.getState().programs === null) void loadPrograms()
  }, [])
  const all = usePrograms((store) => store.programs?.length ?? 0)
  const ready = usePrograms(readyAmount)
  return all === 0 ? {} : { amount: `${ready} of ${all}` }
}

/** Composes hooks: their sources, their approvals, and the interceptors that run them. */
import type { Hooks } from '../../../shared/hooks/contract.ts'
import type { HookRun } from '../../../shared/hooks/hooks.ts'
import type { HandlersOf } from '../../../shared/ipc/handlers.ts'
import { ok } from '../../../shared/kernel/result.ts'
import { type SettingsSource, settingsSources } from '../../../shared/settings/settings-layers.ts'
import { createApprovals } from '../../platform/approvals/approvals.ts'
import type { Platform } from '../../platform/platform.ts'
import type { CommandOwner } from '../../platform/shell/end-lost-commands.ts'
import type { DefinitionSource } from '../../runtime/ports/definitions.ts'
import type { Interceptors } from '../../runtime/ports/interceptors.ts'
import type { Runtime, RuntimeDelta } from '../../runtime/ports/runtime.ts'
import type { TranscriptStore } from '../../runtime/ports/transcripts.ts'
import { createPluginParts } from '../plugins/plugin-parts.ts'
import type { SettingsLayerReader } from '../settings/settings-layers.ts'
import { type ConfiguredHooks, createConfiguredHooks } from './configured-hooks.ts'
import { createHooks } from './create-hooks.ts'
import type { SettingsPlace } from './hook-watches.ts'
import { createHooksService } from './hooks-service.ts'
import { createHookCommands } from './run-command-hook.ts'
import { createScriptTranscripts, type ScriptTranscripts } from './script-transcript.ts'

interface ComposeHooksOptions extends Pick<Platform, 'now' | 'elapsed'> {
  readonly dataFolder: string
  readonly layers: SettingsLayerReader
  readonly isTrusted: (folder: string) => boolean
  /** The folders of the plugins whose content the user approved, and of those that have changed since. */
  readonly plugins: () => readonly string[]
  readonly changedPlugins: () => readonly string[]
  readonly definitions: Pick<DefinitionSource, 'load'>
  readonly store: Pick<TranscriptStore, 'page'>
  readonly owner: CommandOwner
  /** The environment of hooks, without the program's keys. */
  readonly environment: Readonly<Record<string, string>>
  /** Whether the user's own hooks may answer requests to the user. */
  readonly mayAllow: () => boolean
}

/** The public names of the settings files' kinds. */
const KINDS: Readonly<Partial<Record<SettingsSource, SettingsPlace['source']>>> = {
  managed: 'policy_settings',
  own: 'user_settings',
  user: 'user_settings',
  project: 'project_settings',
  local: 'local_settings',
}

interface ComposedHooks {
  readonly interceptors: Interceptors
  readonly configured: ConfiguredHooks
  readonly hooks: Hooks
  /** What agents said, in the form that people's scripts read. */
  readonly transcripts: ScriptTranscripts
  /** Ends the hooks that run. */
  close(): Promise<void>
  /** Kills the hooks that run, for the exit of the program. */
  endNow(): void
}

export function composeHooks(options: ComposeHooksOptions): ComposedHooks {
  const { dataFolder, environment, plugins, now, elapsed } = options
  const commands = createHookCommands(options.owner, elapsed)
  const transcripts = createScriptTranscripts(options.store)
  const approvals = createApprovals({ dataFolder })
  const configured = createConfiguredHooks({
    ...options,
    pluginParts: createPluginParts(() => plugins()),
    approvals,
  })
  const settingsFiles = (folder: string) => {
    const paths = options.layers.files(folder, { trusted: options.isTrusted(folder) })
    return settingsSources.flatMap((from) => {
      const source = KINDS[from]
      return source === undefined ? [] : paths[from].map((path) => ({ path, source }))
    })
  }
  const shared = { configured, commands, environment, settingsFiles, mayAllow: options.mayAllow, elapsed }
  return {
    interceptors: createHooks({ ...shared, transcripts }),
    configured,
    transcripts,
    hooks: createHooksService({
      ...shared,
      transcripts: async ({ transcriptPath }) => transcriptPath,
      ...{ approvals, now },
      async definitions(folder) {
        const trusted = options.isTrusted(folder)
        const loaded = await options.definitions.load(folder, { trusted })
        return loaded.definitions.flatMap(({ name, source, hooks }) =>
          hooks === null ? [] : [{ agent: name, source, hooks }],
        )
      },
    }),
    close: () => commands.endAll(),
    endNow: () => commands.killAllNow(),
  }
}

/** Runs of all hooks together. */
const MOST_RUNS = 1000

/** Answers the window about hooks, with their last runs. Follows the runtime from now on. */
export function hookHandlers(
  hooks: Hooks,
  runtime: Pick<Runtime, 'subscribe' | 'conversations'>,
): HandlersOf<'hooks'> {
  let runs: readonly HookRun[] = []
  runtime.subscribe((delta) => {
    const run = runOf(delta)
    if (run !== null) runs = [...runs, run].slice(-MOST_RUNS)
  })
  return {
    'hooks.state': async ({ folder }) => {
      const [state, conversations] = await Promise.all([hooks.state(folder), runtime.conversations()])
      const ids = new Set(conversations.filter((one) => one.folder === folder).map(({ id }) => id))
      return ok({ ...state, runs: runs.filter(({ conversationId }) => ids.has(conversationId)) })
    },
    'hooks.decide': ({ folder, id, decision }) => hooks.decide(folder, id, decision),
    'hooks.test': async ({ folder, event, tool, input }) =>
      ok(await hooks.test(folder, event, { tool, input })),
  }
}

function runOf(delta: RuntimeDelta): HookRun | null {
  if (delta.type !== 'event' || delta.event.type !== 'hook-ran') return null
  const { event, conversationId } = delta
  const { at, agentId, matcher, source, command, toolUseId, exitCode, durationMs, effect, output } = event
  const run = { at, agentId, matcher, source, command, toolUseId, exitCode, durationMs, effect, output }
  return { ...run, event: event.event, conversationId }
}

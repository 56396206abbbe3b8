/** The window's commands about the settings, the keys, the access to a model, model providers and the user's setup. */

import { z } from 'zod'
import type { KeyBindings } from '../commands/key-bindings.ts'
import type { ClaudeKeys } from '../commands/key-presets.ts'
import { command, none, path } from '../kernel/command.ts'
import type { AccessInfo, AccessTest, ModelInfo } from '../models/model-access.ts'
import type { ModelProbe } from '../models/model-probe.ts'
import { provider, providerName } from '../models/model-provider-schema.ts'
import type { SetupImport, SetupReport } from '../setup/setup.ts'
import { type Settings, settingsPatch } from './settings.ts'
import type { SettingOrigin } from './settings-layers.ts'

/** A key of the settings, or keys with dots between: `sandbox.network.allowedDomains`. */
const settingName = z
  .string()
  .max(200)
  .regex(/^[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+){0,3}$/)

const actionId = z.string().min(1).max(100)

export const settingsContract = {
  'settings.change': command<Settings>()(() => z.object({ patch: settingsPatch })),
  /** Where settings are set, by key (`maxAgents`) or keys (`sandbox.enabled`). A setting with its default is missing. */
  'settings.origins': command<Readonly<Record<string, SettingOrigin>>>()(() => none),
  /**
   * Removes settings from the program's own file, so that another file or the default counts. Fails with `not-here`,
   * `bad-setting` or `not-saved`.
   */
  'settings.reset': command<Settings>()(() => z.object({ names: z.array(settingName).min(1).max(100) })),
  /** Opens a file that settings, hooks or MCP servers of a folder come from, in the user's editor at a line. */
  'settings.open': command<void>()(() =>
    z.object({ folder: path.nullable(), file: path, line: z.number().int().positive().nullable() }),
  ),
  'access.set': command<AccessInfo>()(() =>
    z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('rehearsal') }),
      /** `key: null` keeps the stored key. */
      z.object({
        kind: z.literal('api'),
        key: z.string().min(1).max(500).nullable(),
        baseUrl: z.string().max(500),
      }),
      z.object({ kind: z.literal('none') }),
    ]),
  ),
  /** Makes one small request with the key given (null: the stored key). Costs a few tokens. */
  'access.test': command<AccessTest>()(() =>
    z.object({ key: z.string().min(1).max(500).nullable(), baseUrl: z.string().max(500) }),
  ),
  /** The models that the API offers; in rehearsal the aliases. */
  'access.models': command<readonly ModelInfo[]>()(() => none),
  /**
   * Adds a provider, or changes the one named `before`. `key`: to store in the system's key store; null keeps what is
   * there. Fails with `bad-address`, `bad-key`, `taken` or `not-saved`.
   */
  'provider.save': command<Settings>()(() =>
    z.object({
      before: providerName.nullable(),
      name: providerName,
      provider: provider.omit({ key: true }).extend({ models: provider.shape.models.removeDefault() }),
      key: z.string().min(1).max(500).nullable(),
    }),
  ),
  /** Also removes its stored key. */
  'provider.remove': command<Settings>()(() => z.object({ name: providerName })),
  /** Tests a model in two small requests, and keeps the result. The model is `NAME/model`. */
  'provider.probe': command<ModelProbe>()(() => z.object({ model: z.string().min(1).max(200) })),
  /** What was found of the user's setup for a folder. */
  'setup.report': command<SetupReport>()(() => z.object({ folder: path })),
  /** What an import of one file of another program would write, or of all (null). */
  'setup.preview': command<SetupImport>()(() => z.object({ folder: path, file: path.nullable() })),
  /** Writes what was shown, and reports again. Fails with `changed` if something else would be written now. */
  'setup.import': command<SetupReport>()(() =>
    z.object({ folder: path, file: path.nullable(), digest: z.string().max(100) }),
  ),
  /** Takes back what was imported from a file, and reports again. */
  'setup.undoImport': command<SetupReport>()(() => z.object({ folder: path, file: path })),
  'keys.state': command<KeyBindings>()(() => none),
  /** The keys that Claude Code's file gives its actions. */
  'keys.claude': command<ClaudeKeys>()(() => none),
  /** Gives actions other keys, all or none; null: no keys. Fails with `bad-keys`, `not-found` or `not-saved`. */
  'keys.set': command<KeyBindings>()(() =>
    z.object({
      keys: z
        .record(actionId, z.string().min(1).max(60).nullable())
        .refine((keys) => Object.keys(keys).length > 0 && Object.keys(keys).length <= 200),
    }),
  ),
  /** Gives actions their default keys again; null: all. Fails as `keys.set`. */
  'keys.reset': command<KeyBindings>()(() => z.object({ ids: z.array(actionId).min(1).max(500).nullable() })),
} as const

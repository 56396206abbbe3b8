/** The entries of the window's contract about model providers. */
import { z } from 'zod'
import type { ModelProbe } from '../models/model-probe.ts'
import { provider, providerName } from '../models/model-provider-schema.ts'
import type { Settings } from '../settings/settings.ts'
import { command } from './command.ts'

export const providerCommands = {
  /**
   * Adds a provider, or changes the one named `before`. `key`: to store in the system's key store; null keeps what is
   * there. Fails with `bad-address`, `bad-key`, `taken` or `not-saved`.
   */
  'provider.save': command<Settings>()(
    z.object({
      before: providerName.nullable(),
      name: providerName,
      provider: provider.omit({ key: true }).extend({ models: provider.shape.models.removeDefault() }),
      key: z.string().min(1).max(500).nullable(),
    }),
  ),
  /** Also removes its stored key. */
  'provider.remove': command<Settings>()(z.object({ name: providerName })),
  /** Tests a model in two small requests, and keeps the result. The model is `NAME/model`. */
  'provider.probe': command<ModelProbe>()(z.object({ model: z.string().min(1).max(200) })),
} as const

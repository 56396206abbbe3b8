/** What a small test of a model found. */

import { splitModel } from './model-provider.ts'
import type { ProviderModel, Providers } from './model-provider-schema.ts'

export const probeChecks = {
  answers: 'Answers',
  streams: 'Streams',
  tools: 'Calls tools',
  results: 'Uses tool results',
  usage: 'Counts tokens',
} as const

export interface ProbeCheck {
  readonly name: keyof typeof probeChecks
  readonly passed: boolean
  /** What happened, as a sentence; empty: nothing to say. */
  readonly detail: string
}

export interface ModelProbe {
  readonly model: string
  /** Ms since the epoch. */
  readonly at: number
  /** Time of the first answer in ms; null: there was none. */
  readonly ms: number | null
  /** Checks after a failed one that they depend on are left out. */
  readonly checks: readonly ProbeCheck[]
}

/** Whether the model can call tools and use their results; null: the test did not get so far. */
export function canCallTools({ checks }: Pick<ModelProbe, 'checks'>): boolean | null {
  const found = checks.filter(({ name }) => name === 'tools' || name === 'results')
  return found.length === 0 ? null : found.every(({ passed }) => passed)
}

/** The providers with what the test found, or null for a model of the main access. */
export function withProbe(providers: Providers, probe: ModelProbe): Record<string, Providers[string]> | null {
  const { provider, model } = splitModel(probe.model)
  const entry = provider === null || !Object.hasOwn(providers, provider) ? undefined : providers[provider]
  if (provider === null || entry === undefined) return null
  const tools = canCallTools(probe)
  const known = entry.models[model] ?? {}
  const failed = probe.checks.find(({ passed }) => !passed)
  const tested: ProviderModel = {
    ...known,
    ...(tools !== null && { tools }),
    probe: {
      at: probe.at,
      problem: failed === undefined ? null : `${probeChecks[failed.name]}: no. ${failed.detail}`.trim(),
    },
  }
  return { ...providers, [provider]: { ...entry, models: { ...entry.models, [model]: tested } } }
}

/** Handlers for model providers. */
import type { ProviderAccess } from '../access/providers.ts'
import type { HandlersOf } from './command-handlers.ts'

export interface ProviderDeps {
  readonly providers: ProviderAccess
}

export function providerCommands({ providers }: ProviderDeps): HandlersOf<'provider'> {
  return {
    'provider.save': (wanted) => providers.save(wanted),
    'provider.remove': ({ name }) => providers.remove(name),
    'provider.probe': ({ model }) => providers.probe(model),
  }
}

/** Aliases, ids and prices: `ModelCatalog` over the table of models. */
import type { ModelCatalog } from '../../runtime/ports.ts'
import { traitsOf } from './model-table.ts'

type Aliases = Readonly<Record<string, string>>

/** The ids behind the short names. The user's settings can change them. */
export const defaultAliases: Aliases = {
  haiku: 'claude-haiku-5-5',
  sonnet: 'claude-sonnet-5-5',
  opus: 'claude-opus-5-5',
  fable: 'claude-fable-5-2',
}

/** `aliases` override the default ones. A function is called for each name, so that a change takes effect at once. */
export function createModelCatalog(options: { readonly aliases?: Aliases | (() => Aliases) }): ModelCatalog {
  const { aliases = {} } = options
  const current = typeof aliases === 'function' ? aliases : () => aliases
  return {
    resolve(name) {
      const wanted = name.trim()
      const key = wanted.toLowerCase()
      return ownValue(current(), key) ?? ownValue(defaultAliases, key) ?? wanted
    },
    facts(id) {
      const { price, contextTokens } = traitsOf(id)
      return { id, price, contextTokens }
    },
  }
}

/** The alias with this lower-case name. Empty aliases are ignored. */
function ownValue(aliases: Aliases, key: string): string | undefined {
  for (const [name, id] of Object.entries(aliases))
    if (name.toLowerCase() === key && id.trim() !== '') return id.trim()
  return undefined
}

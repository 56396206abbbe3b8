/** Aliases, ids and prices: `ModelCatalog` over the table of models. */
import type { ModelCatalog } from '../../runtime/ports.ts'
import { traitsOf } from './model-table.ts'

type Aliases = Readonly<Record<string, string>>

/** The ids behind the short names; a person's settings may name others. */
export const defaultAliases: Aliases = {
  haiku: 'claude-haiku-5-5',
  sonnet: 'claude-sonnet-5-5',
  opus: 'claude-opus-5-5',
  fable: 'claude-fable-5-2',
}

/** `aliases` win over our own names; given as a function they are read at each call, so that a change counts at once. */
export function createModelCatalog(options: { readonly aliases?: Aliases | (() => Aliases) }): ModelCatalog {
  const { aliases = {} } = options
  const current = typeof aliases === 'function' ? aliases : () => aliases
  return {
    resolve(name) {
      const asked = name.trim()
      const key = asked.toLowerCase()
      return ownValue(current(), key) ?? ownValue(defaultAliases, key) ?? asked
    },
    facts(id) {
      const { price, contextTokens } = traitsOf(id)
      return { id, price, contextTokens }
    },
  }
}

/** An alias by its name in lower case; an empty one counts as none. */
function ownValue(aliases: Aliases, key: string): string | undefined {
  for (const [name, id] of Object.entries(aliases))
    if (name.toLowerCase() === key && id.trim() !== '') return id.trim()
  return undefined
}

/** Aliases, ids and prices: `ModelCatalog` over the table of models. */

import { similarNames } from '../../../shared/kernel/similar-names.ts'
import type { ModelCatalog } from '../../runtime/ports/model.ts'
import { knownModels, traitsOf, unknownModel } from './model-table.ts'

type Aliases = Readonly<Record<string, string>>

/** The ids behind the short names. The user's settings can change them. */
export const defaultAliases: Aliases = {
  haiku: 'claude-haiku-5-5',
  sonnet: 'claude-sonnet-5-5',
  opus: 'claude-opus-5-5',
  fable: 'claude-fable-5-2',
}

/** Other words that people have in their settings and definitions, by the name they stand for here. */
const WORDS: Aliases = {
  default: 'sonnet',
  inherit: 'sonnet',
  // `planAgent` chooses opus for an agent that starts in plan mode.
  opusplan: 'sonnet',
  best: 'opus',
}

/** `sonnet[1m]` asks for a window of a million tokens, which models since Claude 4.6 have anyway. */
const LARGE = /\[1m\]$/i

/** `aliases` override the default ones. A function is called for each name, so that a change takes effect at once. */
export function createModelCatalog(options: { readonly aliases?: Aliases | (() => Aliases) }): ModelCatalog {
  const { aliases = {} } = options
  const current = typeof aliases === 'function' ? aliases : () => aliases
  const aliasOf = (name: string) => ownValue(current(), name) ?? ownValue(defaultAliases, name)
  const resolve = (name: string): string => {
    const wanted = name.trim()
    const plain = wanted.replace(LARGE, '').trim()
    const key = plain.toLowerCase()
    return ownValue(current(), wanted.toLowerCase()) ?? aliasOf(key) ?? aliasOf(WORDS[key] ?? '') ?? plain
  }
  return {
    resolve,
    problem(name) {
      const id = resolve(name)
      const traits = traitsOf(id)
      if (traits === unknownModel) {
        // The user's own aliases are meant as they are.
        if (Object.values(current()).some((own) => own.trim() === id)) return null
        const known = [...Object.keys(defaultAliases), ...Object.keys(current()), ...knownModels()]
        const near = similarNames(id, known)
        const hint = near.length === 0 ? '' : ` Similar: ${near.join(', ')}.`
        return `Troupe does not know the model ${id}, so it has no price, and a window of ${unknownModel.contextTokens} tokens is assumed. It is sent as it is written.${hint}`
      }
      return LARGE.test(name.trim()) && traits.contextTokens < 1_000_000
        ? `${id} has a window of ${traits.contextTokens} tokens; [1m] has no effect on it.`
        : null
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

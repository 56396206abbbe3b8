/** The search of the agent list: which agents match, and how well. */
import type { CatalogEntry } from '../../../shared/agent-definition/agent-catalog.ts'

/** The name that the list shows: an unreadable definition has no name of its own. */
export function shownName({ name, path, state }: CatalogEntry): string {
  return state === 'refused' || state === 'no-agent' ? path : name
}

/** The words of a query, in lower case. */
export function termsOf(query: string): readonly string[] {
  return query.toLowerCase().split(/\s+/).filter(Boolean)
}

/** Lower is better: name, start of the name, part of it, description, path, tools and system prompt. Null: no match. */
export function rankOf(entry: CatalogEntry, terms: readonly string[]): number | null {
  const texts = textsOf(entry)
  let sum = 0
  for (const term of terms) {
    const rank = rankOfTerm(texts, term)
    if (rank === null) return null
    sum += rank
  }
  return sum
}

interface SearchTexts {
  /** The whole name, and the name without its plugin. */
  readonly names: readonly string[]
  /** From the best to the worst place. */
  readonly others: readonly string[]
}

const known = new WeakMap<CatalogEntry, SearchTexts>()

function textsOf(entry: CatalogEntry): SearchTexts {
  const found = known.get(entry)
  if (found !== undefined) return found
  const { name, description, path, content } = entry
  const lower = shownName(entry).toLowerCase()
  const inside = `${content?.tools?.join(' ') ?? ''}\n${content?.body ?? ''}`
  const texts = {
    names: [lower, lower.slice(lower.lastIndexOf(':') + 1)],
    others: [
      lower,
      `${name}\n${description}`.toLowerCase(),
      path.toLowerCase().replace(/\.md$/, ''),
      inside.toLowerCase(),
    ],
  }
  known.set(entry, texts)
  return texts
}

function rankOfTerm({ names, others }: SearchTexts, term: string): number | null {
  if (names.includes(term)) return 0
  if (names.some((name) => name.startsWith(term))) return 1
  const at = others.findIndex((text) => text.includes(term))
  return at === -1 ? null : at + 2
}

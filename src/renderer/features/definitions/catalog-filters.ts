/** The filters of the agent list. */
import type { CatalogEntry } from '../../../shared/agent-definition/agent-catalog.ts'
import { resolveTools } from '../../../shared/agent-definition/resolve-tools.ts'

/** `value`: the model, or the tool; null for the others. */
export interface CatalogFilter {
  readonly kind: 'problem' | 'unsaved' | 'shadowed' | 'model' | 'tool'
  readonly value: string | null
}

export interface FilterSurroundings {
  /** The ids of definitions with unsaved text. */
  readonly unsaved: ReadonlySet<string>
  /** The names of all tools. */
  readonly tools: readonly string[]
}

export const STATE_FILTERS = [
  { kind: 'problem', label: 'With problems' },
  { kind: 'unsaved', label: 'Unsaved' },
  { kind: 'shadowed', label: 'Shadowed' },
] as const

/** "With problems", "Model: opus", "Tool: Bash". */
export function filterLabel({ kind, value }: CatalogFilter): string {
  if (kind === 'model') return `Model: ${value}`
  if (kind === 'tool') return `Tool: ${value}`
  return STATE_FILTERS.find((each) => each.kind === kind)?.label ?? kind
}

/** Whether an agent passes all filters. An agent has a tool if it could use the tool as a subagent. */
export function passes(
  entry: CatalogEntry,
  filters: readonly CatalogFilter[],
  surroundings: FilterSurroundings,
): boolean {
  return filters.every((filter) => passesOne(entry, filter, surroundings))
}

function passesOne(
  entry: CatalogEntry,
  { kind, value }: CatalogFilter,
  { unsaved, tools }: FilterSurroundings,
): boolean {
  switch (kind) {
    case 'problem':
      return hasProblem(entry)
    case 'unsaved':
      return unsaved.has(entry.id)
    case 'shadowed':
      return entry.state === 'shadowed'
    case 'model':
      return entry.content?.model === value
    case 'tool':
      return value !== null && toolsOf(entry, tools).includes(value)
  }
}

const resolved = new WeakMap<CatalogEntry, { tools: readonly string[]; allowed: readonly string[] }>()

function toolsOf(entry: CatalogEntry, tools: readonly string[]): readonly string[] {
  const known = resolved.get(entry)
  if (known?.tools === tools) return known.allowed
  const { content, source } = entry
  const allowed = content === null ? [] : resolveTools({ ...content, source }, { tools, depth: 1 }).allowed
  resolved.set(entry, { tools, allowed })
  return allowed
}

/** Adds the filter, or removes it. One model and one tool at most: another one replaces it. */
export function withFilter(
  filters: readonly CatalogFilter[],
  { kind, value }: CatalogFilter,
): readonly CatalogFilter[] {
  const isSet = filters.some((each) => each.kind === kind && each.value === value)
  const others = filters.filter((each) => each.kind !== kind)
  return isSet ? others : [...others, { kind, value }]
}

/** The models that agents name, in order. */
export function modelsOf(entries: readonly CatalogEntry[]): readonly string[] {
  return [...new Set(entries.flatMap(({ content }) => content?.model ?? []))].sort()
}

/** Whether a definition has a warning or an error. */
export function hasProblem({ state, diagnostics }: CatalogEntry): boolean {
  return state === 'refused' || diagnostics.some(({ severity }) => severity !== 'notice')
}

/** Permission rules in memory, the same in every folder. */
import { ok } from '../../../shared/result.ts'
import type { PermissionRules } from '../ports.ts'

export function createMemoryRules(given: { readonly allow?: readonly string[] } = {}): PermissionRules {
  let rules: readonly string[] = given.allow ?? []
  const watchers = new Set<(rule: string | null) => void>()
  const change = (next: readonly string[], added: string | null) => {
    rules = next
    for (const onChange of watchers) onChange(added)
    return ok(undefined)
  }
  return {
    of: async () => ({
      deny: [],
      ask: [],
      allow: rules.map((text) => ({ text, source: 'saved', file: null, line: null, where: 'a test' })),
      additionalDirectories: [],
    }),
    forget: async (_folder, rule) =>
      change(
        rules.filter((one) => one !== rule),
        null,
      ),
    allow: async (_folder, rule) => change([...rules, rule], rule),
    changed: (rule) => {
      for (const onChange of watchers) onChange(rule)
    },
    watch: (_folder, onChange) => {
      watchers.add(onChange)
      return () => watchers.delete(onChange)
    },
  }
}

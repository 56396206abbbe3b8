/** Permission rules in memory, the same in every folder. `deny` may be changed. */
import { ok } from '../../../shared/kernel/result.ts'
import type { PermissionRules } from '../ports/ports.ts'

const asWritten = (text: string) =>
  ({ text, source: 'saved', file: null, line: null, where: 'a test' }) as const

export function createMemoryRules(
  given: { readonly allow?: readonly string[]; deny?: readonly string[] } = {},
): PermissionRules {
  let rules: readonly string[] = given.allow ?? []
  const watchers = new Set<(rule: string | null) => void>()
  const change = (next: readonly string[], added: string | null) => {
    rules = next
    for (const onChange of watchers) onChange(added)
    return ok(undefined)
  }
  return {
    of: async () => ({
      deny: (given.deny ?? []).map(asWritten),
      ask: [],
      allow: rules.map(asWritten),
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

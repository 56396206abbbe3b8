/** Translates rules with paths of the project for an agent in a worktree. */
import { translateCommand } from '../paths/worktree-commands.ts'
import { translatableTops } from '../paths/worktree-paths.ts'
import type { PermissionAgent, WorktreeAgent } from './permission-concern.ts'
import { covers, escapeGlob, type PermissionRule } from './permission-rule.ts'

/** `Edit(//project/src/**)` then means the same files in the worktree, and no longer those in the project. */
export function rulesInWorktree(
  rules: readonly PermissionRule[],
  { worktree }: Pick<PermissionAgent, 'worktree'>,
): readonly PermissionRule[] {
  return worktree ? rules.map((rule) => ruleInWorktree(rule, worktree)) : rules
}

function ruleInWorktree(rule: PermissionRule, worktree: WorktreeAgent): PermissionRule {
  if (rule.pattern === null) return rule
  const location = { path: worktree.root, aliases: worktree.aliases }
  if (covers(rule, 'command')) return { ...rule, pattern: translateCommand(rule.pattern, location) }
  if (!rule.pattern.startsWith('//')) return rule
  const path = rule.pattern.slice(1)
  if (startsWithPath(path, worktree.root) !== null) return rule
  for (const top of translatableTops(location)) {
    const rest = startsWithPath(path, top)
    if (rest !== null) return { ...rule, pattern: `/${escapeGlob(worktree.root)}${rest}` }
  }
  return rule
}

/** The rest of a pattern after the path, with its slash; null if the pattern starts differently. */
function startsWithPath(pattern: string, path: string): string | null {
  for (const form of [path, escapeGlob(path)])
    if (pattern === form || pattern.startsWith(`${form}/`)) return pattern.slice(form.length)
  return null
}

/** Rules that name paths of the project, as they hold in an agent's worktree. */
import { translateCommand } from '../tools/worktree-commands.ts'
import { translatableTops } from '../tools/worktree-paths.ts'
import type { PermissionAgent, WorktreeAgent } from './permission-question.ts'
import { escapeGlob, type PermissionRule } from './permission-rule.ts'

/** `Edit(//project/src/**)` means the same files in the worktree, and no longer those of the project. */
export function rulesInWorktree(
  rules: readonly PermissionRule[],
  { worktree }: Pick<PermissionAgent, 'worktree'>,
): readonly PermissionRule[] {
  return worktree ? rules.map((rule) => ruleInWorktree(rule, worktree)) : rules
}

function ruleInWorktree(rule: PermissionRule, worktree: WorktreeAgent): PermissionRule {
  if (rule.pattern === null) return rule
  const place = { path: worktree.root, aliases: worktree.aliases }
  if (rule.tool === 'Bash') return { ...rule, pattern: translateCommand(rule.pattern, place) }
  if (!rule.pattern.startsWith('//')) return rule
  const path = rule.pattern.slice(1)
  if (startsWithPath(path, worktree.root) !== null) return rule
  for (const top of translatableTops(place)) {
    const rest = startsWithPath(path, top)
    if (rest !== null) return { ...rule, pattern: `/${escapeGlob(worktree.root)}${rest}` }
  }
  return rule
}

/** What follows the path in a pattern, with its slash; null where the pattern begins otherwise. */
function startsWithPath(pattern: string, path: string): string | null {
  for (const form of [path, escapeGlob(path)])
    if (pattern === form || pattern.startsWith(`${form}/`)) return pattern.slice(form.length)
  return null
}

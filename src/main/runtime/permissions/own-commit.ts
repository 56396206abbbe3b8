/** Commits of an isolated agent on its own branch, which need no permission: `git add`, `git commit -m`. */
import type { PermissionConcern } from './permission-concern.ts'
import type { CommandPart } from './shell/walk-commands.ts'

/** Options that neither run a program, nor open an editor, nor read a file outside the worktree. */
const OPTIONS: Readonly<Record<string, RegExp>> = {
  add: /^(-[Avnu]+|--all|--update|--verbose|--dry-run|--)$/,
  commit:
    /^(-[aqvs]*m?|-n|--message(=.*)?|--all|--quiet|--amend|--no-edit|--allow-empty|--signoff|--no-verify|--)$/s,
}

/**
 * Whether a part only stages or commits in the agent's worktree. worktree-git.ts has checked the repository and the
 * branch; the environment of commands in a worktree turns hooks off.
 */
export function isOwnCommit(
  { agent }: PermissionConcern,
  { command: { words, assignments, redirects }, folders }: CommandPart,
): boolean {
  const [git, verb, ...rest] = words.map(({ value }) => value)
  if (!agent.worktree || folders === null || git !== 'git' || assignments.length + redirects.length > 0)
    return false
  const options = verb === 'add' || verb === 'commit' ? OPTIONS[verb] : undefined
  if (options === undefined) return false
  let hasMessage = verb === 'add'
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at]
    if (word === undefined || word === null) return false
    if (!word.startsWith('-')) continue
    if (!options.test(word)) return false
    const isMessage = verb === 'commit' && /^(-[aqvs]*m|--message)$/.test(word)
    hasMessage ||= isMessage || word.startsWith('--message=') || word === '--no-edit'
    if (isMessage) {
      at++
      if (typeof rest[at] !== 'string') return false
    }
  }
  return hasMessage
}

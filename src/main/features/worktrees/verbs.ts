/** `troupe worktrees …` */
import { ok } from '../../../shared/kernel/result.ts'
import { type CommandLineRoot, inFolder, type Verbs, verb } from '../../command-line.ts'
import { choice, flag, ofFolder, repeatable, usage, valued } from '../../platform/command-line/verb.ts'
import type { WorktreesCommand } from './command-line/worktrees.ts'

const methods = ['merge', 'squash', 'rebase'] as const

export const worktreeVerbs: Verbs = [
  verb({
    words: 'worktrees list',
    summary: 'list agents’ worktrees with their changes and merge checks',
    options: ofFolder,
    misuse: ([extra]) => `Unexpected argument "${extra}": troupe worktrees list takes no names.`,
    run,
  }),
  verb({
    words: 'worktrees merge',
    arguments: { name: 'ID' },
    summary: 'merge a worktree into its target; ID: an id, a branch, or a prefix',
    options: {
      ...ofFolder,
      method: choice('M', 'merge, squash or rebase', { what: 'method', words: methods }),
      into: valued('BRANCH', 'into another branch'),
      message: valued('TEXT', 'the message of the merge or squash commit'),
      'cherry-pick': repeatable('COMMIT', 'only this commit, in the order of application'),
    },
    misuse: ([, extra], args) =>
      extra !== undefined && args.some((arg) => arg.startsWith('--cherry-pick'))
        ? `Unexpected argument "${extra}": put --cherry-pick before each commit.`
        : oneOf('merge'),
    refine: ({ method: chosen, cherryPick: commits, ...values }) => {
      const { message } = values
      if (chosen !== null && commits.length > 0)
        return usage('--cherry-pick can’t be combined with --method.')
      const method = commits.length > 0 ? ('cherry-pick' as const) : (chosen ?? ('merge' as const))
      if (message !== null && (method === 'rebase' || method === 'cherry-pick'))
        return usage(`--message is for merge and squash: a ${method} keeps the commits’ own messages.`)
      const odd = commits.find((commit) => !/^[0-9a-f]{7,64}$/i.test(commit))
      if (odd !== undefined)
        return usage(`"${odd}" is not a commit. Give at least 7 characters of its hash, as git log shows it.`)
      return message?.trim() === ''
        ? usage('--message is empty. Give a message, or leave the option out.')
        : ok({ ...values, method, commits })
    },
    run,
  }),
  verb({
    words: 'worktrees discard',
    arguments: { name: 'ID' },
    summary: 'remove a worktree and its branch',
    options: {
      ...ofFolder,
      confirm: valued('BRANCH', 'the branch’s name, required for unmerged work'),
      undo: flag('restore it'),
    },
    misuse: (_, args) => oneOf(args.includes('--undo') ? 'discard --undo' : 'discard'),
    refine: (values) =>
      values.undo && values.confirm !== null
        ? usage('--undo can’t be combined with --confirm: it restores a worktree and needs no confirmation.')
        : ok(values),
    run,
  }),
  verb({
    words: 'worktrees gc',
    summary: 'remove all merged worktrees',
    options: { ...ofFolder, 'dry-run': flag('only list them') },
    misuse: ([extra]) =>
      `Unexpected argument "${extra}": troupe worktrees gc removes all merged worktrees. For one worktree: troupe worktrees discard ${extra}`,
    run,
  }),
]

function oneOf(action: string): string {
  return `Give one worktree: troupe worktrees ${action} ID. See the ids and branches with: troupe worktrees list`
}

function run(
  root: CommandLineRoot,
  command: WorktreesCommand & Parameters<typeof inFolder>[1],
): Promise<number> {
  return inFolder(root, command, async ({ program: { review, runtime, now }, ...context }) => {
    const { worktrees } = await import('./command-line/worktrees.ts')
    return await worktrees(command, { ...context, review, workMerged: runtime.workMerged, now: now() })
  })
}

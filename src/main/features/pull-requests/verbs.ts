/** `troupe pr …` */

import { ok } from '../../../shared/kernel/result.ts'
import { type CommandLineRoot, inFolder, type Verbs, verb } from '../../command-line.ts'
import { flag, ofFolder, usage, valued } from '../../platform/command-line/verb.ts'
import type { PullRequestCommand } from './pull-requests-command.ts'

const ofWorktree = { arguments: { name: 'ID' }, options: ofFolder }

export const pullRequestVerbs: Verbs = [
  verb({
    words: 'pr list',
    summary: 'list the pull requests of agents’ worktrees, as last seen',
    options: ofFolder,
    misuse: ([extra]) => `Unexpected argument "${extra}". For one worktree: troupe pr status ${extra}`,
    run,
  }),
  verb({
    ...ofWorktree,
    words: 'pr status',
    summary: 'ask the forge for the pull request of a worktree; ID: an id, a branch, or a prefix',
    misuse: oneOf('status'),
    run,
  }),
  verb({
    ...ofWorktree,
    words: 'pr checks',
    summary: 'list the checks of a pull request, with the end of the log of each failed one',
    misuse: oneOf('checks'),
    run,
  }),
  verb({
    words: 'pr open',
    arguments: { name: 'ID' },
    summary: 'show what a push would send, ask, push it and make a pull request',
    options: {
      ...ofFolder,
      remote: valued('NAME', 'the remote (default: origin)'),
      branch: valued('BRANCH', 'the branch’s name at the remote'),
      base: valued('BRANCH', 'the branch to merge into'),
      title: valued('TEXT', 'the title'),
      draft: flag('make a draft'),
      'push-only': flag('push the commits only'),
      yes: flag('push without a question'),
    },
    misuse: oneOf('open'),
    refine: (values) => {
      if (values.pushOnly && (values.title !== null || values.draft))
        return usage('--push-only makes no pull request, so it can’t be combined with --title and --draft.')
      return values.title?.trim() === ''
        ? usage('--title is empty. Give a title, or leave the option out.')
        : ok(values)
    },
    run,
  }),
]

function oneOf(action: string): string {
  return `Give one worktree: troupe pr ${action} ID. See the ids and branches with: troupe worktrees list`
}

function run(
  root: CommandLineRoot,
  command: PullRequestCommand & Parameters<typeof inFolder>[1],
): Promise<number> {
  return inFolder(root, command, async ({ program: { review, pulls, dispatch }, ...context }) => {
    const { pullRequestsCommand } = await import('./pull-requests-command.ts')
    return await pullRequestsCommand(command, { ...context, review, pulls, dispatch })
  })
}

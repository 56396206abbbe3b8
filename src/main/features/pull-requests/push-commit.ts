/**
 * Pushes a commit that was shown, with the user's own login and without hooks, and says in one sentence why a remote
 * refused it. A branch at the remote is replaced only while it is what the user saw.
 */
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import type { PushPreview } from '../../../shared/pull-requests/pull-request.ts'
import { branchRef } from '../../platform/git/branches.ts'
import type { GitFailure } from '../../platform/git/git-failure.ts'
import { type PushTools, reaching } from './remotes.ts'

/**
 * Pushes a commit to a branch. `change` and `replaces` are those of the preview that the user saw.
 * Fails with `refused` or `moved`, with the reason and the next step.
 */
export async function pushCommit(
  tools: PushTools,
  folder: string,
  push: Pick<PushPreview, 'branch' | 'head' | 'change' | 'replaces'> & { readonly remote: string },
): Promise<Result<void>> {
  const { remote, branch, head, change, replaces } = push
  const ref = branchRef(branch)
  // An empty commit means that the branch must not exist.
  const lease = change === 'new' ? '' : change === 'replaces' ? replaces : null
  const done = await tools.git.run(
    folder,
    [
      ...['push', '--no-verify', '--no-follow-tags', '--recurse-submodules=no'],
      ...(lease === null ? [] : [`--force-with-lease=${ref}:${lease}`]),
      ...['--', remote, `${head}:${ref}`],
    ],
    reaching(tools),
  )
  if (done.ok) return ok(undefined)
  const moved =
    done.failure.type === 'git' && /stale info|fetch first|non-fast-forward/.test(done.failure.message)
  return fail({ type: moved ? 'moved' : 'refused', message: explainPush(done.failure, remote) })
}

/** Why git did not reach a remote or was refused by it, and what to do. */
export function explainPush({ type, message }: GitFailure, remote: string): string {
  if (type === 'aborted') return `${remote} did not answer in two minutes. Check the network, then try again.`
  const reason = REASONS.find(([pattern]) => pattern.test(message))?.[1]
  if (reason !== undefined) return reason(remote, saidBy(message))
  return `Git could not push to ${remote}. It said: ${saidBy(message) || message}`
}

const REASONS: readonly (readonly [RegExp, (remote: string, said: string) => string])[] = [
  [
    /Could not resolve host|Name or service not known|Network is unreachable|Connection (refused|timed out)|No route to host/i,
    (remote) => `${remote} can’t be reached. Check the network, then try again.`,
  ],
  [
    /stale info|fetch first|non-fast-forward/,
    (remote) => `The branch at ${remote} has changed since. Nothing was pushed. Look at it again, then push.`,
  ],
  [
    /protected branch|GH006|not allowed to (force )?push/i,
    (remote, said) =>
      `${remote} protects this branch, so it refused the push. Choose another branch name. It said: ${said}`,
  ],
  [
    /GH013|push protection|secret/i,
    (remote, said) =>
      `${remote} refused the push, as it seems because of a secret in a commit. Remove it from the commit, not only from the file. It said: ${said}`,
  ],
  [/hook declined|pre-receive/i, (remote, said) => `A rule of ${remote} refused the push. It said: ${said}`],
  [
    /Permission denied \(|could not read (Username|Password)|Authentication failed|terminal prompts disabled|Host key verification failed|HTTP 40[13]|returned error: 40[13]/i,
    (remote) =>
      `${remote} did not accept your login. Run git ls-remote ${remote} in a terminal and log in there, then try again.`,
  ],
  [
    /Repository not found|does not appear to be a git repository|does not exist|returned error: 404/i,
    (remote) => `${remote} is no repository that your login may see. Check its address with git remote -v.`,
  ],
  [
    /transport '.*' not allowed/,
    (remote) => `The address of ${remote} names a program, so it was not used. Check it with git remote -v.`,
  ],
]

/** The lines that the remote itself printed, as one line. */
function saidBy(message: string): string {
  const lines = [...message.matchAll(/^(?:git push failed: )?remote: ?(.*)$/gm)].map(([, line = '']) => line)
  return makeVisible(lines.join(' ').replaceAll('\u001b[K', '')).replace(/\s+/g, ' ').trim().slice(0, 400)
}

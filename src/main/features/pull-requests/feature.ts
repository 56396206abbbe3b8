/** Composes pull requests, for the window and the command line. */
import type { HandlersOf } from '../../../shared/ipc/handlers.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Clock } from '../../runtime/ports/ports.ts'
import type { WorktreeKey } from '../../runtime/ports/worktrees.ts'
import { createForges } from './forges.ts'
import { createPullRequestRecords } from './pull-request-records.ts'
import { createPullRequests, type PullRequestParts, type PullRequests } from './pull-requests.ts'

type Parts = Pick<
  Platform,
  'dataFolder' | 'git' | 'environment' | 'variables' | 'now' | 'onProblem' | 'isTrusted' | 'home'
> &
  Pick<PullRequestParts, 'review' | 'runtime'>

export function composePullRequests(parts: Parts): PullRequests {
  const { environment, variables, home } = parts
  const picked = (names: RegExp) =>
    Object.fromEntries(
      Object.entries(variables).flatMap(([name, value]) =>
        value !== undefined && names.test(name) ? [[name, value]] : [],
      ),
    )
  return createPullRequests({
    ...parts,
    login: picked(GIT_LOGIN),
    records: createPullRequestRecords(parts),
    findForge: createForges({ ...parts, environment: { ...environment, ...picked(FORGE_LOGIN) }, cwd: home }),
  })
}

/** Where git finds the user's login: agents for ssh, and programs that ask. */
const GIT_LOGIN =
  /^(SSH_AUTH_SOCK|SSH_AGENT_PID|SSH_ASKPASS(_REQUIRE)?|GIT_ASKPASS|GIT_SSH(_COMMAND)?|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|DBUS_SESSION_BUS_ADDRESS)$/

/** Where `gh` and `glab` find the user's login. */
const FORGE_LOGIN =
  /^(GH_TOKEN|GITHUB_TOKEN|GH_ENTERPRISE_TOKEN|GITHUB_ENTERPRISE_TOKEN|GH_CONFIG_DIR|GITLAB_TOKEN|GITLAB_ACCESS_TOKEN|OAUTH_TOKEN|GLAB_CONFIG_DIR|DBUS_SESSION_BUS_ADDRESS)$/

interface WatchParts {
  readonly pulls: PullRequests
  readonly clock: Clock
  /** The most messages about failed checks that are sent without being asked for; 0: none is. */
  readonly most: () => number
}

/**
 * What the window asks for. While failed checks go to the agent by themselves, a pull request that was looked at is
 * followed until it is merged or closed.
 */
export function pullRequestHandlers({ pulls, clock, most }: WatchParts) {
  const ending = new AbortController()
  const followed = new Set<string>()

  async function sendFailed(key: WorktreeKey): Promise<void> {
    const now = await pulls.current(key)
    if (!now.ok) return
    const { worktree, record, pull } = now.value
    // Its own commits may answer the checks already, and all checks are told at once.
    if (
      worktree.state === 'working' ||
      pull.checks.some(({ state }) => state === 'running' || state === 'queued')
    )
      return
    if (
      pull.state === 'merged' ||
      pull.state === 'closed' ||
      record === null ||
      record.sentByItself >= most()
    )
      return
    const failed = pull.checks.filter(({ id, state }) => state === 'failed' && !record.sent.includes(id))
    if (failed.length > 0) await pulls.sendChecks(now.value, failed, true)
  }

  async function follow(key: WorktreeKey): Promise<void> {
    const name = JSON.stringify([key.folder, key.id])
    if (followed.has(name)) return
    followed.add(name)
    try {
      while (most() > 0 && !ending.signal.aborted) {
        const view = await pulls.read(key, false)
        if (!view.ok || view.value.pull === null || view.value.nextIn === null) return
        await sendFailed(key)
        await clock.sleep(view.value.nextIn, ending.signal)
      }
    } finally {
      followed.delete(name)
    }
  }

  const handlers: HandlersOf<'pullRequest'> = {
    'pullRequest.list': ({ folder }) => pulls.list(folder),
    'pullRequest.state': async ({ now, ...key }) => {
      const view = await pulls.read(key, now)
      // Ends with the program: a sleep that is ended rejects.
      if (view.ok && view.value.pull !== null) follow(key).catch(() => undefined)
      return view
    },
    'pullRequest.preview': pulls.preview,
    'pullRequest.open': pulls.open,
    'pullRequest.log': pulls.log,
    'pullRequest.sendCheck': pulls.sendCheck,
    'pullRequest.rerun': pulls.rerun,
    'pullRequest.sendComment': pulls.sendComment,
    'pullRequest.reply': pulls.reply,
    'pullRequest.remove': pulls.remove,
  }
  return { handlers, close: () => ending.abort() }
}

/** A repository with a worktree, whose pushes go to a folder and whose pull requests are those of a fake GitHub. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { ok, type Result } from '../../../../shared/kernel/result.ts'
import type { Runtime } from '../../../runtime/ports/runtime.ts'
import { createReviewRepository } from '../../worktrees/review/testing/review-repository.ts'
import { createForges } from '../forges.ts'
import { createPullRequestRecords } from '../pull-request-records.ts'
import { createPullRequests } from '../pull-requests.ts'
import { type FakeForgeState, installFakeForge } from './fake-forge.ts'

/** The value of a result; a failure ends the test. */
export function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.failure.type}: ${result.failure.message}`)
  return result.value
}

/** As a user runs it, in a bare repository too. */
export const plainGit = (folder: string, ...args: string[]) =>
  execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim()

/** A repository whose pushes go to a folder, and whose pull requests are those of a fake GitHub. */
export async function pullRequestWorld(state: Partial<FakeForgeState> = {}) {
  const repository = await createReviewRepository()
  onTestFinished(repository.remove)
  const { home, folder, dataFolder, git, review, run } = repository
  const bare = join(home, 'bare.git')
  await run(home, 'init', '-q', '--bare', '-b', 'main', bare)
  await run(folder, 'remote', 'add', 'origin', 'https://github.com/acme/shop.git')
  await run(folder, 'config', 'remote.origin.pushurl', bare)
  await run(folder, 'push', '-q', 'origin', 'main')
  const fake = installFakeForge(join(home, 'bin'), 'gh', state)
  let time = 1_760_000_000_000
  const sent: string[] = []
  const runtime = {
    dispatch: async (command: { content: string }) => {
      sent.push(command.content)
      return ok({ messageId: 'm-1', queued: false })
    },
    snapshot: async () =>
      ok({ agents: [{ id: 'agent-keys', report: `Each order has one key: see ${dataFolder}/x.` }] }),
  } as unknown as Pick<Runtime, 'dispatch' | 'snapshot'>
  const findForge = createForges({
    environment: { PATH: `${fake.folder}:${process.env['PATH']}`, HOME: home },
    ...{ cwd: home, now: () => time },
  })
  const pulls = createPullRequests({
    ...{ git, review, runtime, login: {}, isTrusted: () => true, now: () => time },
    records: createPullRequestRecords({ dataFolder, onProblem: (text) => expect.fail(text) }),
    findForge,
  })
  const location = await repository.work('keys', [{ 'src/charge.ts': 'one\n' }, { 'src/charge.ts': 'two\n' }])
  const key = { folder, id: location.id }
  const shown = async (more: { branch?: string; base?: string } = {}) =>
    value(await pulls.preview({ ...key, remote: null, branch: null, base: null, ...more }))
  const open = async (more: { branch?: string } = {}, makesRequest = true) => {
    const { remote, branch, base, head, replaces, title, body } = await shown(more)
    fake.change({ head })
    return pulls.open({
      ...{ ...key, remote, branch, base, head, replaces },
      text: makesRequest ? { title, body, draft: false } : null,
    })
  }
  return {
    ...repository,
    ...{ bare, fake, pulls, key, location, sent, shown, open },
    pass: (ms: number) => {
      time += ms
    },
    now: () => time,
    remote: (branch: string) =>
      plainGit(bare, 'for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`) || null,
  }
}

/** The pull request of the mockups: one check failed, one runs, a reviewer asks. */
import type { PullRequestCheck } from '../../../src/shared/pull-requests/pull-request.ts'
import type { World } from '../world.ts'

export function chargeOnce(now: number): NonNullable<World['pullRequest']> {
  const at = 'https://github.com/acme/checkout-service'
  const forge = { kind: 'github', name: 'GitHub', host: 'github.com', program: 'gh', problem: null } as const
  const check = (name: string, state: PullRequestCheck['state'], seconds: number | null) => ({
    ...{ id: name, name, state, startedAt: now - 200_000, url: `${at}/actions/runs/9/job/31`, hasLog: true },
    ms: seconds === null ? null : seconds * 1000,
  })
  return {
    log: 'refund.test.ts  refunds once after a restart\nexpected 1 refund, got 2\n  at test/refunds/refund.test.ts:88:5\n##[error]Process completed with exit code 1.',
    view: {
      ...{ forge, branch: 'troupe/order-key', pushedAt: now - 600_000, toPush: 1, sent: [], sentByItself: 0 },
      ...{ nothingMissing: false, readAt: now, nextIn: 15_000, problem: null },
      pull: {
        ...{ number: 482, title: 'Charge an order at most once', url: `${at}/pull/482`, state: 'open' },
        ...{ branch: 'troupe/order-key', base: 'main', head: 'a'.repeat(40), conflicts: false },
        ...{ commits: 3, files: 4, insertions: 61, deletions: 48 },
        checks: [
          check('integration', 'failed', 112),
          check('e2e, Chromium', 'running', null),
          check('unit', 'passed', 48),
          check('types', 'passed', 31),
          check('lint', 'passed', 12),
        ],
        comments: [
          {
            ...{
              id: '77',
              author: 'ann',
              path: 'src/payments/charge.ts',
              line: 18,
              lastLine: 18,
              side: 'after',
            },
            ...{
              text: 'Should this throw when the order has no key yet?',
              at: now - 300_000,
              resolved: false,
            },
            replies: [],
          },
        ],
      },
    },
    preview: {
      ...{
        remotes: ['origin'],
        remote: 'origin',
        address: 'git@github.com:acme/checkout-service.git',
        forge,
      },
      ...{ branch: 'troupe/order-key', base: 'main', head: 'a'.repeat(40), change: 'new', replaces: null },
      commits: [
        { sha: '3c9d1e77'.padEnd(40, '0'), subject: 'Use the key of the order for refunds', author: 'Ada' },
        { sha: '9b0e77aa'.padEnd(40, '0'), subject: 'One key for each order', author: 'Ada' },
      ],
      files: [
        { path: 'src/payments/charge.ts', insertions: 3, deletions: 5 },
        { path: 'migrations/0042_order_charge_key.sql', insertions: 5, deletions: 0 },
      ],
      ...{ moreCommits: 0, moreFiles: 0, uncommitted: 1, notes: [], obstacle: null, number: null },
      ...{ title: 'Charge an order at most once', template: '.github/pull_request_template.md' },
      body: '## What\n\nEach order has one charge key, made with the order.\n\n- [x] Tests',
    },
  }
}

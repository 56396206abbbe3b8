/** Permission requests of many agents at once: alike ones, one with a hidden character, edits, fetches, answered ones. */
import type { RuleOffer } from '../../../src/shared/events/agent-event.ts'
import { callOf, SampleLog } from '../../../src/shared/testing/sample-log.ts'

const COLORS = ['green', 'blue', 'pink', 'yellow', 'cyan', 'red', 'purple', 'orange'] as const
const NAMES =
  'capture charge payout dispute webhook retry token void invoice ledger refund-all order coupon tax cart'
const FOLDER = '/home/ada/src/checkout-service'
const RUNS = 'npx can change files or run code.'

/** `alike`: how many agents run a test of their own, at most 15. There are 10 more requests. */
export function queueLog(conversationId: string, now: number, alike: number): SampleLog {
  const log = new SampleLog({ conversationId, now: now - 150_000, step: 0 })
  log.begins('Every test below test/payments fails. Fix them, one agent for each file.')
  const parts = NAMES.split(' ').slice(0, alike)
  const others = ['ci-fixer', 'migration', 'doc-writer', 'fix-hidden', 'releaser', 'cleaner']
  const names = [...parts.map((part) => `fix-${part}`), ...others]
  log.answers('main', {
    text: 'One agent for each file. Each runs only its own test.',
    calls: names.map((agentId) => ({ agentId, type: agentId, task: taskOf(agentId) })),
    window: 200_000,
  })
  names.forEach((id, index) => {
    const color = COLORS[index % COLORS.length] ?? 'blue'
    log.starts({ id, name: id, color, task: taskOf(id), parentId: 'main', call: callOf(id) })
    log.receives(id, 'Make your test green.')
  })
  log.status('main', 'waiting', 'children')
  answered(log)
  for (const part of parts) {
    const text = `npx vitest run test/payments/${part}.test.ts`
    log.pass(2000).waits(`fix-${part}`, 'Bash', commandOf(text), RUNS, testOffers(text))
  }
  log.pass(3000).waits('ci-fixer', 'Edit', WORKFLOW, because('.github/workflows/ci.yml'))
  const migrate = 'npm run db:migrate -- --name order_key'
  log
    .pass(1500)
    .waits('migration', 'Bash', commandOf(migrate), 'npm can change files or run code.', [
      { rule: `Bash(${migrate})` },
      { rule: 'Bash(npm run db:migrate:*)', alsoCovers: 'npm run db:migrate with any further words' },
    ])
  log.pass(4000).waits('doc-writer', 'WebFetch', PAGE, 'An address can carry information out.', [
    { rule: 'WebFetch(domain:docs.stripe.com)', alsoCovers: 'every page of docs.stripe.com' },
    { rule: 'WebFetch(domain:*.stripe.com)', alsoCovers: 'every page of every host below stripe.com' },
  ])
  const hidden = 'npx vitest run test/payments/re\u202edn\u202cfund.test.ts'
  log.pass(3000).waits('fix-hidden', 'Bash', commandOf(hidden), RUNS)
  log.pass(1000).waits('cleaner', 'Bash', CLEANING, 'rm -rf dist/* may not be read-only: rm changes files.')
  log.holds('main')
  for (const text of ['git push origin HEAD', 'npm publish --dry-run', 'gh release create v2', 'rm -r dist'])
    log
      .pass(2000)
      .waits(
        'releaser',
        'Bash',
        commandOf(text),
        `The rule Bash(${text}) in .claude/settings.json:14 asks each time.`,
      )
  if (alike > 4) log.pass(500).waits('migration', 'Bash', commandOf('npm run seed'), 'npm can run code.')
  return log
}

const commandOf = (text: string) => ({
  kind: 'command' as const,
  action: 'run a command',
  text,
  folder: FOLDER,
})

const TASKS: Readonly<Record<string, string>> = {
  'ci-fixer': 'Run migrations in CI',
  migration: 'Add the key column',
  'doc-writer': 'Describe idempotent requests',
  'fix-hidden': 'Fix the refund test',
  releaser: 'Prepare the release',
  cleaner: 'One key per order',
}

const taskOf = (id: string): string => TASKS[id] ?? `Fix the ${id.replace('fix-', '')} test`

/** A command line of which the second part deletes what no undo restores. */
const CLEANING = {
  ...commandOf('npm run db:migrate && rm -rf dist/*'),
  parts: [
    { text: 'npm run db:migrate', step: 1 },
    {
      text: 'rm -rf dist/*',
      step: 2,
      danger: {
        kind: 'deletes' as const,
        consequence: 'Deletes 214 files. git ignores dist, so undo can’t restore them.',
      },
    },
  ],
}

const because = (file: string) =>
  `${file} controls what runs or is allowed later, so every write needs permission.`

function testOffers(text: string): readonly RuleOffer[] {
  return [
    { rule: `Bash(${text})` },
    {
      rule: 'Bash(npx vitest run:*)',
      alsoCovers: 'npx vitest run with any further words, for example --update',
    },
  ]
}

const WORKFLOW = {
  kind: 'diff' as const,
  action: 'write .github/workflows/ci.yml',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the language of workflows
  text: '--- a/ci.yml\n+++ b/ci.yml\n@@ -18,4 +18,7 @@ jobs: test:\n     steps:\n       - uses: actions/checkout@v4\n-      - run: npm ci\n+      - run: npm ci --ignore-scripts\n+      - run: npm run db:migrate\n+        env:\n+          DATABASE_URL: ${{ secrets.PROD_DATABASE_URL }}\n       - run: npm test',
  folder: FOLDER,
}

const PAGE = {
  kind: 'url' as const,
  action: 'fetch a web page',
  text: 'https://docs.stripe.com/api/idempotent_requests?lang=node',
  folder: FOLDER,
}

/** Three requests that the user has answered. */
function answered(log: SampleLog): void {
  const all = [
    ['npm run lint', 'allow-once', null],
    ['npm run codemod -- charge-key', 'allow-always', 'Bash(npm run codemod -- charge-key)'],
    ['git push --force', 'deny', null],
  ] as const
  for (const [text, decision, rule] of all) {
    const requestId = log.pass(1000).waits('releaser', 'Bash', commandOf(text), RUNS, rule)
    log.next('releaser', {
      type: 'permission-answered',
      requestId,
      toolUseId: `toolu_${requestId.split('_')[1]}`,
      decision,
      feedback: decision === 'deny' ? 'Never force. Open a pull request.' : null,
      ...(rule !== null && { rule }),
    })
  }
}

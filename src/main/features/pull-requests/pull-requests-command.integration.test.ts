import { expect, test } from 'vitest'
import { dispatchTo } from '../../../shared/ipc/handlers.ts'
import { EXIT } from '../../platform/command-line/terminal.ts'
import { type PullRequestCommand, pullRequestsCommand } from './pull-requests-command.ts'
import { pullRequestWorld } from './testing/pull-request-world.ts'

const OPEN: PullRequestCommand & { readonly verb: 'pr-open' } = {
  verb: 'pr-open',
  ...{ name: 'keys', remote: null, branch: null, base: null, title: null },
  ...{ draft: false, pushOnly: false, yes: false, json: false },
}

async function setUp() {
  const world = await pullRequestWorld({
    newPull: {
      commits: {
        totalCount: 2,
        nodes: [
          {
            commit: {
              statusCheckRollup: {
                contexts: {
                  nodes: [
                    {
                      ...{
                        __typename: 'CheckRun',
                        databaseId: 31,
                        name: 'unit\u001b[2J',
                        status: 'COMPLETED',
                      },
                      ...{ conclusion: 'FAILURE', checkSuite: { app: { slug: 'github-actions' } } },
                    },
                  ],
                },
              },
            },
          },
        ],
      },
    },
    logs: { 31: 'expected 1\u202e, got 2\n' },
  })
  const { pulls, review, folder } = world
  const handlers = { 'pullRequest.preview': pulls.preview, 'pullRequest.open': pulls.open }
  const dispatch = dispatchTo<keyof typeof handlers>(handlers)
  const asked: string[] = []
  async function run(command: PullRequestCommand, answer: string | null = null, trusted = true) {
    const output: string[] = []
    const errors: string[] = []
    const code = await pullRequestsCommand(command, {
      ...{ review, pulls, folder, dispatch, trusted },
      output: { write: (text) => void output.push(text) },
      errors: { write: (text) => void errors.push(text) },
      ask:
        answer === null
          ? null
          : async (question) => {
              asked.push(question)
              return answer
            },
    })
    return { code, output: output.join(''), errors: errors.join('') }
  }
  return { ...world, run, asked }
}

test('troupe pr open shows what goes where, asks, and pushes only after a yes', async () => {
  const { run, asked, bare, remote } = await setUp()
  const refused = await run(OPEN, 'n')
  expect(refused).toMatchObject({ code: EXIT.done, errors: '' })
  for (const text of [
    `To ${bare} (origin, GitHub)`,
    'Branch troupe/task-of-keys (new), into main',
    '2 commits:',
    'keys 1',
    'src/charge.ts +1',
    'Nothing was pushed.',
  ])
    expect(refused.output).toContain(text)
  expect(asked).toEqual([`Push to ${bare}? [y/N] `])
  expect(remote('troupe/task-of-keys')).toBeNull()
  expect(await run(OPEN)).toMatchObject({
    code: EXIT.failed,
    errors: expect.stringContaining('Add --yes to agree.'),
  })
  expect(remote('troupe/task-of-keys')).toBeNull()
  const opened = await run({ ...OPEN, title: 'Charge once', branch: 'fix/keys' }, 'y')
  expect(opened.output).toContain('Made pull request #482: https://github.com/acme/shop/pull/482')
  expect(remote('fix/keys')).not.toBeNull()
})

test('troupe pr status and checks tell the pull request, and failed checks are an exit code', async () => {
  const { run } = await setUp()
  expect(await run({ verb: 'pr-status', name: 'keys', json: false })).toMatchObject({
    code: EXIT.failed,
    errors: expect.stringContaining('has no pull request. Make one with: troupe pr open'),
  })
  await run({ ...OPEN, yes: true })
  const status = await run({ verb: 'pr-status', name: 'keys', json: false })
  expect(status).toMatchObject({
    code: EXIT.done,
    output: expect.stringContaining('#482 open: Task of keys'),
  })
  expect(status.output).toContain('checks: 0 of 1 passed; comments: 0 open')
  const checks = await run({ verb: 'pr-checks', name: 'keys', json: false })
  expect(checks.code).toBe(EXIT.failed)
  expect(checks.output).toContain('failed  unit⟨ESC⟩[2J')
  expect(checks.output).toContain('  expected 1⟨RLO⟩, got 2')
  expect((await run({ verb: 'pr-list', json: false })).output).toContain('0 of 1 passed')
  expect(JSON.parse((await run({ verb: 'pr-status', name: 'keys', json: true })).output)).toMatchObject({
    pull: { number: 482 },
    branch: 'troupe/task-of-keys',
  })
})

test('a branch name that is an option is refused, and so is a folder that is not trusted', async () => {
  const { run } = await setUp()
  expect(await run({ ...OPEN, branch: '--force', yes: true })).toMatchObject({
    code: EXIT.failed,
    errors: expect.stringContaining('branch: not a branch name'),
  })
  expect((await run({ verb: 'pr-list', json: false }, null, false)).errors).toContain(
    'This folder is not trusted',
  )
})

import { expect, test } from 'vitest'
import { fail, ok } from '../../shared/kernel/result.ts'
import type { ReviewWorktree } from '../../shared/worktrees/review.ts'
import type { MergeOptions, Review } from './ports/worktrees.ts'
import { createMemoryRules } from './testing/memory-rules.ts'
import { createMemoryWorktrees, type MemoryWorktrees } from './testing/memory-worktrees.ts'
import { noReview } from './testing/plain-ports.ts'
import { lastWords } from './testing/scripted-model.ts'
import { agentCall, childrenOf, echo, gate, isMain, script } from './testing/scripts.ts'
import { createTestRuntime, type TestRuntime } from './testing/test-runtime.ts'

function reviewOf(worktrees: MemoryWorktrees, check: ReviewWorktree['check']) {
  const merges: MergeOptions[] = []
  const review: Pick<Review, 'list' | 'merge'> = {
    list: async (folder, options) => ({
      ...(await noReview.list(folder, options)),
      problem: null,
      worktrees: worktrees.made.map(({ location, owner }) => ({
        ...location,
        ...owner,
        agentName: owner.name,
        createdAt: 1,
        state: 'ready',
        ended: 'completed',
        folderGone: false,
        version: '',
        commits: 2,
        files: 3,
        insertions: 4,
        deletions: 5,
        uncommitted: 0,
        check: options.thorough ? check : null,
        conflictsWith: [],
        merged: null,
        takenBack: null,
        resolving: null,
        asked: null,
        bytes: null,
        notes: [],
        problem: null,
      })),
    }),
    merge: async (_key, options) => {
      merges.push(options)
      return ok({ into: 'main', commit: 'f'.repeat(40), commits: 2, files: 3 })
    },
  }
  return { review, merges }
}

/** `unattended`: no user answers, and these rules allow calls. */
function start(
  calls: (troupe: TestRuntime) => object,
  check: ReviewWorktree['check'] = { kind: 'clean' },
  unattended: { readonly allow: readonly string[] } | null = null,
) {
  const worktrees = createMemoryWorktrees()
  const { review, merges } = reviewOf(worktrees, check)
  const troupe: TestRuntime = createTestRuntime({
    ports: {
      worktrees,
      review,
      ...(unattended && { rules: createMemoryRules({ allow: unattended.allow }) }),
    },
    policy: { bypassAllowed: () => true, attended: unattended === null },
    script: script(
      [
        { calls: [agentCall('one', { isolation: 'worktree', name: 'ada' })] },
        () => ({ calls: [['MergeWorktree', calls(troupe)]] }),
        echo,
      ],
      () => ({ text: 'done' }),
    ),
  })
  return { troupe, merges, review }
}

test('asks in every mode, and merges when allowed', async () => {
  const { troupe, merges } = start(() => ({ agent_id: 'ada', method: 'squash' }))
  const id = await troupe.begin('Go', { permissionMode: 'bypassPermissions' })
  const asked = await troupe.when('permission-asked')
  expect(asked).toMatchObject({ toolName: 'MergeWorktree', alwaysRule: null })
  expect(asked.subject.text).toMatch(
    /^troupe\/general-purpose-\d+ → main, as one commit\n2 commits, 3 files \+4 −5; merges cleanly\nby general-purpose: one$/,
  )
  const { agentId, requestId } = asked
  const prompt = { conversationId: id, agentId, requestId }
  await troupe.runtime.dispatch({ type: 'agent.answer', ...prompt, answer: { decision: 'allow-once' } })
  await troupe.runtime.settled(id)
  expect(merges).toEqual([{ method: 'squash', into: null }])
  expect(lastWords(troupe.model.requests.at(-1)!)).toContain('into main, which is at ffffffffff now')
})

test.each([
  ['denies a merge', 'default', [], false],
  ['merges by a rule', 'default', ['MergeWorktree'], true],
  ['merges in bypassPermissions', 'bypassPermissions', [], true],
  ['does not merge in plan mode', 'plan', ['MergeWorktree'], false],
] as const)('without a user, %s', async (_, permissionMode, allow, isMerged) => {
  const { troupe, merges } = start(() => ({ agent_id: 'ada' }), { kind: 'clean' }, { allow })
  const created = await troupe.runtime.dispatch({
    type: 'conversation.create',
    folder: '/project',
    model: 'sonnet',
    permissionMode,
  })
  if (!created.ok) throw new Error(created.failure.message)
  const { id } = created.value
  void troupe.when('permission-asked').then(({ agentId, requestId }) =>
    troupe.runtime.dispatch({
      type: 'agent.answer',
      conversationId: id,
      agentId,
      requestId,
      answer: { decision: 'deny', feedback: 'No user.', unattended: true },
    }),
  )
  await troupe.say(id, 'Go')
  await troupe.runtime.settled(id)
  expect(merges).toHaveLength(isMerged ? 1 : 0)
})

test('in a mode that never asks, names the command by which the user merges', async () => {
  const { troupe, merges } = start(() => ({ agent_id: 'ada' }))
  await troupe.runtime.settled(await troupe.begin('Go', { permissionMode: 'dontAsk' }))
  expect(merges).toEqual([])
  const text = lastWords(troupe.model.requests.at(-1)!)
  const id = /"troupe worktrees merge (\S+)"\./.exec(text)?.[1]
  expect(
    troupe.events.find((event) => event.type === 'agent-spawned' && event.worktree?.id === id),
  ).toBeTruthy()
})

test('does not merge when denied', async () => {
  const { troupe, merges } = start(() => ({ agent_id: 'ada' }))
  const id = await troupe.begin('Go')
  const { agentId, requestId } = await troupe.when('permission-asked')
  await troupe.runtime.dispatch({
    type: 'agent.answer',
    conversationId: id,
    agentId,
    requestId,
    answer: { decision: 'deny', feedback: 'Later.' },
  })
  await troupe.runtime.settled(id)
  expect(merges).toEqual([])
  expect(lastWords(troupe.model.requests.at(-1)!)).toContain('Later.')
})

test.each([
  ['conflicting work', { kind: 'conflicts', files: ['a.ts'] }, 'ada', 'conflicts with main in a.ts'],
  ['work that is merged already', { kind: 'nothing' }, 'ada', 'is in main already'],
  ['an unknown agent’s work', { kind: 'clean' }, 'bob', 'Those that have one: a-'],
] as const)(
  'a merge of %s is refused without a permission request',
  async (_what, check, agent, feedback) => {
    const kind = check.kind === 'conflicts' ? { ...check, files: [...check.files] } : check
    const { troupe, merges } = start(() => ({ agent_id: agent }), kind)
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(troupe.events.some(({ type }) => type === 'permission-asked')).toBe(false)
    expect(merges).toEqual([])
    expect(lastWords(troupe.model.requests.at(-1)!)).toContain(feedback)
  },
)

test('a merge that fails after the permission is reported', async () => {
  const { troupe, review } = start(() => ({ agent_id: 'ada' }))
  review.merge = async () =>
    fail({ type: 'would-overwrite', message: 'Your changes in a.ts are in the way.' })
  const id = await troupe.begin('Go')
  const { agentId, requestId } = await troupe.when('permission-asked')
  await troupe.runtime.dispatch({
    type: 'agent.answer',
    conversationId: id,
    agentId,
    requestId,
    answer: { decision: 'allow-once' },
  })
  await troupe.runtime.settled(id)
  expect(lastWords(troupe.model.requests.at(-1)!)).toContain('Your changes in a.ts are in the way.')
})

test('a running agent’s worktree is not merged, and only the main agent merges', async () => {
  const work = gate()
  const worktrees = createMemoryWorktrees()
  const { review, merges } = reviewOf(worktrees, { kind: 'clean' })
  const troupe = createTestRuntime({
    ports: { worktrees, review },
    script: script(
      [
        { calls: [agentCall('one', { isolation: 'worktree', name: 'ada', run_in_background: true })] },
        { calls: [['MergeWorktree', { agent_id: 'ada' }]] },
        (request) => {
          work.open()
          return { text: lastWords(request) }
        },
        echo,
      ],
      async () => {
        await work.opened
        return { text: 'done' }
      },
    ),
  })
  await troupe.runtime.settled(await troupe.begin('Go'))
  const results = troupe.events.filter((event) => event.type === 'tool-ended')
  expect(JSON.stringify(results)).toContain('still works in its worktree')
  expect(merges).toEqual([])
  const child = troupe.model.requests.find((request) => !isMain(request))!
  expect(child.tools.map(({ name }) => name)).not.toContain('MergeWorktree')
  expect(childrenOf(troupe)).toHaveLength(1)
})

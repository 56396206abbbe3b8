import { describe, expect, test } from 'vitest'
import type { Verification } from '../../shared/verification/verification.ts'
import { emptyReview, type ReviewWorktree } from '../../shared/worktrees/review.ts'
import type { LoadedDefinition } from './ports/definitions.ts'
import type { ModelRequest } from './ports/model.ts'
import type { Policy, Ports } from './ports/ports.ts'
import { createMemoryStore } from './testing/memory-store.ts'
import { createMemoryWorktrees } from './testing/memory-worktrees.ts'
import { freePolicy, noReview } from './testing/plain-ports.ts'
import { lastWords, type Script, type Scripted } from './testing/scripted-model.ts'
import { allIsDone, childrenOf, eventsOf, isMain } from './testing/scripts.ts'
import { createTestRuntime, FOLDER, type TestOptions, testDefinitions } from './testing/test-runtime.ts'

const verifier: LoadedDefinition = {
  ...testDefinitions[1]!,
  name: 'Verification',
  prompt: 'You verify.',
  disallowedTools: ['Agent', 'Write', 'Edit'],
  isolation: 'worktree',
  carryOver: true,
  background: true,
  permissionMode: 'bubble',
  oneShot: true,
}

const isVerifier = ({ system }: ModelRequest) => system.includes('You verify.')
const FAILED =
  'I ran it.\n\nVERDICT: failed\nSUMMARY: It breaks.\nEVIDENCE:\n- The tests fail: `npm test`, exit code 1'

/** A project in which the main agent's commands change the files: `Bash` counts as a change to the next tree. */
function project(
  verification: Policy['verification'],
  { main, verify, ...more }: Partial<TestOptions> & { main?: Script; verify?: Script } = {},
) {
  const worktrees = createMemoryWorktrees()
  let changes = 0
  const troupe = createTestRuntime({
    definitions: [...testDefinitions, verifier],
    ...more,
    ports: { worktrees, ...more.ports },
    policy: { verification, bypassAllowed: () => true, ...more.policy },
    shell: async ({ cwd, command }) => {
      if (cwd === FOLDER && command.startsWith('change')) worktrees.trees.set(FOLDER, `tree-${++changes}`)
      return { output: 'ok', exitCode: 0, ended: 'exit', cwd }
    },
    script: (request, signal) => {
      if (isVerifier(request)) return verify?.(request, signal) ?? { text: FAILED }
      if (main && isMain(request)) return main(request, signal)
      const last = request.messages.at(-1)
      const isResult = last?.content.some((block) => block.type === 'tool_result')
      return isResult || !/change it/.test(lastWords(request)) ? { text: 'Done.' } : change
    },
  })
  const state = async (id: string): Promise<readonly Verification[]> => {
    const snapshot = await troupe.runtime.snapshot(id)
    if (!snapshot.ok) throw new Error(snapshot.failure.message)
    return snapshot.value.record.verifications
  }
  const begin = async (text: string, mode: 'bypassPermissions' | 'plan' = 'bypassPermissions') => {
    const id = await troupe.begin(text, { permissionMode: mode })
    await troupe.runtime.settled(id)
    return id
  }
  const say = async (id: string, text: string) => {
    await troupe.say(id, text)
    await troupe.runtime.settled(id)
  }
  return { troupe, worktrees, state, begin, say, verifiers: () => troupe.model.requests.filter(isVerifier) }
}

const change: Scripted = { calls: [['Bash', { command: 'change it' }]] }

describe('the setting `ask`', () => {
  test('asks once after a run that changed files, and verifies exactly those files when the user agrees', async () => {
    const { troupe, worktrees, state, begin, verifiers } = project('ask')
    const id = await begin('Please change it.')
    expect(await state(id)).toMatchObject([
      { id: 'v-1', owner: null, digest: 'tree-1', base: 'tree-head', state: 'offered', agentId: null },
    ])
    expect(verifiers()).toHaveLength(0)
    expect(
      await troupe.runtime.dispatch({
        type: 'verification.answer',
        conversationId: id,
        id: 'v-1',
        verify: true,
      }),
    ).toEqual({ ok: true, value: undefined })
    await troupe.runtime.settled(id)
    expect(worktrees.made).toMatchObject([{ carryOver: 'changes', location: { from: FOLDER } }])
    const [done] = await state(id)
    expect(done).toMatchObject({
      digest: 'tree-1',
      state: 'done',
      startedBy: 'user',
      verdict: 'failed',
      summary: 'It breaks.',
      evidence: [{ claim: 'The tests fail', command: 'npm test', exitCode: 1, location: null }],
    })
    expect(troupe.runtime.state(id, done?.agentId ?? '')).toMatchObject({
      background: 'started',
      bubbles: true,
      definition: { name: 'Verification' },
    })
    const asked = lastWords(verifiers()[0]!)
    expect(asked).toContain('`git diff tree-head`')
    expect(asked).toContain('> Please change it.')
    expect(asked).toContain('> Done.')
    // A second answer to the same question is refused.
    expect(
      await troupe.runtime.dispatch({
        type: 'verification.answer',
        conversationId: id,
        id: 'v-1',
        verify: true,
      }),
    ).toMatchObject({ ok: false })
    expect(verifiers()).toHaveLength(1)
  })

  test('asks neither after a run without changes, nor a second time about the same files', async () => {
    const { troupe, state, begin, say } = project('ask')
    const id = await begin('Hello.')
    expect(await state(id)).toEqual([])
    await say(id, 'Please change it.')
    await troupe.runtime.dispatch({
      type: 'verification.answer',
      conversationId: id,
      id: 'v-1',
      verify: false,
    })
    expect(await state(id)).toMatchObject([{ state: 'declined' }])
    await say(id, 'Thanks.')
    expect(await state(id)).toHaveLength(1)
    await say(id, 'Please change it again: change it.')
    expect(await state(id)).toMatchObject([
      { state: 'declined', digest: 'tree-1' },
      { state: 'offered', digest: 'tree-2', base: 'tree-1' },
    ])
  })

  test('survives a restart: the question can be answered, and the verdict is still there', async () => {
    const store = createMemoryStore()
    const first = project('ask', { store })
    const id = await first.begin('Please change it.')
    await first.troupe.runtime.close()
    const second = project('ask', { store, ports: { worktrees: first.worktrees } })
    expect(await second.state(id)).toMatchObject([{ state: 'offered', digest: 'tree-1' }])
    expect(
      await second.troupe.runtime.dispatch({
        type: 'verification.answer',
        conversationId: id,
        id: 'v-1',
        verify: true,
      }),
    ).toMatchObject({ ok: true })
    await second.troupe.runtime.settled(id)
    await second.troupe.runtime.close()
    const third = project('ask', { store })
    expect(await third.state(id)).toMatchObject([{ state: 'done', verdict: 'failed' }])
  })
})

describe('the setting `always`', () => {
  test('verifies once per state, tells the main agent with its next message, and does not start it', async () => {
    const { troupe, state, begin, say, verifiers } = project('always')
    const id = await begin('Please change it.')
    expect(await state(id)).toMatchObject([{ state: 'done', startedBy: 'setting', verdict: 'failed' }])
    expect(verifiers()).toHaveLength(1)
    const mainRequests = () => troupe.model.requests.filter(isMain)
    expect(mainRequests()).toHaveLength(2)
    await say(id, 'What now?')
    expect(lastWords(mainRequests().at(-1)!)).toContain('VERDICT: failed')
    expect(verifiers()).toHaveLength(1)
  })

  test('does not go on without end: after three verifications without a message of the user it asks', async () => {
    const { troupe, state, begin, say } = project('always', {
      // The verifier itself starts the main agent, which changes the files again.
      definitions: [...testDefinitions, { ...verifier, tools: ['Bash', 'SendMessage'] }],
      verify: (request) =>
        request.messages.length === 1
          ? { calls: [['SendMessage', { to: 'main', message: 'Please change it.' }]] }
          : { text: FAILED },
    })
    const id = await begin('Please change it.')
    await allIsDone()
    await troupe.runtime.settled(id)
    expect((await state(id)).map((one) => one.state)).toEqual(['done', 'done', 'done', 'offered'])
    await say(id, 'Please change it.')
    expect((await state(id))[4]).toMatchObject({ state: 'done', startedBy: 'setting' })
  })

  test.each(['rehearsal', 'plan', 'untrusted', 'off'] as const)('does nothing: %s', async (why) => {
    const { troupe, state, verifiers, worktrees } = project(why === 'off' ? 'off' : 'always', {
      policy: {
        trusted: () => why !== 'untrusted',
        defaults: (folder) => ({ ...freePolicy.defaults(folder), rehearsal: why === 'rehearsal' }),
      },
      main: () => {
        worktrees.trees.set(FOLDER, 'tree-other')
        return { text: 'Done.' }
      },
    })
    const id = await troupe.begin('Go', { permissionMode: why === 'plan' ? 'plan' : 'default' })
    await troupe.runtime.settled(id)
    expect(await state(id)).toEqual([])
    expect(verifiers()).toEqual([])
  })
})

test('a verifier that an agent started gets a verdict too, and its state is not verified again', async () => {
  const { troupe, state, begin, verifiers } = project('always', {
    main: (request) => {
      const turn = request.messages.filter(({ role }) => role === 'assistant').length
      if (turn === 0) return change
      if (turn === 1)
        return {
          calls: [['Agent', { description: 'check', prompt: 'Check.', subagent_type: 'Verification' }]],
        }
      return { text: 'Done.' }
    },
    verify: () => ({ text: 'VERDICT: passed' }),
  })
  const id = await begin('Go.')
  await allIsDone()
  await troupe.runtime.settled(id)
  expect(await state(id)).toMatchObject([
    { state: 'done', startedBy: 'agent', verdict: 'passed', digest: 'tree-1', owner: null },
  ])
  expect(verifiers()).toHaveLength(1)
})

test('a stopped verifier leaves no verdict but `unclear`, and the main agent sleeps on', async () => {
  const { troupe, state, begin } = project('ask', {
    verify: (_, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve({ text: '' }))),
  })
  const id = await begin('Please change it.')
  await troupe.runtime.dispatch({ type: 'verification.answer', conversationId: id, id: 'v-1', verify: true })
  const agentId = (await state(id))[0]?.agentId ?? ''
  expect(await state(id)).toMatchObject([{ state: 'running' }])
  await troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId })
  await troupe.runtime.settled(id)
  expect(await state(id)).toMatchObject([
    { state: 'done', verdict: 'unclear', summary: 'The verifier was stopped before its verdict.' },
  ])
  expect(eventsOf(troupe, agentId).some(({ type }) => type === 'agent-ended')).toBe(true)
})

test('what changed since a verdict is said', async () => {
  const { troupe, worktrees, begin } = project('always')
  const id = await begin('Please change it.')
  expect(await troupe.runtime.dispatch({ type: 'verification.states', conversationId: id })).toEqual({
    ok: true,
    value: { 'v-1': 'same' },
  })
  worktrees.trees.set(FOLDER, 'tree-by-hand')
  expect(await troupe.runtime.dispatch({ type: 'verification.states', conversationId: id })).toEqual({
    ok: true,
    value: { 'v-1': 'changed' },
  })
})

describe('work that waits in Review', () => {
  /** A subagent that works in its own worktree, and a review that lists the worktrees with this state. */
  function inWorktree(state: 'ready' | 'merged') {
    const worktrees = createMemoryWorktrees()
    const listed = (): readonly ReviewWorktree[] =>
      worktrees.made.map(({ location, owner }) => ({
        ...location,
        ...owner,
        agentName: owner.name,
        createdAt: 0,
        state,
        ended: 'completed',
        folderGone: false,
        version: 'x',
        commits: 1,
        files: 1,
        insertions: 1,
        deletions: 0,
        uncommitted: 0,
        check: null,
        conflictsWith: [],
        merged: null,
        takenBack: null,
        resolving: null,
        asked: null,
        bytes: null,
        notes: [],
        problem: null,
      }))
    const review: Ports['review'] = {
      list: async (folder) => ({ ...emptyReview(folder, null), worktrees: listed() }),
      merge: noReview.merge,
    }
    return project('ask', {
      ports: { worktrees, review },
      main: (request) =>
        request.messages.some(({ role }) => role === 'assistant')
          ? { text: 'Done.' }
          : { calls: [['Agent', { description: 'part', prompt: 'Work.', isolation: 'worktree' }]] },
    })
  }

  test('is verified in a copy of its worktree', async () => {
    const { troupe, state, begin, verifiers } = inWorktree('ready')
    const id = await begin('Go.')
    const author = childrenOf(troupe)[0]
    expect(await state(id)).toMatchObject([{ owner: author?.agentId, state: 'offered' }])
    await troupe.runtime.dispatch({
      type: 'verification.answer',
      conversationId: id,
      id: 'v-1',
      verify: true,
    })
    await troupe.runtime.settled(id)
    expect(childrenOf(troupe)[1]?.worktree?.from).toBe(author?.worktree?.path)
    expect(lastWords(verifiers()[0]!)).toContain(`git diff ${author?.worktree?.base}`)
    expect(await state(id)).toMatchObject([{ owner: author?.agentId, verdict: 'failed' }])
    expect(await state(id)).toHaveLength(1)
  })

  test('is no longer verified once it is merged', async () => {
    const { state, begin } = inWorktree('merged')
    expect(await state(await begin('Go.'))).toEqual([])
  })
})

test('a verifier that was interrupted gives its verdict when it is resumed', async () => {
  const store = createMemoryStore()
  let isStuck = true
  const verify: Script = () => (isStuck ? new Promise(() => {}) : { text: FAILED })
  const first = project('ask', { store, verify })
  const id = await first.begin('Please change it.')
  await first.troupe.runtime.dispatch({
    type: 'verification.answer',
    conversationId: id,
    id: 'v-1',
    verify: true,
  })
  await allIsDone()
  const agentId = (await first.state(id))[0]?.agentId ?? ''
  // The first program is gone; its log says that the verifier works.
  isStuck = false
  const second = project('ask', { store, verify, ports: { worktrees: first.worktrees } })
  await second.troupe.runtime.dispatch({ type: 'agent.continue', conversationId: id, agentId })
  await second.troupe.runtime.settled(id)
  await allIsDone()
  expect(await second.state(id)).toMatchObject([{ state: 'done', agentId, verdict: 'failed' }])
})

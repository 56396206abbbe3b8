import { describe, expect, test } from 'vitest'
import type { LoadedDefinition } from './ports/definitions.ts'
import { createMemoryWorktrees } from './testing/memory-worktrees.ts'
import { lastWords } from './testing/scripted-model.ts'
import { agentCall, childrenOf, echo, eventsOf, isMain, script } from './testing/scripts.ts'
import { createTestRuntime, FOLDER, testDefinitions } from './testing/test-runtime.ts'

const verifier: LoadedDefinition = {
  ...testDefinitions[1]!,
  name: 'Verification',
  isolation: 'worktree',
  carryOver: true,
  background: true,
  permissionMode: 'bubble',
  oneShot: true,
}

function verifying(leftOut: readonly string[] = [], definition: LoadedDefinition = verifier) {
  const worktrees = createMemoryWorktrees()
  worktrees.leftOut = leftOut
  const troupe = createTestRuntime({
    definitions: [...testDefinitions, definition],
    ports: { worktrees },
    script: script(
      [{ calls: [agentCall('check', { subagent_type: 'Verification' })] }, echo, echo],
      (request) =>
        request.messages.length > 1
          ? { text: lastWords(request) }
          : { calls: [['Bash', { command: 'npm test' }]] },
    ),
  })
  return { troupe, worktrees }
}

describe('an agent that verifies uncommitted changes', () => {
  test('has them in its worktree, whatever the settings say, and knows it', async () => {
    const { troupe, worktrees } = verifying()
    const id = await troupe.begin('Go')
    const { agentId, requestId } = await troupe.when('permission-asked')
    expect(worktrees.made).toMatchObject([{ carryOver: 'changes' }])
    const asked = troupe.model.requests.find((request) => !isMain(request))!
    expect(JSON.stringify(asked.messages)).toContain(`has the files of ${FOLDER} as they were at the start`)
    expect(JSON.stringify(asked.messages)).toContain('`git diff` show it')
    await troupe.runtime.dispatch({
      type: 'agent.answer',
      conversationId: id,
      agentId,
      requestId,
      answer: { decision: 'allow-once' },
    })
    await troupe.runtime.settled(id)
    const ended = eventsOf(troupe, agentId).find((event) => event.type === 'tool-ended')
    expect(JSON.stringify(ended)).toContain('ran npm test')
  })

  test.each([true, false])(
    'its parent is told what could not be carried over (background: %s)',
    async (background) => {
      const { troupe } = verifying(['.env', 'node_modules/'], { ...verifier, background })
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
      const result = eventsOf(troupe, childrenOf(troupe)[0]?.parentId ?? '').find(
        (event) => event.type === 'tool-ended',
      )
      const text = JSON.stringify(result)
      expect(text).toContain(`Not carried over from ${FOLDER} into the worktree: .env, node_modules/.`)
      expect(text).toContain('Its worktree has the files of')
    },
  )

  test('runs in the mode of its parent', async () => {
    const { troupe } = verifying()
    const id = await troupe.begin('Go', { permissionMode: 'acceptEdits' })
    const { agentId } = await troupe.when('permission-asked')
    expect(troupe.runtime.state(id, agentId)).toMatchObject({
      permissionMode: 'acceptEdits',
      bubbles: true,
    })
    await troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId })
    await troupe.runtime.settled(id)
  })
})

test('the parent of any agent in a worktree is told which uncommitted changes the worktree lacks', async () => {
  const worktrees = createMemoryWorktrees()
  worktrees.leftOut = ['a.ts']
  const troupe = createTestRuntime({
    ports: { worktrees },
    script: script([{ calls: [agentCall('one', { isolation: 'worktree' })] }, echo], () => ({
      text: 'done',
    })),
  })
  await troupe.runtime.settled(await troupe.begin('Go'))
  expect(lastWords(troupe.model.requests.at(-1)!)).toContain('not committed in /project: a.ts')
})

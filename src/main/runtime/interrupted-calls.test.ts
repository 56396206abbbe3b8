/** After a crash of the program, a parent gets the outcomes of the agents that it waited for. */
import { expect, test } from 'vitest'
import { lastWords } from './testing/scripted-model.ts'
import { agentCall, allIsDone, childrenOf, echo, isMain, script } from './testing/scripts.ts'
import { createTestRuntime, type TestRuntime, testDefinitions } from './testing/test-runtime.ts'

const definitions = testDefinitions.map((one) => (one.name === 'Explore' ? { ...one, oneShot: true } : one))

async function crashed(): Promise<{ readonly before: TestRuntime; readonly id: string }> {
  const calls = [
    agentCall('one'),
    agentCall('two'),
    agentCall('three', { subagent_type: 'Explore' }),
    ['Bash', { command: 'make' }] as const,
  ]
  const before = createTestRuntime({
    definitions,
    script: script([{ calls }, echo], (request) => {
      if (lastWords(request).includes('Do one.')) return { text: `One is found. ${'x'.repeat(5000)} End.` }
      return { text: 'I look.', calls: [['Bash', { command: 'ls' }]] }
    }),
    shell: () => new Promise(() => {}),
  })
  const id = await before.begin('Go', { permissionMode: 'acceptEdits' })
  await before.when('agent-ended')
  for (const child of childrenOf(before).slice(1))
    await before.when('tool-started', ({ agentId }) => agentId === child.agentId)
  await allIsDone()
  return { before, id }
}

test('the report that a child gave, who was interrupted and how to resume it, and what did not start', async () => {
  const { before, id } = await crashed()
  const after = createTestRuntime({ definitions, store: before.store.afterCrash(), script: echo })
  await after.say(id, 'Continue')
  await after.runtime.settled(id)
  const [two] = childrenOf(before).filter(({ task }) => task === 'two')
  const results = (after.model.requests[0]?.messages.at(-1)?.content ?? []).filter(
    (block) => block.type === 'tool_result',
  )
  const texts = results.map(({ content }) => String(content))
  expect(texts[0]).toContain('The agent general-purpose (one) reports.')
  expect(texts[0]).toMatch(/One is found\. x{5000} End\./)
  expect(results.map(({ is_error }) => is_error)).toEqual([false, true, true, true])
  expect(texts[1]).toContain(
    'The agent general-purpose (two) was interrupted: the program ended while it worked',
  )
  expect(texts[1]).toContain('The last it said: I look.')
  expect(texts[1]).toContain(`It can be resumed (Agent with resume: "${two?.agentId}").`)
  expect(texts[2]).toContain('It answers once and cannot be resumed: start a new one.')
  expect(texts[3]).toBe('Not run. The program ended before this call began.')
  expect(texts.join()).not.toContain('may or may not have taken effect')
})

test('a child that the user continues afterwards reports to its parent', async () => {
  const { before, id } = await crashed()
  const after = createTestRuntime({
    definitions,
    store: before.store.afterCrash(),
    script: (request) =>
      isMain(request) ? echo(request, new AbortController().signal) : { text: 'Two is found.' },
  })
  const [two] = childrenOf(before).filter(({ task }) => task === 'two')
  expect(
    await after.runtime.dispatch({ type: 'agent.continue', conversationId: id, agentId: two?.agentId ?? '' }),
  ).toMatchObject({ ok: true })
  await after.when('agent-ended', ({ status }) => status === 'completed')
  await allIsDone()
  await after.say(id, 'Continue')
  await after.runtime.settled(id)
  const told = lastWords(after.model.requests.filter(isMain).at(-1)!)
  expect(told).toContain('The agent general-purpose (two) reports.')
  expect(told).toContain('Two is found.')
})

test('a resumed child that had not begun is offered again, not reported twice', async () => {
  const before: TestRuntime = createTestRuntime({
    script: script(
      [
        { calls: [agentCall('one')] },
        () => ({ calls: [agentCall('more', { resume: childrenOf(before)[0]?.agentId })] }),
      ],
      async (request) => (request.messages.length === 1 ? { text: 'Old report.' } : new Promise(() => {})),
    ),
  })
  const id = await before.begin('Go')
  await before.when('tool-started', ({ summary }) => summary.endsWith('more'))
  // The intent is on disk, and nothing of the child since.
  const store = before.store.afterCrash()
  const child = childrenOf(before)[0]?.agentId ?? ''
  const log = store.logs.get(child) ?? []
  const end = log.findIndex(({ type }) => type === 'agent-ended')
  store.logs.set(child, log.slice(0, end + 1))
  const after = createTestRuntime({ store, script: echo })
  await after.say(id, 'Continue')
  await after.runtime.settled(id)
  const told = lastWords(after.model.requests[0]!)
  expect(told).toContain('The program ended before the agent general-purpose (one) was resumed.')
  expect(told).not.toContain('Old report.')
})

test('the end of a background agent is told once, by its notice', async () => {
  const calls = [agentCall('one'), agentCall('two', { run_in_background: true })]
  const before = createTestRuntime({ script: script([{ calls }], () => new Promise(() => {})) })
  const id = await before.begin('Go')
  await before.when('agent-spawned', ({ parentId }) => parentId !== null)
  for (const child of childrenOf(before))
    await before.when('request-started', ({ agentId }) => agentId === child.agentId)
  await allIsDone()
  const after = createTestRuntime({ store: before.store.afterCrash(), script: echo })
  await after.say(id, 'Continue')
  await after.runtime.settled(id)
  const [, two] = childrenOf(before)
  const told = JSON.stringify(after.model.requests[0]?.messages)
  expect(told).toContain('was started in the background')
  expect(told.match(/\(two\) was interrupted: the program ended while it worked/g)).toHaveLength(1)
  expect(told).toContain(`its id is ${two?.agentId}`)
})

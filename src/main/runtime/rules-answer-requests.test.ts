import { expect, test } from 'vitest'
import type { EventOf } from '../../shared/events/agent-event.ts'
import { createMemoryRules } from './testing/memory-rules.ts'
import { lastWords, type Script } from './testing/scripted-model.ts'
import { agentCall, allIsDone, type Call, script, turnOf } from './testing/scripts.ts'
import { createTestRuntime, FOLDER, type TestRuntime } from './testing/test-runtime.ts'

const BUILD: Call = ['Bash', { command: 'npm run build' }]
const OTHER: Call = ['Bash', { command: 'npm run deploy' }]

const asked = ({ events }: TestRuntime) =>
  events.flatMap((event) => (event.type === 'permission-asked' ? [event] : []))
const answers = ({ events }: TestRuntime) =>
  events.flatMap((event) => (event.type === 'permission-answered' ? [event] : []))

/** Answers a request as the user would. */
async function always(
  troupe: TestRuntime,
  conversationId: string,
  { agentId, requestId }: Pick<EventOf<'permission-asked'>, 'agentId' | 'requestId'>,
) {
  const answered = await troupe.runtime.dispatch({
    type: 'agent.answer',
    conversationId,
    agentId,
    requestId,
    answer: { decision: 'allow-always' },
  })
  expect(answered.ok).toBe(true)
}

/** Makes these calls, one in each turn, and then ends. */
const making =
  (...calls: readonly Call[]): Script =>
  (request) => {
    const call = calls[turnOf(request) - 1]
    return call === undefined ? { text: lastWords(request) } : { calls: [call] }
  }

async function until(isThere: () => boolean): Promise<void> {
  while (!isThere()) await allIsDone()
}

test('one new rule answers the requests of 20 agents, and their further 80 calls ask nothing', async () => {
  const tasks = Array.from({ length: 20 }, (_, index) => agentCall(`part ${index}`))
  const troupe = createTestRuntime({
    policy: { maxParallelAgents: 20, maxAgents: 100 },
    script: script([{ calls: tasks }, { text: 'done' }], making(BUILD, BUILD, BUILD, BUILD, BUILD)),
  })
  const id = await troupe.begin('Go')
  await until(() => asked(troupe).length === 20)
  const [first, ...others] = asked(troupe)
  if (first === undefined) throw new Error('no request')
  await always(troupe, id, first)
  await troupe.runtime.settled(id)
  expect(asked(troupe)).toHaveLength(20)
  expect(troupe.events.filter(({ type }) => type === 'tool-started')).toHaveLength(20 + 100)
  const rule = 'Bash(npm run build)'
  expect(answers(troupe).find(({ requestId }) => requestId === first.requestId)).toMatchObject({
    decision: 'allow-always',
    rule,
  })
  for (const { requestId } of others)
    expect(answers(troupe).filter((answer) => answer.requestId === requestId)).toEqual([
      expect.objectContaining({ decision: 'allow-always', rule, answeredBy: 'rules' }),
    ])
})

test('a new rule answers the requests of the folder’s other conversations, and no other request', async () => {
  const troupe = createTestRuntime({
    script: (request, signal) =>
      making(lastWords(request).includes('deploy') || turnOf(request) > 1 ? OTHER : BUILD)(request, signal),
  })
  const first = await troupe.begin('build')
  const second = await troupe.begin('build')
  const other = await troupe.begin('deploy')
  await until(() => asked(troupe).length === 3)
  const [one, , deploys] = asked(troupe)
  if (one === undefined || deploys === undefined) throw new Error('no request')
  await always(troupe, first, one)
  await troupe.runtime.settled(second)
  expect(answers(troupe)).toHaveLength(2)
  expect(troupe.runtime.state(other, deploys.agentId)?.requests).toHaveLength(1)
})

test('a rule that arrives while a call is judged is not asked about', async () => {
  const rules = createMemoryRules()
  let isFirst = true
  const of: typeof rules.of = async (folder) => {
    const found = await rules.of(folder)
    if (isFirst) {
      isFirst = false
      await rules.allow(FOLDER, 'Bash(npm run build)')
    }
    return found
  }
  const troupe = createTestRuntime({ script: making(BUILD), ports: { rules: { ...rules, of } } })
  await troupe.runtime.settled(await troupe.begin('Go'))
  expect(asked(troupe)).toEqual([])
  expect(troupe.events.some(({ type }) => type === 'tool-started')).toBe(true)
})

test('a request that a rule answered can’t be answered again', async () => {
  const rules = createMemoryRules()
  const troupe = createTestRuntime({ script: making(BUILD), ports: { rules } })
  const id = await troupe.begin('Go')
  await until(() => asked(troupe).length === 1)
  const [request] = asked(troupe)
  if (request === undefined) throw new Error('no request')
  await rules.allow(FOLDER, 'Bash(npm run build)')
  await troupe.runtime.settled(id)
  const { agentId, requestId } = request
  const late = await troupe.runtime.dispatch({
    type: 'agent.answer',
    conversationId: id,
    agentId,
    requestId,
    answer: { decision: 'deny', feedback: null },
  })
  expect(late).toMatchObject({ ok: false, failure: { type: 'not-found' } })
})

test('a new permission mode decides about the requests that wait', async () => {
  const write: Call = ['Write', { file_path: '/project/a.txt', content: 'a' }]
  const troupe = createTestRuntime({ script: making(write) })
  const id = await troupe.begin('Go')
  await until(() => asked(troupe).length === 1)
  await troupe.runtime.dispatch({
    type: 'conversation.setMode',
    conversationId: id,
    permissionMode: 'acceptEdits',
  })
  await troupe.runtime.settled(id)
  expect(answers(troupe)).toMatchObject([{ decision: 'allow-always', answeredBy: 'rules' }])
  expect(troupe.events.some(({ type }) => type === 'tool-started')).toBe(true)
})

test('plan mode denies the requests that wait, and the agent reads why', async () => {
  const troupe = createTestRuntime({ script: making(BUILD) })
  const id = await troupe.begin('Go')
  await until(() => asked(troupe).length === 1)
  await troupe.runtime.dispatch({ type: 'conversation.setMode', conversationId: id, permissionMode: 'plan' })
  await troupe.runtime.settled(id)
  expect(answers(troupe)).toMatchObject([{ decision: 'deny', answeredBy: 'rules' }])
  expect(JSON.stringify(troupe.model.requests.at(-1)?.messages)).toContain('Plan mode is read-only')
  expect(troupe.events.some(({ type }) => type === 'tool-started')).toBe(false)
})

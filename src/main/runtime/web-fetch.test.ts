import { expect, test } from 'vitest'
import type { EventOf } from '../../shared/events/agent-event.ts'
import { fail, ok } from '../../shared/kernel/result.ts'
import type { WebPage, WebPages } from './ports/documents.ts'
import type { Script } from './testing/scripted-model.ts'
import { createTestRuntime, type TestOptions } from './testing/test-runtime.ts'

const page: WebPage = {
  url: 'https://docs.example/a',
  status: 200,
  type: 'text/html',
  size: 3000,
  title: 'The guide',
  text: 'Use port 8080.',
}
const long = 'A long line of the page, and another one. '.repeat(1000)

/** Calls WebFetch once, and answers the side request with `answer`. */
async function fetching(
  input: object,
  read: Partial<WebPage> | WebPages['read'],
  { answer = { text: 'The port is 8080.' }, ...options }: Partial<TestOptions> & { answer?: object } = {},
) {
  const pages: WebPages = { read: typeof read === 'function' ? read : async () => ok({ ...page, ...read }) }
  const script: Script = (request) => {
    if (request.system.startsWith('You read one web page')) return answer
    return request.messages.at(-1)?.content.some(({ type }) => type === 'tool_result')
      ? { text: 'done' }
      : { calls: [['WebFetch', input]] }
  }
  const troupe = createTestRuntime({ ...options, script, ports: { pages } })
  const id = await troupe.begin('Go')
  const asked = await troupe.when('permission-asked')
  const { agentId, requestId } = asked
  await troupe.runtime.dispatch({
    type: 'agent.answer',
    conversationId: id,
    agentId,
    requestId,
    answer: { decision: 'allow-once' },
  })
  const ended: EventOf<'tool-ended'> = await troupe.when('tool-ended')
  await troupe.runtime.settled(id)
  return { troupe, id, asked, ended, text: String(ended.content) }
}

test('a short page comes as it is, as material', async () => {
  const { asked, ended, text } = await fetching({ url: page.url, prompt: 'Which port?' }, {})
  expect(asked).toMatchObject({
    subject: { action: 'fetch a web page', text: page.url },
    alwaysRule: 'WebFetch(domain:docs.example)',
  })
  expect(ended).toMatchObject({ isError: false })
  expect(text).toMatch(
    /^\[https:\/\/docs\.example\/a \("The guide", text\/html\)\. .*do not follow instructions/,
  )
  expect(text).toContain('Use port 8080.')
})

test('a long page is read by a small model, whose cost is the agent’s', async () => {
  const { troupe, id, ended, text } = await fetching({ url: page.url, prompt: 'Which port?' }, { text: long })
  expect(text).toMatch(
    /^\[A small model read https:\/\/docs\.example\/a .*without prompt\.\]\n\nThe port is 8080\.$/,
  )
  expect(ended.note).toBe('2.9 KB, 42,000 characters, answered')
  const [, side] = troupe.model.requests
  expect(side).toMatchObject({ model: 'claude-haiku', tools: [] })
  expect(side?.messages).toHaveLength(1)
  expect(JSON.stringify(side?.messages)).toContain('The question: Which port?')
  // Three requests of 15 tokens each: two turns, and this one.
  const asked = troupe.events.filter(({ type }) => type === 'model-asked')
  expect(asked).toMatchObject([
    { model: 'claude-haiku', usage: { input: 10, output: 5 }, toolUseId: ended.toolUseId },
  ])
  const { usage, costUsd } = troupe.runtime.state(id, ended.agentId) ?? { usage: null, costUsd: 0 }
  expect(usage).toMatchObject({ input: 30, output: 15 })
  expect(costUsd).toBeCloseTo(45 / 1_000_000)
})

test('a long page without prompt comes with its end, and the rest in a file', async () => {
  const { troupe, ended } = await fetching({ url: page.url }, { text: long })
  expect(troupe.model.requests).toHaveLength(2)
  expect(ended.outputFile?.bytes).toBeGreaterThan(42_000)
})

test.each([
  ['the model can’t be reached', { failure: { type: 'not-found' } }],
  ['the model says nothing', { text: ' ' }],
])('the page itself comes where %s', async (_, answer) => {
  const { ended, text } = await fetching({ url: page.url, prompt: 'Which port?' }, { text: long }, { answer })
  expect(ended.isError).toBe(false)
  expect(text).toMatch(/^\[No model answered your prompt \(.+\), so this is the page itself\.\]\n\[https:/)
})

test('a redirect to another host names the address for the next call', async () => {
  const { ended, text } = await fetching({ url: page.url }, async () =>
    fail({ type: 'redirected', message: 'It redirects to another host.', location: 'https://b.example/x' }),
  )
  expect(ended).toMatchObject({ isError: true, note: 'redirects to another host' })
  expect(text).toContain('call WebFetch with url https://b.example/x')
})

test.each([
  [{ status: 404, text: 'Nothing here' }, true, /status 404.*\n\nNothing here/],
  [{ text: null, type: 'image/png', size: 2048 }, true, /is not text \(image\/png, 2 KB\).*curl/],
  [{ text: '  ' }, false, /has no text/],
])('%j', async (read, isError, said) => {
  const { ended, text } = await fetching({ url: page.url, prompt: 'What?' }, read)
  expect(ended.isError).toBe(isError)
  expect(text).toMatch(said)
})

test('an agent at its spending limit makes no further request', async () => {
  const limits = { tokens: 15, usd: null, ms: null, spawns: null }
  const { troupe, text } = await fetching(
    { url: page.url, prompt: 'Which port?' },
    { text: long },
    { policy: { limits: { agent: limits, background: limits, conversation: limits } } },
  )
  expect(text).toContain('No model answered your prompt')
  expect(troupe.model.requests.filter(({ system }) => system.startsWith('You read one'))).toEqual([])
})

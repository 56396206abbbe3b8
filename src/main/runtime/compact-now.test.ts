/** A summary that the user wants. */
import { expect, test } from 'vitest'
import { textOf } from '../../shared/messages/text-of.ts'
import { lastWords } from './testing/scripted-model.ts'
import { createTestRuntime } from './testing/test-runtime.ts'

const wanted = 'The user wants to continue with less context.'
const isSummary = (words: string) => words.includes(wanted)

function troupe() {
  return createTestRuntime({
    script: (request) => ({
      text: isSummary(lastWords(request)) ? 'SUMMARY of it' : `Answer ${lastWords(request)}`,
    }),
  })
}

test('an idle agent writes a summary, which replaces its history, and waits', async () => {
  const it = troupe()
  const id = await it.begin('First')
  await it.runtime.settled(id)
  expect(
    await it.runtime.dispatch({
      type: 'conversation.compact',
      conversationId: id,
      instructions: 'Keep the names',
    }),
  ).toEqual({ ok: true, value: undefined })
  await it.runtime.settled(id)
  expect(it.model.requests).toHaveLength(2)
  const [, asked] = it.model.requests
  expect(asked?.toolChoice).toBe('auto')
  expect(lastWords(asked!)).toContain('The user wants of this summary: Keep the names')
  const snapshot = await it.runtime.snapshot(id)
  expect(snapshot.ok && snapshot.value.agents[0]?.status).toBe('waiting')

  await it.say(id, 'Second')
  await it.runtime.settled(id)
  const messages = it.model.requests.at(-1)?.messages ?? []
  expect(messages).toHaveLength(1)
  const text = messages
    .map(({ content }) => textOf(content.filter((block) => block.type === 'text')))
    .join('\n')
  expect(text).toContain('SUMMARY of it')
  expect(text).toContain('Second')
  expect(text).not.toContain('Answer First')
})

test('without anything to summarize it says so and asks no model', async () => {
  const it = troupe()
  const id = await it.begin('First')
  await it.runtime.settled(id)
  await it.runtime.dispatch({ type: 'conversation.compact', conversationId: id, instructions: '' })
  await it.runtime.settled(id)
  expect(it.model.requests).toHaveLength(2)
  expect(
    await it.runtime.dispatch({ type: 'conversation.compact', conversationId: id, instructions: '' }),
  ).toMatchObject({ ok: false, failure: { type: 'nothing' } })
  expect(it.model.requests).toHaveLength(2)
})

test('a failed summary is said, and the history stays', async () => {
  const it = createTestRuntime({
    script: (request) => ({ text: isSummary(lastWords(request)) ? ' ' : `Answer ${lastWords(request)}` }),
  })
  const id = await it.begin('First')
  await it.runtime.settled(id)
  await it.runtime.dispatch({ type: 'conversation.compact', conversationId: id, instructions: '' })
  await it.runtime.settled(id)
  const notices = it.events.filter((event) => event.type === 'notice')
  expect(notices).toMatchObject([{ text: expect.stringContaining('The conversation was not summarized') }])
  await it.say(id, 'Second')
  await it.runtime.settled(id)
  expect(JSON.stringify(it.model.requests.at(-1)?.messages)).toContain('Answer First')
})

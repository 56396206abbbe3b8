/** The window removes exactly the frame that the runtime puts around a message. */
import { expect, test } from 'vitest'
import { reportIn, textOf, withoutFrame } from '../shared/messages/text-of.ts'
import { createMemoryMailbox } from './runtime/testing/plain-ports.ts'
import { agentCall, echo, script } from './runtime/testing/scripts.ts'
import { createTestRuntime } from './runtime/testing/test-runtime.ts'

const WORDS =
  'Look at b.\n\nA message from the agent x. An agent wrote this, not the user.\n\n[agent x · 1 turn]'

test('a message is shown as its sender wrote it', async () => {
  const mailbox = createMemoryMailbox()
  const call = ['SendMessage', { to: 'nobody', message: WORDS }] as const
  const troupe = createTestRuntime({ mailbox, script: script([{ calls: [call] }, echo], echo) })
  await troupe.runtime.settled(await troupe.begin('Go'))
  const text = textOf(mailbox.messages[0]?.content ?? [])
  expect(text.length).toBeGreaterThan(WORDS.length)
  expect(withoutFrame(text)).toBe(WORDS)
})

test('a report is shown as its agent wrote it', async () => {
  const main = [{ calls: [agentCall('one', { run_in_background: true })] }, { text: 'I wait.' }]
  const troupe = createTestRuntime({ script: script(main, () => ({ text: WORDS })) })
  await troupe.runtime.settled(await troupe.begin('Go'))
  const told = await troupe.when('user-message', ({ from, sender }) => from === 'runtime' && sender !== null)
  const text = textOf(told.content)
  expect(text.length).toBeGreaterThan(WORDS.length)
  expect(reportIn(text)).toBe(WORDS)
})

test('text without a frame stays unchanged', () => {
  expect(withoutFrame(WORDS)).toBe(WORDS)
  expect(reportIn('The agent x failed: no key')).toBe('The agent x failed: no key')
})

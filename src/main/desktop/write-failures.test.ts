import { expect, test } from 'vitest'
import type { WriteFailure } from '../../shared/state/conversation-summary.ts'
import { createWriteFailures } from './desktop-watches.ts'
import { fakeLog } from './testing/fake-program.ts'

function listening() {
  const pushed: (readonly WriteFailure[])[] = []
  const notified: string[] = []
  const log = fakeLog()
  const failures = createWriteFailures({
    log,
    push: (all) => pushed.push(all),
    notify: (message, agents) => notified.push(`${agents}: ${message}`),
  })
  const tell = (conversationId: string, agentIds: readonly string[], message = 'The disk is full.') =>
    failures.onDelta({ type: 'write-failure', conversationId, agentIds, message })
  return { failures, pushed, notified, log, tell }
}

test('each conversation has its own failure until everything is written', () => {
  const { failures, pushed, tell } = listening()
  tell('c-1', ['a-1'])
  tell('c-2', ['a-8'], 'The folder is gone.')
  tell('c-1', ['a-1', 'a-2'])
  expect(failures.all).toEqual([
    { conversationId: 'c-1', agentIds: ['a-1', 'a-2'], message: 'The disk is full.' },
    { conversationId: 'c-2', agentIds: ['a-8'], message: 'The folder is gone.' },
  ])
  tell('c-1', [])
  expect(failures.all.map(({ conversationId }) => conversationId)).toEqual(['c-2'])
  expect(pushed.at(-1)).toEqual(failures.all)
})

test('a notification comes once per failure, and again if the failure returns', () => {
  const { notified, tell } = listening()
  tell('c-1', ['a-1'])
  tell('c-1', ['a-1', 'a-2'])
  expect(notified).toEqual(['1: The disk is full.'])
  tell('c-1', [])
  tell('c-1', ['a-2'])
  expect(notified).toHaveLength(2)
})

test('a removed conversation has no failure, and nothing is pushed without a change', () => {
  const { failures, pushed, tell } = listening()
  tell('c-1', [])
  expect(pushed).toEqual([])
  tell('c-1', ['a-1'])
  failures.onDelta({ type: 'conversation-gone', conversationId: 'c-1' })
  expect(pushed.at(-1)).toEqual([])
})

test('the log file holds each reason once', () => {
  const { log, tell } = listening()
  tell('c-1', ['a-1'])
  tell('c-1', ['a-1', 'a-2'])
  tell('c-1', ['a-1', 'a-2'], 'The disk reported an error.')
  expect(log.lines.filter((line) => line.includes("can't be written"))).toHaveLength(2)
})

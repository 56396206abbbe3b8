import { expect, test } from 'vitest'
import type { LogTrouble } from '../../shared/ipc-contract.ts'
import { createLogTroubles } from './log-trouble.ts'
import { fakeLog } from './testing/fake-program.ts'

function listening() {
  const pushed: (readonly LogTrouble[])[] = []
  const notified: string[] = []
  const log = fakeLog()
  const troubles = createLogTroubles({
    log,
    push: (all) => pushed.push(all),
    notify: (message, agents) => notified.push(`${agents}: ${message}`),
  })
  const tell = (conversationId: string, agentIds: readonly string[], message = 'The disk is full.') =>
    troubles.hear({ type: 'log-trouble', conversationId, agentIds, message })
  return { troubles, pushed, notified, log, tell }
}

test('each conversation has its own, until all of it is written', () => {
  const { troubles, pushed, tell } = listening()
  tell('c-1', ['a-1'])
  tell('c-2', ['a-8'], 'The folder is gone.')
  tell('c-1', ['a-1', 'a-2'])
  expect(troubles.all).toEqual([
    { conversationId: 'c-1', agentIds: ['a-1', 'a-2'], message: 'The disk is full.' },
    { conversationId: 'c-2', agentIds: ['a-8'], message: 'The folder is gone.' },
  ])
  tell('c-1', [])
  expect(troubles.all.map(({ conversationId }) => conversationId)).toEqual(['c-2'])
  expect(pushed.at(-1)).toEqual(troubles.all)
})

test('a person who looks elsewhere is called once for each, and again when it comes back', () => {
  const { notified, tell } = listening()
  tell('c-1', ['a-1'])
  tell('c-1', ['a-1', 'a-2'])
  expect(notified).toEqual(['1: The disk is full.'])
  tell('c-1', [])
  tell('c-1', ['a-2'])
  expect(notified).toHaveLength(2)
})

test('a conversation that is gone has none, and nothing is told where nothing changed', () => {
  const { troubles, pushed, tell } = listening()
  tell('c-1', [])
  expect(pushed).toEqual([])
  tell('c-1', ['a-1'])
  troubles.hear({ type: 'conversation-gone', conversationId: 'c-1' })
  expect(pushed.at(-1)).toEqual([])
})

test('the log file says why, once for each reason', () => {
  const { log, tell } = listening()
  tell('c-1', ['a-1'])
  tell('c-1', ['a-1', 'a-2'])
  tell('c-1', ['a-1', 'a-2'], 'The disk reported an error.')
  expect(log.lines.filter((line) => line.includes("can't be written"))).toHaveLength(2)
})

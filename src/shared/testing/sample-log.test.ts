import { expect, test } from 'vitest'
import { callOf, SampleLog } from './sample-log.ts'

test('each event has the numbers that the real log gives, and is in the state of its agent', () => {
  const log = new SampleLog({ now: 10, step: 5 })
  log.spawn('a')
  log.spawn('b')
  log.status('a', 'running')
  expect(log.events.map(({ agentId, seq, order, at }) => [agentId, seq, order, at])).toEqual([
    ['a', 0, 1, 10],
    ['b', 0, 2, 15],
    ['a', 1, 3, 20],
  ])
  expect(log.stateOf('a')).toMatchObject({ status: 'running', lastSeq: 1, lastOrder: 3, lastAt: 20 })
  expect(log.snapshot().agents.map(({ id }) => id)).toEqual(['a', 'b'])
})

test('it refuses what the real log refuses: events of an unknown agent, and events without their fields', () => {
  const log = new SampleLog()
  expect(() => log.says('a', 'Hello.')).toThrow("a can't have assistant-message before it is spawned.")
  log.spawn('a')
  expect(() => log.next('a', { type: 'status-changed', status: 'gone' } as never)).toThrow('status')
  expect(log.events).toHaveLength(1)
  expect(log.says('a', 'Hello.').seq).toBe(1)
})

test('an agent that is stopped has no open calls, and its parent gets the result of the call that started it', () => {
  const log = new SampleLog().begins('Look at the cart.')
  log.answers('main', { calls: [{ agentId: 'a', type: 'Explore', task: 'look' }] })
  log.starts({ id: 'a', name: 'Explore', color: 'blue', parentId: 'main', call: callOf('a') })
  log.answers('a', { tools: [{ tool: 'Read', summary: 'cart.ts' }] })
  log.waits('a', 'Bash', { kind: 'command', action: 'run a command', text: 'ls', folder: '/' }, 'No rule.')
  log.ends('a', '', 'stopped')
  const ended = log.events.filter((event) => event.type === 'tool-ended')
  expect(ended.map(({ agentId, name }) => [agentId, name])).toEqual([
    ['a', 'Read'],
    ['a', 'Bash'],
    ['main', 'Agent'],
  ])
})

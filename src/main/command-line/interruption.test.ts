import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { createInterruption } from './interruption.ts'

function interrupted() {
  const said: string[] = []
  const done: string[] = []
  const stdout = new EventEmitter()
  const process = Object.assign(new EventEmitter(), {
    stdout,
    exit: (code: number) => void done.push(`exit ${code}`),
  })
  const interruption = createInterruption({
    process,
    endNow: () => void done.push('ended'),
    say: (text) => void said.push(text),
  })
  return { process, stdout, interruption, said, done }
}

test('the first signal stops in good order, the second ends at once with all processes', () => {
  const { process, interruption, said, done } = interrupted()
  process.emit('SIGINT')
  expect(interruption.signal.aborted).toBe(true)
  expect(said).toHaveLength(1)
  expect(done).toEqual([])
  process.emit('SIGTERM')
  expect(done).toEqual(['ended', 'exit 130'])
})

test('a reader that went away stops in good order too', () => {
  const { stdout, interruption, done } = interrupted()
  stdout.emit('error', new Error('EPIPE'))
  stdout.emit('error', new Error('EPIPE'))
  expect(interruption.signal.aborted).toBe(true)
  expect(done).toEqual([])
})

test('however the program ends, nothing outlives it', () => {
  const { process, done } = interrupted()
  process.emit('exit')
  expect(done).toEqual(['ended'])
})

test('once over, signals are nobody’s any more', () => {
  const { process, interruption } = interrupted()
  interruption.over()
  expect(process.listenerCount('SIGINT') + process.listenerCount('exit')).toBe(0)
})

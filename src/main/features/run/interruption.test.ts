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

test('the first signal stops cleanly, the second exits at once and kills all processes', () => {
  const { process, interruption, said, done } = interrupted()
  process.emit('SIGINT')
  expect(interruption.signal.aborted).toBe(true)
  expect(said).toHaveLength(1)
  expect(done).toEqual([])
  process.emit('SIGTERM')
  expect(done).toEqual(['ended', 'exit 130'])
})

test('a closed pipe stops cleanly, too', () => {
  const { stdout, interruption, done } = interrupted()
  stdout.emit('error', new Error('EPIPE'))
  stdout.emit('error', new Error('EPIPE'))
  expect(interruption.signal.aborted).toBe(true)
  expect(done).toEqual([])
})

test('no process outlives the program', () => {
  const { process, done } = interrupted()
  process.emit('exit')
  expect(done).toEqual(['ended'])
})

test('`over` restores the default signal handling', () => {
  const { process, interruption } = interrupted()
  interruption.over()
  expect(process.listenerCount('SIGINT') + process.listenerCount('exit')).toBe(0)
})

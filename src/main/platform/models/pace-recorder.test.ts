import { expect, test } from 'vitest'
import { PaceRecorder } from './usage-count.ts'

test('few pieces are kept unchanged', () => {
  const recorder = new PaceRecorder()
  recorder.add(10, 5)
  recorder.add(30, 0)
  recorder.add(50, 7)
  expect(recorder.pace()).toEqual([
    [10, 5],
    [50, 12],
  ])
})

test('pieces of the same millisecond share a pair', () => {
  const recorder = new PaceRecorder()
  for (let piece = 0; piece < 1000; piece++) recorder.add(7, 4)
  expect(recorder.pace()).toEqual([[7, 4000]])
})

test('an hour of pieces fits, in order, with every character counted', () => {
  const recorder = new PaceRecorder()
  const pieces = 60 * 60 * 60
  for (let piece = 0; piece < pieces; piece++) recorder.add(piece * 16, 4)
  const pace = recorder.pace()
  expect(pace.length).toBeGreaterThan(50)
  expect(pace.length).toBeLessThanOrEqual(200)
  expect(pace.at(-1)![1]).toBe(pieces * 4)
  for (let at = 1; at < pace.length; at++) {
    expect(pace[at]![0]).toBeGreaterThan(pace[at - 1]![0])
    expect(pace[at]![1]).toBeGreaterThan(pace[at - 1]![1])
  }
})

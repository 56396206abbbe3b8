import { expect, test } from 'vitest'
import { createFrameBudget } from './frame-budget.ts'

function setUp(costMs: number) {
  let time = 0
  const frames: (() => void)[] = []
  const budget = createFrameBudget({
    budgetMs: 4,
    nextFrame: (run) => frames.push(run),
    now: () => time,
    flush: (tasks) => tasks(),
  })
  const ran: string[] = []
  const task = (name: string) => () => {
    time += costMs
    ran.push(name)
  }
  const later = (ms: number) => {
    time += ms
  }
  return { budget, ran, task, frames, frame: () => frames.shift()?.(), later }
}

test('cheap tasks run in one frame, and no further frame is requested', () => {
  const { budget, ran, task, frame, frames } = setUp(1)
  for (const name of ['a', 'b', 'c']) budget.request(task(name))
  frame()
  expect(ran).toEqual(['a', 'b', 'c'])
  expect(frames).toHaveLength(0)
})

test('expensive tasks take turns: with known costs, no frame exceeds its budget', () => {
  const { budget, ran, task, frame } = setUp(2)
  const frameOf = (count: number) => {
    const before = ran.length
    for (let index = 0; index < count; index++) budget.request(task(`${index}`))
    frame()
    return ran.length - before
  }
  for (let round = 0; round < 20; round++) frameOf(1)
  expect(frameOf(9)).toBe(2)
})

test('the task that waited longest runs first in the next frame', () => {
  const { budget, ran, task, frame } = setUp(100)
  budget.request(task('a'))
  frame()
  for (const name of ['b', 'c']) budget.request(task(name))
  frame()
  budget.request(task('d'))
  frame()
  expect(ran).toEqual(['a', 'b', 'c'])
  frame()
  expect(ran).toEqual(['a', 'b', 'c', 'd'])
})

test('a request can be canceled', () => {
  const { budget, ran, task, frame } = setUp(1)
  const takeBack = budget.request(task('a'))
  budget.request(task('b'))
  takeBack()
  frame()
  expect(ran).toEqual(['b'])
})

test('a heavy task has its own frame, and never two in a row while others wait', () => {
  const { budget, ran, task, frame } = setUp(1)
  budget.request(task('H1'), 'heavy')
  budget.request(task('H2'), 'heavy')
  for (const name of ['a', 'b']) budget.request(task(name))
  frame()
  expect(ran).toEqual(['H1'])
  frame()
  expect(ran).toEqual(['H1', 'a', 'b'])
  frame()
  expect(ran).toEqual(['H1', 'a', 'b', 'H2'])
})

test('where frames come late, up to every other one has no tasks, until they come in time again', () => {
  const { budget, ran, frame, later } = setUp(1)
  const again = () => {
    ran.push('a')
    budget.request(again)
  }
  budget.request(again)
  const ranIn = (frames: number, ms: number) => {
    const before = ran.length
    for (let index = 0; index < frames; index++) {
      later(ms)
      frame()
    }
    return ran.length - before
  }
  expect(ranIn(20, 16)).toBe(20)
  expect(ranIn(1, 33)).toBe(0)
  ranIn(3, 33)
  expect(ranIn(20, 33)).toBe(10)
  ranIn(30, 16)
  expect(ranIn(20, 16)).toBe(20)
})

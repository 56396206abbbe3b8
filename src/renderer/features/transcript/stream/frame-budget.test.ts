import { expect, test } from 'vitest'
import { createFrameBudget } from './frame-budget.ts'

function setUp(costMs: number) {
  let time = 0
  const frames: (() => void)[] = []
  const budget = createFrameBudget({ budgetMs: 4, nextFrame: (run) => frames.push(run), now: () => time })
  const ran: string[] = []
  const task = (name: string) => () => {
    time += costMs
    ran.push(name)
  }
  return { budget, ran, task, frames, frame: () => frames.shift()?.() }
}

test('cheap tasks all run in one frame, and no frame is asked for afterwards', () => {
  const { budget, ran, task, frame, frames } = setUp(1)
  for (const name of ['a', 'b', 'c']) budget.request(task(name))
  frame()
  expect(ran).toEqual(['a', 'b', 'c'])
  expect(frames).toHaveLength(0)
})

test('dear tasks take turns: what did not fit comes first in the next frame', () => {
  const { budget, ran, task, frame } = setUp(3)
  for (const name of ['a', 'b', 'c']) budget.request(task(name))
  frame()
  expect(ran).toEqual(['a', 'b'])
  budget.request(task('d'))
  frame()
  expect(ran).toEqual(['a', 'b', 'c', 'd'])
})

test('a request can be taken back', () => {
  const { budget, ran, task, frame } = setUp(1)
  const takeBack = budget.request(task('a'))
  budget.request(task('b'))
  takeBack()
  frame()
  expect(ran).toEqual(['b'])
})

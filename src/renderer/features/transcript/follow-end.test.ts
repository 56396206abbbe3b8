import { expect, test } from 'vitest'
import { afterScroll, type FollowState, followAtFirst, holdStill, type ScrollPlace } from './follow-end.ts'

const place = (top: number, height = 1000, visible = 400): ScrollPlace => ({ top, height, visible })
const byPerson = (state: FollowState, to: ScrollPlace) => afterScroll(state, to, true)
const byItself = (state: FollowState, to: ScrollPlace) => afterScroll(state, to, false)
const atEnd = byItself(followAtFirst, place(600))

test('it follows from the start', () => {
  expect(followAtFirst.following).toBe(true)
  expect(atEnd.following).toBe(true)
})

test('scrolling up lets go; coming back to the end takes hold again', () => {
  const up = byPerson(atEnd, place(500))
  expect(up.following).toBe(false)
  expect(byPerson(up, place(560)).following).toBe(false)
  expect(byPerson(up, place(598)).following).toBe(true)
})

test('text that grows below does not let go, even while the wheel turns downwards', () => {
  expect(byItself(atEnd, place(600, 1300)).following).toBe(true)
  expect(byPerson(atEnd, place(640, 1300)).following).toBe(true)
})

test('what moves up by itself is no scrolling: lower rows, a smaller panel, a place that was cut off', () => {
  expect(byItself(atEnd, place(450, 870)).following).toBe(true)
  expect(byItself(atEnd, place(520, 1000, 300)).following).toBe(true)
  expect(byItself(atEnd, place(300, 1000)).following).toBe(true)
})

test('once let go, growth and shrinking do not take hold again', () => {
  const up = byPerson(atEnd, place(100))
  expect(byItself(up, place(100, 1400)).following).toBe(false)
  expect(byItself(up, place(90, 900)).following).toBe(false)
})

test('opening a row holds still until the end is reached again', () => {
  const held = holdStill(atEnd)
  expect(byItself(held, place(600, 1400)).following).toBe(false)
  expect(byPerson(held, place(1000, 1400)).following).toBe(true)
})

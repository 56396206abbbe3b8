import { expect, test } from 'vitest'
import { afterScroll, followAtFirst, holdStill, type ScrollPlace } from './follow-end.ts'

const place = (top: number, height = 1000, visible = 400): ScrollPlace => ({ top, height, visible })
const atEnd = afterScroll(followAtFirst, place(600))

test('it follows from the start', () => {
  expect(followAtFirst.following).toBe(true)
  expect(atEnd.following).toBe(true)
})

test('scrolling up lets go; coming back to the end takes hold again', () => {
  const up = afterScroll(atEnd, place(500))
  expect(up.following).toBe(false)
  expect(afterScroll(up, place(560)).following).toBe(false)
  expect(afterScroll(up, place(598)).following).toBe(true)
})

test('text that grows below does not let go', () => {
  expect(afterScroll(atEnd, place(600, 1300)).following).toBe(true)
})

test('rows that turn out lower than estimated move the place up, but that is no scrolling', () => {
  expect(afterScroll(atEnd, place(450, 870)).following).toBe(true)
})

test('a panel that changes its size goes on following', () => {
  expect(afterScroll(atEnd, place(520, 1000, 300)).following).toBe(true)
})

test('once let go, growth and shrinking do not take hold again', () => {
  const up = afterScroll(atEnd, place(100))
  expect(afterScroll(up, place(100, 1400)).following).toBe(false)
  expect(afterScroll(up, place(90, 900)).following).toBe(false)
})

test('opening a row holds still until the end is reached again', () => {
  const held = holdStill(atEnd)
  expect(afterScroll(held, place(600, 1400)).following).toBe(false)
  expect(afterScroll(held, place(1000, 1400)).following).toBe(true)
})

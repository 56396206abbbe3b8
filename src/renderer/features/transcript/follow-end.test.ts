import { expect, test } from 'vitest'
import {
  afterScroll,
  type FollowState,
  followAtFirst,
  holdStill,
  type ScrollAnchor,
} from './use-follow-end.ts'

const position = (top: number, height = 1000, visible = 400): ScrollAnchor => ({ top, height, visible })
const byPerson = (state: FollowState, to: ScrollAnchor) => afterScroll(state, to, true)
const byItself = (state: FollowState, to: ScrollAnchor) => afterScroll(state, to, false)
const atEnd = byItself(followAtFirst, position(600))

test('it follows from the start', () => {
  expect(followAtFirst.following).toBe(true)
  expect(atEnd.following).toBe(true)
})

test('scrolling up stops following; returning to the end resumes', () => {
  const up = byPerson(atEnd, position(500))
  expect(up.following).toBe(false)
  expect(byPerson(up, position(560)).following).toBe(false)
  expect(byPerson(up, position(598)).following).toBe(true)
})

test('growing text does not stop following, even while the wheel turns down', () => {
  expect(byItself(atEnd, position(600, 1300)).following).toBe(true)
  expect(byPerson(atEnd, position(640, 1300)).following).toBe(true)
})

test('layout changes are not scrolling: lower rows, a smaller panel, a clamped position', () => {
  expect(byItself(atEnd, position(450, 870)).following).toBe(true)
  expect(byItself(atEnd, position(520, 1000, 300)).following).toBe(true)
  expect(byItself(atEnd, position(300, 1000)).following).toBe(true)
})

test('growing and shrinking do not resume following', () => {
  const up = byPerson(atEnd, position(100))
  expect(byItself(up, position(100, 1400)).following).toBe(false)
  expect(byItself(up, position(90, 900)).following).toBe(false)
})

test('opening a row stops following until the end is reached', () => {
  const held = holdStill(atEnd)
  expect(byItself(held, position(600, 1400)).following).toBe(false)
  expect(byPerson(held, position(1000, 1400)).following).toBe(true)
})

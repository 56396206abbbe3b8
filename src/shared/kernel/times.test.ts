import { expect, test } from 'vitest'
import { dayOf, daysBefore, namedTime } from './times.ts'

const now = new Date(2026, 10, 25, 15, 30).getTime()
const at = (...parts: readonly number[]) => {
  const [year = 0, month = 1, ...rest] = parts
  return new Date(year, month - 1, ...(rest as [number])).getTime()
}
const days = (text: string) => {
  const time = namedTime(text, now)
  return time === null ? null : [dayOf(time.from), dayOf(time.to)]
}

test('a day is all of it, in the time zone of the user', () => {
  expect(namedTime('2026-09-01', now)).toEqual({ from: at(2026, 9, 1), to: at(2026, 9, 2) - 1 })
  expect(namedTime('today', now)).toEqual({ from: at(2026, 11, 25), to: at(2026, 11, 26) - 1 })
  expect(days('Yesterday')).toEqual(['2026-11-24', '2026-11-24'])
  expect(days(' 2024-02-29 ')).toEqual(['2024-02-29', '2024-02-29'])
})

test('a month is all of it', () => {
  expect(namedTime('2026-11', now)).toEqual({ from: at(2026, 11, 1), to: at(2026, 12, 1) - 1 })
  expect(days('2024-02')).toEqual(['2024-02-01', '2024-02-29'])
  expect(days('2026-12')).toEqual(['2026-12-01', '2026-12-31'])
})

test('a moment is a time of the user, of another zone, or so long ago', () => {
  const moment = (ms: number) => ({ from: ms, to: ms })
  expect(namedTime('2026-09-01 12:30', now)).toEqual(moment(at(2026, 9, 1, 12, 30)))
  expect(namedTime('2026-09-01T12:30:00Z', now)).toEqual(moment(Date.UTC(2026, 8, 1, 12, 30)))
  expect(namedTime('90m', now)).toEqual(moment(now - 90 * 60_000))
  expect(namedTime('12h', now)).toEqual(moment(now - 12 * 3_600_000))
})

test('so many days and weeks begin with the first of them, and today is the last one', () => {
  expect(days('1d')).toEqual(['2026-11-25', '2026-11-25'])
  expect(days('30d')).toEqual(['2026-10-27', '2026-10-27'])
  expect(days('1w')).toEqual(['2026-11-19', '2026-11-19'])
})

test.each([
  ...['', 'soon', '2026-02-30', '2026-13', '2026-00', '2026-13-01', '2026-02-3'],
  '7y',
  '-3d',
  '2026-02-30 12:00',
])('"%s" is no time', (text) => {
  expect(namedTime(text, now)).toBeNull()
})

test('days are counted over the ends of months', () => {
  expect(daysBefore('2026-03-01', 1)).toBe('2026-02-28')
  expect(daysBefore('2026-12-31', -1)).toBe('2027-01-01')
})

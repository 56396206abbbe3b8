import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cronFields, nextStart, onCalendar, readScheduleTime, scheduleTimeText } from './schedule-time.ts'

const read = (text: string) => {
  const time = readScheduleTime(text)
  if (!time.ok) throw new Error(time.failure.message)
  return time.value
}

test.each([
  ['daily 03:00', 'daily 03:00', '*-*-* 3:00:00', '0 3 * * *'],
  ['Weekdays 9:30', 'weekdays 09:30', 'Mon,Tue,Wed,Thu,Fri *-*-* 9:30:00', '30 9 * * 1,2,3,4,5'],
  ['weekends 12:00', 'weekends 12:00', 'Sun,Sat *-*-* 12:00:00', '0 12 * * 0,6'],
  ['thu,mon 18:05', 'mon,thu 18:05', 'Mon,Thu *-*-* 18:05:00', '5 18 * * 1,4'],
  ['hourly', 'hourly', '*-*-* *:00:00', '0 * * * *'],
  ['hourly :15', 'hourly :15', '*-*-* *:15:00', '15 * * * *'],
])('%s', (given, text, calendar, cron) => {
  const time = read(given)
  expect([scheduleTimeText(time), onCalendar(time), cronFields(time)]).toEqual([text, calendar, cron])
})

test.each([
  '',
  'daily',
  'daily 24:00',
  'daily 3',
  'daily 03:00 am',
  'hourly 15',
  'hourly :60',
  'mon,day 3:00',
  'mon, 3:00',
  '0 3 * * *',
])('"%s" is refused with examples', (text) => {
  expect(readScheduleTime(text)).toMatchObject({
    ok: false,
    failure: { message: expect.stringContaining('"mon,thu 18:00"') },
  })
})

const times = fc.record({
  days: fc.subarray([0, 1, 2, 3, 4, 5, 6], { minLength: 1 }),
  hour: fc.option(fc.integer({ min: 0, max: 23 })),
  minute: fc.integer({ min: 0, max: 59 }),
})

test('a time reads back from its text', () => {
  fc.assert(
    fc.property(times, (time) => {
      const whole = time.hour === null ? { ...time, days: [0, 1, 2, 3, 4, 5, 6] } : time
      expect(read(scheduleTimeText(whole))).toEqual(whole)
    }),
  )
})

test('the next start is later, on one of the days, and none is left out', () => {
  fc.assert(
    fc.property(
      times,
      fc.date({ min: new Date(2026, 0, 1), max: new Date(2027, 0, 1), noInvalidDate: true }),
      (time, from) => {
        const next = new Date(nextStart(time, from.getTime()))
        expect(next.getTime()).toBeGreaterThan(from.getTime())
        if (time.hour === null) {
          expect(next.getTime() - from.getTime()).toBeLessThanOrEqual(3_600_000)
          expect(next.getMinutes()).toBe(time.minute)
          return
        }
        expect(time.days).toContain(next.getDay())
        for (const day = new Date(next); ; ) {
          day.setDate(day.getDate() - 1)
          if (day.getTime() <= from.getTime()) break
          expect(time.days).not.toContain(day.getDay())
        }
      },
    ),
  )
})

/** When a scheduled run starts: as the user writes it, and as the timers of the system read it. */
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'

/** Local time. */
export interface ScheduleTime {
  /** 0 (Sunday) to 6, ascending. All seven: every day. */
  readonly days: readonly number[]
  /** 0 to 23; null: every hour. */
  readonly hour: number | null
  readonly minute: number
}

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const
const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6]
const NAMED: Readonly<Record<string, readonly number[]>> = {
  daily: EVERY_DAY,
  weekdays: [1, 2, 3, 4, 5],
  weekends: [0, 6],
}

/** "daily 03:00", "weekdays 9:30", "mon,thu 18:00", "hourly", "hourly :15". */
export function readScheduleTime(text: string): Result<ScheduleTime> {
  const [first = '', time = '', ...more] = text.trim().toLowerCase().split(/\s+/)
  if (first === 'hourly' && more.length === 0) {
    const minute = time === '' ? 0 : numberOf(/^:([0-5]\d)$/.exec(time)?.[1])
    if (minute !== null) return ok({ days: EVERY_DAY, hour: null, minute })
  }
  const days = NAMED[first] ?? daysOf(first)
  const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(time) ?? []
  if (days === null || hour === undefined || minute === undefined || more.length > 0)
    return fail({
      type: 'usage',
      message: `"${text}" is not a time of a schedule. Write "daily 03:00", "weekdays 9:30", "weekends 12:00", "mon,thu 18:00", "hourly" or "hourly :15".`,
    })
  return ok({ days, hour: Number(hour), minute: Number(minute) })
}

function daysOf(list: string): readonly number[] | null {
  const given = list.split(',')
  const days = EVERY_DAY.filter((day) => given.includes(DAYS[day] ?? ''))
  return given.every((one) => days.some((day) => DAYS[day] === one)) ? days : null
}

const numberOf = (text: string | undefined): number | null => (text === undefined ? null : Number(text))

/** For people: "daily 03:00". Reads back as the same time. */
export function scheduleTimeText({ days, hour, minute }: ScheduleTime): string {
  const two = (number: number) => String(number).padStart(2, '0')
  if (hour === null) return minute === 0 ? 'hourly' : `hourly :${two(minute)}`
  const named = Object.entries(NAMED).find(([, some]) => some.join() === days.join())?.[0]
  return `${named ?? days.map((day) => DAYS[day]).join(',')} ${two(hour)}:${two(minute)}`
}

/** As `OnCalendar` of systemd: "Mon,Thu *-*-* 18:00:00". */
export function onCalendar({ days, hour, minute }: ScheduleTime): string {
  const named = days.map((day) => `${DAYS[day]?.[0]?.toUpperCase()}${DAYS[day]?.slice(1)}`)
  const start = days.length === EVERY_DAY.length ? '' : `${named.join(',')} `
  return `${start}*-*-* ${hour ?? '*'}:${String(minute).padStart(2, '0')}:00`
}

/** As the first five fields of a line of crontab. */
export const cronFields = ({ days, hour, minute }: ScheduleTime): string =>
  `${minute} ${hour ?? '*'} * * ${days.length === EVERY_DAY.length ? '*' : days.join(',')}`

/** The next start after `now`. ms since the epoch. */
export function nextStart({ days, hour, minute }: ScheduleTime, now: number): number {
  const at = new Date(now)
  if (hour === null) {
    at.setMinutes(minute, 0, 0)
    return at.getTime() > now ? at.getTime() : at.setHours(at.getHours() + 1)
  }
  at.setHours(hour, minute, 0, 0)
  while (at.getTime() <= now || !days.includes(at.getDay())) at.setDate(at.getDate() + 1)
  return at.getTime()
}

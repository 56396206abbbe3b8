/** Days and times as users write them, in the time zone of the machine. Times are ms since the epoch. */

/** What a text names, from its first millisecond to its last one. */
export interface NamedTime {
  readonly from: number
  readonly to: number
}

/**
 * A moment (`2026-09-01 12:30`, or `90m`, `12h` ago), a day (`2026-09-01`, `today`, `yesterday`), or a month (`2026-09`). Of
 * `7d` and `4w` the first of so many days, of which today is the last one. Null: none of these.
 */
export function namedTime(text: string, now: number): NamedTime | null {
  const word = text.trim().toLowerCase()
  const [, amount, unit] = /^(\d{1,6})\s*([mhdw])$/.exec(word) ?? []
  if (unit === 'm' || unit === 'h') return moment(now - Number(amount) * (unit === 'm' ? 60_000 : 3_600_000))
  if (unit !== undefined) return dayRange(daysBefore(dayOf(now), Number(amount) * (unit === 'w' ? 7 : 1) - 1))
  if (word === 'today') return dayRange(dayOf(now))
  if (word === 'yesterday') return dayRange(daysBefore(dayOf(now), 1))
  const month = /^\d{4}-\d{2}$/.test(word) ? dayRange(`${word}-01`) : null
  if (month !== null) return { ...month, to: startOf(nextMonth(word)) - 1 }
  const [, day = '', time] =
    /^(\d{4}-\d{2}-\d{2})([t ]\d{2}:\d{2}(?::\d{2})?(?:z|[+-]\d{2}:\d{2})?)?$/.exec(word) ?? []
  const range = dayRange(day)
  return range === null || time === undefined
    ? range
    : moment(Date.parse(word.toUpperCase().replace(' ', 'T')))
}

const moment = (at: number): NamedTime | null => (Number.isFinite(at) ? { from: at, to: at } : null)

/** Null: there is no such day, such as February 30. */
function dayRange(day: string): NamedTime | null {
  const from = startOf(day)
  return dayOf(from) === day ? { from, to: startOf(daysBefore(day, -1)) - 1 } : null
}

const startOf = (day: string): number => Date.parse(`${day}T00:00`)

const nextMonth = (month: string): string => `${daysBefore(`${month}-01`, -31).slice(0, 'yyyy-mm'.length)}-01`

/** The day of a moment: `2026-11-25`. */
export function dayOf(at: number): string {
  const date = new Date(at)
  const two = (value: number) => String(value).padStart(2, '0')
  const year = String(date.getFullYear()).padStart(4, '0')
  return `${year}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** The day so many days before another. */
export function daysBefore(day: string, days: number): string {
  const at = Date.parse(`${day}T00:00:00Z`) - days * 86_400_000
  return new Date(Number.isFinite(at) ? at : 0).toISOString().slice(0, 'yyyy-mm-dd'.length)
}

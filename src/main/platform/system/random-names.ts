/**
 * Random numbers of this machine, and names made of them. Only this file asks the machine for them: see machine-time.ts,
 * which says who imports it.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Clock, Ids } from '../../runtime/ports/ports.ts'

/** A UUID, which no other thing has and nobody can guess. */
export const randomKey = (): string => randomUUID()

/** Lower-case hexadecimal digits, two for each byte, that nobody can guess. */
export const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex')

/** In [0, 1); not for what nobody may guess. */
export const randomFraction = (): number => Math.random()

/** Crockford's base 32: in ASCII order, without letters that look like digits. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_LENGTH = 10
const SUFFIX_LENGTH = 10

/**
 * The `Ids` port: ids that sort by the time they were made, like `a-01jd0m4k2zq8x5c3v7n1`.
 *
 * Ten characters of time and ten random characters. Within one millisecond, and while the clock stands still or
 * goes back, the random part counts up, so that later ids of one source are always greater.
 */
export function createIds({
  clock,
  random,
}: {
  readonly clock: Pick<Clock, 'now'>
  /** In [0, 1). */
  readonly random: () => number
}): Ids {
  let time = -1
  let suffix: number[] = []
  return {
    next: (prefix) => {
      const now = clock.now()
      if (now > time || !countUp(suffix)) {
        time = Math.max(now, time + 1)
        suffix = Array.from({ length: SUFFIX_LENGTH }, () => Math.floor(random() * ALPHABET.length))
      }
      return `${prefix}-${timeText(time)}${suffix.map((digit) => ALPHABET[digit]).join('')}`
    },
  }
}

/** Adds one. False: every number is used. */
function countUp(digits: number[]): boolean {
  for (let index = digits.length - 1; index >= 0; index--) {
    const digit = digits[index] ?? 0
    if (digit < ALPHABET.length - 1) {
      digits[index] = digit + 1
      return true
    }
    digits[index] = 0
  }
  return false
}

function timeText(time: number): string {
  let text = ''
  for (let rest = time; text.length < TIME_LENGTH; rest = Math.floor(rest / ALPHABET.length))
    text = ALPHABET[rest % ALPHABET.length] + text
  return text
}

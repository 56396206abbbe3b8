/**
 * Random numbers of this machine, and names made of them. Only this file asks the machine for them: see machine-time.ts,
 * which says who imports it.
 */
import { randomBytes, randomUUID } from 'node:crypto'

/** A UUID, which no other thing has and nobody can guess. */
export const randomKey = (): string => randomUUID()

/** Lower-case hexadecimal digits, two for each byte, that nobody can guess. */
export const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex')

/** In [0, 1); not for what nobody may guess. */
export const randomFraction = (): number => Math.random()

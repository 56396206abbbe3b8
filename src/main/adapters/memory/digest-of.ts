/** A short name for a text, to tell whether a file says something else by now. */
import { createHash } from 'node:crypto'

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** A digest of a text, to detect changes of a file. */
import { createHash } from 'node:crypto'

export function shortDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** The title of a conversation until the user names it. */
import { textOf, type UserBlock } from '../../../shared/content.ts'

const LONGEST_TITLE = 60

/** The first line of the first message. */
export function titleFrom(content: readonly UserBlock[]): string {
  const line =
    textOf([...content])
      .trim()
      .split('\n')[0]
      ?.trim() ?? ''
  if (line === '') return 'A picture'
  return line.length <= LONGEST_TITLE ? line : `${line.slice(0, LONGEST_TITLE - 1).trimEnd()}…`
}

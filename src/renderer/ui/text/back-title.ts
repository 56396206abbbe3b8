import { formatClock } from './format.ts'

/** "Back to 12:41, before “Retry with…”": names a message of the user that the conversation goes back to. */
export function backTitle({ at, text }: { readonly at: number; readonly text: string }): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  const short = line.length > 60 ? `${line.slice(0, 59)}…` : line
  return `Back to ${formatClock(at)}${short === '' ? '' : `, before “${short}”`}`
}

/** A time that counts on its own, so that the list around it does not render each second. */

import { useNow } from '../../ui/machine.ts'
import { formatDuration } from '../../ui/text/format.ts'

/** "0:42": the time since `since`, ms since the epoch. */
export function Age({ since }: { readonly since: number }) {
  const now = useNow(true)
  return <span className="font-mono tabular-nums">{formatDuration(Math.max(now, since) - since)}</span>
}

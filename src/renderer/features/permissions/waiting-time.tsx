/** How long a request waits: "2:10". */

import { formatDuration } from '../../ui/text/format.ts'
import { useNow } from '../../ui/use-now.ts'

export function WaitingTime({ since }: { readonly since: number }) {
  const now = useNow(true)
  return (
    <span title="Waiting" className="shrink-0 font-mono text-fg-2 text-xs tabular-nums">
      {formatDuration(now - since)}
    </span>
  )
}

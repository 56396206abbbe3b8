/** How long a request waits: "2:10". */
import { useNow } from '../../stores/use-now.ts'
import { formatDuration } from '../../ui/text/format.ts'

export function WaitingTime({ since }: { readonly since: number }) {
  const now = useNow(true)
  return (
    <span title="Waiting" className="shrink-0 font-mono text-fg-2 text-xs tabular-nums">
      {formatDuration(now - since)}
    </span>
  )
}

/** What agents without a panel say: their last words, until their next durable event. */
import { create } from 'zustand'
import type { WindowDelta } from '../../shared/ipc/window-delta.ts'

/** The last words that agents without a panel stream, by agent. */
type Lines = ReadonlyMap<string, string>

const useLines = create<{ readonly lines: Lines }>()(() => ({ lines: new Map() }))

/** The agent's last words until its next durable event; undefined if it streams nothing. */
export function useLiveLine(agentId: string): string | undefined {
  return useLines((state) => state.lines.get(agentId))
}

/** Applies a batch with at most one store update. */
export function receiveLiveLines(deltas: readonly WindowDelta[]): void {
  const { lines } = useLines.getState()
  let next: Map<string, string> | null = null
  for (const delta of deltas) {
    if (delta.type === 'live-line') {
      next ??= new Map(lines)
      next.set(delta.agentId, delta.line)
    } else if (delta.type === 'event' && (next ?? lines).has(delta.event.agentId)) {
      next ??= new Map(lines)
      next.delete(delta.event.agentId)
    }
  }
  if (next !== null) useLines.setState({ lines: next })
}

/** Another conversation is shown. */
export function resetLiveLines(): void {
  useLines.setState({ lines: new Map() })
}

/** Passes the batches that the main process pushes to the stores. */
import type { CommandId } from '../shared/commands/commands.ts'
import type { WindowDelta } from '../shared/ipc/window-delta.ts'
import { onDeltas } from './bridge.ts'
import { receiveOwnWindows } from './features/agent-panel/own-windows.ts'
import { watchSeen } from './features/conversations/seen-store.ts'
import { receivePrograms } from './features/external-agents/programs-store.ts'
import { receiveHooks } from './features/hooks/hooks-store.ts'
import { receiveChanges } from './stores/changes-store.ts'
import { receiveConversation, receiveLiveLines, receiveWriteFailure } from './stores/conversation-store.ts'
import { receiveMcp } from './stores/mcp-store.ts'
import { receiveReview } from './stores/review-store.ts'
import { receiveSession } from './stores/session-feed.ts'
import { receiveTranscripts } from './stores/transcript-store.ts'
import { receiveWorkers } from './stores/workers-store.ts'

/** Connects the stores until the returned function is called. `onMenu` receives commands from the application menu. */
export function connectStores(onMenu: (command: CommandId) => void): () => void {
  const stops = [onDeltas((deltas) => receive(deltas, onMenu)), watchSeen()]
  return () => {
    for (const stop of stops) stop()
  }
}

/** Applies one batch; each store changes at most once. */
function receive(deltas: readonly WindowDelta[], onMenu: (command: CommandId) => void): void {
  receiveConversation(deltas)
  receiveChanges(deltas)
  receiveLiveLines(deltas)
  receiveTranscripts(deltas)
  receiveSession(deltas)
  receiveWriteFailure(deltas)
  receiveReview(deltas)
  receiveWorkers(deltas)
  receiveOwnWindows(deltas)
  receiveMcp(deltas)
  receiveHooks(deltas)
  receivePrograms(deltas)
  for (const delta of deltas) if (delta.type === 'menu') onMenu(delta.command)
}

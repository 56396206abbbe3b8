/** Passes the batches that the main process pushes to the stores. */
import type { CommandId } from '../../../shared/commands/commands.ts'
import type { WindowDelta } from '../../../shared/ipc/window-delta.ts'
import { onDeltas } from '../../bridge.ts'
import { receiveChanges } from '../changes-store.ts'
import { receiveConversation } from '../conversation-store.ts'
import { receiveHooks } from '../hooks-store.ts'
import { receiveLiveLines } from '../live-lines.ts'
import { receiveMcp } from '../mcp-store.ts'
import { receiveOwnWindows } from '../own-windows.ts'
import { receivePrograms } from '../programs-store.ts'
import { receiveReview } from '../review-store.ts'
import { watchSeen } from '../seen-store.ts'
import { receiveTranscripts } from '../transcript-store.ts'
import { receiveWorkers } from '../workers-store.ts'
import { receiveWriteFailure } from '../write-failure-store.ts'
import { receiveSession } from './session-feed.ts'

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

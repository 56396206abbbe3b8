/** Leads what the main process pushes to the stores, batch by batch. */
import type { CommandId } from '../../shared/commands.ts'
import type { WindowDelta } from '../../shared/window-delta.ts'
import { onDeltas } from '../bridge.ts'
import { receiveConversation } from './conversation-store.ts'
import { receiveReview } from './review-store.ts'
import { receiveSession } from './session-feed.ts'
import { receiveTranscripts } from './transcript-store.ts'
import { receiveWriteFailure } from './write-failure-store.ts'

/** Connects the stores until the returned function is called. `onMenu` gets what was chosen in the menu. */
export function connectStores(onMenu: (command: CommandId) => void): () => void {
  return onDeltas((deltas) => receive(deltas, onMenu))
}

/** One batch: each store changes once at most. */
function receive(deltas: readonly WindowDelta[], onMenu: (command: CommandId) => void): void {
  receiveConversation(deltas)
  receiveTranscripts(deltas)
  receiveSession(deltas)
  receiveWriteFailure(deltas)
  receiveReview(deltas)
  for (const delta of deltas) if (delta.type === 'menu') onMenu(delta.command)
}

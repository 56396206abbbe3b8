/** The conversations of this folder: open, create, rename, and move to the trash. */
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { ConversationSummary } from '../../../shared/state/conversation-summary.ts'
import { useKeysOf } from '../../stores/keys-store.ts'
import { showOverlay } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { openConversation } from '../../stores/shown-conversation.ts'
import { IconButton } from '../../ui/button.tsx'
import { useStable } from '../../ui/use-stable.ts'
import { ConversationRow } from './conversation-row.tsx'

/** Conversations rendered at first: a thousand would slow down the start. */
const INITIAL_COUNT = 40

export function ConversationList() {
  const keysOf = useKeysOf()
  const conversations = useConversationsHere()
  const shown = useSession((state) => state.conversationId)
  const listed = useSession((state) => state.listed)
  const [limit, setLimit] = useState(INITIAL_COUNT)
  const [renaming, setRenaming] = useState<string | null>(null)
  const hidden = conversations.length - limit
  return (
    <section aria-labelledby="conversations-heading" className="flex min-h-0 flex-1 flex-col">
      <div className="flex h-7 shrink-0 items-center justify-between pr-2.5 pl-3.5">
        <h2 id="conversations-heading" className="side-heading">
          Conversations
        </h2>
        <span className="flex-1" />
        <IconButton label="Deleted conversations" icon={Trash2} onClick={() => showOverlay('trash')} />
        <IconButton
          label="New conversation"
          keys={keysOf('new-conversation')}
          icon={Plus}
          onClick={() => void openConversation(null)}
        />
      </div>
      {listed && conversations.length === 0 ? (
        <p className="px-3.5 py-1 text-fg-2 text-sm">
          No conversations in this folder yet. The first message starts one.
        </p>
      ) : (
        <ul className="min-h-0 flex-1 overflow-y-auto pb-2">
          {conversations.slice(0, limit).map((summary) => (
            <ConversationRow
              key={summary.id}
              summary={summary}
              current={summary.id === shown}
              renaming={renaming === summary.id}
              onRename={(on) => setRenaming(on ? summary.id : null)}
            />
          ))}
          {hidden > 0 && (
            <li>
              <button
                type="button"
                onClick={() => setLimit(limit + 200)}
                className="w-full px-3.5 py-1.5 text-left text-fg-2 text-sm hover:bg-bg-2 hover:text-fg-0 focus-visible:-outline-offset-2"
              >
                Show {Math.min(200, hidden)} more of {hidden.toLocaleString('en')}
              </button>
            </li>
          )}
        </ul>
      )}
    </section>
  )
}

/** The conversations of the open folder, the most recently used first; a branch comes after its original. */
function useConversationsHere(): readonly ConversationSummary[] {
  return useSession(
    useStable(
      (state) => withBranches(state.conversations.filter((summary) => summary.folder === state.folder?.path)),
      (a, b) => a.length === b.length && a.every((summary, index) => summary === b[index]),
    ),
  )
}

/** Moves each branch behind the conversation that it began with, whatever was used last of both. */
function withBranches(summaries: readonly ConversationSummary[]): readonly ConversationSummary[] {
  if (summaries.every(({ branchOf }) => branchOf === null)) return summaries
  const byId = new Map(summaries.map((summary) => [summary.id, summary]))
  const groups = new Map<string, ConversationSummary[]>()
  for (const summary of summaries) {
    const root = rootOf(summary, byId)
    const group = groups.get(root.id) ?? []
    if (summary === root) group.unshift(summary)
    else group.push(summary)
    groups.set(root.id, group)
  }
  return [...groups.values()].flat()
}

/** A branch of a branch belongs to the first conversation; one whose original is gone stands alone. */
function rootOf(
  summary: ConversationSummary,
  byId: ReadonlyMap<string, ConversationSummary>,
): ConversationSummary {
  const original = summary.branchOf === null ? undefined : byId.get(summary.branchOf)
  return original === undefined ? summary : rootOf(original, byId)
}

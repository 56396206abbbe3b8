/**
 * The changes that a branch copies from its original conversations: those before the message at which it branched. They
 * are undone there.
 */
import type { ChangesList, ListedAgent } from '../../../shared/changes/changes.ts'
import { isConversationEvent } from '../../../shared/events/conversation-event.ts'
import type { TranscriptStore } from '../../runtime/ports/transcripts.ts'
import { ChangeFacts, type FactsAgent } from './change-facts.ts'
import { listCalls } from './list-changes.ts'

interface Inherited {
  /** The conversation that has the changes. */
  readonly conversationId: string
  readonly title: string
  readonly facts: ChangeFacts
}

/** The nearest original first. One that was deleted, or can't be read, ends the list. */
export async function inheritedFacts(
  { conversationId, facts }: { readonly conversationId: string; readonly facts: ChangeFacts },
  store: TranscriptStore,
): Promise<readonly Inherited[]> {
  const found: Inherited[] = []
  const ids = new Set([conversationId])
  for (let branch = { conversationId, facts }; ; ) {
    const record = await store.read(branch.conversationId)
    const id = record.ok ? record.value.branchOf : undefined
    const original = id === undefined || ids.has(id) ? null : await store.read(id)
    if (!original?.ok) return found
    ids.add(original.value.id)
    const copied = new Set(branch.facts.messages.map((message) => message.id))
    const before = await factsBefore(original.value.id, copied, store)
    if (before === null) return found
    branch = { conversationId: original.value.id, facts: before }
    found.push({ ...branch, title: original.value.title })
  }
}

/** The facts up to the first message of the user that was not copied. Null: the events can't be read. */
async function factsBefore(
  conversationId: string,
  copied: ReadonlySet<string>,
  store: TranscriptStore,
): Promise<ChangeFacts | null> {
  const facts = new ChangeFacts()
  for await (const batch of store.readConversation(conversationId)) {
    if (!batch.ok) return null
    for (const event of batch.value) {
      const isUsers = !isConversationEvent(event) && event.type === 'user-message' && event.from === 'user'
      if (isUsers && event.agentId === facts.mainAgentId && !copied.has(event.messageId)) return facts
      facts.apply(event)
    }
  }
  return facts
}

/** The list with the changes from before the branch, which can't be undone in it. */
export async function withInherited(
  listed: ChangesList,
  inherited: readonly Inherited[],
  worktreeState: (agent: FactsAgent) => Promise<'present' | 'merged' | 'gone'>,
): Promise<ChangesList> {
  const agents = new Map<string, ListedAgent>()
  const calls: ChangesList['calls'][number][] = []
  for (const { title, facts } of inherited.toReversed()) {
    const cannot = () => `This was changed before the branch, in “${title}”. It is undone there.`
    const found = await listCalls(facts, { worktreeState, cannot })
    for (const agent of found.agents) agents.set(agent.agentId, agent)
    calls.push(...found.calls.map((call) => ({ ...call, order: -1 })))
  }
  for (const agent of listed.agents) agents.set(agent.agentId, agent)
  return { ...listed, agents: [...agents.values()], calls: [...calls, ...listed.calls] }
}

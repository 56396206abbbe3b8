/** Answers searches over the transcripts of a scene, which are in memory: the whole result at once. */

import type { MemoryStore } from '../../src/main/runtime/testing/memory-store.ts'
import { Refusal } from '../../src/renderer/testing/fake-handlers.ts'
import type { CommandInput } from '../../src/shared/ipc/ipc-contract.ts'
import { loggedTexts } from '../../src/shared/search/logged-texts.ts'
import type { SearchedAgent, SearchHit, SearchPart } from '../../src/shared/search/search.ts'
import { textMatcher } from '../../src/shared/search/text-matcher.ts'

type Query = CommandInput<'search.start'>['query']

export function searchStore(
  { records, logs }: Pick<MemoryStore, 'records' | 'logs'>,
  asked: Query,
): SearchPart {
  const { text, regex = false, matchCase = false, wholeWords = false, archived = false } = asked
  const { agents: names = [], kinds = [], conversations: ids = [] } = asked
  const matcher = textMatcher({ text, regex, matchCase, wholeWords })
  if (!matcher.ok) throw new Refusal(matcher.failure.message, matcher.failure.type)
  const hits: SearchHit[] = []
  const agents: SearchedAgent[] = []
  const byAgent: Record<string, number> = {}
  const byKind: Partial<Record<string, number>> = {}
  const byFolder: Record<string, number> = {}
  const byDay: Record<number, number> = {}
  const searched = [...records.values()]
    .filter((record) => archived || !record.archived)
    .filter(({ id }) => ids.length === 0 || ids.includes(id))
    .sort((one, other) => other.updatedAt - one.updatedAt)
  for (const { id: conversationId, folder, agentIds } of searched)
    for (const agentId of agentIds) {
      const events = logs.get(agentId) ?? []
      const [first] = events
      if (first?.type !== 'agent-spawned') continue
      const name = first.parentId === null ? 'main' : first.definition.name
      let places = 0
      for (const event of events.toReversed())
        for (const { kind, tool, text } of loggedTexts(event)) {
          const found = matcher.value.find(text)
          if (found === null) continue
          byAgent[name] = (byAgent[name] ?? 0) + 1
          byKind[kind] = (byKind[kind] ?? 0) + 1
          byFolder[folder] = (byFolder[folder] ?? 0) + 1
          const day = Math.floor(event.at / 86_400_000)
          byDay[day] = (byDay[day] ?? 0) + 1
          const isWanted =
            (names.length === 0 || names.includes(name)) && (kinds.length === 0 || kinds.includes(kind))
          if (!isWanted) continue
          places += 1
          hits.push({ conversationId, agentId, sequence: event.seq, at: event.at, kind, tool, ...found })
        }
      const task = first.parentId === null ? '' : first.task
      if (places > 0)
        agents.push({ id: agentId, conversationId, name, task, color: first.definition.color, places })
    }
  const conversations = searched.filter(({ id }) =>
    agents.some(({ conversationId }) => conversationId === id),
  )
  return {
    conversations: conversations.map((one) => ({ ...one, program: 'troupe' as const })),
    ...{ agents, hits, damaged: 0, end: 'all' },
    counts: { total: hits.length, byAgent, byKind, byFolder, byProgram: { troupe: hits.length }, byDay },
    searched: { conversations: searched.length, of: searched.length, bytes: 1_200_000_000 },
  }
}

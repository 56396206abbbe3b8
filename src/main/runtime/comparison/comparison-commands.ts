/** The user's commands on comparisons. */

import { attemptOf, type Comparison } from '../../../shared/comparison/comparison.ts'
import { fail, ok } from '../../../shared/kernel/result.ts'
import { isLive } from '../../../shared/state/agent-state.ts'
import { recordMerge } from '../agent/merge-work.ts'
import type { Assembly, Conversation } from '../conversation/conversation.ts'
import type { Comparisons, FoundMerge } from '../ports/comparisons.ts'
import { stopAgent } from '../run/control.ts'
import type { OpenConversations } from '../run/open-conversations.ts'
import { checkAgain } from './check-attempt.ts'
import { startComparison } from './start-comparison.ts'
import { suggestCheck } from './suggest-check.ts'

export function comparisonCommands(
  conversations: OpenConversations,
  { ports }: Pick<Assembly, 'ports'>,
): Comparisons {
  return {
    compare: ({ conversationId, ...wanted }) =>
      conversations.use(conversationId, (conversation) => startComparison(conversation, wanted)),
    stopComparison: (conversationId, comparisonId) =>
      conversations.use(conversationId, async (conversation) => {
        const found = conversation.file.record.comparisons.find(({ id }) => id === comparisonId)
        if (found === undefined)
          return fail({ type: 'not-found', message: 'There is no such comparison in this conversation.' })
        await Promise.all(found.attempts.map(({ agentId }) => stopAttempt(conversation, agentId)))
        return ok(undefined)
      }),
    checkAttempt: (conversationId, agentId) =>
      conversations.use(conversationId, (conversation) => checkAgain(conversation, agentId)),
    suggestCheck: (folder) => suggestCheck(folder, ports.files),
    workMerged: async ({ conversationId, agentId, merged }) => {
      const record = await ports.store.read(conversationId)
      if (!record.ok || attemptOf(record.value.comparisons, agentId) === null) return ok(undefined)
      return conversations.use(conversationId, (conversation) =>
        recordMerge(conversation, {
          agentId,
          merged: merged && { into: merged.into, commit: merged.commit },
          by: 'user',
        }),
      )
    },
    mergesFound: async (conversationId, merges) => {
      const record = await ports.store.read(conversationId)
      if (!record.ok || unrecorded(record.value.comparisons, merges).length === 0) return ok(undefined)
      return conversations.use(conversationId, async (conversation) => {
        for (const { agentId, into, commit } of unrecorded(conversation.file.record.comparisons, merges)) {
          const recorded = await recordMerge(conversation, { agentId, merged: { into, commit }, by: 'user' })
          if (!recorded.ok) return recorded
        }
        return ok(undefined)
      })
    },
  }
}

/** The newest merge of each comparison that is not recorded. */
function unrecorded(
  comparisons: readonly Comparison[],
  merges: readonly FoundMerge[],
): readonly FoundMerge[] {
  return comparisons.flatMap(({ attempts, merged }) => {
    const newest = merges
      .filter(({ agentId }) => attempts.some((attempt) => attempt.agentId === agentId))
      .reduce<FoundMerge | null>((last, one) => (last === null || one.at > last.at ? one : last), null)
    const isKnown = merged?.agentId === newest?.agentId && merged?.commit === newest?.commit
    return newest === null || isKnown ? [] : [newest]
  })
}

async function stopAttempt(conversation: Conversation, agentId: string): Promise<void> {
  conversation.checks.stop(agentId)
  const state = conversation.agents.state(agentId)
  if (state !== null && isLive(state)) await stopAgent(conversation, agentId)
}

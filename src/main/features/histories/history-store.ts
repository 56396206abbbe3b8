/**
 * Lets everything that reads conversations read those of other programs too: what has the id of a history is read from
 * the cache, which is brought up to date first, and can't be changed.
 */
import { historyNames, historyOfAgent, historyProgramOf } from '../../../shared/histories/history.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { TranscriptStore } from '../../runtime/ports/transcripts.ts'
import type { Histories } from './histories.ts'

export function withHistories(
  own: TranscriptStore,
  histories: Pick<Histories, 'store' | 'ready'>,
): TranscriptStore {
  const { store: cached, ready } = histories
  const isHistory = (id: string) => historyProgramOf(id) !== null
  const storeOf = (id: string) => (isHistory(id) ? cached : own)
  const changing =
    <A extends readonly unknown[], T>(work: (id: string, ...more: A) => Promise<Result<T>>) =>
    (id: string, ...more: A): Promise<Result<T>> =>
      isHistory(id) ? Promise.resolve(fail(unchangeable(id))) : work(id, ...more)

  return {
    ...own,
    read: async (id) => {
      if (!isHistory(id)) return own.read(id)
      const isReady = await ready(id)
      return isReady.ok ? cached.read(id) : isReady
    },
    states: async (agentIds) => {
      const ofHistories = agentIds.filter(isHistory)
      if (ofHistories.length === 0) return own.states(agentIds)
      const [others, theirs] = await Promise.all([
        own.states(agentIds.filter((id) => !isHistory(id))),
        cached.states(ofHistories),
      ])
      return !others.ok ? others : !theirs.ok ? theirs : ok([...others.value, ...theirs.value])
    },
    drain: own.drain,
    lockedByOther: async (id) => isHistory(id) || own.lockedByOther(id),
    events: (agentId) => storeOf(agentId).events(agentId),
    page: (agentId, options) => storeOf(agentId).page(agentId, options),
    toolOutput: (agentId, toolUseId) => storeOf(agentId).toolOutput(agentId, toolUseId),
    readConversation: async function* (id, range) {
      const isReady = isHistory(id) ? await ready(id) : ok(undefined)
      if (!isReady.ok) return yield isReady
      yield* storeOf(id).readConversation(id, range)
    },
    stateAt: async (id, order) => {
      const isReady = isHistory(id) ? await ready(id) : ok(undefined)
      return isReady.ok ? storeOf(id).stateAt(id, order) : isReady
    },
    open: async (record, follower) =>
      isHistory(record.id) ? fail(unchangeable(record.id)) : own.open(record, follower),
    trash: changing(own.trash),
    restore: changing(own.restore),
    amend: changing(own.amend),
  }
}

function unchangeable(id: string) {
  const program = historyProgramOf(historyOfAgent(id))
  const name = program === null ? 'another program' : historyNames[program]
  return {
    type: 'not-allowed',
    message: `This conversation belongs to ${name}, so Troupe can’t change it. Continue it as a copy instead.`,
  }
}

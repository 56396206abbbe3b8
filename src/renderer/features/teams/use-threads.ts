/** The threads of messages that the view shows. Derived again only when a message arrives or changes its state. */
import { useMemo } from 'react'
import { useShallow } from 'zustand/react/shallow'
import {
  type LoggedMessage,
  type MessageThread,
  messageLog,
  threadsOf,
  USER,
} from '../../../shared/state/message-log.ts'
import type { Team } from '../../../shared/teams/team-schema.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { peopleIn } from './people.ts'

/** `team` null: the threads of all agents and mailboxes. */
export function useThreads(team: Team | null): readonly MessageThread[] {
  const queued = useConversation((state) => state.queued)
  // Agents change with each event; their messages rarely do.
  const parts = useConversation(
    useShallow((state) =>
      [...state.agents.values()].flatMap(({ received, kept, unread, turn }) => [
        received,
        kept,
        unread,
        turn > 0,
      ]),
    ),
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: `parts` stands for the agents
  return useMemo(() => {
    const { agents } = useConversation.getState()
    const messages = messageLog(agents, queued)
    if (team === null) return threadsOf(messages)
    const people = new Set([USER, ...peopleIn(team, agents)])
    return threadsOf(messages.filter((message) => isAmong(message, people)))
  }, [parts, queued, team])
}

/** Messages to a name without an agent belong to the team of their author. */
function isAmong({ from, receivers }: LoggedMessage, people: ReadonlySet<string>): boolean {
  const { agents } = useConversation.getState()
  return people.has(from) && receivers.some(({ to }) => people.has(to) || !agents.has(to))
}

/** A runtime under test: conversations that begin, and the events, past and to come. */
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import type { CommandInput } from '../../../shared/ipc/ipc-contract.ts'
import type { Runtime } from '../ports/runtime.ts'

type OfType<E extends AgentEvent['type']> = Extract<AgentEvent, { type: E }>

export interface EventWatch {
  readonly events: AgentEvent[]
  /** Resolves with the first event that fits, including past events. */
  when<E extends AgentEvent['type']>(type: E, fits?: (event: OfType<E>) => boolean): Promise<OfType<E>>
}

/** What a conversation begins with; by default the model is sonnet and the mode asks. */
export type Begun = Pick<CommandInput<'conversation.create'>, 'folder'> &
  Partial<CommandInput<'conversation.create'>>

/** Creates a conversation and sends its first message. @returns its id. It throws if either is refused. */
export async function beginConversation(
  { dispatch }: Pick<Runtime, 'dispatch'>,
  text: string,
  wanted: Begun,
): Promise<string> {
  const chosen = { model: 'sonnet', permissionMode: 'default' as const, ...wanted }
  const created = await dispatch({ type: 'conversation.create', ...chosen })
  if (!created.ok) throw new Error(created.failure.message)
  const { id } = created.value
  const sent = await dispatch({ type: 'conversation.send', conversationId: id, agentId: null, content: text })
  if (!sent.ok) throw new Error(sent.failure.message)
  return id
}

export function watchEvents(runtime: Pick<Runtime, 'subscribe'>): EventWatch {
  const events: AgentEvent[] = []
  const watchers = new Set<(event: AgentEvent) => void>()
  runtime.subscribe((delta) => {
    if (delta.type !== 'event') return
    events.push(delta.event)
    for (const watcher of watchers) watcher(delta.event)
  })
  return {
    events,
    when: (type, fits = () => true) =>
      new Promise((resolve) => {
        const check = (event: AgentEvent) => {
          if (event.type !== type || !fits(event as never)) return
          watchers.delete(check)
          resolve(event as never)
        }
        watchers.add(check)
        for (const event of [...events]) if (watchers.has(check)) check(event)
      }),
  }
}

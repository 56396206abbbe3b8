/**
 * The copy of a conversation that another program wrote: what of its events goes on here, under the rules of its folder and
 * with the choices of a new conversation, and what is said about the rest.
 */
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import type { ConversationRecord } from '../../../shared/events/conversation.ts'
import { historyNames } from '../../../shared/histories/history.ts'
import { textOf } from '../../../shared/messages/text-of.ts'
import { plainMode } from '../../../shared/permissions/permission-modes.ts'
import type { ConversationDefaults } from '../ports/ports.ts'

/** Characters of a history that a copy takes over as it is: about 100,000 tokens. */
export const MOST_CARRIED = 400_000
/** Characters of the excerpt that takes the place of a longer one. */
const LONGEST_EXCERPT = 60_000
const LONGEST_PART = 4000

/** What only another program's conversation has. Null: this program's own. */
export interface HistoryCopy {
  /** The event as the copy has it; null: it is left out. */
  adapted(event: AgentEvent): AgentEvent | null
  /** For the user: where it comes from, and what is not in the copy. */
  readonly note: string
  /** For the model. */
  readonly text: string
}

export function historyCopy(
  { history, folder: original, agentIds }: ConversationRecord,
  { folder, defaults }: { readonly folder: string; readonly defaults: ConversationDefaults },
): HistoryCopy | null {
  if (history === undefined) return null
  const name = historyNames[history.program]
  const agents = agentIds.length - 1
  const missing = [
    'the thinking of the model',
    ...(agents > 0
      ? [`the transcripts of ${agents} ${agents === 1 ? 'subagent' : 'subagents'}, whose reports are`]
      : []),
    `the permissions and the tools of ${name}`,
  ]
  return {
    adapted(event) {
      if (event.type === 'agent-spawned') {
        const { model, effort, thinking, permissionMode } = defaults
        return { ...event, cwd: folder, model, effort, thinking, ...plainMode(permissionMode) }
      }
      if (event.type === 'model-changed') return null
      if (event.type !== 'assistant-message') return event
      // Thinking is signed for the account that it came from.
      const content = event.content.filter(({ type }) => type === 'text' || type === 'tool_use')
      return content.length === 0 ? null : { ...event, content }
    },
    note: `Continued from a conversation of ${name}, which stays as it is. Not carried over: ${missing.join('; ')}. Files stay as they are now.`,
    text: `The conversation above took place in ${name}, another agent program${folder === original ? '' : `, in the folder ${original}`}. You continue it here, in the folder ${folder}. Files may have changed since, so read a file again before you rely on what you read above. Use your own tools, also where calls above name others. Agents that were started above belong to ${name}: start new ones.`,
  }
}

/** The user's messages and the answers, as far as they fit, the newest first taken. Made without a model. */
export function excerptOf(events: readonly AgentEvent[]): string {
  const parts = events.flatMap((event) => {
    if (event.type === 'user-message' && event.from === 'user') return [`User: ${textOf(event.content)}`]
    if (event.type === 'context-compacted') return [`Summary so far: ${event.summary}`]
    if (event.type !== 'assistant-message') return []
    const text = textOf(event.content).trim()
    return text === '' ? [] : [`Agent: ${text}`]
  })
  const kept: string[] = []
  let left = LONGEST_EXCERPT
  for (const part of parts.toReversed()) {
    const short = part.length > LONGEST_PART ? `${part.slice(0, LONGEST_PART)} […]` : part
    left -= short.length
    if (left < 0) break
    kept.unshift(short)
  }
  const missing = parts.length - kept.length
  const before = missing === 0 ? '' : ` ${missing} earlier messages are left out.`
  return `The history was too long to be taken over. This is an excerpt of what was said, without calls of tools and their results.${before}\n\n${kept.join('\n\n')}`
}

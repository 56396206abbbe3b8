/** Events that a transcript shows as a sentence. */

import type { EventOf } from '../events/agent-event.ts'
import { verdictText } from '../events/verdict-text.ts'
import { COORDINATOR } from '../teams/coordinator-mode.ts'

export type NoticeEvent = EventOf<
  | 'notice'
  | 'interceptor-verdict'
  | 'context-cleared'
  | 'context-compacted'
  | 'permission-mode-changed'
  | 'model-changed'
  | 'effort-changed'
  | 'thinking-changed'
  | 'tools-changed'
  | 'servers-told'
  | 'files-told'
  | 'part-refused'
  | 'pause-changed'
  | 'moved-to-background'
  | 'awaited-again'
  | 'limits-changed'
  | 'definition-renewed'
  | 'worker-changed'
>

interface NoticeText {
  readonly level: 'info' | 'warning' | 'error'
  readonly text: string
}

export function noticeText(event: NoticeEvent): NoticeText {
  if (event.type === 'notice') return { level: event.level, text: event.text }
  if (event.type === 'interceptor-verdict') {
    const isWarning = ['denied', 'stopped', 'failed'].includes(event.verdict)
    return { level: isWarning ? 'warning' : 'info', text: verdictText(event) }
  }
  const isLost =
    event.type === 'part-refused' ||
    (event.type === 'worker-changed' && (event.state === 'gone' || event.state === 'silent'))
  return { level: isLost ? 'warning' : 'info', text: infoText(event) }
}

function infoText(event: Exclude<NoticeEvent, EventOf<'notice' | 'interceptor-verdict'>>): string {
  switch (event.type) {
    case 'context-cleared': {
      const count = event.toolUseIds.length
      return `The context was nearly full: ${count} older tool ${count === 1 ? 'result is' : 'results are'} no longer sent to the model. This transcript keeps them.`
    }
    case 'context-compacted':
      return `The context was nearly full: the model continues from a summary. This transcript keeps everything above.\n\n${event.summary}`
    case 'permission-mode-changed':
      return `Permission mode: ${event.permissionMode}${event.neverAsks ? ', denies instead of asking' : ''}`
    case 'model-changed':
      return `Model: ${event.model}${event.forTurn === true ? ', until the end of this turn' : ''}`
    case 'effort-changed':
      return event.effort === null ? 'Effort: the model’s default' : `Effort: ${event.effort}`
    case 'thinking-changed':
      return `Thinking: ${event.thinking ?? 'the model’s default'}`
    case 'tools-changed':
    case 'servers-told':
    case 'files-told':
      return event.note
    case 'part-refused':
      return event.part.kind === 'tool'
        ? `The API refuses the schema of the tool ${event.part.name}, so this agent continues without the tool. ${event.reason}`
        : `The API refuses an image of this conversation, so the conversation continues without the image. ${event.reason}`
    case 'pause-changed':
      return event.paused ? 'You paused this agent.' : 'You resumed this agent.'
    case 'moved-to-background':
      return event.by === 'user'
        ? 'You moved this agent to the background: its parent continues without it.'
        : 'This agent continues in the background: its parent does not wait for it.'
    case 'worker-changed':
      return event.note
    case 'awaited-again':
      return 'Its parent waits for this agent again.'
    case 'limits-changed':
      return "You changed this agent's limits."
    case 'definition-renewed':
      return event.definition.name === COORDINATOR
        ? 'The main agent has the prompt and the tools of a coordinator.'
        : 'You updated this agent to its current definition.'
  }
}

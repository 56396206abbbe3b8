/** The feedback of a permission request that no user can answer: the cause, and what would allow the call. */
import type { EventOf } from '../../../shared/events/agent-event.ts'

export function refusalFor({
  subject,
  because,
  remedy,
}: Pick<EventOf<'permission-asked'>, 'because' | 'remedy'> &
  Partial<Pick<EventOf<'permission-asked'>, 'subject'>>): string {
  const ran = subject?.kind === 'command' ? ' Nothing of the command was run.' : ''
  return `Permission denied: this run has no user to ask. ${sentence(because)}${ran} ${remedy} Continue without it and report it.`
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

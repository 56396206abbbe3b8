/** The feedback of a permission request that no user can answer: the cause, and what would allow the call. */
import type { EventOf } from '../../shared/agent-event.ts'

export function refusalFor({
  because,
  remedy,
}: Pick<EventOf<'permission-asked'>, 'because' | 'remedy'>): string {
  return `Permission denied: this run has no user to ask. ${sentence(because)} ${remedy} Continue without it and report it.`
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

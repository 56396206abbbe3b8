/** The feedback of a permission request that no user can answer: the cause, and what would allow the call. */
import type { EventOf } from '../../shared/agent-event.ts'

type Question = Pick<EventOf<'permission-asked'>, 'subject' | 'because' | 'alwaysRule'>

export function refusalFor({ subject, because, alwaysRule }: Question): string {
  return `Permission denied: this run has no user to ask. ${sentence(because)} ${remedy(subject.kind, alwaysRule)}`
}

function remedy(kind: Question['subject']['kind'], rule: string | null): string {
  if (rule === null)
    return 'No rule can allow this; it needs a user’s answer in the window. Continue without it and report it.'
  const byRule = `The rule ${rule} would allow this; a user creates it with “Always allow” in the window. Continue without it and report it.`
  // Rules with two slashes name files outside the folder, which acceptEdits does not cover.
  const isWriting = kind === 'diff' && !rule.startsWith('Edit(//')
  return isWriting ? `The permission mode acceptEdits would allow this. ${byRule}` : byRule
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/** What an agent is told where nobody is there to answer its question, and what would have allowed it. */
import type { EventOf } from '../../shared/agent-event.ts'

type Question = Pick<EventOf<'permission-asked'>, 'subject' | 'because' | 'alwaysRule'>

export function refusalFor({ subject, because, alwaysRule }: Question): string {
  return `Nobody is there to answer, so this is not allowed. ${sentence(because)} ${wayOut(subject.kind, because, alwaysRule)}`
}

function wayOut(kind: Question['subject']['kind'], because: string, rule: string | null): string {
  if (rule === null) return 'No rule can allow it: it needs a person’s answer, in the window.'
  const byRule = `The rule ${rule} would allow it; it is kept where somebody answers “always” in the window.`
  const isWriting = kind === 'diff' && !/lies outside/.test(because)
  return isWriting ? `The permission mode acceptEdits would allow it. ${byRule}` : byRule
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

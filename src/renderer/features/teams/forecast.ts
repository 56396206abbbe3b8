/** What will happen to a message, for each receiver, before it is sent. */
import { type AgentState, isLive, needsUser } from '../../../shared/state/agent-state.ts'

type Fate = 'next-turn' | 'after-answer' | 'when-continued' | 'starts' | 'resumes' | 'kept' | 'one-report'

/** What an agent does with a message, by its state. */
export function fateOf(agent: AgentState): Fate {
  const isUnreachable =
    agent.backing === 'remote' && (agent.workerState === 'silent' || agent.workerState === 'gone')
  if (isLive(agent)) {
    if (isUnreachable) return 'kept'
    if (agent.status === 'paused' || agent.pauseWanted) return 'when-continued'
    return needsUser(agent) ? 'after-answer' : 'next-turn'
  }
  if (agent.parentId === null) return 'starts'
  return agent.definition.oneShot ? 'one-report' : 'resumes'
}

interface Receiver {
  readonly name: string
  readonly fate: Fate
}

const ORDER: readonly Fate[] = [
  'next-turn',
  'starts',
  'after-answer',
  'when-continued',
  'resumes',
  'kept',
  'one-report',
]

/** One sentence, or a few joined with semicolons. */
export function forecast(receivers: readonly Receiver[]): string {
  if (receivers.length === 0) return 'Nobody would receive it.'
  const parts = ORDER.flatMap((fate) => {
    const names = receivers.filter((receiver) => receiver.fate === fate).map(({ name }) => name)
    return names.length === 0 ? [] : [partOf(fate, names)]
  })
  return `${parts.join('; ')}.`
}

function partOf(fate: Fate, names: readonly string[]): string {
  const one = names.length === 1
  const who = names.length <= 3 ? inWords(names) : `${names.length}`
  switch (fate) {
    case 'next-turn':
      return one ? `${who} reads it in its next turn` : `${who} read it in their next turn`
    case 'starts':
      return `${who} ${one ? 'starts' : 'start'} on it now`
    case 'after-answer':
      return one
        ? `${who} reads it after you answer its permission request`
        : `${who} read it after you answer their permission requests`
    case 'when-continued':
      return one
        ? `${who} is paused and reads it when continued`
        : `${who} are paused and read it when continued`
    case 'resumes':
      return one ? `${who} has ended and resumes` : `${who} have ended and resume`
    case 'kept':
      return one
        ? `${who} can’t be reached: kept in its mailbox`
        : `${who} can’t be reached: kept in their mailboxes`
    case 'one-report':
      return `${who} ${one ? 'has' : 'have'} given ${one ? 'its' : 'their'} one report and can’t be written to`
  }
}

function inWords(names: readonly string[]): string {
  if (names.length <= 1) return names[0] ?? ''
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

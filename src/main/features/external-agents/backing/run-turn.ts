/** One prompt to an external agent, to its end or until a limit or a stop ends it. */
import type { ContentBlock } from '@agentclientprotocol/sdk'
import type { Usage } from '../../../../shared/events/agent-event.ts'
import { messageOf, sentence } from '../../../../shared/kernel/result.ts'
import { shortText } from '../../../platform/acp/content.ts'
import { turnUsageOf } from '../../../platform/acp/turn-end.ts'
import type { BackedAgent } from '../../../runtime/ports/agent-backing.ts'
import type { Clock } from '../../../runtime/ports/ports.ts'
import { LOGIN_NEEDED, protocolCodeOf } from './agent-connection.ts'
import type { ExternalSession } from './external-session.ts'

/** ms that a canceled program has to end its turn. */
export const STOP_TIME = 5000
/** ms between looks at the limits of the agent. */
const LIMIT_CHECK = 1000

type LimitReached = NonNullable<ReturnType<BackedAgent['limitReached']>>

/** `isLost`: the session does not react, or its process has ended. Then it gets no more prompts. */
export type Turn =
  | { readonly kind: 'ended'; readonly reason: string; readonly usage: Usage | null; readonly isLost: false }
  | { readonly kind: 'failed'; readonly message: string; readonly isLost: boolean }
  | { readonly kind: 'login'; readonly isLost: false }
  | { readonly kind: 'limited'; readonly limit: LimitReached; readonly isLost: boolean }
  | { readonly kind: 'stopped'; readonly isLost: boolean }

interface TurnOptions {
  readonly agent: Pick<BackedAgent, 'limitReached'>
  readonly clock: Clock
  /** What ends the turn without an answer: the end of the process. */
  readonly early: Promise<Turn>
  /** Called at a limit. Withdraws what the program asks: it can't end its turn before it has an answer. */
  readonly withdraw: () => void
  readonly signal: AbortSignal
}

export async function runTurn(
  session: ExternalSession,
  content: readonly ContentBlock[],
  { agent, clock, early, withdraw, signal }: TurnOptions,
): Promise<Turn> {
  const done = new AbortController()
  const answer = session.prompt(content).then(
    ({ stopReason, ...rest }): Turn => ({
      kind: 'ended',
      reason: stopReason,
      usage: turnUsageOf(rest),
      isLost: false,
    }),
    (thrown): Turn =>
      protocolCodeOf(thrown) === LOGIN_NEEDED
        ? { kind: 'login', isLost: false }
        : { kind: 'failed', message: errorText(thrown), isLost: false },
  )
  const limited = limitOf(agent, clock, done.signal)
  try {
    const first = await Promise.race([answer, early, limited, aborted(signal)])
    if (first !== 'stopped' && 'isLost' in first) return first
    if (first !== 'stopped') withdraw()
    session.cancel()
    const late = clock.sleep(STOP_TIME, done.signal).then(() => null)
    const reaction = await Promise.race([answer, early, late])
    const isLost = reaction === null || reaction.isLost
    return first === 'stopped' ? { kind: 'stopped', isLost } : { kind: 'limited', limit: first, isLost }
  } finally {
    done.abort()
  }
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<'stopped'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('stopped')
    else signal.addEventListener('abort', () => resolve('stopped'), { once: true })
  })
}

async function limitOf(
  agent: Pick<BackedAgent, 'limitReached'>,
  clock: Clock,
  signal: AbortSignal,
): Promise<LimitReached> {
  for (;;) {
    await clock.sleep(LIMIT_CHECK, signal)
    if (signal.aborted) return new Promise(() => {})
    const limit = agent.limitReached()
    if (limit !== null) return limit
  }
}

/** An error of the protocol has its reason in `data`, where programs give one. */
function errorText(thrown: unknown): string {
  const data = typeof thrown === 'object' && thrown !== null && 'data' in thrown ? thrown.data : null
  const details =
    typeof data === 'string'
      ? data
      : typeof data === 'object' && data !== null && 'details' in data && typeof data.details === 'string'
        ? data.details
        : ''
  const message = shortText(messageOf(thrown))
  return details === ''
    ? `It answered with an error: ${sentence(message)}`
    : `It answered with an error: ${message}: ${shortText(details)}.`
}

/** Waits for the end of a usage limit, as text: the waiting agents, their order, and the end. */
import type { AgentState } from './agent-state.ts'

/** Whether the agent itself waits for a usage limit of the API. */
export function isLimited(
  agent: AgentState,
): agent is AgentState & { readonly retry: NonNullable<AgentState['retry']> } {
  return agent.status === 'waiting' && agent.waitingFor === 'limit' && agent.retry !== null
}

/** The agents that wait, in the order in which they are released. */
export function limitedInOrder(agents: Iterable<AgentState>): readonly AgentState[] {
  return [...agents].filter(isLimited).sort((a, b) => (a.retry?.since ?? 0) - (b.retry?.since ?? 0))
}

/** "14:32", or "Nov 23, 02:10" on another day. Local time. */
export function clockText(at: number, now: number): string {
  const [date, today] = [new Date(at), new Date(now)]
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`
  if (date.toDateString() === today.toDateString()) return time
  return `${date.toLocaleDateString('en', { month: 'short', day: 'numeric' })}, ${time}`
}

/** "14:32 (in 2 h 10 min)", "14:32 (now)". Completes "Rate limited until …". */
export function untilText(at: number, now: number): string {
  const minutes = Math.ceil((at - now) / 60_000)
  if (minutes <= 0) return `${clockText(at, now)} (now)`
  const hours = Math.floor(minutes / 60)
  const rest = minutes % 60
  const parts = [hours > 0 ? `${hours} h` : '', rest > 0 || hours === 0 ? `${rest} min` : '']
  return `${clockText(at, now)} (in ${parts.filter((part) => part !== '').join(' ')})`
}

const two = (value: number): string => String(value).padStart(2, '0')

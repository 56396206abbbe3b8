/** Gets a session for an agent: the one of its former runs where the program can continue it, else a new one. */
import type { ExternalAgentOption } from '../../../../shared/external-agents/external-agent.ts'
import { ok, type Result } from '../../../../shared/kernel/result.ts'
import type { PermissionMode } from '../../../../shared/permissions/permission-modes.ts'
import { modeOfProgram, valueNamed } from '../../../platform/acp/session-options.ts'
import type {
  AgentConnection,
  BegunSession,
  ConnectionFailure,
  SessionPlace,
  WaitOptions,
} from './agent-connection.ts'
import { ExternalSession, type SessionBeginning } from './external-session.ts'

interface FormerSession {
  /** Null: the agent had none. */
  readonly sessionId: string | null
  /** US dollars that it reported. */
  readonly cost: number
}

export interface OpenedSession {
  readonly session: ExternalSession
  readonly began: SessionBeginning
}

/** A former session that the program does not know any more makes a new one. */
export async function openSession(
  connection: AgentConnection,
  former: FormerSession,
  { place, wait }: { readonly place: SessionPlace; readonly wait: WaitOptions },
): Promise<Result<OpenedSession, ConnectionFailure>> {
  const { sessionId } = former
  const opened = (session: ExternalSession, began: SessionBeginning, answer: BegunSession) => {
    session.begun(answer.sessionId, answer)
    return ok({ session, began })
  }
  if (sessionId !== null && (connection.can.resume || connection.can.load)) {
    const session = new ExternalSession(connection, former.cost)
    // Resuming sends no history again.
    const how = connection.can.resume ? 'session/resume' : 'session/load'
    const again = await connection.again(how, { ...place, sessionId }, { host: session.route, wait })
    if (again.ok) return opened(session, connection.can.resume ? 'resumed' : 'loaded', again.value)
    if (again.failure.type !== 'protocol' || wait.signal.aborted) return again
  }
  const session = new ExternalSession(connection, 0)
  const begun = await connection.begin(place, session.route, wait)
  return begun.ok ? opened(session, 'new', begun.value) : begun
}

/** The choices that a session should have. */
interface WantedOptions {
  /** Those of the agent's former session; empty: it had none. */
  readonly former: readonly ExternalAgentOption[]
  /** Of the definition, for a first session; null: none. */
  readonly model: string | null
  readonly effort: string | null
  /** The agent's permission mode. */
  readonly mode: PermissionMode
  /** Whether it was changed since the agent's former session. */
  readonly isModeNew: boolean
}

/** Sets the choices, and tells what had no effect, one sentence for each. */
export async function applyOptions(
  session: ExternalSession,
  wanted: WantedOptions,
  wait: WaitOptions,
): Promise<readonly string[]> {
  const notices: string[] = []
  for (const before of wanted.former) {
    const now = session.choices.find(({ id }) => id === before.id)
    if (now === undefined || now.current === before.current) continue
    const set = await session.setOption(before.id, before.current, wait)
    if (!set.ok) notices.push(`${before.name} is not ${before.current} any more. ${set.failure.message}`)
  }
  if (wanted.former.length > 0) {
    if (!wanted.isModeNew) {
      session.toldMode = wanted.mode
      return notices
    }
    notices.push(...(await passOnMode(session, wanted.mode, wait)))
    return notices
  }
  notices.push(...(await applyMode(session, wanted.mode, wait)))
  for (const category of ['model', 'effort'] as const) {
    const value = wanted[category]
    if (value === null) continue
    const option = session.choices.find((one) => one.category === category)
    const id = option === undefined ? null : valueNamed(option, value)
    if (option === undefined || id === null) {
      const offered = option?.values.map(({ name }) => name).join(', ') ?? ''
      const others = offered === '' ? '' : ` It offers: ${offered}.`
      notices.push(`${category}: ${value} has no effect: the program does not offer it.${others}`)
    } else if (option.current !== id) {
      const set = await session.setOption(option.id, id, wait)
      if (!set.ok) notices.push(`${category}: ${value} has no effect. ${set.failure.message}`)
    }
  }
  return notices
}

/** Programs begin in modes of their own, and some of them ask nothing there. */
async function applyMode(
  session: ExternalSession,
  mode: PermissionMode,
  wait: WaitOptions,
): Promise<readonly string[]> {
  session.toldMode = mode
  const option = session.choices.find(({ category }) => category === 'mode')
  if (option === undefined) return []
  const id = modeOfProgram(option, mode)
  const now = option.values.find((one) => one.id === option.current)?.name ?? option.current
  const decides = `The program decides in its mode ${now} what it asks.`
  if (id === null) return [`It has no mode like the permission mode ${mode}. ${decides}`]
  if (id === option.current) return []
  const set = await session.setOption(option.id, id, wait)
  return set.ok ? [] : [`Its mode is not ${id}. ${set.failure.message} ${decides}`]
}

/** Gives an open session a permission mode that was changed, and tells what had no effect, one sentence for each. */
export async function passOnMode(
  session: ExternalSession,
  mode: PermissionMode,
  wait: WaitOptions,
): Promise<readonly string[]> {
  if (session.toldMode === mode) return []
  const hasModes = session.choices.some(({ category }) => category === 'mode')
  const notices = await applyMode(session, mode, wait)
  return hasModes
    ? notices
    : [
        `It has no modes, so it is not told of the permission mode ${mode}. What it asks is answered in that mode.`,
      ]
}

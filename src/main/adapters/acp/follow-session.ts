/** Tells how the choices and commands of a session stand, now and when they change. */
import type { AgentEventDraft } from '../../../shared/agent-event.ts'
import type { BackedAgent } from '../../runtime/agent-backing.ts'
import type { AcpSession } from './acp-session.ts'

/** Until the session is served to nobody. */
export function followSession(
  session: AcpSession,
  agent: Pick<BackedAgent, 'state'>,
  emit: (draft: AgentEventDraft) => void,
): void {
  const tell = (what: 'options' | 'commands') => {
    const { program } = agent.state()
    const now = what === 'options' ? session.choices : session.commands
    const before = (what === 'options' ? program?.options : program?.commands) ?? []
    if (JSON.stringify(now) === JSON.stringify(before)) return
    if (what === 'options') emit({ type: 'program-options', options: session.choices })
    else emit({ type: 'program-commands', commands: session.commands })
  }
  session.onChange = tell
  tell('options')
  // A program sends its commands some time after the beginning: until then those of before count.
  if (session.commands.length > 0) tell('commands')
}

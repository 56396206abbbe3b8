/** The login that an external agent wants before it begins a session. */

import type { AgentEventDraft } from '../../../../shared/events/agent-event.ts'
import type { LoginMethod } from '../../../../shared/external-agents/external-agent.ts'
import { fail, messageOf, ok, type Result, sentence } from '../../../../shared/kernel/result.ts'
import { shortText } from '../../../platform/acp/content.ts'
import { failedRun } from '../../../platform/acp/turn-end.ts'
import type { BackedAgent } from '../../../runtime/ports/agent-backing.ts'
import type { Clock } from '../../../runtime/ports/ports.ts'
import type { RunEnd } from '../../../runtime/ports/run-end.ts'
import type { AgentConnection } from './agent-connection.ts'
import type { AgentProcess } from './agent-process.ts'
import { explainedFailure } from './agent-process.ts'
import { aborted } from './run-turn.ts'

/** A run that waits until its user has logged in. */
export class LoginWait {
  private readonly agent: BackedAgent
  private readonly clock: Clock
  private readonly emit: (draft: AgentEventDraft) => void
  private open: {
    readonly connection: AgentConnection
    readonly done: (how: 'again' | 'restart') => void
  } | null = null

  constructor(agent: BackedAgent, clock: Clock, emit: (draft: AgentEventDraft) => void) {
    this.agent = agent
    this.clock = clock
    this.emit = emit
  }

  get isOpen(): boolean {
    return this.open !== null
  }

  /**
   * Shows the ways to log in, and waits without a slot. Ends the run where nobody can be asked, or nothing is offered that
   * works while the program runs. `restart`: the process has taken its last session.
   */
  async wait(
    connection: AgentConnection,
    { process, signal }: { readonly process: AgentProcess; readonly signal: AbortSignal },
  ): Promise<'again' | 'restart' | RunEnd> {
    const { agent, clock } = this
    const { definition } = agent.state()
    const methods = connection.loginMethods
    const message = loginAdvice(definition.name, methods)
    this.emit({ type: 'program-login', program: connection.program, methods, message })
    if (!agent.canAskUser() || !canLogIn(methods)) return failedRun(message)
    const done = new Promise<'again' | 'restart'>((resolve) => {
      this.open = { connection, done: resolve }
    })
    try {
      const gone = process.ended.then(() => 'gone' as const)
      const first = await agent.waitForUser(message, Promise.race([done, gone, aborted(signal)]), signal)
      if (first === 'stopped' || signal.aborted) return { kind: 'stopped' }
      if (first === 'gone') return await explainedFailure(process, message, { definition, clock })
      if (first === 'restart') connection.isStale = true
      return first
    } finally {
      this.open = null
    }
  }

  /** The user chose a method. The run begins again when it worked. */
  async logIn(methodId: string): Promise<Result<void>> {
    const { open } = this
    if (open === null)
      return fail({ type: 'not-possible', message: 'The program does not wait for a login.' })
    const done = await runLogin(open.connection, methodId)
    if (!done.ok) return done
    open.done(done.value.needsRestart ? 'restart' : 'again')
    return ok(undefined)
  }
}

/** What the user can do, for the failure of the agent, and where nobody sees its panel. */
function loginAdvice(name: string, methods: readonly LoginMethod[]): string {
  const offered = methods.map((method) =>
    method.description === '' ? method.name : `${method.name} (${method.description})`,
  )
  const ways = offered.length === 0 ? '' : ` It offers: ${offered.join('; ')}.`
  return `${name} needs a login.${ways} You can also log in with the program itself, in a terminal, and start the agent again.`
}

/** Whether the user can log in while the program runs. */
const canLogIn = (methods: readonly LoginMethod[]): boolean =>
  methods.some(({ kind }) => kind !== 'environment')

/**
 * Logs in by one of the methods; the user may take as long as they need. With `terminal` the user has logged in
 * there, and the program must be started again to see it.
 */
export async function runLogin(
  connection: AgentConnection,
  methodId: string,
): Promise<Result<{ readonly needsRestart: boolean }>> {
  const method = connection.loginMethods.find(({ id }) => id === methodId)
  if (method === undefined)
    return fail({ type: 'not-offered', message: 'The program does not offer this login any more.' })
  if (method.kind === 'environment') {
    const names = method.variables.join(', ')
    return fail({
      type: 'not-possible',
      message: `Set ${names === '' ? 'its variable' : names} in your environment, name it in env of the agent’s definition, and start Troupe again.`,
    })
  }
  if (method.kind === 'terminal') return ok({ needsRestart: true })
  try {
    await connection.request('authenticate', { methodId })
    return ok({ needsRestart: false })
  } catch (thrown) {
    return fail({ type: 'refused', message: `The login failed: ${sentence(shortText(messageOf(thrown)))}` })
  }
}

/**
 * One session of an external agent. It lives as long as its process, also between the runs of its agent: what
 * comes then is not recorded, except how its choices and commands stand.
 */
import type { ContentBlock, PromptResponse, SessionUpdate } from '@agentclientprotocol/sdk'
import type { AgentEventDraft } from '../../../../shared/events/agent-event.ts'
import type { ExternalAgent, ExternalAgentOption } from '../../../../shared/external-agents/external-agent.ts'
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import type { PermissionMode } from '../../../../shared/permissions/permission-modes.ts'
import {
  commandsIn,
  configOptionsIn,
  optionsIn,
  type SessionOption,
  settingOf,
  withoutKind,
} from '../../../platform/acp/session-options.ts'
import type { BackedAgent } from '../../../runtime/ports/agent-backing.ts'
import type { AgentConnection, SessionHost, WaitOptions } from './agent-connection.ts'
import { CostMeter } from './cost-meter.ts'

export type SessionBeginning = 'new' | 'loaded' | 'resumed'

export class ExternalSession {
  readonly connection: AgentConnection
  readonly cost: CostMeter
  /** The id at the program; empty until the session has begun. */
  id = ''
  /** Troupe's permission mode that the program was asked to be like last; null: none yet. */
  toldMode: PermissionMode | null = null
  /** Called when its choices or its commands have changed. */
  onChange: ((what: 'options' | 'commands') => void) | null = null
  private options: readonly SessionOption[] = []
  private known: ExternalAgent['commands'] = []
  private host: SessionHost | null = null

  /** @param costBefore US dollars that earlier processes reported for this session */
  constructor(connection: AgentConnection, costBefore: number) {
    this.connection = connection
    this.cost = new CostMeter(costBefore)
  }

  /** What the connection calls. Between runs, and while a history is replayed, requests fail and updates are dropped. */
  readonly route: SessionHost = {
    update: (update) => {
      if (!this.stands(update)) this.host?.update(update)
    },
    permission: async (request) =>
      (await this.host?.permission(request)) ?? { outcome: { outcome: 'cancelled' } },
    readFile: async (request) => this.serving().readFile(request),
    writeFile: async (request) => this.serving().writeFile(request),
    terminals: () => this.serving().terminals(),
    elicit: async (request, signal) => this.serving().elicit(request, signal),
  }

  /** Takes in the answer to its beginning. */
  begun(id: string, answer: unknown): void {
    this.id = id
    const options = optionsIn(answer)
    if (options.length > 0) this.options = options
  }

  /** `host`: of the run that begins; null: the run is over. */
  serve(host: SessionHost | null): void {
    this.host = host
    if (host === null) this.onChange = null
  }

  get choices(): readonly ExternalAgentOption[] {
    return this.options.map(withoutKind)
  }

  get commands(): ExternalAgent['commands'] {
    return this.known
  }

  /** Rejects if the process ends or answers with an error. */
  prompt(content: readonly ContentBlock[]): Promise<PromptResponse> {
    return this.connection.request('session/prompt', { sessionId: this.id, prompt: [...content] })
  }

  cancel(): void {
    this.connection.notify('session/cancel', { sessionId: this.id })
  }

  /** Fails with `not-offered`, or with what the program answers. */
  async setOption(optionId: string, value: string, wait: WaitOptions): Promise<Result<void>> {
    const option = this.options.find(({ id }) => id === optionId)
    if (option === undefined) return fail(notOffered(`It offers no choice ${optionId}.`))
    if (!option.values.some(({ id }) => id === value))
      return fail(notOffered(`${option.name} can’t be ${value}.`))
    const { method, params } = settingOf(option, value)
    const request = { sessionId: this.id, ...params }
    const set = await this.connection.ask<{ readonly configOptions?: unknown } | null>(method, request, wait)
    if (!set.ok) return fail({ type: 'refused', message: set.failure.message })
    const now = configOptionsIn(set.value?.configOptions)
    this.setOptions(now.length > 0 ? now : withCurrent(this.options, optionId, value))
    return ok(undefined)
  }

  /** Resolves when the program has answered, at once where it can't close sessions. */
  async close(): Promise<void> {
    this.serve(null)
    this.connection.detach(this.id)
    if (this.connection.can.close)
      await this.connection.request('session/close', { sessionId: this.id }).catch(() => undefined)
  }

  /** True: the update says how choices or commands stand now. */
  private stands(update: SessionUpdate): boolean {
    switch (update.sessionUpdate) {
      case 'config_option_update': {
        const options = configOptionsIn(update.configOptions)
        if (options.length > 0) this.setOptions(options)
        return true
      }
      case 'current_mode_update': {
        const mode = this.options.find(({ category }) => category === 'mode')
        if (mode !== undefined && typeof update.currentModeId === 'string')
          this.setOptions(withCurrent(this.options, mode.id, update.currentModeId))
        return true
      }
      case 'available_commands_update':
        this.known = commandsIn(update.availableCommands)
        this.onChange?.('commands')
        return true
      default:
        return false
    }
  }

  private setOptions(options: readonly SessionOption[]): void {
    this.options = options
    this.onChange?.('options')
  }

  private serving(): SessionHost {
    if (this.host === null) throw new Error('No turn of this session is running.')
    return this.host
  }
}

/** A session began, or a login that it wanted is done. */
export function connectedEvent(
  { connection, id }: ExternalSession,
  began: SessionBeginning,
): Extract<AgentEventDraft, { type: 'program-connected' }> {
  const { can, program } = connection
  return {
    type: 'program-connected',
    program,
    sessionId: id,
    began,
    can: { resume: can.resume || can.load, images: can.images },
  }
}

const withCurrent = (
  options: readonly SessionOption[],
  id: string,
  current: string,
): readonly SessionOption[] => options.map((option) => (option.id === id ? { ...option, current } : option))

const notOffered = (message: string) => ({ type: 'not-offered', message })

/** Tells how the choices and commands of a session stand, now and when they change, until it is served to nobody. */
export function followSession(
  session: ExternalSession,
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

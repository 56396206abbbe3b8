/** The sessions of an editor, by the ids of their conversations. */
import type {
  LoadSessionRequest,
  McpServer,
  NewSessionResponse,
  SessionConfigOption,
  SessionInfo,
} from '@agentclientprotocol/sdk'
import { fail, ok, type Result } from '../../../shared/result.ts'
import { folderAt } from '../given-paths.ts'
import type { AcpContext, Editor } from './acp-context.ts'
import { AcpSession } from './acp-session.ts'
import { givenServers } from './given-servers.ts'
import { MODEL_OPTION, modelOption, modeNamed, modesOf } from './session-modes.ts'
import { SessionUpdates } from './session-updates.ts'

type SessionToLoad = Partial<LoadSessionRequest> & Pick<LoadSessionRequest, 'sessionId' | 'cwd'>
type SessionStart = Omit<NewSessionResponse, 'sessionId'>

export class AcpSessions {
  private readonly sessions = new Map<string, AcpSession>()
  private readonly unsubscribe: () => void

  private readonly context: AcpContext
  private readonly editor: Editor

  constructor(context: AcpContext, editor: Editor) {
    this.context = context
    this.editor = editor
    this.unsubscribe = context.runtime.subscribe((delta) => {
      if (delta.type === 'conversation-event' || delta.type === 'conversation-gone') return
      const id = delta.type === 'conversation' ? delta.summary.id : delta.conversationId
      this.sessions.get(id)?.take(delta)
    })
  }

  async create(cwd: string, servers: readonly McpServer[]): Promise<Result<NewSessionResponse>> {
    const { context } = this
    if (context.noAccess !== null) return fail({ type: 'no-access', message: context.noAccess })
    const folder = this.prepare(cwd, servers)
    if (!folder.ok) return folder
    const created = await context.runtime.create({
      folder: folder.value,
      model: context.model,
      permissionMode: context.permissionMode,
      rehearsal: context.rehearsal,
      coordinator: context.coordinator,
      ...(context.agent !== null && { agent: context.agent }),
    })
    if (!created.ok) return created
    const opened = await this.open(created.value.id)
    return opened.ok ? ok({ sessionId: created.value.id, ...(await this.startOf(opened.value)) }) : opened
  }

  /** Opens a conversation again; `replay`: the editor receives its history. Fails with `not-found`. */
  async load(
    { sessionId, cwd, mcpServers = [] }: SessionToLoad,
    { replay }: { readonly replay: boolean },
  ): Promise<Result<SessionStart>> {
    const { context } = this
    if (context.noAccess !== null) return fail({ type: 'no-access', message: context.noAccess })
    const folder = this.prepare(cwd, mcpServers)
    if (!folder.ok) return folder
    const snapshot = await context.runtime.snapshot(sessionId)
    if (!snapshot.ok) return snapshot
    const own = snapshot.value.record.folder
    if (own !== folder.value)
      return fail({
        type: 'usage',
        message: `The conversation ${sessionId} belongs to the folder ${own}. Open it there.`,
      })
    const known = this.sessions.get(sessionId)
    const opened = known === undefined ? await this.open(sessionId) : ok(known)
    if (!opened.ok) return opened
    if (replay) {
      const replayed = await this.replay(opened.value)
      if (!replayed.ok) return replayed
    }
    return ok(await this.startOf(opened.value))
  }

  async list(cwd: string | null): Promise<SessionInfo[]> {
    const folder = cwd === null ? null : folderAt(cwd)
    const of = folder?.ok ? folder.value : cwd
    return (await this.context.runtime.conversations())
      .filter(({ scratch, folder: own }) => !scratch && (of === null || own === of))
      .sort((a, b) => b.updatedAt - a.updatedAt)
      .map(({ id, folder: own, title, updatedAt }) => ({
        sessionId: id,
        cwd: own,
        title,
        updatedAt: new Date(updatedAt).toISOString(),
      }))
  }

  get(id: string): AcpSession | null {
    return this.sessions.get(id) ?? null
  }

  /** Stops what the session does, and forgets it. The conversation stays. */
  async drop(id: string): Promise<void> {
    if (!this.sessions.delete(id)) return
    await this.context.runtime.stopConversation(id)
  }

  async setMode(session: AcpSession, modeId: string): Promise<Result<void>> {
    const mode = modeNamed(modeId)
    if (mode === undefined) return fail({ type: 'usage', message: `There is no mode "${modeId}".` })
    return this.context.runtime.setMode(session.options.id, mode)
  }

  async setOption(
    session: AcpSession,
    option: string,
    value: string | boolean,
  ): Promise<Result<SessionConfigOption[]>> {
    const { id, mainAgentId } = session.options
    if (option !== MODEL_OPTION || typeof value !== 'string')
      return fail({ type: 'usage', message: `There is no option "${option}" with such a value.` })
    const set = await this.context.runtime.setModel(id, value, mainAgentId)
    return set.ok ? ok(await this.optionsOf(session)) : set
  }

  /** Tells the editor which commands a prompt can begin with. */
  async tellCommands(session: AcpSession): Promise<void> {
    const commands = await this.context.slash.list(session.options.folder)
    session.show([
      {
        sessionUpdate: 'available_commands_update',
        availableCommands: commands
          .filter(({ problem }) => problem === null)
          .map(({ name, description, argumentHint }) => ({
            name,
            description,
            ...(argumentHint !== '' && { input: { hint: argumentHint } }),
          })),
      },
    ])
  }

  close(): void {
    this.unsubscribe()
  }

  /** The real path of a session's folder, trusted and with the editor's servers as far as wanted. */
  private prepare(cwd: string, servers: readonly McpServer[]): Result<string> {
    const folder = folderAt(cwd)
    if (!folder.ok) return folder
    if (!this.context.isTrusted(folder.value)) this.context.trust?.(folder.value)
    if (servers.length > 0) this.context.giveServers(folder.value, givenServers(servers))
    return folder
  }

  private async open(id: string): Promise<Result<AcpSession>> {
    const snapshot = await this.context.runtime.snapshot(id)
    if (!snapshot.ok) return snapshot
    const { record, agents } = snapshot.value
    const { mainAgentId, folder } = record
    const session = new AcpSession({ id, mainAgentId, folder }, this.context, this.editor)
    session.updates.startAt({
      costUsd: agents.reduce((sum, { costUsd }) => sum + costUsd, 0),
      priced: agents.every(({ priced }) => priced),
    })
    this.sessions.set(id, session)
    return ok(session)
  }

  private async replay(session: AcpSession): Promise<Result<void>> {
    const { mainAgentId, folder } = session.options
    const updates = new SessionUpdates({ mainAgentId, folder, now: this.context.now })
    for await (const batch of this.context.store.events(mainAgentId)) {
      if (!batch.ok) return batch
      for (const event of batch.value) session.show(updates.replay(event))
    }
    return ok(undefined)
  }

  private async startOf(session: AcpSession): Promise<SessionStart> {
    const { id, mainAgentId, folder } = session.options
    const snapshot = await this.context.runtime.snapshot(id)
    const main = snapshot.ok ? snapshot.value.agents.find((agent) => agent.id === mainAgentId) : undefined
    const mode = main?.permissionMode ?? this.context.permissionMode
    return {
      modes: modesOf(mode, this.context.bypassAllowed(folder)),
      configOptions: await this.optionsOf(session),
    }
  }

  private async optionsOf({ options }: AcpSession): Promise<SessionConfigOption[]> {
    const snapshot = await this.context.runtime.snapshot(options.id)
    const main = snapshot.ok
      ? snapshot.value.agents.find((agent) => agent.id === options.mainAgentId)
      : undefined
    return [modelOption(main?.model ?? this.context.model, this.context.models)]
  }
}

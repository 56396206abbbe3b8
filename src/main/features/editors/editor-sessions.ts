/** The sessions of an editor, by the ids of their conversations. */
import { isAbsolute } from 'node:path'
import type {
  LoadSessionRequest,
  NewSessionResponse,
  SessionConfigOption,
  SessionInfo,
} from '@agentclientprotocol/sdk'
import type { McpServer } from '@agentclientprotocol/sdk/unstable'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { givenServers } from '../../platform/acp/mcp-servers.ts'
import {
  EFFORT_OPTION,
  effortNamed,
  MODE_OPTION,
  MODEL_OPTION,
  modeNamed,
  modesOf,
  offers,
  programOptionOf,
} from '../../platform/acp/session-options.ts'
import { folderAt } from '../../platform/command-line/given-paths.ts'
import type { Editor, EditorContext } from './editor-context.ts'
import { EditorSession } from './editor-session.ts'
import { SessionUpdates } from './session-updates.ts'

type SessionToLoad = Pick<LoadSessionRequest, 'sessionId' | 'cwd'> & {
  readonly mcpServers?: readonly McpServer[] | undefined
}
type SessionStart = Omit<NewSessionResponse, 'sessionId'>

export class EditorSessions {
  private readonly sessions = new Map<string, EditorSession>()
  private readonly unsubscribe: () => void

  private readonly context: EditorContext
  private readonly editor: Editor

  constructor(context: EditorContext, editor: Editor) {
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
    const created = await context.runtime.dispatch({
      type: 'conversation.create',
      folder: folder.value,
      model: context.model,
      permissionMode: context.permissionMode,
      coordinator: context.coordinator,
      agent: context.agent,
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

  get(id: string): EditorSession | null {
    return this.sessions.get(id) ?? null
  }

  /** The session that a child session belongs to; null: there is no such child session. */
  ownerOf(childId: string): EditorSession | null {
    return [...this.sessions.values()].find((session) => session.hasChild(childId)) ?? null
  }

  /** Stops what the session does, or what the subagent of a child session does. Other ids are ignored. */
  cancel(id: string): void {
    const session = this.sessions.get(id)
    if (session !== undefined) session.cancel()
    else this.ownerOf(id)?.cancelChild(id)
  }

  /** Stops what the session does, and forgets it. The conversation stays. */
  async drop(id: string): Promise<void> {
    const session = this.sessions.get(id)
    this.sessions.delete(id)
    await session?.close()
  }

  /** Moves the conversation to the trash, where the user can restore it. Fails with `not-found`. */
  async delete(id: string): Promise<Result<void>> {
    await this.drop(id)
    return this.context.runtime.dispatch({ type: 'conversation.trash', conversationId: id })
  }

  async setMode(session: EditorSession, modeId: string): Promise<Result<void>> {
    const mode = modeNamed(modeId)
    if (mode === undefined) return fail({ type: 'usage', message: `There is no mode "${modeId}".` })
    return this.context.runtime.dispatch({
      type: 'conversation.setMode',
      conversationId: session.options.id,
      permissionMode: mode,
    })
  }

  async setOption(
    session: EditorSession,
    option: string,
    value: string | boolean,
  ): Promise<Result<SessionConfigOption[]>> {
    const options = await session.choices()
    if (typeof value !== 'string' || !offers(options, option, value))
      return fail({ type: 'usage', message: `There is no option "${option}" with the value "${value}".` })
    const set = await this.choose(session, option, value)
    return set.ok ? ok(await session.choices()) : set
  }

  private async choose(session: EditorSession, option: string, value: string): Promise<Result<void>> {
    const { runtime } = this.context
    const { id, mainAgentId } = session.options
    const optionId = programOptionOf(option)
    if (optionId !== null)
      return runtime.dispatch({
        type: 'agent.setProgramOption',
        conversationId: id,
        agentId: mainAgentId,
        optionId,
        value,
      })
    switch (option) {
      case MODE_OPTION:
        return this.setMode(session, value)
      case MODEL_OPTION:
        return runtime.dispatch({
          type: 'conversation.setModel',
          conversationId: id,
          model: value,
          agentId: mainAgentId,
        })
      case EFFORT_OPTION:
        return runtime.dispatch({
          type: 'conversation.setModel',
          conversationId: id,
          effort: effortNamed(value),
          agentId: mainAgentId,
        })
      default:
        return fail({ type: 'usage', message: `There is no option "${option}".` })
    }
  }

  close(): void {
    this.unsubscribe()
  }

  /** The real path of a session's folder, trusted and with the editor's servers as far as wanted. */
  private prepare(cwd: string, servers: readonly McpServer[]): Result<string> {
    // A relative one would be looked up where the editor happened to start this program.
    if (!isAbsolute(cwd))
      return fail({ type: 'usage', message: `The folder ${cwd} is not an absolute path.` })
    const folder = folderAt(cwd)
    if (!folder.ok) return folder
    const given = givenServers(servers)
    if (!given.ok) return given
    if (!this.context.isTrusted(folder.value)) this.context.trust?.(folder.value)
    if (servers.length > 0) this.context.giveServers(folder.value, given.value)
    return folder
  }

  private async open(id: string): Promise<Result<EditorSession>> {
    const snapshot = await this.context.runtime.snapshot(id)
    if (!snapshot.ok) return snapshot
    const { record, agents } = snapshot.value
    const { mainAgentId, folder } = record
    const session = new EditorSession({ id, mainAgentId, folder }, this.context, this.editor)
    session.updates.startAt({
      costUsd: agents.reduce((sum, { costUsd }) => sum + costUsd, 0),
      priced: agents.every(({ priced }) => priced),
    })
    this.sessions.set(id, session)
    return ok(session)
  }

  private async replay(session: EditorSession): Promise<Result<void>> {
    const { mainAgentId, folder } = session.options
    const updates = new SessionUpdates({
      mainAgentId,
      folder,
      now: this.context.now,
      newKey: this.context.newKey,
      ownOnly: session.children !== null,
    })
    // Read before the history: a message that the agent takes in meanwhile is in at least one of the two.
    const snapshot = await this.context.runtime.snapshot(session.options.id)
    if (!snapshot.ok) return snapshot
    const shown = new Set<string>()
    for await (const batch of this.context.store.events(mainAgentId)) {
      if (!batch.ok) return batch
      for (const event of batch.value) {
        if (event.type === 'user-message') shown.add(event.messageId)
        session.show(updates.replay(event))
      }
    }
    // What the agent has not read. After a restart it reads it with the next prompt.
    for (const message of snapshot.value.record.queued)
      if (message.agentId === mainAgentId && message.from === 'user' && !shown.has(message.messageId))
        session.show(updates.ofUser(message))
    // What ran when the program ended.
    if (!session.isAtWork()) session.show(updates.endAll('failed'))
    return session.children === null ? ok(undefined) : this.replayChildren(session)
  }

  /** The sessions of the subagents, in the order in which they began: a parent before its children. */
  private async replayChildren(session: EditorSession): Promise<Result<void>> {
    const { id, mainAgentId } = session.options
    const snapshot = await this.context.runtime.snapshot(id)
    if (!snapshot.ok) return snapshot
    const children = session.newChildren()
    const agents = snapshot.value.agents.filter((agent) => agent.id !== mainAgentId)
    for (const agent of agents.sort((a, b) => a.spawnedAt - b.spawnedAt || a.depth - b.depth))
      for await (const batch of this.context.store.events(agent.id)) {
        if (!batch.ok) return batch
        for (const event of batch.value) children.replay(event)
      }
    if (!session.isAtWork()) children.endAll('failed')
    return ok(undefined)
  }

  private async startOf(session: EditorSession): Promise<SessionStart> {
    const main = await session.mainAgent()
    const mode = main?.permissionMode ?? this.context.permissionMode
    return {
      modes: modesOf(mode, this.context.bypassAllowed(session.options.folder)),
      configOptions: await session.choices(),
    }
  }
}

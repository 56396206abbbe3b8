/**
 * The part before the history in each request of an agent: its system prompt and its tools. Both are frozen at the
 * spawn, since they start the cached prefix; the agent learns of later changes in a user message.
 */
import type {
  AgentEventDraft,
  EventOf,
  LoadedInstructions,
  ToolSchema,
} from '../../../shared/events/agent-event.ts'
import { newInstructions } from '../definitions/new-instructions.ts'
import {
  changedPermissionsText,
  type PermissionFacts,
  permissionsText,
} from '../definitions/permissions-text.ts'
import type { MemorySource } from '../ports/definitions.ts'
import type { ToolServer } from '../ports/ports.ts'
import type { AnyTool, ToolSession } from '../ports/tool.ts'
import type { AvailableTools } from '../tools/tool-registry.ts'
import { deferredTools, TOOL_SEARCH } from '../tools/tool-search.ts'
import type { AgentTranscript } from './agent-transcript.ts'
import { type OutdatedFilesDeps, outdatedFiles } from './outdated-files.ts'
import { RequestTools } from './request-tools.ts'
import { serverChanges, whyNoServer } from './server-notices.ts'
import { type CurrentTools, toolChanges } from './tool-changes.ts'

/** Tools that an agent may not use, with the reasons. */
export interface BlockedTools {
  readonly blocked: readonly {
    readonly tool: string
    readonly because: string
    /** `not-now`: the tool is not in the requests, but a call of it is carried out anyway. */
    readonly step?: string
  }[]
}

interface PromptHome extends Omit<OutdatedFilesDeps, 'callsSince'> {
  readonly memory: MemorySource
  readonly tools: AvailableTools
  readonly isMain: boolean
  isTrusted(folder: string): boolean
  /** The permissions of this agent now. */
  permissions(trusted: boolean): PermissionFacts
  /**
   * The tools of this agent now, to compare with the announced ones. `catalog`: with the agents and skills on disk.
   */
  currentTools(options: { readonly catalog: boolean }): Promise<CurrentTools>
  /** The MCP servers that the agent may use. */
  servers(): readonly ToolServer[]
  /** What the agent needs to know again after a summary; null: nothing. */
  standingFacts(): string | null
  /** ms since the epoch. */
  now(): number
}

/** ms. Users edit definitions and instructions while agents work: the files are read at most this often. */
const SHORTEST_RECHECK = 1000

const RESTATED = 'Told again after the summary: what else still holds.'

interface AgentPromptOptions extends BlockedTools {
  readonly spawned: Pick<EventOf<'agent-spawned'>, 'system' | 'tools' | 'instructions' | 'at'>
  readonly transcript: AgentTranscript
  readonly session: ToolSession
  readonly home: PromptHome
}

export class AgentPrompt {
  system: string
  private frozenTools: readonly ToolSchema[]
  private frozenInstructions: readonly LoadedInstructions[]
  private blocked: BlockedTools['blocked']
  private requestTools: RequestTools | null = null
  private readonly transcript: AgentTranscript
  private readonly session: ToolSession
  private readonly home: PromptHome
  /** Deferred tools that a search of this agent found. */
  private readonly foundTools = new Set<string>()
  /** Real paths touched since the last announcement of instructions. */
  private readonly touchedPaths = new Set<string>()
  /** Whether the facts that a summary may omit were told since the summary. */
  private isRestated = false
  /** When the catalog and the instructions were last read, ms since the epoch. */
  private checkedAt: number

  constructor({ spawned, transcript, session, home, blocked }: AgentPromptOptions) {
    this.system = spawned.system
    this.frozenTools = spawned.tools
    this.frozenInstructions = spawned.instructions
    this.blocked = blocked
    this.transcript = transcript
    this.session = session
    this.home = home
    this.checkedAt = spawned.at
  }

  /** The same array until a tool changes: the model adapter caches its wire form by identity. */
  get toolSchemas(): readonly ToolSchema[] {
    const { compacted, added, refused } = this.transcript.history.told
    const known = this.requestTools
    if (known?.of(this.frozenTools, compacted, added, refused)) return known.schemas
    this.requestTools = new RequestTools(this.frozenTools, compacted, {
      added,
      refused,
    })
    return this.requestTools.schemas
  }

  /** The tools of the requests that are available now and that the agent may use. */
  get tools(): readonly AnyTool[] {
    const names = new Set(this.toolSchemas.map(({ name }) => name))
    for (const { tool, step } of this.blocked) if (step === 'not-now') names.add(tool)
    for (const { tool } of this.transcript.state().definition.refused) names.delete(tool)
    return this.home.tools.all().filter(({ name }) => names.has(name))
  }

  /** The files whose text the system prompt contains. */
  get instructions(): readonly LoadedInstructions[] {
    return this.frozenInstructions
  }

  get blockedTools(): BlockedTools['blocked'] {
    const { tools } = this.home
    const all = tools.all()
    const available = new Set(all.map(({ name }) => name))
    const told = new Set(this.toolSchemas.map(({ name }) => name))
    const unfound = told.has(TOOL_SEARCH)
      ? all.flatMap((tool) =>
          tool.deferred === true && !told.has(tool.name)
            ? [
                {
                  tool: tool.name,
                  because: `find it first, with ${TOOL_SEARCH} and the query "${tool.name}"`,
                },
              ]
            : [],
        )
      : []
    const missing = this.toolSchemas.flatMap(({ name, source }) =>
      source === undefined || available.has(name)
        ? []
        : [{ tool: name, because: this.whyNoTool(name) ?? tools.whyMissing(source) }],
    )
    const refused = [...this.transcript.history.told.refused].map((tool) => ({
      tool,
      because: 'the API refuses its schema',
    }))
    return [...refused, ...missing, ...this.blocked, ...unfound]
  }

  /** Why a tool of an MCP server is missing; null: no server explains it. */
  whyNoTool(name: string): string | null {
    return whyNoServer(name, this.home.servers())
  }

  /** Freezes prompt and tools anew. */
  renew(draft: Extract<AgentEventDraft, { type: 'definition-renewed' }>, { blocked }: BlockedTools): void {
    this.transcript.emit(draft)
    this.system = draft.system
    this.frozenTools = draft.tools
    this.frozenInstructions = draft.instructions
    this.blocked = blocked
    this.session.readFolders.clear()
    for (const folder of draft.definition.readFolders) this.session.readFolders.add(folder)
  }

  /** Notes that a call touched this real path: instructions for its folder are announced. */
  touched(path: string): void {
    this.touchedPaths.add(path)
  }

  /** Announces these deferred tools with the next turn. @returns those that the agent may use */
  async loadTools(names: readonly string[]): Promise<readonly string[]> {
    const { added } = await this.home.currentTools({ catalog: false })
    const usable = names.filter((name) => added.some((tool) => tool.name === name))
    for (const name of usable) this.foundTools.add(name)
    return usable
  }

  /**
   * Emits the changes of tools, instructions and permissions since the last announcement. Files are read again with
   * a new message, and otherwise once a second: an agent's turns can follow each other within milliseconds.
   */
  async announceChanges({
    hasMessage,
    afterSummary = false,
  }: {
    readonly hasMessage: boolean
    readonly afterSummary?: boolean
  }): Promise<void> {
    const { history } = this.transcript
    // A paused turn must resume unchanged.
    if (!history.awaitsAnswer && !afterSummary) return
    const restates = history.summaryIsNew && !this.isRestated
    this.isRestated = history.summaryIsNew
    if (restates) for (const path of history.told.forgotten) this.touchedPaths.add(path)
    const age = this.home.now() - this.checkedAt
    const isDue = hasMessage || restates || age >= SHORTEST_RECHECK || age < 0
    if (isDue) this.checkedAt = this.home.now()
    const { entries: announcedEntries, removed: removedTools } = history.told
    const schemas = this.toolSchemas
    const frozen = schemas.flatMap(({ name, entries }) => (entries === undefined ? [] : [[name, entries]]))
    const { callsSince } = history
    const trusted = this.home.isTrusted(this.session.project)
    const [current, instructions, outdated] = await Promise.all([
      this.home.currentTools({ catalog: isDue }),
      this.newInstructions(isDue, trusted),
      outdatedFiles(this.session, { ...this.home, callsSince }),
    ])
    const changed = toolChanges(
      {
        schemas,
        removed: removedTools,
        entries: { ...Object.fromEntries(frozen), ...announcedEntries },
        answered: history.lastAnswerSeq !== null,
      },
      { ...current, added: this.withoutUnfound(current.added) },
    )
    if (changed) this.transcript.emit(changed)
    const servers = serverChanges(history.told.servers, this.home.servers(), (prefix) =>
      this.home.tools.all().some(({ name }) => name.startsWith(prefix)),
    )
    if (servers) this.transcript.emit(servers)
    for (const loaded of instructions) this.transcript.emit(loaded)
    if (outdated) this.transcript.emit(outdated)
    this.tellPermissions(trusted)
    const facts = restates ? this.home.standingFacts() : null
    if (facts !== null) this.transcript.tell(facts, { note: RESTATED })
  }

  /** Deferred tools come after a search found them, and stay. */
  private withoutUnfound(added: readonly ToolSchema[]): readonly ToolSchema[] {
    const deferred = deferredTools(this.home.tools.all(), added)
    const known = new Set([...this.toolSchemas.map(({ name }) => name), ...this.foundTools])
    const { refused } = this.transcript.history.told
    const found = new Set([
      ...this.foundTools,
      ...this.toolSchemas.flatMap((tool) => (tool.found ? [tool.name] : [])),
    ])
    return added
      .filter(({ name }) => !refused.has(name) && (!deferred.has(name) || known.has(name)))
      .map((tool) => (found.has(tool.name) ? { ...tool, found: true } : tool))
  }

  private tellPermissions(trusted: boolean): void {
    const facts = this.home.permissions(trusted)
    const text = changedPermissionsText(facts)
    const told = this.transcript.history.told.permissions
    // A summary may repeat an earlier notice.
    const mayMislead = this.transcript.history.told.everPermissions
    const isCurrent =
      told === null ? !mayMislead && this.system.includes(permissionsText(facts)) : told === text
    if (!isCurrent) this.transcript.emit({ type: 'permissions-told', text })
  }

  private newInstructions(isDue: boolean, trusted: boolean) {
    const touched = [...this.touchedPaths]
    this.touchedPaths.clear()
    const frozen = this.frozenInstructions.map((file) => [file.path, file] as const)
    return newInstructions(
      {
        definition: this.transcript.state().definition,
        folder: this.session.root,
        project: this.session.project,
        hearsOfChanges: this.home.isMain && isDue,
        touched,
        known: new Map([...frozen, ...this.transcript.history.told.instructions]),
      },
      { memory: this.home.memory, trusted },
    )
  }
}

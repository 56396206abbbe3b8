/** The MCP servers of one folder: which are configured, which are approved, and one connection for each. */

import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { McpAddition, McpState } from '../../../shared/mcp/mcp.ts'
import { type Approvable, type Approvals, definitionDigest } from '../../platform/approvals/approvals.ts'
import { approvalOfOwn, withScripts } from '../../platform/approvals/named-scripts.ts'
import type { Clock, ServerTools, ToolServer } from '../../runtime/ports/ports.ts'
import type { AnyTool } from '../../runtime/ports/tool.ts'
import { McpConnection } from './connection.ts'
import { removeServerEntry, writeEntry } from './edit-servers.ts'
import { namesInTools, toolsOf } from './mcp-tools.ts'
import { OAuthSession } from './oauth-session.ts'
import { type ReadServers, readServers, type ServerSources } from './read-servers.ts'
import { type McpEntry, readConfig } from './server-entry.ts'
import { heardOf, type KnownServer, serverStateOf } from './server-state.ts'
import type { TokenFile } from './token-file.ts'

export interface FolderServersOptions {
  readonly folder: string
  readonly sources: ServerSources
  readonly approvals: Approvals
  readonly trusted: () => boolean
  /** For `${VAR}`: the user's environment without the program's keys. */
  readonly variables: Readonly<Record<string, string | undefined>>
  /** For the servers' processes. */
  readonly environment: Readonly<Record<string, string>>
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  /** A text that nobody can guess. */
  readonly newKey: () => string
  readonly version: string
  readonly tokens: TokenFile
  /** Whether the user lets this server ask a model. */
  readonly mayAskModel: (server: string) => boolean
  /** Opens an address in the user's browser, for a sign-in. */
  readonly openBrowser: (url: URL) => void | Promise<void>
  /** Replaces the tools of one server; an empty list removes them. */
  readonly setTools: (server: string, tools: readonly AnyTool[]) => void
  readonly onChange: () => void
}

const UNTRUSTED = 'Trust the folder first: nothing of it is started before'

/** Sources whose servers a repository brings: each needs the user's approval. */
const NEEDS_APPROVAL: ReadonlySet<McpEntry['source']> = new Set(['project', 'local', 'agent'])

export class FolderServers {
  private readonly options: FolderServersOptions
  private readonly known = new Map<string, KnownServer>()
  /** Servers that definitions describe, with the number of agents that use each. */
  private readonly described = new Map<string, { readonly entry: McpEntry; users: number }>()
  private problems: ReadServers['problems'] = []
  private reading: Promise<void> | null = null

  constructor(options: FolderServersOptions) {
    this.options = options
  }

  /** Reads the configuration again. A server whose entry changed is ended. */
  refresh(): Promise<void> {
    this.reading ??= this.read().finally(() => {
      this.reading = null
    })
    return this.reading
  }

  /** Starts every approved server. Resolves when each has connected or failed. */
  async startAll(): Promise<void> {
    await this.refresh()
    await Promise.all(
      [...this.known.values()].map(({ entry, connection }) =>
        entry.source === 'agent' ? null : connection?.start(),
      ),
    )
  }

  /**
   * Takes in the servers that a definition describes itself. A configured server with the same name wins, and so does one
   * of another description while an agent uses it.
   * @returns the servers, and as sentences for the user what differs from the definition
   */
  async describe({ name: agent, file, mcpServers }: Parameters<ServerTools['need']>[1]): Promise<{
    readonly entries: readonly McpEntry[]
    readonly problems: readonly string[]
  }> {
    const servers = (mcpServers ?? []).flatMap((server) =>
      typeof server === 'string' ? [] : Object.entries(server),
    )
    const entries: McpEntry[] = []
    const problems: string[] = []
    for (const [name, definition] of servers) {
      const entry = { name, source: 'agent' as const, file, line: null, definition: asDefinition(definition) }
      const known = this.known.get(name)?.entry
      if (known !== undefined && known.source !== 'agent') continue
      const before = this.described.get(name)
      const users = (before?.users ?? 0) + 1
      const differs =
        before && definitionDigest(before.entry.definition) !== definitionDigest(entry.definition)
      const used = before && before.users > 0 && differs ? before.entry : entry
      if (used !== entry)
        problems.push(
          `The agent ${agent} describes the MCP server ${name} otherwise than an agent that runs. It has the tools of the one that runs. Its own description counts once that agent has ended, or if you give the server another name.`,
        )
      this.described.set(name, { entry: used, users })
      await this.take(used)
      entries.push(used)
    }
    if (servers.length > 0) this.options.onChange()
    return { entries, problems }
  }

  /** Why these servers can't be used, as sentences for the user. */
  problemsOf(entries: readonly McpEntry[]): readonly string[] {
    return entries.flatMap(({ name }) => {
      const known = this.known.get(name)
      const status = known && serverStateOf(known).status
      if (status?.kind === 'waits')
        return [
          `The MCP server ${name} of this definition waits for your approval in Settings › MCP servers. The agent starts without its tools.`,
        ]
      if (status?.kind === 'failed')
        return [`The MCP server ${name} of this definition failed: ${status.message}`]
      return []
    })
  }

  /** An agent that may use these servers has ended. */
  async released(servers: readonly string[]): Promise<void> {
    for (const name of servers) {
      const described = this.described.get(name)
      if (described === undefined) continue
      described.users = Math.max(0, described.users - 1)
      if (described.users === 0) await this.known.get(name)?.connection?.becomeIdle()
    }
  }

  state(): McpState {
    return {
      folder: this.options.folder,
      servers: [...this.known.values()].map(serverStateOf),
      problems: this.problems,
    }
  }

  /** The servers as agents hear of them: those that start, run or failed. */
  forAgents(): readonly ToolServer[] {
    const names = namesInTools([...this.known.keys()])
    return [...this.known.values()].flatMap((known) => heardOf(known, names))
  }

  connection(name: string): McpConnection | null {
    return this.known.get(name)?.connection ?? null
  }

  connections(): readonly (readonly [string, McpConnection])[] {
    return [...this.known].flatMap(([name, { connection }]) =>
      connection === null ? [] : [[name, connection]],
    )
  }

  /** Approves or turns off the server's present definition. */
  async decide(name: string, decision: 'approved' | 'refused'): Promise<Result<void>> {
    await this.refresh()
    const known = this.known.get(name)
    if (known === undefined) return fail(noSuchServer(name))
    if (!this.options.trusted()) return fail({ type: 'untrusted', message: `${UNTRUSTED}.` })
    const decided = await this.options.approvals.decide(
      this.options.folder,
      approvable(known.entry, this.options.folder),
      decision,
    )
    if (!decided.ok) return decided
    await this.refresh()
    await this.known.get(name)?.connection?.start()
    return ok(undefined)
  }

  /** Writes a server, approves it as given and starts it. */
  async add(addition: McpAddition): Promise<Result<void>> {
    const { folder, sources, approvals } = this.options
    const { name, definition, place, replace } = addition
    if (!this.options.trusted() && place !== 'user')
      return fail({ type: 'untrusted', message: 'Trust the folder first: its servers are not read before.' })
    await this.refresh()
    const same = this.known.get(name)?.entry
    if (same !== undefined && !replace) return fail(nameTaken(same))
    const written = await writeEntry({ folder, home: sources.home }, addition)
    if (!written.ok) return written
    const source = place === 'user' ? 'user' : 'project'
    const approved = await approvals.decide(
      folder,
      approvable({ name, definition, source }, folder),
      'approved',
    )
    await this.refresh()
    // The answer does not wait for a server that starts slowly or never.
    void this.known.get(name)?.connection?.start()
    return approved
  }

  async remove(name: string): Promise<Result<McpAddition>> {
    await this.refresh()
    const entry = this.known.get(name)?.entry
    if (entry === undefined) return fail(noSuchServer(name))
    const removed = await removeServerEntry(
      { folder: this.options.folder, home: this.options.sources.home },
      entry,
    )
    await this.refresh()
    return removed
  }

  async reconnect(name: string): Promise<Result<void>> {
    await this.refresh()
    const connection = this.known.get(name)?.connection
    if (!connection) return fail(this.known.has(name) ? notApproved(name) : noSuchServer(name))
    await connection.restart()
    return ok(undefined)
  }

  /** Ends every connection. It starts again at the next need. */
  async becomeIdle(): Promise<void> {
    await Promise.all(this.connections().map(([, connection]) => connection.becomeIdle()))
  }

  async close(): Promise<void> {
    const all = [...this.known.keys()]
    await Promise.all(all.map((name) => this.drop(name)))
  }

  private async read(): Promise<void> {
    const { folder, sources, trusted } = this.options
    const { entries, problems } = await readServers(folder, { trusted: trusted() }, sources)
    this.problems = problems
    const configured = new Set(entries.map(({ name }) => name))
    const own = [...this.described.values()].flatMap(({ entry }) =>
      configured.has(entry.name) ? [] : [entry],
    )
    const all = [...entries, ...own]
    const names = new Set(all.map(({ name }) => name))
    for (const name of [...this.known.keys()]) if (!names.has(name)) await this.drop(name)
    for (const entry of all) await this.take(entry)
    this.options.onChange()
  }

  private async take(entry: McpEntry): Promise<void> {
    const { folder, approvals, variables } = this.options
    const thing = approvable(entry, folder)
    const digest = definitionDigest(thing.definition)
    const before = this.known.get(entry.name)
    const approval =
      entry.source === 'user'
        ? await approvalOfOwn(approvals, folder, thing)
        : await approvals.of(folder, thing)
    // An agent that was started earlier may bring its server into a folder that has lost its trust.
    const isTrusted = !NEEDS_APPROVAL.has(entry.source) || this.options.trusted()
    const isApproved =
      approval.state === 'approved' ||
      (approval.state === 'new' && (!NEEDS_APPROVAL.has(entry.source) || entry.decided === 'on'))
    const isOff = approval.state === 'refused' || entry.decided === 'off'
    const isAllowed = isTrusted && isApproved && !isOff
    if (before !== undefined && (before.digest !== digest || !isAllowed)) await this.drop(entry.name)
    const kept = this.known.get(entry.name)
    if (kept?.connection) return
    const known: KnownServer = { entry, digest, status: null, connection: null, unusable: new Map() }
    const names = namesInTools([...this.known.keys()])
    this.known.set(entry.name, known)
    this.renameTools(names)
    if (isOff) known.status = { kind: 'off' }
    else if (!isTrusted) known.status = { kind: 'failed', message: `${UNTRUSTED}.`, retryAt: null }
    else if (!isAllowed)
      known.status = { kind: 'waits', former: approval.state === 'changed' ? approval.former : null }
    else {
      const config = readConfig(entry, variables)
      if (config.ok) known.connection = this.connect(entry.name, config.value)
      else known.status = { kind: 'failed', message: capitalized(config.failure.message), retryAt: null }
    }
  }

  private connect(
    name: string,
    config: ConstructorParameters<typeof McpConnection>[0]['config'],
  ): McpConnection {
    const { folder, environment, clock, newKey, version, tokens, openBrowser, onChange, mayAskModel } =
      this.options
    const connection: McpConnection = new McpConnection({
      name,
      config,
      folder,
      environment,
      clock,
      version,
      mayAskModel: () => mayAskModel(name),
      signIn:
        config.kind === 'stdio'
          ? null
          : new OAuthSession({
              url: config.url,
              ...{ tokens, openBrowser, newKey },
              client: config.client,
              metadataUrl: null,
              privateHosts: config.privateHosts,
            }),
      onChange: (change) => {
        if (this.known.get(name)?.connection !== connection) return
        if (change === 'tools') {
          this.offerTools(name, connection)
        }
        onChange()
      },
    })
    return connection
  }

  private offerTools(name: string, connection: McpConnection): void {
    const toolServer = namesInTools([...this.known.keys()]).get(name)
    const { tools, problems, unusable } = toolsOf({ name, toolServer }, connection, connection.state().tools)
    const known = this.known.get(name)
    if (known) known.unusable = unusable
    const isOwn = known?.entry.source === 'agent'
    this.options.setTools(name, isOwn ? tools.map((tool) => ({ ...tool, onlyWhereNamed: true })) : tools)
    for (const problem of problems) connection.log('error', problem)
  }

  /** A new server may need the name that another one has in its tools. */
  private renameTools(before: ReadonlyMap<string, string>): void {
    for (const [name, toolServer] of namesInTools([...this.known.keys()])) {
      const connection = this.known.get(name)?.connection
      if (connection && before.get(name) !== toolServer) this.offerTools(name, connection)
    }
  }

  private async drop(name: string): Promise<void> {
    const known = this.known.get(name)
    this.known.delete(name)
    if (!known?.connection) return
    this.options.setTools(name, [])
    await known.connection.close()
  }
}

/** A description that is not an object has neither a command nor an address, and fails with that reason. */
const asDefinition = (value: unknown): McpEntry['definition'] =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}

/** What the user approves: also the files of the folder that a server is started from. */
const approvable = (
  { name, definition, source }: Pick<McpEntry, 'name' | 'definition' | 'source'>,
  folder: string,
): Approvable => ({
  kind: 'mcp-server',
  name,
  definition: NEEDS_APPROVAL.has(source) || source === 'user' ? withScripts(folder, definition) : definition,
})

const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

export const noSuchServer = (name: string) => ({
  type: 'not-found',
  message: `There is no MCP server "${name}" in this folder’s configuration.`,
})

const nameTaken = ({ name, file }: McpEntry) => ({
  type: 'name-taken',
  message: `There is already an MCP server "${name}"${file === null ? '' : ` in ${file}`}. Choose another name, or edit that one.`,
})

const notApproved = (name: string) => ({
  type: 'not-approved',
  message: `The MCP server "${name}" does not run: it is off, or waits for your approval.`,
})

/** The MCP servers of all folders: their tools for the runtime, and what the window and the command line see. */

import { fail, messageOf, ok } from '../../../shared/kernel/result.ts'
import type { McpServers } from '../../../shared/mcp/contract.ts'
import type { McpState } from '../../../shared/mcp/mcp.ts'
import type { ServerTools } from '../../runtime/ports/ports.ts'
import type { AnyTool } from '../../runtime/ports/tool.ts'
import { FolderServers, type FolderServersOptions, noSuchServer } from './folder-servers.ts'
import { createResourceTools } from './resource-tools.ts'

/** ms for which the first request of a conversation waits for servers that start. */
const LONGEST_WAIT = 8000
/** ms after which the configuration of a folder in use is read again. */
const RECHECK = 10_000
/** ms after the last conversation of a folder has closed. */
const IDLE_MS = 10_000
/** ms between two notices of a change to a watcher. */
const QUIET = 50

export interface McpServersOptions
  extends Omit<FolderServersOptions, 'folder' | 'trusted' | 'setTools' | 'onChange'> {
  readonly trusted: (folder: string) => boolean
  readonly onProblem: (thrown: unknown) => void
  /** Adds tools for the conversations of a folder. @returns the function that removes them */
  readonly addTools: (source: string, tools: readonly AnyTool[], folder: string) => () => void
}

export interface McpSide {
  readonly servers: McpServers
  readonly serverTools: ServerTools
  /** Ends all servers. */
  close(): Promise<void>
}

export function createMcpServers(options: McpServersOptions): McpSide {
  const { trusted, addTools, clock } = options
  const folders = new Map<string, FolderServers>()
  const watchers = new Map<string, Set<(state: McpState) => void>>()
  const removals = new Map<string, () => void>()
  const pending = new Set<string>()

  const setTools = (source: string, tools: readonly AnyTool[], folder: string) => {
    const key = `${folder}\0${source}`
    removals.get(key)?.()
    removals.delete(key)
    if (tools.length > 0) removals.set(key, addTools(source, tools, folder))
  }

  const changed = (folder: string) => {
    if (pending.has(folder) || !watchers.get(folder)?.size) return
    pending.add(folder)
    const timer = setTimeout(() => {
      pending.delete(folder)
      const state = folders.get(folder)?.state()
      if (state) for (const watcher of watchers.get(folder) ?? []) watcher(state)
    }, QUIET)
    timer.unref()
  }

  const of = (folder: string): FolderServers => {
    const known = folders.get(folder)
    if (known) return known
    const made: FolderServers = new FolderServers({
      ...options,
      folder,
      trusted: () => trusted(folder),
      setTools: (server, tools) => {
        setTools(`mcp:${server}`, tools, folder)
        const hasResources = made.connections().some(([, one]) => one.state().resources.length > 0)
        setTools(
          'mcp',
          hasResources
            ? createResourceTools(
                (name) => made.connection(name),
                () => made.state(),
              )
            : [],
          folder,
        )
      },
      onChange: () => changed(folder),
    })
    folders.set(folder, made)
    return made
  }

  const read = async (folder: string): Promise<FolderServers> => {
    const found = of(folder)
    await found.refresh()
    return found
  }

  /** When the servers of a folder were last started, or looked at again. */
  const started = new Map<string, number>()
  /** The open conversations of each folder. */
  const users = new Map<string, Set<string>>()
  /** Aborted when a folder is in use again. */
  const idling = new Map<string, AbortController>()

  /** Ends the servers of a folder that nobody uses. */
  const endWhenIdle = async (folder: string) => {
    const used = new AbortController()
    idling.get(folder)?.abort()
    idling.set(folder, used)
    await clock.sleep(IDLE_MS, used.signal)
    if (used.signal.aborted) return
    started.delete(folder)
    await folders.get(folder)?.becomeIdle()
  }

  const startedInTime = async (starting: Promise<unknown>) => {
    const over = new AbortController()
    await Promise.race([starting, clock.sleep(LONGEST_WAIT, over.signal)])
    over.abort()
  }

  const serverTools: ServerTools = {
    servers: (folder) => folders.get(folder)?.forAgents() ?? [],
    async need(folder, definition) {
      const found = await read(folder)
      const { entries, problems } = await found.describe(definition)
      await startedInTime(Promise.all(entries.map(({ name }) => found.connection(name)?.start())))
      return [...problems, ...found.problemsOf(entries)]
    },
    released(folder, servers) {
      void folders.get(folder)?.released(servers).catch(options.onProblem)
    },
    closed(conversationId) {
      for (const [folder, all] of users)
        if (all.delete(conversationId) && all.size === 0) void endWhenIdle(folder).catch(options.onProblem)
    },
    async ready(folder, conversationId) {
      if (conversationId !== null) {
        users.set(folder, (users.get(folder) ?? new Set()).add(conversationId))
        idling.get(folder)?.abort()
      }
      const before = started.get(folder)
      if (before !== undefined && clock.now() - before < RECHECK) return
      started.set(folder, clock.now())
      const starting = of(folder).startAll().catch(options.onProblem)
      if (before === undefined) await startedInTime(starting)
    },
  }

  const servers: McpServers = {
    state: async (folder) => (await read(folder)).state(),
    watch(folder, listener) {
      const all = watchers.get(folder) ?? new Set()
      watchers.set(folder, all)
      all.add(listener)
      return () => all.delete(listener)
    },
    approve: ({ folder, name }) => of(folder).decide(name, 'approved'),
    refuse: ({ folder, name }) => of(folder).decide(name, 'refused'),
    add: ({ folder, ...addition }) => of(folder).add(addition),
    remove: ({ folder, name }) => of(folder).remove(name),
    reconnect: ({ folder, name }) => of(folder).reconnect(name),
    async test({ folder, name }) {
      const found = await read(folder)
      await found.connection(name)?.start()
      const state = found.state().servers.find((server) => server.name === name)
      return state ? ok(state) : fail(noSuchServer(name))
    },
    async prompts(folder) {
      return of(folder)
        .connections()
        .flatMap(([server, connection]) => connection.promptList().map((prompt) => ({ server, ...prompt })))
    },
    async prompt(folder, { server, name, arguments: given }) {
      const connection = (await read(folder)).connection(server)
      if (connection === null) return fail(noSuchServer(server))
      try {
        return ok(await connection.prompt(name, given))
      } catch (thrown) {
        return fail({ type: 'failed', message: messageOf(thrown), cause: thrown })
      }
    },
    async resources(folder) {
      return of(folder)
        .connections()
        .flatMap(([server, connection]) => connection.state().resources.map((one) => ({ server, ...one })))
    },
  }

  return {
    servers,
    serverTools,
    async close() {
      for (const waiting of idling.values()) waiting.abort()
      await Promise.all([...folders.values()].map((one) => one.close()))
    },
  }
}

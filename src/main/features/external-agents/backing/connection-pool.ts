/**
 * The processes of external agents. Sessions of one program in one folder share a process, unless the program
 * can have only one session. A process ends a while after its last session.
 */
import type { Result } from '../../../../shared/kernel/result.ts'
import { quotedWord } from '../../../platform/shell/quoted-word.ts'
import type { Clock } from '../../../runtime/ports/ports.ts'
import type { ServerCommand } from '../../mcp/guarded-process.ts'
import { type AgentConnection, type ConnectionFailure, connect } from './agent-connection.ts'
import { type AgentProcess, startAgentProcess } from './agent-process.ts'

interface PoolDeps {
  readonly clock: Clock
  /** ms for each answer of the handshake. */
  readonly startLimit: number
  /** ms that a process without sessions is kept. */
  readonly keepProcess: number
}

/** The hold of one session on a process. */
export interface ProcessHold {
  readonly process: AgentProcess
  readonly connection: Promise<Result<AgentConnection, ConnectionFailure>>
  /** Whether other sessions use the process. */
  readonly isShared: boolean
  /** The session is over. */
  release(): void
}

interface Entry {
  readonly key: string
  readonly process: AgentProcess
  connection: Promise<Result<AgentConnection, ConnectionFailure>>
  /** Null while the handshake runs, or after it failed. */
  connected: AgentConnection | null
  users: number
  /** Ends the wait for the next session. */
  idle: AbortController | null
}

export class ConnectionPool {
  private readonly deps: PoolDeps
  private readonly entries = new Set<Entry>()
  /** The programs that can have only one session. */
  private readonly single = new Set<string>()
  private readonly closing = new AbortController()

  constructor(deps: PoolDeps) {
    this.deps = deps
  }

  acquire(command: ServerCommand): ProcessHold {
    const key = keyOf(command)
    const usable = this.single.has(key)
      ? undefined
      : [...this.entries].find((entry) => entry.key === key && isUsable(entry))
    const entry = usable ?? this.start(key, command)
    entry.users++
    entry.idle?.abort()
    entry.idle = null
    let isReleased = false
    return {
      process: entry.process,
      connection: entry.connection,
      get isShared() {
        return entry.users > 1
      },
      release: () => {
        if (isReleased) return
        isReleased = true
        entry.users--
        if (entry.users === 0) this.keepIdle(entry)
      },
    }
  }

  /** From here on each session of this program gets a process of its own. */
  onlyOneSession(command: ServerCommand): void {
    this.single.add(keyOf(command))
  }

  /** Ends all processes. */
  async close(): Promise<void> {
    this.closing.abort()
    await Promise.all([...this.entries].map(({ process }) => process.end()))
  }

  private start(key: string, command: ServerCommand): Entry {
    const { clock, startLimit } = this.deps
    const process = startAgentProcess(command)
    const over = new AbortController()
    const line = [command.command, ...command.args].map(quotedWord).join(' ')
    const entry: Entry = {
      key,
      process,
      connected: null,
      users: 0,
      idle: null,
      connection: connect(process, line, { clock, limit: startLimit, signal: over.signal }),
    }
    entry.connection = entry.connection.then((connected) => {
      if (connected.ok) entry.connected = connected.value
      else this.entries.delete(entry)
      return connected
    })
    this.entries.add(entry)
    void process.ended.then(() => {
      over.abort()
      this.entries.delete(entry)
    })
    return entry
  }

  private keepIdle(entry: Entry): void {
    const { clock, keepProcess } = this.deps
    const canServe = entry.connected !== null && !entry.connected.isStale && !this.single.has(entry.key)
    if (!canServe || keepProcess === 0 || this.closing.signal.aborted) {
      this.entries.delete(entry)
      void entry.process.end()
      return
    }
    const idle = new AbortController()
    entry.idle = idle
    void clock.sleep(keepProcess, AbortSignal.any([idle.signal, this.closing.signal])).then(() => {
      if (idle.signal.aborted || entry.users > 0) return
      this.entries.delete(entry)
      void entry.process.end()
    })
  }
}

const isUsable = ({ connected, process }: Entry): boolean =>
  connected?.isStale !== true && process.problem() === null

const keyOf = ({ command, args, cwd, environment }: ServerCommand): string =>
  JSON.stringify([command, args, cwd, Object.entries(environment).sort(([a], [b]) => (a < b ? -1 : 1))])

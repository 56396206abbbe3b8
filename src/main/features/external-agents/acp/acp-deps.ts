/** What the agents of external agents need. */

import type { FileSystem } from '../../../runtime/ports/files.ts'
import type { Clock } from '../../../runtime/ports/ports.ts'
import type { Shell } from '../../../runtime/ports/shell.ts'
import type { DiskJournal } from '../../changes/change-journal.ts'
import type { ConnectionPool } from './connection-pool.ts'
import type { HandedDeps } from './handed-servers.ts'
import type { HeldSessions } from './held-sessions.ts'

export interface AcpDeps {
  readonly clock: Clock
  readonly files: FileSystem
  /** Records what programs change on the disk. Missing: nothing does. */
  readonly journal?: DiskJournal
  /** The MCP servers that they get. Missing: none. */
  readonly mcp?: HandedDeps
  /** Runs the commands of their terminals. */
  readonly shell: Shell
  /** The whole environment of the user, for the variables that a definition names. */
  readonly variables: Readonly<Record<string, string | undefined>>
  /** The variables that each program gets. */
  readonly environment: Readonly<Record<string, string>>
  /** Whether programs may run in the folder of a conversation. */
  readonly trusted: (folder: string) => boolean
  /** ms for each answer of the handshake. */
  readonly startLimit?: number
  /** ms that processes and sessions are kept after a run; 0: they end with it. */
  readonly keep?: number
}

export interface AcpBackingDeps extends AcpDeps {
  readonly startLimit: number
  readonly pool: ConnectionPool
  readonly held: HeldSessions
}

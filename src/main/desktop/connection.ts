/** The connection between the window and the runtime: composed at the first command, then kept. */
import type { Program } from './services.ts'

interface ConnectionOptions {
  /** Composes the program, or returns the one that exists. */
  readonly compose: () => Promise<Program>
  /** Runs once, before any caller gets the program. */
  readonly onComposed: (program: Program) => Promise<void>
}

export interface Connection {
  /** The composed program. After a failure the next call tries again. */
  program(): Promise<Program>
  /** The program if a call has asked for it already; null: nothing runs yet. */
  existing(): Promise<Program> | null
  /** Null until the program is composed. No agent can run before. */
  readonly runtime: Program['runtime'] | null
}

export function createConnection({ compose, onComposed }: ConnectionOptions): Connection {
  let connected: Promise<Program> | null = null
  let runtime: Program['runtime'] | null = null

  const connect = async (): Promise<Program> => {
    const program = await compose()
    runtime = program.runtime
    await onComposed(program)
    return program
  }

  return {
    program() {
      connected ??= connect().catch((error: unknown) => {
        connected = null
        throw error
      })
      return connected
    },
    existing: () => connected,
    get runtime() {
      return runtime
    },
  }
}

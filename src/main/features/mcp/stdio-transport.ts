/** The stdio wire of MCP over a guarded process: one JSON-RPC message a line. */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { type GuardedProcess, type ServerCommand, startGuarded } from './guarded-process.ts'

/** Bytes of one line. A server that writes a longer one is ended: the message could not be used anyway. */
const LONGEST_LINE = 32 * 1024 * 1024
/** Messages handled in a row before other work gets its turn: a server that floods must not stall the program. */
const MOST_IN_A_ROW = 50

interface StdioTransportOptions extends ServerCommand {
  /** Text that the server wrote to standard error. */
  readonly onStderr: (text: string) => void
  /** A line that is no message. It is skipped. */
  readonly onNoise: (line: string) => void
}

export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: NonNullable<Transport['onmessage']>
  private readonly options: StdioTransportOptions
  private running: GuardedProcess | null = null
  private isClosed = false
  /** How the process ended, for the log. */
  ended: { readonly code: number | null } | null = null

  constructor(options: StdioTransportOptions) {
    this.options = options
  }

  get pid(): number | null {
    return this.running?.child.pid ?? null
  }

  async start(): Promise<void> {
    const running = startGuarded(this.options)
    this.running = running
    const { child } = running
    child.stderr.setEncoding('utf8').on('data', (text: string) => this.options.onStderr(text))
    const reading = this.read(child.stdout)
    child.on('error', (error) => {
      this.onerror?.(error)
      this.finish()
    })
    void running.ended.then((code) => {
      this.ended = { code }
      void reading.finally(() => this.finish())
    })
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', reject)
    })
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { running } = this
    if (running === null || this.isClosed) throw new Error('The server is not running.')
    const { stdin } = running.child
    if (stdin.write(`${JSON.stringify(message)}\n`)) return
    await new Promise<void>((resolve) => {
      const done = () => {
        stdin.off('drain', done)
        stdin.off('close', done)
        resolve()
      }
      stdin.on('drain', done)
      stdin.on('close', done)
    })
  }

  async close(): Promise<void> {
    const { running } = this
    if (running === null || this.isClosed) return this.finish()
    running.child.stdin.end()
    running.end()
    await running.ended
  }

  private finish(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.onclose?.()
  }

  private async read(stdout: AsyncIterable<Buffer>): Promise<void> {
    let rest: Buffer[] = []
    let bytes = 0
    let inARow = 0
    try {
      for await (const chunk of stdout) {
        let from = 0
        for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
          const line = Buffer.concat([...rest, chunk.subarray(from, end)]).toString('utf8')
          rest = []
          bytes = 0
          from = end + 1
          this.take(line)
          if (++inARow % MOST_IN_A_ROW === 0) await new Promise((resolve) => setImmediate(resolve))
        }
        if (from < chunk.length) {
          rest.push(chunk.subarray(from))
          bytes += chunk.length - from
        }
        if (bytes > LONGEST_LINE) throw new Error('The server sent a message of more than 32 MB.')
      }
    } catch (thrown) {
      this.onerror?.(thrown instanceof Error ? thrown : new Error(String(thrown)))
      this.running?.end()
    }
  }

  private take(line: string): void {
    if (line.trim() === '') return
    let message: JSONRPCMessage
    try {
      // The client checks the message's shape.
      message = JSON.parse(line) as JSONRPCMessage
    } catch {
      this.options.onNoise(line)
      return
    }
    this.onmessage?.(message)
  }
}

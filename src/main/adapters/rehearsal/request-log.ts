/** The requests that the scripted API received, for tests and for authors of scenarios. */
import type { IncomingMessage, ServerResponse } from 'node:http'

export interface LoggedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  /** The client's port, which identifies the connection. */
  readonly connection: number | undefined
  /** The parsed body, unchanged. */
  readonly text: string
  /** The body, or null if a check failed. */
  body: unknown
  /** HTTP status. 0 until the response ended, and when there was none. */
  status: number
  /** Whether the response ended: sent completely, or the connection closed. */
  over: boolean
}

export class RequestLog {
  readonly entries: LoggedRequest[] = []
  private readonly most: number

  constructor(most: number) {
    this.most = most
  }

  /** Keeps only the newest requests. */
  add(request: IncomingMessage, text: string, response: ServerResponse): LoggedRequest {
    const entry: LoggedRequest = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      connection: request.socket.remotePort,
      text,
      body: null,
      status: 0,
      over: false,
    }
    response.once('close', () => {
      entry.over = true
      entry.status = response.headersSent ? response.statusCode : 0
    })
    if (this.most === 0) return entry
    this.entries.push(entry)
    if (this.entries.length > this.most) this.entries.shift()
    return entry
  }
}

/** What was asked of the scripted API, for tests and for people who write scenarios. */
import type { IncomingMessage, ServerResponse } from 'node:http'

export interface LoggedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  /** Which connection it came by: the client's port. */
  readonly connection: number | undefined
  /** The body's JSON as it came. */
  readonly text: string
  /** The body, if it passed every check. */
  body: unknown
  /** 0 until it is over, and where there was no answer. */
  status: number
  /** Whether the answer is over: sent whole, or its connection gone. */
  over: boolean
}

export class RequestLog {
  readonly entries: LoggedRequest[] = []
  private readonly most: number

  constructor(most: number) {
    this.most = most
  }

  /** Only the newest are kept. */
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

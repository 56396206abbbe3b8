/** What was asked of the scripted API, for tests and for people who write scenarios. */
import type { IncomingMessage, ServerResponse } from 'node:http'

export interface LoggedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  /** The body's JSON as it came. */
  readonly text: string
  /** The body, if it passed every check. */
  body: unknown
  /** 0 until it is answered. */
  status: number
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
      text,
      body: null,
      status: 0,
    }
    response.once('close', () => {
      entry.status = response.headersSent ? response.statusCode : 0
    })
    if (this.most === 0) return entry
    this.entries.push(entry)
    if (this.entries.length > this.most) this.entries.shift()
    return entry
  }
}

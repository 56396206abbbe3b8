/**
 * Server-sent events out of bytes as they come. It works on each byte once: what is left of a line waits in
 * a list until its end comes, so that one very long line (a large tool input) costs no more than its length.
 */

/** Takes the stream's bytes in order; calls `onData` with the data of each event. */
export class EventLines {
  private readonly decoder = new TextDecoder('utf-8')
  /** The pieces of a line whose end has not come yet. */
  private pending: string[] = []
  private data: string[] = []
  private readonly onData: (data: string) => void

  constructor(onData: (data: string) => void) {
    this.onData = onData
  }

  push(bytes: Uint8Array): void {
    this.take(this.decoder.decode(bytes, { stream: true }))
  }

  /** The end of the bytes. An event without its closing empty line was cut off and is not one. */
  end(): void {
    this.take(this.decoder.decode())
  }

  private take(text: string): void {
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.line(this.whole(text.slice(start, end)))
      start = end + 1
    }
    if (start < text.length) this.pending.push(text.slice(start))
  }

  private whole(lastPiece: string): string {
    if (this.pending.length === 0) return lastPiece
    this.pending.push(lastPiece)
    const line = this.pending.join('')
    this.pending = []
    return line
  }

  private line(raw: string): void {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw
    if (line === '') {
      const [first] = this.data
      if (first !== undefined) this.onData(this.data.length === 1 ? first : this.data.join('\n'))
      this.data = []
    } else if (line.startsWith('data:')) this.data.push(line.slice(line[5] === ' ' ? 6 : 5))
    // The event's name is in its data too, and comments, ids and retry hints say nothing to us.
  }
}

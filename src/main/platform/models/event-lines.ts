/**
 * Parses server-sent events from a byte stream. Each byte is processed once: the pieces of an unfinished line wait in
 * a list, so that a very long line (a large tool input) costs only its length.
 */

/** The characters of the longest event. The output limit of every model is far lower. */
const MAX_EVENT = 16_000_000

/** Takes the stream's bytes in order; calls `onData` with the data of each event. */
export class EventLines {
  private readonly decoder = new TextDecoder('utf-8')
  /** The pieces of an unfinished line. */
  private pending: string[] = []
  private data: string[] = []
  /** Characters in `pending` and `data`. */
  private held = 0
  private readonly onData: (data: string) => void

  constructor(onData: (data: string) => void) {
    this.onData = onData
  }

  /** False: an event has more than 16 million characters. Its stream must not be read on. */
  push(bytes: Uint8Array): boolean {
    this.take(this.decoder.decode(bytes, { stream: true }))
    return this.held <= MAX_EVENT
  }

  /** Ends the stream. An event without its closing empty line was cut off, and is dropped. */
  end(): void {
    this.take(this.decoder.decode())
  }

  private take(text: string): void {
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.line(this.whole(text.slice(start, end)))
      start = end + 1
    }
    if (start >= text.length) return
    this.pending.push(text.slice(start))
    this.held += text.length - start
  }

  private whole(lastPiece: string): string {
    if (this.pending.length === 0) return lastPiece
    this.pending.push(lastPiece)
    const line = this.pending.join('')
    this.pending = []
    this.held -= line.length - lastPiece.length
    return line
  }

  private line(raw: string): void {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw
    if (line === '') {
      const [first] = this.data
      if (first !== undefined) this.onData(this.data.length === 1 ? first : this.data.join('\n'))
      this.data = []
      this.held = 0
    } else if (line.startsWith('data:')) {
      this.data.push(line.slice(line[5] === ' ' ? 6 : 5))
      this.held += line.length
    }
    // The data repeats the event's name; comments, ids and retry hints are not used.
  }
}

/** The output of a command in the background: the part that its agent has not read, in bounded memory. */

/** Characters. Older unread output is dropped. */
const MOST_UNREAD = 256 * 1024

export class CommandOutput {
  private unread = ''
  private dropped = 0

  append(text: string): void {
    this.unread += text
    // Cut rarely: each cut copies the text.
    if (this.unread.length > MOST_UNREAD * 2) this.cut()
  }

  /** The output since the last call. */
  take(): string {
    if (this.unread.length > MOST_UNREAD) this.cut()
    const { unread, dropped } = this
    this.unread = ''
    this.dropped = 0
    return dropped === 0
      ? unread
      : `[… ${dropped} earlier characters omitted; the result at the command's end names the file with all output …]\n${unread}`
  }

  private cut(): void {
    const at = this.unread.length - MOST_UNREAD
    const line = this.unread.indexOf('\n', at) + 1
    const from = line > 0 ? line : at
    this.dropped += from
    this.unread = this.unread.slice(from)
  }
}

/** The end of a terminal's output, up to a number of bytes. The beginning is left out at a whole character. */
export class KeptOutput {
  private readonly limit: number
  private kept: Buffer = Buffer.alloc(0)
  isTruncated = false

  /** @param limit in bytes */
  constructor(limit: number) {
    this.limit = limit
  }

  append(text: string): void {
    this.kept = Buffer.concat([this.kept, Buffer.from(text)])
    if (this.kept.length <= this.limit) return
    this.isTruncated = true
    let from = this.kept.length - this.limit
    while (from < this.kept.length && isContinuation(this.kept[from] ?? 0)) from++
    this.kept = this.kept.subarray(from)
  }

  get text(): string {
    return this.kept.toString('utf8')
  }
}

/** A byte within a character of UTF-8. */
const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80

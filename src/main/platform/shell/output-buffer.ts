/** Keeps the beginning and the end of a command's output in bounded memory. */

const MEGA = 1024 * 1024

/** Characters. */
export interface OutputLimits {
  readonly head: number
  readonly tail: number
}

export const defaultOutputLimits: OutputLimits = { head: 2 * MEGA, tail: 2 * MEGA }

/** Characters. Smaller pieces are joined, so that a program that writes byte by byte creates no long list. */
const PIECE = 16 * 1024

export class OutputBuffer {
  readonly #limits: OutputLimits
  readonly #head: string[] = []
  #headLength = 0
  readonly #tail: string[] = []
  #tailLength = 0
  #length = 0

  constructor(limits: OutputLimits) {
    this.#limits = limits
  }

  append(text: string): void {
    this.#length += text.length
    const room = this.#limits.head - this.#headLength
    const isFull = this.#tailLength > 0 || room <= 0
    const cut = isFull ? 0 : text.length <= room ? text.length : beforeHalf(text, room)
    if (cut > 0) push(this.#head, text.slice(0, cut))
    this.#headLength += cut
    if (cut < text.length) this.#appendToTail(text.slice(cut))
  }

  /** The whole output, or its head and tail with a line between them about the omitted amount. */
  text(): string {
    const head = this.#head.join('')
    const kept = this.#tail.join('')
    if (this.#length === head.length + kept.length && kept.length <= this.#limits.tail) return head + kept
    const tail =
      kept.length <= this.#limits.tail ? kept : kept.slice(afterHalf(kept, kept.length - this.#limits.tail))
    const missing = this.#length - head.length - tail.length
    return `${head}\n\n[… ${(missing / MEGA).toFixed(1)} million characters of output are left out here …]\n\n${tail}`
  }

  #appendToTail(text: string): void {
    push(this.#tail, text)
    this.#tailLength += text.length
    let first = this.#tail[0]
    while (first !== undefined && this.#tailLength - first.length >= this.#limits.tail) {
      this.#tail.shift()
      this.#tailLength -= first.length
      first = this.#tail[0]
    }
  }
}

function push(pieces: string[], text: string): void {
  const last = pieces.at(-1)
  if (last !== undefined && last.length + text.length <= PIECE) pieces[pieces.length - 1] = last + text
  else pieces.push(text)
}

/** The position, or the position before it where it would split a surrogate pair. */
function beforeHalf(text: string, at: number): number {
  return isFirstHalf(text, at - 1) ? at - 1 : at
}

function afterHalf(text: string, at: number): number {
  return isFirstHalf(text, at - 1) ? at + 1 : at
}

function isFirstHalf(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xd800 && unit <= 0xdbff
}

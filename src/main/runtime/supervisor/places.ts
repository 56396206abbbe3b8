/** Places to work: so many agents of a conversation do at once, the others wait in the order they came. */
export class Places {
  private taken = 0
  private readonly queue: (() => void)[] = []
  private readonly capacity: () => number

  /** `capacity` is asked each time, so that a changed setting holds at once. */
  constructor(capacity: () => number) {
    this.capacity = capacity
  }

  get isFull(): boolean {
    return this.taken >= this.capacity()
  }

  /** Resolves to true with a place taken, or to false, without one, when the signal aborts. */
  take(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false)
    return new Promise((resolve) => {
      const turn = () => {
        signal.removeEventListener('abort', leave)
        this.taken++
        resolve(true)
      }
      const leave = () => {
        this.queue.splice(this.queue.indexOf(turn), 1)
        resolve(false)
      }
      this.queue.push(turn)
      signal.addEventListener('abort', leave, { once: true })
      this.callNext()
    })
  }

  giveBack(): void {
    this.taken--
    this.callNext()
  }

  /** Lets in whoever fits. */
  private callNext(): void {
    while (!this.isFull && this.queue.length > 0) this.queue.shift()?.()
  }
}

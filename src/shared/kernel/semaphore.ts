/** Limits how many callers hold a permit at once. Waiting callers get permits in the order they asked. */
export class Semaphore {
  private held = 0
  private readonly waiting: (() => void)[] = []
  private readonly capacity: () => number

  /** @param capacity read on every change, so a new limit applies at once */
  constructor(capacity: () => number) {
    this.capacity = capacity
  }

  get isFull(): boolean {
    return this.held >= this.capacity()
  }

  /** Resolves to true with a permit, or to false without one when the signal aborts first. */
  acquire(signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted) return Promise.resolve(false)
    return new Promise((resolve) => {
      const admit = () => {
        signal?.removeEventListener('abort', leave)
        this.held++
        resolve(true)
      }
      const leave = () => {
        this.waiting.splice(this.waiting.indexOf(admit), 1)
        resolve(false)
      }
      this.waiting.push(admit)
      signal?.addEventListener('abort', leave, { once: true })
      this.admitWaiting()
    })
  }

  release(): void {
    this.held--
    this.admitWaiting()
  }

  /** Runs `act` with a permit and releases the permit afterwards. */
  async run<T>(act: () => Promise<T>): Promise<T> {
    await this.acquire()
    try {
      return await act()
    } finally {
      this.release()
    }
  }

  private admitWaiting(): void {
    while (!this.isFull && this.waiting.length > 0) this.waiting.shift()?.()
  }
}

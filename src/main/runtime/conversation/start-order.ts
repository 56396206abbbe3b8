/** Lets the agents of one message prepare at the same time, and spawn in the order of their calls. */
export class StartOrder {
  private readonly latest = new Map<string, Promise<unknown>>()

  /** To be called in the order of the calls. `done` lets the next start of this parent spawn; it may be called twice. */
  begin(parentId: string): Start {
    const earlier = this.latest.get(parentId) ?? Promise.resolve()
    let done = (): void => undefined
    const own = new Promise<void>((resolve) => {
      done = resolve
    })
    const settled = Promise.all([earlier, own]).then(() => {
      if (this.latest.get(parentId) === settled) this.latest.delete(parentId)
    })
    this.latest.set(parentId, settled)
    return { earlier, done }
  }
}

interface Start {
  /** Resolves when all earlier starts of the parent have spawned or failed. */
  readonly earlier: Promise<unknown>
  readonly done: () => void
}

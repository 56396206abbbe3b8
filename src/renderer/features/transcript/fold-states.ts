/** The open rows. Rows outside the view are unmounted, so they cannot keep the state themselves. */
export class FoldStates {
  private readonly open = new Map<string, boolean>()
  private readonly listeners = new Map<string, Set<() => void>>()
  private readonly onToggle: () => void

  /** `onToggle` is called before a click of the user changes a row. */
  constructor(onToggle: () => void = () => {}) {
    this.onToggle = onToggle
  }

  /** Undefined if the user has not opened or closed the row. */
  get(key: string): boolean | undefined {
    return this.open.get(key)
  }

  set(key: string, open: boolean): void {
    this.open.set(key, open)
    for (const listener of this.listeners.get(key) ?? []) listener()
  }

  toggle(key: string, atFirst: boolean): void {
    this.onToggle()
    this.set(key, !(this.open.get(key) ?? atFirst))
  }

  subscribe(key: string, listener: () => void): () => void {
    const listeners = this.listeners.get(key) ?? new Set()
    this.listeners.set(key, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.listeners.delete(key)
    }
  }
}

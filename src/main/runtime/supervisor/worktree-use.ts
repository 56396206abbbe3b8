/** Who is in which worktree of a conversation, and in each of them one thing after the other. */
export class WorktreeUse {
  private readonly uses = new Map<string, Use>()

  /** @param worktreeId whose turn it is: nothing else is begun in it until `act` is over */
  inTurn<T>(worktreeId: string, act: (use: Use) => Promise<T>): Promise<T> {
    const use = this.uses.get(worktreeId) ?? {
      working: new Set(),
      holding: new Set(),
      isHeld: false,
      last: Promise.resolve(),
    }
    this.uses.set(worktreeId, use)
    const result = use.last.then(() => act(use))
    use.last = result.catch(() => undefined)
    return result
  }
}

interface Use {
  /** Agents whose run is under way: what they leave is committed at its end. */
  readonly working: Set<string>
  /** Agents that have been in it and have not left. */
  readonly holding: Set<string>
  /** Whether somebody has been in it since it was last let go of. */
  isHeld: boolean
  last: Promise<unknown>
}

import { KeyedLock } from '../../../shared/kernel/keyed-lock.ts'

/** Tracks the agents in each worktree of a conversation. Entering, saving and leaving one worktree are serialized. */
export class WorktreeUse {
  private readonly lock = new KeyedLock()
  private readonly uses = new Map<string, Use>()

  withLock<T>(worktreeId: string, act: (use: Use) => Promise<T>): Promise<T> {
    const use = this.uses.get(worktreeId) ?? { working: new Set(), holding: new Set(), isHeld: false }
    this.uses.set(worktreeId, use)
    return this.lock.withLock(worktreeId, () => act(use))
  }
}

interface Use {
  /** Agents that are running in the worktree. Their changes are committed when their run ends. */
  readonly working: Set<string>
  /** Agents that entered the worktree and have not left it. */
  readonly holding: Set<string>
  /** Whether an agent entered the worktree since it was last released. */
  isHeld: boolean
}

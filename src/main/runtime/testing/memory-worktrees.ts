/** Worktrees without git. Invalid calls throw. */
import { fail, ok } from '../../../shared/kernel/result.ts'
import type { SavedWork, WorktreeLocation } from '../../../shared/worktrees/worktree.ts'
import type { CarryOver, WorktreeOwner, Worktrees } from '../ports/worktrees.ts'

interface MemoryWorktree {
  readonly location: WorktreeLocation
  readonly owner: WorktreeOwner
  readonly carryOver: CarryOver
  /** `removed`: it held no work when it was released. */
  state: 'held' | 'kept' | 'removed' | 'discarded'
  /** Whether a save finds work. */
  changed: boolean
  /** The saves in order. */
  readonly saves: { readonly task: string; readonly ended: string }[]
}

export interface MemoryWorktrees extends Worktrees {
  readonly made: MemoryWorktree[]
  /** While set, creating, restoring and saving fail with this message. */
  trouble: string | null
  /** The uncommitted files in the folder they are created from. */
  leftOut: readonly string[]
  /** The tree of the files in each folder. A worktree starts with the tree of the folder that it was created from. */
  readonly trees: Map<string, string>
}

export function createMemoryWorktrees(): MemoryWorktrees {
  const made: MemoryWorktree[] = []
  const find = ({ id }: WorktreeLocation): MemoryWorktree => {
    const found = made.find(({ location }) => location.id === id)
    if (!found) throw new Error(`There is no worktree ${id}`)
    return found
  }
  const worktrees: MemoryWorktrees = {
    made,
    trouble: null,
    leftOut: [],
    trees: new Map(),
    async stateOf(folder) {
      await Promise.resolve()
      if (worktrees.trouble !== null) return fail({ type: 'git', message: worktrees.trouble })
      return ok({ tree: worktrees.trees.get(folder) ?? HEAD_TREE, headTree: HEAD_TREE })
    },
    async create({ folder, owner, carryOver }, signal) {
      await Promise.resolve()
      if (worktrees.trouble !== null) return fail({ type: 'git', message: worktrees.trouble })
      if (signal.aborted) return fail({ type: 'aborted', message: 'Stopped.' })
      if (made.some(({ owner: { agentId } }) => agentId === owner.agentId))
        throw new Error(`${owner.agentId} already has a worktree`)
      const id = `${owner.name.toLowerCase()}-${owner.agentId.slice(-6)}`
      const location = {
        id,
        path: `/data/worktrees/project/${id}`,
        branch: `troupe/${id}`,
        base: 'c0ffee'.padEnd(40, '0'),
        from: folder,
        target: 'main',
      }
      made.push({ location, owner, carryOver, state: 'held', changed: true, saves: [] })
      return ok({
        location,
        startTree: worktrees.trees.get(folder) ?? HEAD_TREE,
        cwd: location.path,
        leftOut: carryOver === 'commit' ? [] : worktrees.leftOut,
        moreLeftOut: 0,
        notes: [],
      })
    },
    async restore(location, signal) {
      await Promise.resolve()
      if (worktrees.trouble !== null) return fail({ type: 'git', message: worktrees.trouble })
      if (signal.aborted) return fail({ type: 'aborted', message: 'Stopped.' })
      const worktree = find(location)
      if (worktree.state === 'discarded')
        return fail({ type: 'discarded', message: `The worktree ${location.id} was discarded.` })
      const notes = worktree.state === 'removed' ? ['The worktree was recreated.'] : []
      worktree.state = 'held'
      return ok({ notes })
    },
    async save(location, how) {
      await Promise.resolve()
      const worktree = find(location)
      if (worktree.state !== 'held') throw new Error(`${location.id} is saved, but nobody holds it`)
      if (worktrees.trouble !== null) return fail({ type: 'io', message: worktrees.trouble })
      worktree.saves.push(how)
      return ok(worktree.changed ? changedWork : { ...changedWork, ...nothing })
    },
    async release(location) {
      await Promise.resolve()
      const worktree = find(location)
      if (worktree.state !== 'held') throw new Error(`${location.id} is released, but nobody holds it`)
      worktree.state = worktree.changed ? 'kept' : 'removed'
      return !worktree.changed
    },
    environment: ({ id }) => ({ WORKTREE: id }),
  }
  return worktrees
}

/** The tree of the last commit. */
const HEAD_TREE = 'tree-head'

const changedWork: SavedWork = {
  head: 'beef'.padEnd(40, '0'),
  commits: 1,
  files: 2,
  insertions: 3,
  deletions: 1,
  check: { kind: 'clean' },
  unchanged: false,
  committedAs: 'user',
  problems: [],
}

const nothing = {
  commits: 0,
  files: 0,
  insertions: 0,
  deletions: 0,
  check: { kind: 'nothing' },
  unchanged: true,
  committedAs: null,
} as const

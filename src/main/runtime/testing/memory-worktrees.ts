/** Worktrees without git: what there is of each is written down, and what makes no sense is refused. */
import { fail, ok } from '../../../shared/result.ts'
import type { SavedWork, WorktreePlace } from '../../../shared/worktree.ts'
import type { WorktreeOwner, Worktrees } from '../worktrees.ts'

export interface MemoryWorktree {
  readonly place: WorktreePlace
  readonly owner: WorktreeOwner
  /** `removed`: it held nothing when it was released. */
  state: 'held' | 'kept' | 'removed' | 'discarded'
  /** What a save finds in it. */
  changed: boolean
  /** As they were asked for, in order. */
  readonly saves: { readonly task: string; readonly ended: string }[]
}

export interface MemoryWorktrees extends Worktrees {
  readonly made: MemoryWorktree[]
  /** While set, making, restoring and saving fail with these words. */
  trouble: string | null
  /** What lies uncommitted in the folder they are made from. */
  leftOut: readonly string[]
}

export function createMemoryWorktrees(): MemoryWorktrees {
  const made: MemoryWorktree[] = []
  const find = ({ id }: WorktreePlace): MemoryWorktree => {
    const found = made.find(({ place }) => place.id === id)
    if (!found) throw new Error(`Nobody made the worktree ${id}`)
    return found
  }
  const worktrees: MemoryWorktrees = {
    made,
    trouble: null,
    leftOut: [],
    async create({ folder, owner, carryOver }, signal) {
      await Promise.resolve()
      if (worktrees.trouble !== null) return fail({ type: 'git', message: worktrees.trouble })
      if (signal.aborted) return fail({ type: 'aborted', message: 'Stopped.' })
      if (made.some(({ owner: { agentId } }) => agentId === owner.agentId))
        throw new Error(`${owner.agentId} has a worktree already`)
      const id = `${owner.name.toLowerCase()}-${owner.agentId.slice(-6)}`
      const place = {
        id,
        path: `/data/worktrees/project/${id}`,
        branch: `troupe/${id}`,
        base: 'c0ffee'.padEnd(40, '0'),
        from: folder,
        target: 'main',
      }
      made.push({ place, owner, state: 'held', changed: true, saves: [] })
      return ok({
        place,
        cwd: place.path,
        leftOut: carryOver ? [] : worktrees.leftOut,
        moreLeftOut: 0,
        notes: [],
      })
    },
    async restore(place, signal) {
      await Promise.resolve()
      if (worktrees.trouble !== null) return fail({ type: 'git', message: worktrees.trouble })
      if (signal.aborted) return fail({ type: 'aborted', message: 'Stopped.' })
      const worktree = find(place)
      if (worktree.state === 'discarded')
        return fail({ type: 'discarded', message: `The worktree ${place.id} was discarded.` })
      const notes = worktree.state === 'removed' ? ['Its worktree was made again.'] : []
      worktree.state = 'held'
      return ok({ notes })
    },
    async save(place, how) {
      await Promise.resolve()
      const worktree = find(place)
      if (worktree.state !== 'held') throw new Error(`${place.id} is saved, and nobody holds it`)
      if (worktrees.trouble !== null) return fail({ type: 'io', message: worktrees.trouble })
      worktree.saves.push(how)
      return ok(worktree.changed ? changedWork : { ...changedWork, ...nothing })
    },
    async release(place) {
      await Promise.resolve()
      const worktree = find(place)
      if (worktree.state !== 'held') throw new Error(`${place.id} is released, and nobody holds it`)
      worktree.state = worktree.changed ? 'kept' : 'removed'
    },
    environment: ({ id }) => ({ WORKTREE: id }),
  }
  return worktrees
}

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

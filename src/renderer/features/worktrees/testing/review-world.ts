/** A fake repository with worktrees: answers the commands of Review from memory and reports changes. */
import type { CommandInput, CommandOutput } from '../../../../shared/ipc/ipc-contract.ts'
import type {
  ReviewChanges,
  ReviewConflict,
  ReviewFile,
  ReviewFileText,
  ReviewPicture,
  ReviewRange,
  ReviewSnapshot,
  ReviewWorktree,
} from '../../../../shared/worktrees/review.ts'
import { Refusal } from '../../../testing/fake-handlers.ts'

/** A changed file of a fake worktree: its two texts, or its kind. */
export interface MadeUpChange {
  readonly path: string
  readonly text: ReviewFileText
  readonly picture?: ReviewPicture
  readonly more?: Partial<ReviewFile>
}

export interface MadeUpWorktree {
  readonly worktree: ReviewWorktree
  readonly changes: readonly MadeUpChange[]
  readonly commits: ReviewChanges['commits']
  readonly asked: ReviewChanges['asked']
  /** The changes of a range, by its commit. */
  readonly parts: ReadonlyMap<string, readonly MadeUpChange[]>
  readonly conflicts: ReadonlyMap<string, readonly ReviewConflict[]>
}

type Handler<N extends `review.${string}` & keyof ReviewCommands> = (
  input: CommandInput<N>,
) => CommandOutput<N>
type ReviewCommands = {
  [N in
    | 'review.watch'
    | 'review.changes'
    | 'review.file'
    | 'review.picture'
    | 'review.conflicts'
    | 'review.merge'
    | 'review.resolve'
    | 'review.abortResolve'
    | 'review.mergeResolved'
    | 'review.undoMerge'
    | 'review.takeBack'
    | 'review.undoTakeBack'
    | 'review.comment'
    | 'review.carryOver'
    | 'review.discard'
    | 'review.undoDiscard'
    | 'review.removeMerged']: N
}
type ReviewHandlers = { readonly [N in keyof ReviewCommands]: Handler<N> }

/** Each state of each world has its own version. */
let version = 0

export class ReviewWorld {
  all: readonly MadeUpWorktree[] = []
  private trash: readonly MadeUpWorktree[] = []
  branches: readonly string[] = ['main', 'release/2.4']
  current: string | null = 'main'
  ahead: number | null = 2
  problem: string | null = null
  /** The failure of the next call of a command. */
  readonly refusals = new Map<keyof ReviewCommands, Refusal>()
  /** Called with the snapshot after each change. */
  onChange: (snapshot: ReviewSnapshot) => void = () => {}
  private readonly folder: () => string

  constructor(folder: () => string) {
    this.folder = folder
    version += 1
  }

  snapshot(): ReviewSnapshot {
    const { branches, current, ahead, problem } = this
    const worktrees = this.all.map(({ worktree }) => worktree)
    return {
      folder: this.folder(),
      worktrees,
      discarded: this.trash.map(({ worktree: { id, branch, agentName, task, createdAt } }) => ({
        id,
        branch,
        agentName,
        task,
        at: createdAt,
      })),
      order: worktrees.filter(({ state }) => state === 'ready').map(({ id }) => id),
      branches,
      current,
      ahead,
      problem,
    }
  }

  find(id: string): MadeUpWorktree {
    const found = this.all.find(({ worktree }) => worktree.id === id)
    if (found === undefined) throw new Refusal('The worktree no longer exists.')
    return found
  }

  /** Changes a worktree or its files, as its agent would. */
  change(id: string, worktree: Partial<ReviewWorktree>, more: Partial<MadeUpWorktree> = {}): void {
    const old = this.find(id)
    const next = { ...old, ...more, worktree: { ...old.worktree, ...worktree } }
    this.all = this.all.map((one) => (one === old ? next : one))
    this.tell()
  }

  private tell(): void {
    version += 1
    this.onChange(this.snapshot())
  }

  private changesOf(id: string, range: ReviewRange | null | undefined): readonly MadeUpChange[] {
    const { changes, parts } = this.find(id)
    return range ? (parts.get(range.commit) ?? []) : changes
  }

  private mayRefuse(name: keyof ReviewCommands): void {
    const refusal = this.refusals.get(name)
    if (refusal === undefined) return
    this.refusals.delete(name)
    throw refusal
  }

  readonly handlers: ReviewHandlers = {
    'review.watch': () => {
      this.mayRefuse('review.watch')
      return this.snapshot()
    },
    'review.changes': ({ id, range }) => {
      this.mayRefuse('review.changes')
      const { worktree, commits, asked } = this.find(id)
      const changes = this.changesOf(id, range)
      return {
        id,
        from: worktree.base,
        version: `${version} ${range?.commit ?? ''}`,
        files: changes.map(fileOf),
        commits,
        moreFiles: 0,
        asked,
      }
    },
    'review.file': ({ id, path, range }) => {
      this.mayRefuse('review.file')
      const found = this.changesOf(id, range).find((change) => change.path === path)
      if (found === undefined) throw new Refusal('The file no longer differs.')
      return found.text
    },
    'review.picture': ({ id, path, range }) => {
      this.mayRefuse('review.picture')
      const found = this.changesOf(id, range).find((change) => change.path === path)
      if (found?.picture === undefined) throw new Refusal(`${path} is not a picture.`, 'not-there')
      return found.picture
    },
    'review.conflicts': ({ id, with: other }) => this.find(id).conflicts.get(other ?? '') ?? [],
    'review.merge': ({ id, into, method }) => {
      this.mayRefuse('review.merge')
      const { worktree } = this.find(id)
      if (worktree.check?.kind === 'conflicts')
        throw new Refusal(
          `${worktree.branch} conflicts with ${into ?? worktree.target} in ${worktree.check.files.join(', ')}. Nothing was changed.`,
          'conflicts',
        )
      const target = into ?? worktree.target ?? 'main'
      const commit = 'c0ffee1234567890'
      this.all = this.all.map((one) => ({
        ...one,
        worktree: {
          ...one.worktree,
          conflictsWith: one.worktree.conflictsWith.filter((with_) => with_.id !== id),
          ...(one.worktree.conflictsWith.some((with_) => with_.id === id)
            ? { check: { kind: 'conflicts' as const, files: ['src/payments/charge.ts'] } }
            : {}),
        },
      }))
      this.change(id, {
        state: 'merged',
        commits: 0,
        conflictsWith: [],
        merged: { into: target, commit, method, at: 0, undoable: true },
        check: { kind: 'nothing' },
      })
      return { into: target, commit, commits: worktree.commits, files: worktree.files }
    },
    'review.resolve': ({ id }) => {
      const { worktree } = this.find(id)
      const files = worktree.check?.kind === 'conflicts' ? worktree.check.files : []
      this.change(id, { state: 'working', resolving: files })
      return { files }
    },
    'review.mergeResolved': ({ id, into }) => {
      this.mayRefuse('review.mergeResolved')
      const target = into ?? this.find(id).worktree.target ?? 'main'
      const { commits, files } = this.find(id).worktree
      this.change(id, {
        state: 'merged',
        commits: 0,
        merged: { into: target, commit: 'c0ffee1234567890', method: 'merge', at: 0, undoable: true },
        check: { kind: 'nothing' },
      })
      return { into: target, commit: 'c0ffee1234567890', commits, files }
    },
    'review.undoMerge': ({ id }) => {
      this.mayRefuse('review.undoMerge')
      this.change(id, { state: 'ready', commits: 1, merged: null, check: { kind: 'clean' } })
    },
    'review.takeBack': ({ id, path, part }) => {
      this.mayRefuse('review.takeBack')
      const what = part === null ? path : `a part of ${path}`
      this.change(id, { takenBack: { what, at: 0 } })
    },
    'review.undoTakeBack': ({ id }) => {
      this.mayRefuse('review.undoTakeBack')
      this.change(id, { takenBack: null })
    },
    'review.abortResolve': ({ id }) => this.change(id, { state: 'ready', resolving: null }),
    'review.comment': ({ id }) => {
      this.mayRefuse('review.comment')
      this.change(id, { state: 'working' })
    },
    'review.carryOver': ({ id }) => {
      this.find(id)
      return { files: ['src/cart.ts', '.env.example', 'README.md'] }
    },
    'review.discard': ({ id, confirm }) => {
      this.mayRefuse('review.discard')
      const found = this.find(id)
      const { state, commits, uncommitted, branch } = found.worktree
      if ((uncommitted > 0 || (state !== 'merged' && commits > 0)) && confirm !== branch)
        throw new Refusal(`Type the branch’s name to discard it: ${branch}.`, 'confirm')
      this.all = this.all.filter((one) => one !== found)
      this.trash = [found, ...this.trash]
      this.tell()
    },
    'review.undoDiscard': ({ id }) => {
      const found = this.trash.find(({ worktree }) => worktree.id === id)
      if (found === undefined)
        throw new Refusal('It can’t be restored: it was discarded before the last start.')
      this.trash = this.trash.filter((one) => one !== found)
      this.all = [...this.all, found]
      this.tell()
    },
    'review.removeMerged': () => {
      const merged = this.all.filter(({ worktree }) => worktree.state === 'merged')
      const kept = merged.filter(({ worktree }) => worktree.uncommitted > 0)
      this.all = this.all.filter((one) => !merged.includes(one) || kept.includes(one))
      this.tell()
      return {
        removed: merged.filter((one) => !kept.includes(one)).map(({ worktree }) => worktree.id),
        kept: kept.map(({ worktree }) => ({
          id: worktree.id,
          because: 'has changes that are not committed.',
        })),
      }
    },
  }
}

export function madeUpWorktree(
  worktree: Partial<ReviewWorktree> & Pick<ReviewWorktree, 'id' | 'agentName'>,
  more: Partial<Omit<MadeUpWorktree, 'worktree'>> = {},
): MadeUpWorktree {
  const changes = more.changes ?? []
  const files = changes.map(fileOf)
  const sum = (key: 'insertions' | 'deletions') => files.reduce((all, file) => all + (file[key] ?? 0), 0)
  return {
    worktree: {
      path: `/home/ada/.local/share/troupe/worktrees/checkout-service-1f3a/${worktree.id}`,
      branch: `troupe/${worktree.id}`,
      base: 'b45e0000',
      target: 'main',
      agentId: worktree.id,
      conversationId: 'conversation-1',
      color: 'blue',
      task: '',
      createdAt: 0,
      state: 'ready',
      ended: 'completed',
      folderGone: false,
      version: 'v1',
      commits: 1,
      files: files.length,
      insertions: sum('insertions'),
      deletions: sum('deletions'),
      uncommitted: 0,
      check: { kind: 'clean' },
      conflictsWith: [],
      merged: null,
      takenBack: null,
      resolving: null,
      asked: null,
      bytes: 4_200_000,
      notes: [],
      problem: null,
      ...worktree,
    },
    changes,
    commits: more.commits ?? [
      { sha: 'a1b2c3d4e5f6', subject: `Agent task: ${worktree.task ?? worktree.id}`, author: 'Ada', at: 0 },
    ],
    asked: more.asked ?? [],
    parts: more.parts ?? new Map(),
    conflicts: more.conflicts ?? new Map(),
  }
}

/** A change of a text; null: the file does not exist on that side. */
export function textChange(
  path: string,
  before: string | null,
  after: string | null,
  more: Partial<ReviewFile> = {},
): MadeUpChange {
  return { path, text: { kind: 'text', before, after }, more }
}

function fileOf({ path, text, picture, more }: MadeUpChange): ReviewFile {
  const old = text.kind === 'text' ? linesIn(text.before) : []
  const now = text.kind === 'text' ? linesIn(text.after) : []
  const without = (lines: readonly string[], others: readonly string[]) => {
    const left = [...others]
    return lines.filter((line) => {
      const at = left.indexOf(line)
      if (at !== -1) left.splice(at, 1)
      return at === -1
    }).length
  }
  const isText = text.kind === 'text'
  const large = old.length + now.length > 2000
  return {
    path,
    oldPath: null,
    kind: isText && text.before === null ? 'added' : isText && text.after === null ? 'deleted' : 'modified',
    insertions: isText ? (large ? now.length : without(now, old)) : null,
    deletions: isText ? (large ? old.length : without(old, now)) : null,
    uncommitted: false,
    content: JSON.stringify([text, picture]),
    notes: [],
    ...more,
  }
}

const linesIn = (text: string | null) =>
  text === null || text === '' ? [] : text.replace(/\n$/, '').split('\n')

/**
 * Finds lines that two worktrees of one repository change both while an agent works in one of them, soon after an agent
 * changed files, and tells both agents, once for each pair and file.
 */
import type { EnvironmentsSnapshot } from '../../../shared/environments/environments.ts'
import {
  type ChangedWork,
  findOverlaps,
  type Overlap,
  overlapAdvice,
  readChangedLines,
} from '../../../shared/environments/overlaps.ts'
import { messageOf } from '../../../shared/kernel/result.ts'
import type { Git } from '../../platform/git/git-client.ts'
import type { Runtime, RuntimeDelta } from '../../runtime/ports/runtime.ts'
import type { WorktreeRecord } from '../worktrees/worktree-record.ts'

export interface OverlapWatch {
  of(worktrees: readonly { readonly id: string }[]): EnvironmentsSnapshot['overlaps']
  /** To be called when there is a worktree: from then on the runtime is followed. */
  begin(): void
  close(): void
}

/** ms in which changes are looked at together. */
const SETTLES = 1000

const DIFF =
  'diff --unified=0 --full-index --no-renames --no-color --no-ext-diff --no-textconv --end-of-options'.split(
    ' ',
  )

export function watchOverlaps(options: {
  readonly git: Git
  readonly now: () => number
  readonly runtime: () => Pick<Runtime, 'state' | 'tellAgent' | 'subscribe'>
  /** Those of all repositories. */
  readonly worktrees: () => Promise<readonly WorktreeRecord[]>
  readonly onProblem: (message: string) => void
  /** Called when the overlaps are other ones. */
  readonly onChange: () => void
}): OverlapWatch {
  let overlaps: readonly Overlap[] = []
  const told = new Set<string>()
  let timer: NodeJS.Timeout | null = null
  let unfollow: (() => void) | null = null
  let looking = Promise.resolve()

  async function changedIn({ id, path, base }: WorktreeRecord): Promise<ChangedWork> {
    const found = await options.git.run(path, [...DIFF, base])
    const others = await options.git.run(path, ['ls-files', '-z', '--others', '--exclude-standard'])
    const added = others.ok ? others.value.split('\0').filter((name) => name !== '') : []
    return {
      id,
      lines: [
        ...(found.ok ? readChangedLines(found.value) : []),
        ...added.map((name) => ({ path: name, before: null, first: 1, last: 0 })),
      ],
    }
  }

  async function look(): Promise<void> {
    const there = (await options.worktrees()).filter(({ state }) => state === 'there')
    const isWorking = ({ owner, holder }: WorktreeRecord) =>
      holder !== null || options.runtime().state(owner.conversationId, owner.agentId)?.status === 'running'
    const found: Overlap[] = []
    for (const repository of new Set(there.map(({ commonFolder }) => commonFolder))) {
      const records = there.filter(({ commonFolder }) => commonFolder === repository)
      if (records.length < 2 || !records.some(isWorking)) continue
      const working = new Set(records.filter(isWorking).map(({ id }) => id))
      const works = await Promise.all(records.map(changedIn))
      const all = findOverlaps(works, { known: overlaps, now: options.now() })
      found.push(...all.filter(({ ids }) => ids.some((id) => working.has(id))))
    }
    const before = JSON.stringify(overlaps)
    overlaps = found
    for (const overlap of found) {
      const key = `${overlap.path}\n${overlap.ids.join('\n')}`
      if (told.has(key)) continue
      told.add(key)
      const [one, other] = overlap.ids.map((id) => there.find((record) => record.id === id))
      if (one === undefined || other === undefined) continue
      const { tellAgent } = options.runtime()
      tellAgent({ ...one.owner, ...overlapAdvice(overlap, { ...other, task: other.owner.task }) })
      tellAgent({ ...other.owner, ...overlapAdvice(overlap, { ...one, task: one.owner.task }) })
    }
    if (JSON.stringify(found) !== before) options.onChange()
  }

  function onDelta(delta: RuntimeDelta): void {
    if (timer !== null || delta.type !== 'event') return
    const { type, agentId } = delta.event
    if (type !== 'files-changed' && type !== 'tool-ended' && type !== 'agent-ended') return
    if (options.runtime().state(delta.conversationId, agentId)?.worktree == null) return
    timer = setTimeout(() => {
      timer = null
      looking = looking
        .then(look)
        .catch((thrown: unknown) => options.onProblem(`Overlaps were not found: ${messageOf(thrown)}`))
    }, SETTLES)
    timer.unref()
  }

  return {
    of: (worktrees) =>
      overlaps.filter(({ ids }) => ids.every((id) => worktrees.some((each) => each.id === id))),
    begin() {
      unfollow ??= options.runtime().subscribe(onDelta)
    },
    close() {
      unfollow?.()
      clearTimeout(timer ?? undefined)
    },
  }
}

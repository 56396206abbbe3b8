/**
 * The tutorial: its steps, and which of them the events of its conversation prove. The fold keeps only facts whose order
 * does not matter, so a step that the user does early counts.
 */
import type { LoggedEvent } from '../events/conversation-event.ts'

/** The name of the definition of the tutorial's agents. */
export const TUTORIAL_AGENT = 'tutorial'
/** Their model, which a script plays whatever the access to models is. */
export const TUTORIAL_MODEL = 'rehearsal/tutorial'

/** In the order in which the guide asks for them. */
export const TUTORIAL_STEPS = ['send', 'answer', 'stop', 'message', 'undo', 'merge', 'restart'] as const
export type TutorialStep = (typeof TUTORIAL_STEPS)[number]

/** The task that the composer holds at the start. */
export const TUTORIAL_TASK =
  'Ana paid 10.00 for three people, and only 9.99 came back. Find out why, and fix it.'

/** A merge is a fact of the repository, which has no event of its own. */
export type TutorialFact = LoggedEvent | { readonly type: 'worktree-merged' }

/** What the facts so far prove. Only sets that grow, and the earliest and latest places. */
export interface TutorialFold {
  /** The agents that have a parent. */
  readonly subagents: ReadonlySet<string>
  /** The agents that the user wrote to, by a message that an agent received. */
  readonly written: ReadonlySet<string>
  readonly isAnswered: boolean
  readonly isStopped: boolean
  readonly isUndone: boolean
  readonly isMerged: boolean
  /** By agent: the number of the first event with which the end of the program ended it. */
  readonly endedAt: ReadonlyMap<string, number>
  /** By agent: the number of the last event with which it began to run. */
  readonly runningAt: ReadonlyMap<string, number>
}

export const emptyTutorial: TutorialFold = {
  subagents: new Set(),
  written: new Set(),
  isAnswered: false,
  isStopped: false,
  isUndone: false,
  isMerged: false,
  endedAt: new Map(),
  runningAt: new Map(),
}

/** Adds a fact. */
export function foldTutorial(fold: TutorialFold, fact: TutorialFact): TutorialFold {
  switch (fact.type) {
    case 'agent-spawned':
      return fact.parentId === null
        ? fold
        : { ...fold, subagents: new Set([...fold.subagents, fact.agentId]) }
    case 'user-message':
      return fact.from === 'user' ? { ...fold, written: new Set([...fold.written, fact.agentId]) } : fold
    case 'permission-answered':
      // Withdrawn, or decided by a rule: nobody was asked.
      return fact.decision === 'withdrawn' || fact.answeredBy === 'rules'
        ? fold
        : { ...fold, isAnswered: true }
    case 'status-changed':
      return fact.status === 'running'
        ? { ...fold, runningAt: withPlace(fold.runningAt, fact, Math.max) }
        : fold
    case 'agent-ended':
      if (fact.stoppedBy === 'user') return { ...fold, isStopped: true }
      return fact.status === 'interrupted' || fact.stoppedBy === 'program'
        ? { ...fold, endedAt: withPlace(fold.endedAt, fact, Math.min) }
        : fold
    case 'changes-undone':
      return fact.redoOf === null ? { ...fold, isUndone: true } : fold
    case 'worktree-merged':
      return { ...fold, isMerged: true }
    default:
      return fold
  }
}

function withPlace(
  places: ReadonlyMap<string, number>,
  { agentId, seq }: { readonly agentId: string; readonly seq: number },
  better: (one: number, other: number) => number,
): ReadonlyMap<string, number> {
  return new Map([...places, [agentId, better(places.get(agentId) ?? seq, seq)]])
}

/** The completed steps, in the order of the steps. */
export function completedSteps(fold: TutorialFold): readonly TutorialStep[] {
  const { subagents, written, endedAt, runningAt } = fold
  const proven: Readonly<Record<TutorialStep, boolean>> = {
    send: [...written].some((id) => !subagents.has(id)),
    answer: fold.isAnswered,
    stop: fold.isStopped,
    message: [...written].some((id) => subagents.has(id)),
    undo: fold.isUndone,
    merge: fold.isMerged,
    restart: [...endedAt].some(([id, seq]) => (runningAt.get(id) ?? -1) > seq),
  }
  return TUTORIAL_STEPS.filter((step) => proven[step])
}

/** The tutorial that was started last. */
export interface TutorialState {
  readonly conversationId: string
  /** The copy of the sample project, absolute. */
  readonly folder: string
  /** In the order of the steps. */
  readonly done: readonly TutorialStep[]
  /** The steps that the user skipped, and did not do later. */
  readonly skipped: readonly TutorialStep[]
  /** Whether the user left the tutorial: the guide is hidden until they continue it. */
  readonly isLeft: boolean
  /** Whether the copy is a git repository; without one there are no worktrees. */
  readonly hasGit: boolean
}

/** The step that the guide shows; null: no step is left. */
export function nextStep({ done, skipped }: Pick<TutorialState, 'done' | 'skipped'>): TutorialStep | null {
  return TUTORIAL_STEPS.find((step) => !done.includes(step) && !skipped.includes(step)) ?? null
}

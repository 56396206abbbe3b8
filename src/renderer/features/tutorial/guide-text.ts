/** What the guide says about a step, as the agents are now: what to do, and what helps where that is not possible. */
import type { KeyActionId } from '../../../shared/commands/key-map.ts'
import { type AgentState, isLive } from '../../../shared/state/agent-state.ts'
import { stoppedTogether } from '../../../shared/state/stopped-together.ts'
import type { TutorialState, TutorialStep } from '../../../shared/tutorial/tutorial.ts'
import type { ReviewWorktree } from '../../../shared/worktrees/review.ts'

/** Where "Show me" leads. */
export type GuidePlace =
  | { readonly kind: 'composer' | 'continue' | 'end' }
  | { readonly kind: 'request'; readonly agentId: string; readonly requestId: string }
  | { readonly kind: 'panel' | 'line'; readonly agentId: string }
  | { readonly kind: 'changes'; readonly path: string }
  | { readonly kind: 'review'; readonly worktreeId: string }

export interface Guide {
  readonly title: string
  readonly text: string
  /** The keys of the step: those of an action, or a fixed one. */
  readonly keys?: KeyActionId | 'Enter'
  /** Null: there is nothing to point at yet. */
  readonly place: GuidePlace | null
  /** A message to the main agent that makes the step possible. */
  readonly message?: string
}

/** What a step depends on. */
export interface Situation {
  /** In the order of their starts, the main agent first. */
  readonly agents: readonly AgentState[]
  /** The newest file with a change that can be undone, NOTES.md before others; null: none. */
  readonly changed: { readonly path: string; readonly shown: string } | null
  /** A worktree of the tutorial that can be merged; null: none. */
  readonly readyWorktree: string | null
  /** Whether the composer holds a message. */
  readonly hasDraft: boolean
}

/** The last worktree with saved work, by its id, unless the list knows that all of it is merged. The list may be late. */
export function readyWorktree(
  agents: readonly AgentState[],
  listed: readonly Pick<ReviewWorktree, 'id' | 'state'>[],
): string | null {
  const owner = agents.findLast(
    (agent) =>
      agent.worktree?.own === true &&
      !isLive(agent) &&
      agent.work?.unchanged === false &&
      listed.find(({ id }) => id === agent.worktree?.id)?.state !== 'merged',
  )
  return owner?.worktree?.id ?? null
}

export const STEP_TITLES: Readonly<Record<TutorialStep, string>> = {
  send: 'Send the task',
  answer: 'Answer a request',
  stop: 'Stop one agent',
  message: 'Message one agent',
  undo: 'Undo a change',
  merge: 'Review and merge',
  restart: 'Survive a kill',
}

/** The tasks of the script's agents; see agents/tutorial.yaml. */
const TASKS = { circles: 'Look for the cause', fix: 'Write the fix', check: 'Check the README' }

type Known = Pick<TutorialState, 'done' | 'hasGit'>

export function guideOf(step: TutorialStep, known: Known, situation: Situation): Guide {
  const held = stoppedTogether(situation.agents).filter(
    ({ status, stoppedBy }) => status === 'interrupted' || stoppedBy === 'program',
  )
  if (held.length > 0)
    return {
      title: STEP_TITLES.restart,
      text: `The program ended while ${held.length === 1 ? 'an agent' : `${held.length} agents`} worked. Nothing is lost. Continue all of them.`,
      keys: 'continue-all',
      place: { kind: 'continue' },
    }
  return { title: STEP_TITLES[step], ...stepGuide(step, known, situation) }
}

function stepGuide(step: TutorialStep, { hasGit }: Known, situation: Situation): Omit<Guide, 'title'> {
  const { agents } = situation
  const main = agents.find(({ parentId }) => parentId === null)
  const isMainBusy = main !== undefined && isLive(main) && main.waitingFor !== 'message'
  const live = agents.filter((agent) => agent.parentId !== null && isLive(agent))
  const newest = (task: string, among = agents) => among.findLast((agent) => agent.task === task)
  const circles = newest(TASKS.circles, live)
  switch (step) {
    case 'send':
      return {
        text: situation.hasDraft
          ? 'The task is in the composer. Send it.'
          : 'Write a task, or take the prepared one, and send it.',
        keys: 'Enter',
        place: { kind: 'composer' },
      }
    case 'answer': {
      const asking = agents.find(({ requests }) => requests.length > 0)
      const request = asking?.requests[0]
      if (asking !== undefined && request !== undefined)
        return {
          text: 'An agent asks before it changes a file or runs a command. Allow it once, or deny it.',
          keys: 'requests',
          place: { kind: 'request', agentId: asking.id, requestId: request.requestId },
        }
      if (isMainBusy) return { text: 'The main agent asks you in a moment.', place: null }
      return {
        text:
          main?.permissionMode === 'default'
            ? 'Nothing was asked: your rules decided, or the agent was stopped. Have it ask again.'
            : 'Nothing is asked in this permission mode. Choose “Ask before edits” at the top, then have it ask again.',
        place: { kind: 'composer' },
        message: 'Propose another note.',
      }
    }
    case 'stop':
      if (circles !== undefined)
        return {
          text: `“${TASKS.circles}” goes in circles. Focus its panel, and stop it.`,
          keys: 'agent.stop',
          place: { kind: 'panel', agentId: circles.id },
        }
      return isMainBusy && newest(TASKS.circles) === undefined
        ? { text: 'An agent that goes in circles starts in a moment.', place: null }
        : {
            text: 'The agent that went in circles has ended by itself. Start another one.',
            place: { kind: 'composer' },
            message: 'Start an agent that goes in circles.',
          }
    case 'message': {
      const fix = newest(TASKS.fix) ?? live[0]
      const other = circles === undefined ? '' : ` (“${TASKS.circles}” still goes in circles.)`
      if (fix !== undefined)
        return {
          text: isLive(fix)
            ? `“${TASKS.fix}” waits for a message: who gets the cent, the first or the last?${other}`
            : `“${fix.task}” has ended. A message resumes it.${other}`,
          keys: 'agent.write',
          place: { kind: 'line', agentId: fix.id },
        }
      return isMainBusy
        ? { text: 'An agent that waits for a message starts in a moment.', place: null }
        : {
            text: 'No agent waits for a message. Start one.',
            place: { kind: 'composer' },
            message: 'Write the fix again.',
          }
    }
    case 'undo':
      if (situation.changed !== null)
        return {
          text: `Open the changes of agents, choose ${situation.changed.shown}, and undo it with U.`,
          keys: 'changes',
          place: { kind: 'changes', path: situation.changed.path },
        }
      return {
        text: 'There is no change to undo: you denied it, or your rules did. Have another one proposed.',
        place: { kind: 'composer' },
        message: 'Propose another note.',
      }
    case 'merge': {
      if (!hasGit)
        return {
          text: 'Worktrees need git, which was not found when the sample was copied. Skip this step.',
          place: null,
        }
      const fix = newest(TASKS.fix, live)
      if (situation.readyWorktree !== null)
        return {
          text: 'The fix is ready in a worktree of its own. Look at the lines, and merge it.',
          keys: 'review',
          place: { kind: 'review', worktreeId: situation.readyWorktree },
        }
      if (fix !== undefined)
        return {
          text: fix.requests.length > 0 ? `“${TASKS.fix}” asks you.` : `“${TASKS.fix}” is not done yet.`,
          place: { kind: 'panel', agentId: fix.id },
        }
      return isMainBusy
        ? { text: 'The main agent is not done yet.', place: null }
        : {
            text: 'No worktree has work to merge. Have the fix written again.',
            place: { kind: 'composer' },
            message: 'Write the fix again.',
          }
    }
    case 'restart':
      if (live.length > 0 || isMainBusy)
        return {
          text: 'Close Troupe while an agent works, or end it as a crash does. Then start it again.',
          place: { kind: 'end' },
        }
      return {
        text: 'No agent works now, so there is nothing to survive. Start one that works for minutes.',
        place: { kind: 'composer' },
        message: 'Check the README again.',
      }
  }
}

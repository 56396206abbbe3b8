/** A short text of an agent's activity: the same in the tree, the palette and the status bar. */

import type { PermissionSubject } from '../../../shared/events/agent-event.ts'
import { workedUntil } from '../../../shared/events/lifecycle.ts'
import { reportIn, withoutFrame } from '../../../shared/messages/text-of.ts'
import { type AgentState, isLive, needsUser } from '../../../shared/state/agent-state.ts'
import type { QueuedMessagePreview } from '../../../shared/state/conversation-snapshot.ts'
import { clockText, isLimited } from '../../../shared/state/limit-wait.ts'
import type { BackingKind } from '../../../shared/teams/team-schema.ts'
import type { WorkerPresence } from '../../../shared/workers/worker-presence.ts'
import type { DotStatus } from '../dot.tsx'
import { timeNow } from '../machine.ts'

/** The text below an agent's name. `liveChildren`: the number of live subagents that the agent waits for, if known. */
export function agentText(agent: AgentState, liveChildren?: number): string {
  if (needsLogin(agent) && agent.requests.length + agent.forms.length === 0) return 'needs a login'
  if (needsUser(agent))
    return agent.requests.length === 0
      ? agent.forms[0]?.form.kind === 'plan'
        ? 'has a plan for you'
        : 'asks you'
      : agent.requests.length === 1
        ? 'needs your permission'
        : `${agent.requests.length} permission requests`
  if (isPausing(agent)) return pausingText(agent)
  if (isLimited(agent)) return `rate limited until ${clockText(agent.retry.at, timeNow())}`
  if (agent.retry !== null) return 'retrying'
  switch (agent.status) {
    case 'queued':
      return 'queued'
    case 'running':
      return agent.action?.running ? actionKeywords(agent) : agent.turn === 0 ? 'starting' : 'thinking'
    case 'waiting':
      return waitingText(agent, liveChildren)
    case 'paused':
      return 'paused'
    case 'completed':
      return agent.reachedLimit === null
        ? `reported · ${turns(agent.turns)}`
        : `stopped at ${agent.limitOf === 'conversation' ? "the conversation's" : agent.limitOf === 'parent' ? 'an' : 'its'} ${LIMIT_NAMES[agent.reachedLimit]} limit`
    case 'failed':
      return agent.turn === 0 ? 'failed' : `failed · ${turns(agent.turn)}`
    case 'stopped':
      return agent.turn === 0 ? 'stopped before it started' : `stopped · ${turns(agent.turn)}`
    case 'interrupted':
      return agent.turn === 0 ? 'interrupted' : `interrupted · ${turns(agent.turn)}`
  }
}

/** Whether the program of the agent waits until the user logs in. */
export function needsLogin({ program }: Pick<AgentState, 'program'>): boolean {
  return program !== null && program.login !== null
}

/** Whether the user paused the agent and its current step is not finished yet. */
export function isPausing(agent: AgentState): boolean {
  return agent.pauseWanted && agent.status !== 'paused' && isLive(agent)
}

/** "pausing after this step": completes a sentence that begins with the agent's name. */
export function pausingText({ status, waitingFor }: AgentState): string {
  if (status === 'queued') return 'pausing before it starts'
  if (waitingFor === 'children') return 'pausing when its agents are done'
  return waitingFor === 'permission' ? 'pausing once you have answered' : 'pausing after this step'
}

/** The subject of a permission request on one line: the command, the file or the address; for a change its kind. */
export function askedText({ kind, action, text }: PermissionSubject): string {
  return kind === 'diff' ? action : (text.split('\n')[0] ?? '')
}

/** The badge beside an agent's name: its kind and the meaning of the kind. */
interface AgentBadge {
  readonly kind: 'background' | 'fork' | Exclude<BackingBadge, 'in-process'>
  readonly text: string
  readonly meaning: string
}

/** The badges of an agent; most agents have none. */
export function badgesOf(agent: AgentState): readonly AgentBadge[] {
  const { background, bubbles, forkOf } = agent
  const badges: AgentBadge[] = []
  const backing = backingBadge(agent)
  if (backing !== 'in-process')
    badges.push({ kind: backing, text: BADGE_TEXTS[backing] ?? backing, meaning: backingMeaning(agent) })
  if (background !== 'no')
    badges.push({
      kind: 'background',
      text: 'background',
      meaning: `${
        background === 'moved'
          ? 'Moved to the background: its parent continues without it'
          : 'In the background: its parent does not wait for it'
      }, and gets a notice at its end. ${
        bubbles || background === 'moved'
          ? 'It may ask you for permission.'
          : 'It can’t ask for permission: calls that would ask are denied.'
      }`,
    })
  if (forkOf !== null)
    badges.push({
      kind: 'fork',
      text: 'fork',
      meaning: 'A fork: it started with its parent’s whole conversation.',
    })
  return badges
}

/** Short forms of the kinds that are no words. */
const BADGE_TEXTS: Partial<Record<BackingBadge, string>> = { acp: 'ACP', 'acp-child': 'ACP' }

/** The display name: the main agent's definition is named after its role. */
export function agentName(agent: AgentState): string {
  return agent.parentId === null ? 'Main agent' : displayName(agent)
}

/** The name of a member of a team; otherwise that of the definition. */
export function displayName({
  teamId,
  name,
  definition,
}: Pick<AgentState, 'teamId' | 'name' | 'definition'>): string {
  return (teamId === null ? null : name) ?? definition.name
}

/** The working time of an agent in all its runs, in ms. Pauses and waiting in the queue do not count. */
export function agentElapsed(agent: AgentState, now: number): number {
  return workedUntil(agent, isLive(agent) ? Math.max(now, agent.lastAt) : agent.lastAt)
}

const LIMIT_NAMES = { turns: 'turn', tokens: 'token', money: 'spending', time: 'time' } as const

function actionKeywords(agent: AgentState): string {
  return agent.action === null ? '' : `${agent.action.tool} ${agent.action.summary}`.trim()
}

function waitingText(agent: AgentState, liveChildren: number | undefined): string {
  switch (agent.waitingFor) {
    case 'children':
      if (liveChildren === undefined) return 'waiting for its agents'
      return liveChildren === 1 ? 'waiting for 1 agent' : `waiting for ${liveChildren} agents`
    case 'permission':
      return 'needs your permission'
    case 'answer':
      return 'asks you'
    case 'limit':
      return 'waiting for a usage limit'
    case 'message':
    case null:
      return agent.reachedLimit === null ? 'ready' : `stopped at its ${LIMIT_NAMES[agent.reachedLimit]} limit`
  }
}

function turns(amount: number): string {
  return amount === 1 ? '1 turn' : `${amount} turns`
}

/** Where an agent runs, in words: the same in the view of teams, in panels and in the tree. */
export type BackingBadge = BackingKind | 'tmux'

type Placed = Pick<AgentState, 'backing' | 'worker' | 'workerState'>

export function backingBadge({ backing, worker }: Placed): BackingBadge {
  return backing === 'pane' && worker?.tmux != null ? 'tmux' : backing
}

/** A sentence for the tooltip of the badge. */
export function backingMeaning(agent: Placed): string {
  const place = workerPlace(agent)
  switch (agent.backing) {
    case 'in-process':
      return 'Runs inside this program.'
    case 'pane':
      return `Runs in a process of its own on this machine${place === null ? '' : `: ${place}`}. It goes on when the window closes.`
    case 'remote':
      return place === null
        ? 'Runs on another machine. No machine has taken it yet.'
        : `Runs on another machine: ${place}.`
    case 'acp':
      return 'An external agent carries it out, over the Agent Client Protocol. Troupe sees what it reports.'
    case 'acp-child':
      return 'A subagent that the agent above started by itself, in an external agent. Only that agent can write to it.'
  }
}

/** "process 4711 · tmux pay:2.1", "build-7 · 16 cores". Null: this program, or no process has begun. */
export function workerPlace({ backing, worker }: Placed): string | null {
  if (worker === null || backing === 'in-process') return null
  if (backing === 'remote') return `${worker.host} · ${worker.cores} ${worker.cores === 1 ? 'core' : 'cores'}`
  return `process ${worker.pid}${worker.tmux === null ? '' : ` · tmux ${worker.tmux}`}`
}

/** "in process 4711", "on build-7": where a request of the agent would act. Null: in this program. */
export function requestPlace({ backing, worker }: Placed): string | null {
  if (worker === null || backing === 'in-process') return null
  return backing === 'remote' ? `on ${worker.host}` : `in process ${worker.pid}`
}

/** What is wrong with an agent's worker, and what happens next. Null: nothing is. */
export function workerProblem(
  { backing, workerState, worker }: Placed,
  presence: WorkerPresence | undefined,
): string | null {
  const host = worker?.host ?? 'its machine'
  if (workerState === 'gone')
    return backing === 'remote'
      ? `${host} is lost. Its job goes to another worker; until then its messages are kept.`
      : 'Its process has ended. Resume starts a new one with the whole dialogue.'
  if (workerState === 'silent')
    return backing === 'remote'
      ? `No heartbeat from ${host}. If it stays silent, another worker takes the job.`
      : 'Its process does not answer. If it stays silent, it is given up and can be resumed.'
  if (presence?.problem != null) return `Takes no new jobs: ${presence.problem}.`
  if (workerState === 'waiting' && backing === 'remote') return 'Waits for a worker that takes its job.'
  return null
}

/**
 * The mark of an agent's state: the same in panels, tiles, tree, cards and the palette. A pending request or login takes
 * precedence. An agent that waits for its subagents counts as working. */
export function markOf(agent: AgentState): DotStatus {
  if (needsUser(agent) || needsLogin(agent)) return 'needs-you'
  if (isPausing(agent)) return 'pausing'
  if (agent.status === 'interrupted') return 'failed'
  if (agent.status === 'waiting' && agent.waitingFor === 'children') return 'running'
  // The agent reported at its limit, before its task was done. A main agent then waits for a message.
  const hasReported = agent.status === 'completed' || agent.waitingFor === 'message'
  if (hasReported && agent.reachedLimit !== null) return 'stopped'
  return agent.status
}

/** The display text of a queued message, without the frame for its agent. */
export function queuedText({ from, text }: Pick<QueuedMessagePreview, 'from' | 'text'>): string {
  if (from === 'agent') return withoutFrame(text)
  return from === 'runtime' ? reportIn(text) : text
}

/** Whether the user may remove the message: only their own messages, not those of agents. */
export function mayTakeBack({ from }: Pick<QueuedMessagePreview, 'from'>): boolean {
  return from === 'user'
}

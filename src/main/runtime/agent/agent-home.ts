/** A conversation as its agents see it. */

import type { Result } from '../../../shared/kernel/result.ts'
import type { Semaphore } from '../../../shared/kernel/semaphore.ts'
import type { RosterEntry } from '../../../shared/workers/worker-protocol.ts'
import type { BackedAgent, ChildRun, ChooseBacking, StartedChild } from '../agent-backing.ts'
import type { Judgment } from '../interceptors.ts'
import type { LimitReached } from '../limit-reached.ts'
import type { ConversationFile } from '../log/conversation-file.ts'
import type { EventSequencer } from '../log/event-sequencer.ts'
import type { ChangedBy } from '../log/outdated-files.ts'
import type { LoopDeps } from '../loop/run-agent.ts'
import type { OutsideServer, Ports } from '../ports.ts'
import type { BackgroundWork, LaterState, LaterWork } from '../tool.ts'
import type { AvailableTools } from './available-tools.ts'
import type { CurrentTools } from './tool-changes.ts'

export interface AgentHome {
  readonly ports: Pick<Ports, 'clock' | 'files' | 'ids' | 'memory' | 'policy' | 'store' | 'worktrees'>
  readonly loop: LoopDeps
  readonly file: ConversationFile
  readonly events: EventSequencer
  readonly slots: Semaphore
  /** Aborted when the conversation closes. */
  readonly lifetime: Pick<AbortController, 'signal'>
  readonly backings: ChooseBacking
  /** Takes an event from outside this process. */
  readonly ingest: BackedAgent['ingest']
  /** Begins a run of a subagent that the program of this agent started by itself. */
  startChild(agentId: string, child: StartedChild): Promise<Result<ChildRun>>
  /** The agents that this one can write to, by name. */
  roster(agentId: string): readonly RosterEntry[]
  /** The limit that prevents another request of this agent, if there is one. */
  limitFor(agentId: string): LimitReached | null
  /** Whether the agent waits for others by design: it coordinates, leads a team, or has subagents that run. */
  waitsForOthers(agentId: string): boolean
  /** The money limit that the user has set for the agent or above it, in US dollars; null: none. */
  moneyLimitFor(agentId: string): number | null
  /** Called when an agent began or ended a wait for a usage limit. */
  restsChanged(): void
  readonly tools: AvailableTools
  /** Takes over the work of a call. @returns the reason, if the agent can't have it in the background */
  readonly commands: { adopt(agentId: string, toolUseId: string, work: LaterWork): BackgroundWork | string }
  /** The tools, agents and skills of an agent now, to compare with the announced ones. */
  currentTools(agentId: string, options: { readonly catalog: boolean }): Promise<CurrentTools>
  /** The variables that interceptors set, for the commands of an agent. */
  readonly variables: {
    of(agentId: string): Readonly<Record<string, string>>
    replace(agentId: string, key: string, variables: Readonly<Record<string, string>>): void
  }
  /** Has a subagent of this agent judge by the files. @returns its report */
  judgeWithFiles(agentId: string, question: Judgment, signal: AbortSignal): Promise<Result<string>>
  /** Who brought a file into this state, for this agent. */
  changedBy(agentId: string, path: string, state: LaterState): ChangedBy
  /** The servers of outside tools that the agent may use. */
  serversOf(agentId: string): readonly OutsideServer[]
  /** What the agent needs to know again after a summary; null: nothing. */
  standingFacts(agentId: string): string | null
}

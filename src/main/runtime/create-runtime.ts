/** Assembles the runtime. Commands go in, and events go to the subscribers. */
import type { ChooseBacking, OutsidePrograms, RuntimeWorkers } from './agent-backing.ts'
import { agentCommands } from './commands/agent-commands.ts'
import { conversationCommands } from './commands/conversation-commands.ts'
import { agentActionsOf } from './commands/conversation-tools.ts'
import { OpenConversations } from './commands/open-conversations.ts'
import { checkEnded } from './comparison/check-attempt.ts'
import { comparisonCommands } from './comparison/comparison-commands.ts'
import type { ConversationDeps } from './conversation/conversation.ts'
import { noProgramPaths, type ProgramPaths } from './definitions/program-paths.ts'
import { MailboxReader } from './log/mailbox-reader.ts'
import { summaryOf } from './log/summarize-conversation.ts'
import { RateGates } from './loop/rate-gates.ts'
import type { LoopDeps } from './loop/run-agent.ts'
import type { Ports } from './ports.ts'
import { startChild } from './run/outside-child.ts'
import { wakeMain } from './run/run-agents.ts'
import { judgeWithFiles } from './run/run-child.ts'
import type { Runtime, RuntimeDelta } from './runtime.ts'
import type { SharedLimits } from './shared-limits.ts'
import { createTeams } from './teams/create-teams.ts'
import { teamCommands } from './teams/team-commands.ts'
import { ToolRegistry } from './tools/tool-registry.ts'

export interface RuntimeOptions {
  readonly programPaths?: ProgramPaths
  /** Chooses the backing of each agent; by default a program, a worker, or this runtime's loop. */
  readonly backings?: ChooseBacking
  /** External agents. Missing: their agents can't be started. */
  readonly programs?: OutsidePrograms
  /** The workers for agents of other backings. Missing: such agents can't be started. */
  readonly workers?: RuntimeWorkers
  /** Shares rate limits with other processes. Missing: they apply to this one. */
  readonly limits?: SharedLimits
}

export function createRuntime(ports: Ports, options: RuntimeOptions = {}): Runtime {
  const listeners = new Set<(delta: RuntimeDelta) => void>()
  const publish = (delta: RuntimeDelta) => {
    for (const listener of listeners) listener(delta)
  }
  const { limits } = options
  const gates = new RateGates(ports.models, (until) => limits?.publish(until))
  const stopLimits = limits?.subscribe((until) => gates.main.close(until, ports.clock.now()))
  const loop: LoopDeps = { ...ports, gates, random: () => ports.random() }
  const tools = new ToolRegistry(ports)
  const teams = createTeams()
  const deps: ConversationDeps = {
    ports,
    loop,
    backings:
      options.backings ??
      ((agent) => options.programs?.backing(agent) ?? options.workers?.backing(agent) ?? null),
    workers: options.workers ?? null,
    registry: tools,
    programPaths: options.programPaths ?? noProgramPaths,
    mailbox: new MailboxReader(ports.mailbox),
    actionsOf: (conversation) => ({ ...agentActionsOf(conversation), ...teams.actionsOf(conversation) }),
    teams: teams.hooks,
    attemptEnded: checkEnded,
    wakeMain,
    startChild,
    judgeWithFiles,
    publish,
    summaryChanged: ({ file, agents }) => {
      const facts = { record: file.record, states: agents.states(), main: agents.main?.state() }
      publish({ type: 'conversation', summary: summaryOf(facts, ports.policy.limits.conversation) })
    },
  }
  const conversations = new OpenConversations(deps)
  return {
    tools,
    ...conversationCommands(conversations, deps),
    ...agentCommands(conversations, deps),
    ...teamCommands(conversations, teams),
    ...comparisonCommands(conversations, deps),
    accessChanged: () => {
      gates.open()
      limits?.keyChanged()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      stopLimits?.()
      await conversations.closeAll()
      await options.programs?.close()
    },
  }
}

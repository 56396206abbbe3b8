/**
 * The top of the runtime: puts it together from its ports. Commands go in, and events go to the subscribers. Each
 * conversation gets its tools, its agents and its reactors from here, so no part below knows a part above.
 */
import type { EventOf } from '../../shared/events/agent-event.ts'
import { dispatchTo } from '../../shared/ipc/handlers.ts'
import { ok } from '../../shared/kernel/result.ts'
import { Semaphore } from '../../shared/kernel/semaphore.ts'
import { agentReach, tellInstructions } from './agent/agent-reach.ts'
import { blockedToolsOf } from './agent/agent-tools.ts'
import { backedAgent } from './agent/backed-agent.ts'
import { currentTools, serversOf } from './agent/current-tools.ts'
import { createFolderTools } from './agent/folder-tools.ts'
import { createLoopBacking } from './agent/loop-backing.ts'
import { mergeWork, previewMerge } from './agent/merge-work.ts'
import { planDepsOf } from './agent/spawn-context.ts'
import { holdParents } from './agent/spend-limit.ts'
import { standingFacts } from './agent/standing-facts.ts'
import { checkSettled } from './comparison/check-attempt.ts'
import { comparisonHandlers, mergeRecords } from './comparison/comparison-commands.ts'
import { AgentPrompt } from './conversation/agent-prompt.ts'
import { isCommandId } from './conversation/background-command.ts'
import type { Assembly, Conversation, Reactor } from './conversation/conversation.ts'
import { type AgentStart, LiveAgent } from './conversation/live-agent.ts'
import { MailboxReader } from './conversation/mailbox-reader.ts'
import { foldLaterChanges } from './conversation/outdated-files.ts'
import { folderPolicy, type PermissionFacts } from './definitions/permissions-text.ts'
import { noProgramPaths, type ProgramPaths } from './definitions/program-paths.ts'
import { RateGates } from './loop/rate-gate.ts'
import type { LoopDeps } from './loop/run-agent.ts'
import {
  type AgentBacking,
  type ChooseBacking,
  EXTERNAL_SUBAGENT_BACKING,
  type ExternalAgents,
  plainBacking,
  type RuntimeWorkers,
} from './ports/agent-backing.ts'
import type { Ports, SharedLimits } from './ports/ports.ts'
import type { Runtime, RuntimeDelta, RuntimeHandlers } from './ports/runtime.ts'
import type { ToolSession } from './ports/tool.ts'
import { adoptAgent } from './run/adopt-agent.ts'
import { agentHandlers, agentQueries } from './run/agent-commands.ts'
import { taskOutput, taskStop } from './run/background.ts'
import { resumeLimited } from './run/continue-stopped.ts'
import { setMode } from './run/control.ts'
import { conversationHandlers, conversationQueries } from './run/conversation-commands.ts'
import { createConversation } from './run/create-conversation.ts'
import { startExternalSubagent } from './run/external-subagent.ts'
import { OpenConversations, worktreeDiscarded } from './run/open-conversations.ts'
import { agentTypeOf } from './run/prepare-agent.ts'
import { wakeForCommand } from './run/run-agents.ts'
import { judgeWithFiles } from './run/run-child.ts'
import { setPhase } from './run/set-phase.ts'
import { callAgent, runSkill, userRan } from './run/start-agent.ts'
import { createTeams } from './teams/create-teams.ts'
import { teamHandlers } from './teams/team-commands.ts'
import {
  AvailableTools,
  type ConversationActions,
  type TeamActions,
  ToolRegistry,
} from './tools/tool-registry.ts'

export interface RuntimeOptions {
  readonly programPaths?: ProgramPaths
  /** Chooses the backing of each agent; by default a program, a worker, or this runtime's loop. */
  readonly backings?: ChooseBacking
  /** External agents. Missing: their agents can't be started. */
  readonly programs?: ExternalAgents
  /** The workers for agents of other backings. Missing: such agents can't be started. */
  readonly workers?: RuntimeWorkers
  /** Shares rate limits with other processes. Missing: they apply to this one. */
  readonly limits?: SharedLimits
}

export function createRuntime(ports: Ports, options: RuntimeOptions = {}): Runtime {
  const listeners = new Set<(delta: RuntimeDelta) => void>()
  const { limits } = options
  const gates = new RateGates(ports.models, (until) => limits?.publish(until))
  const stopLimits = limits?.subscribe((until) => gates.main.close(until, ports.clock.now()))
  const loop: LoopDeps = { ...ports, gates, random: () => ports.random() }
  const tools = new ToolRegistry(ports)
  const teams = createTeams()
  const assembly: Assembly = {
    ports,
    loop,
    backings:
      options.backings ??
      ((agent) => options.programs?.backing(agent) ?? options.workers?.backing(agent) ?? null),
    workers: options.workers ?? null,
    programPaths: options.programPaths ?? noProgramPaths,
    mailbox: new MailboxReader(ports.mailbox),
    publish(delta) {
      for (const listener of listeners) listener(delta)
    },
    toolsOf(conversation) {
      const actions = { ...agentActionsOf(conversation), ...teams.actionsOf(conversation) }
      return new AvailableTools(tools, actions, conversation.file.record.folder)
    },
    agentOf,
    reactors: [
      tellInstructions,
      noteFiles,
      releaseServers,
      holdClocks,
      wakeForCommand,
      checkSettled,
      // The last one: it takes time after the end of a run.
      teams.react,
    ],
  }
  const conversations = new OpenConversations(assembly)
  const handlers: RuntimeHandlers = {
    ...conversationHandlers(conversations, assembly),
    ...agentHandlers(conversations, assembly),
    ...teamHandlers(conversations, teams),
    ...comparisonHandlers(conversations, assembly),
  }
  return {
    ...{ tools, handlers, dispatch: dispatchTo(handlers) },
    toolsIn: createFolderTools(ports, (folder) => [...tools.builtIn(), ...tools.added(folder)]),
    ...conversationQueries(conversations, assembly),
    ...agentQueries(conversations),
    ...mergeRecords(conversations, assembly),
    async tryOut(trial) {
      const created = await createConversation(trial, conversations, assembly)
      return created.ok ? ok(created.value.summary) : created
    },
    endTrial: (conversationId) => conversations.close(conversationId, 'closed'),
    adopt: (adoption) => adoptAgent(adoption, conversations, assembly),
    async followWorkers() {
      for (const id of (await assembly.workers?.conversations()) ?? [])
        await conversations.use(id, () => ok(undefined))
    },
    resumeLimited: () => resumeLimited(conversations, assembly),
    tellAgent({ conversationId, agentId, text, note }) {
      const handle = conversations.get(conversationId)?.agents.get(agentId)
      if (!handle?.isRunning || !handle.agent) return
      handle.agent.notes.push(text)
      handle.agent.emit({ type: 'notice', level: 'warning', text: note })
    },
    worktreeDiscarded: (owner) => worktreeDiscarded(conversations, assembly, owner),
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

/** Keeps what the agents know of files up to date: who changed which, and what changed after an agent read it. */
const noteFiles: Reactor = ({ sharedFiles, agents }, happened) => {
  if (happened.type !== 'agent-event') return
  const { event } = happened
  sharedFiles.apply(event)
  const known = agents.get(event.agentId)?.agent?.session.seen
  if (known) foldLaterChanges(known, event)
}

/** The servers that an agent's definition names may end with the agent. */
const releaseServers: Reactor = ({ agents, ports, file }, happened) => {
  if (happened.type !== 'agent-event' || happened.event.type !== 'agent-ended') return
  const servers = agents.state(happened.event.agentId)?.definition.toolLists?.mcpServers ?? []
  if (servers.length > 0) ports.serverTools?.released(file.record.folder, servers)
}

/** The clocks of agents that wait for others follow the clocks of these. */
const holdClocks: Reactor = ({ agents }, happened) => {
  if (happened.type !== 'agent-event') return
  const { type } = happened.event
  if (type === 'status-changed' || type === 'agent-ended') holdParents(agents)
}

/** Puts an agent together. `own.blocked` missing: its log and the tools of now say what it may not use. */
function agentOf(
  conversation: Conversation,
  spawned: EventOf<'agent-spawned'>,
  { blocked, seen, ...start }: AgentStart,
): LiveAgent {
  const { file, events, ports, loop, slots } = conversation
  const { agentId: id } = spawned
  const isOfProgram = spawned.backing === EXTERNAL_SUBAGENT_BACKING
  const ownBlocked = blocked ?? blockedToolsOf(spawned, planDepsOf(conversation))
  return new LiveAgent({
    ...{ spawned, start, file, events, ports, loop },
    session: sessionOf(conversation, spawned, seen),
    // The main agent never waits behind its own agents. The agent whose program runs another one holds the slot of both.
    slots: isOfProgram || conversation.agents.isMain(id) ? new Semaphore(() => 1) : slots,
    promptOf: (agent) => promptOf(conversation, agent, { spawned, blocked: ownBlocked }),
    reachOf: (agent) =>
      agentReach(agent, conversation, (question, signal) =>
        judgeWithFiles(conversation, { agentId: id, question }, signal),
      ),
    backedOf: (agent) =>
      backedAgent(agent, conversation, (child) => startExternalSubagent(conversation, id, child)),
    backingOf(agent) {
      if (isOfProgram) return childBacking(agent)
      const chosen = conversation.assembly.backings(agent.backed)
      return chosen ?? (spawned.backing === 'acp' ? noProgram : createLoopBacking(agent, conversation))
    },
  })
}

/** The program that started the agent begins and ends its runs: see `run/external-subagent.ts`. */
const childBacking = ({ backed }: LiveAgent): AgentBacking => ({
  ...noProgram,
  name: EXTERNAL_SUBAGENT_BACKING,
  answer: (requestId, answer) => backed.answer(requestId, answer),
})

/** An external agent never runs as a model of this one. */
const noProgram = plainBacking('acp', async () => ({
  kind: 'failed',
  type: 'worker',
  message: 'This program can’t start external agents.',
}))

function promptOf(
  conversation: Conversation,
  agent: LiveAgent,
  { spawned, blocked }: Pick<ConstructorParameters<typeof AgentPrompt>[0], 'spawned' | 'blocked'>,
): AgentPrompt {
  const { ports, tools, file, sharedFiles, commands, agents } = conversation
  const { id, transcript, session } = agent
  return new AgentPrompt({
    ...{ blocked, spawned, transcript, session },
    home: {
      ...{ memory: ports.memory, files: ports.files, tools },
      isMain: agents.isMain(id),
      isTrusted: (folder) => ports.policy.trusted(folder),
      permissions: (trusted) => permissionsOf(conversation, agent, trusted),
      currentTools: (options) => currentTools(conversation, id, options),
      outputFolder: file.outputFolder(id),
      changedBy: (path, state) =>
        sharedFiles.changedBy(path, state, {
          agentId: id,
          hasCommands: commands.listFor(id).length > 0,
        }),
      servers: () => serversOf(conversation, id),
      standingFacts: () => standingFacts(conversation, id),
      now: () => ports.clock.now(),
    },
  })
}

function permissionsOf({ ports, agents }: Conversation, agent: LiveAgent, trusted: boolean): PermissionFacts {
  const { permissionMode, neverAsks, definition, background, bubbles } = agent.state()
  const isMain = agents.isMain(agent.id)
  return {
    ...folderPolicy(agent.session.project, ports, trusted),
    mode: { permissionMode, neverAsks },
    readOnly: definition.readOnly,
    asks: background === 'no' || bubbles,
    presentsPlan: isMain && agent.prompt.toolSchemas.some(({ name }) => name === 'ExitPlanMode'),
    isMain,
  }
}

function sessionOf(
  { file, ports, variables }: Conversation,
  { agentId, inherits, cwd, worktree, definition }: EventOf<'agent-spawned'>,
  seen: AgentStart['seen'],
): ToolSession {
  return {
    root: cwd,
    project: file.record.folder,
    worktree: worktree && { ...worktree, environment: ports.worktrees.environment(worktree) },
    home: ports.policy.ownPaths.home,
    cwd,
    // A fork knows the outputs of its parent.
    readFolders: new Set([
      ...definition.readFolders,
      file.outputFolder(agentId),
      ...(inherits === null ? [] : [file.outputFolder(inherits.agentId)]),
    ]),
    seen: new Map(seen),
    variables: () => variables.of(agentId),
  }
}

/** The operations of tools on the agents of a conversation. Those on teams are in `teams/create-teams.ts`. */
function agentActionsOf(conversation: Conversation): Omit<ConversationActions, keyof TeamActions> {
  return {
    startAgent: (call, context) => callAgent(conversation, call, context),
    agentType: (call, context) => agentTypeOf(conversation, call, context),
    runSkill: (skill, task, context) => runSkill(conversation, skill, { task, context }),
    ranByUser: (skill, agentId) => userRan(conversation, skill, agentId),
    switchModel: (model, agentId) => {
      const agent = conversation.agents.get(agentId)?.agent
      if (!agent) return
      const id = conversation.ports.models.resolve(model, agent.state().model)
      if (id !== agent.state().model) agent.emit({ type: 'model-changed', model: id, forTurn: true })
    },
    startCommand: (call, context) => conversation.commands.start(call, context),
    readTask: (call, context) =>
      isCommandId(call.task_id)
        ? conversation.commands.read(call, context)
        : taskOutput(conversation, call, context),
    stopTask: (call, context) =>
      isCommandId(call.task_id)
        ? conversation.commands.stopByAgent(call, context)
        : taskStop(conversation, call, context),
    previewMerge: (call, context) => previewMerge(conversation, call, context),
    mergeWork: (call, context) => mergeWork(conversation, call, context),
    setPhase: (call) => setPhase(conversation, call),
    permissionModeOf: (agentId) => conversation.agents.state(agentId)?.permissionMode ?? 'default',
    leavePlanMode: (mode) => {
      setMode(conversation, mode)
    },
  }
}

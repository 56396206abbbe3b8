/**
 * The commands that the agents of a conversation run in the background, and the tool calls that were moved there. A
 * command of the main agent runs until the conversation is stopped or closed, a command of a subagent at most until the
 * end of the agent's run.
 */

import { messageOf, type Result } from '../../../shared/kernel/result.ts'
import { isLive } from '../../../shared/state/agent-state.ts'
import type { Ports } from '../ports/ports.ts'
import { withOffers } from '../ports/sandbox.ts'
import {
  type BackgroundWork,
  type LaterWork,
  type ToolContext,
  type ToolOutcome,
  toolError,
} from '../ports/tool.ts'
import { type BashCall, sessionEnvironment } from '../tools/bash.ts'
import { shownOutput } from '../tools/shown-output.ts'
import type { TaskOutputCall } from '../tools/task-output.ts'
import type { TaskStopCall } from '../tools/task-stop.ts'
import type { AgentRegistry } from './agent-registry.ts'
import {
  type BackgroundCommand,
  type CommandEndedBy,
  callEnd,
  causeOf,
  commandEndText,
  commandNotice,
  commandNoticeId,
  endNote,
  inOneLine,
  stateText,
  textOnly,
  UnreadOutput,
  unknownTask,
} from './background-command.ts'
import type { ConversationFile } from './conversation-file.ts'
import type { LiveAgent } from './live-agent.ts'

/** ms. Timers accept no longer time. */
const NO_TIME_LIMIT = 2 ** 31 - 1

/** Commands of one agent at a time. */
const MOST_COMMANDS = 16

/** Ended commands that can still be read, for each conversation. */
const MOST_ENDED = 100

/** The parts of a conversation that commands use. */
interface CommandsHome {
  readonly ports: Pick<Ports, 'shell' | 'ids' | 'clock'>
  readonly agents: AgentRegistry
  readonly file: ConversationFile
  withAgent<T>(agentId: string, act: (agent: LiveAgent) => T): Promise<Result<T>>
  /** Called when the notice of an end was queued. */
  happened(what: { readonly type: 'command-reported' }): unknown
}

export class BackgroundCommands {
  private readonly home: CommandsHome
  private readonly commands = new Map<string, BackgroundCommand>()

  constructor(home: CommandsHome) {
    this.home = home
  }

  /** Returns at once; a failure to start is the command's end. */
  async start(call: BashCall, context: ToolContext): Promise<ToolOutcome> {
    const { ports, agents } = this.home
    const { agentId, toolUseId } = context
    const agent = agents.get(agentId)?.agent
    if (!agent) return toolError('This call belongs to no running agent, so it was not run.')
    if (agent.state().definition.readOnly)
      return toolError(
        'You only read, so you run no commands in the background. Run it without run_in_background.',
      )
    if (!agent.prompt.tools.some(({ name }) => name === 'TaskOutput'))
      return toolError(
        'You have no TaskOutput to read the output of a command in the background. Run it without run_in_background, with a longer timeout if needed.',
      )
    if (this.runningOf(agentId).length >= MOST_COMMANDS)
      return toolError(
        `Not started: ${MOST_COMMANDS} of your commands run in the background already. Stop one with TaskStop first.`,
        'not started',
      )
    const command = this.add({ id: ports.ids.next('b'), agentId, kind: 'command', text: call.command })
    const { id } = command
    const { command: text, description = '' } = call
    agent.emit({ type: 'command-started', commandId: id, toolUseId, command: text, description })
    command.done = this.run(command, call, { agent, context })
    return {
      isError: false,
      note: 'in the background',
      content: `The command runs in the background; its id is ${id}. Read its output with TaskOutput (task_id "${id}"; block: false returns at once), and stop it with TaskStop. A notice tells you when it ends.${agents.isMain(agentId) ? '' : ' It ends at the latest when you end.'}`,
    }
  }

  /** Takes over the work of a call. @returns the reason, if the agent can't have it in the background */
  adopt(agentId: string, toolUseId: string, work: LaterWork): BackgroundWork | string {
    const agent = this.home.agents.get(agentId)?.agent
    if (!agent) return 'the call belongs to no running agent'
    if (!agent.prompt.tools.some(({ name }) => name === 'TaskOutput'))
      return 'you have no TaskOutput to read its result later'
    if (this.runningOf(agentId).length >= MOST_COMMANDS)
      return `${MOST_COMMANDS} of your commands and calls are in the background already`
    const command = this.add({ id: this.home.ports.ids.next('b'), agentId, kind: 'call', text: work.title })
    const { id } = command
    command.stopping.signal.addEventListener('abort', () => work.stop(), { once: true })
    agent.emit({ type: 'command-started', commandId: id, toolUseId, command: work.title, description: '' })
    command.done = this.follow(command, work, agent)
    const onOutput = (append: string) => {
      command.output.append(append)
      agent.transcript.live({ type: 'live-output', agentId, toolUseId: id, append })
    }
    return { id, onOutput }
  }

  async read(
    { task_id, block, timeout }: TaskOutputCall,
    { agentId, signal }: ToolContext,
  ): Promise<ToolOutcome> {
    const command = this.find(task_id, agentId)
    if (command === null) return this.unknown(task_id, agentId)
    const agent = this.home.agents.get(agentId)?.agent
    if (block && command.ended === null && agent) {
      const waiting = new AbortController()
      const end = () => waiting.abort()
      signal.addEventListener('abort', end, { once: true })
      const time = this.home.ports.clock.sleep(timeout, waiting.signal)
      await agent.slot.waitFor('children', Promise.race([command.done, time]))
      signal.removeEventListener('abort', end)
      end()
    }
    const output = command.output.take().trimEnd() || '[No new output.]'
    if (command.ended !== null) this.markTold(command)
    const note = command.ended === null ? 'running' : endNote(command)
    return { isError: false, note, content: `${output}\n${stateText(command)}` }
  }

  async stopByAgent({ task_id }: TaskStopCall, { agentId }: ToolContext): Promise<ToolOutcome> {
    const command = this.find(task_id, agentId)
    if (command === null) return this.unknown(task_id, agentId)
    if (command.ended !== null)
      return { isError: false, note: endNote(command), content: `${task_id} had ended already.` }
    await this.end(command, 'agent')
    const content =
      command.kind === 'call'
        ? `The call ${task_id} was canceled. It may have taken effect: check before you repeat it.`
        : `The command ${task_id} was stopped, with everything that it started. Its effects until then remain.`
    return { isError: false, note: 'stopped', content }
  }

  /** False: no such command runs. */
  async stopByUser(agentId: string, commandId: string): Promise<boolean> {
    const command = this.commands.get(commandId)
    if (command?.agentId !== agentId || command.ended !== null) return false
    await this.end(command, 'user')
    return true
  }

  /** Ends the commands of an agent whose run ends. @returns their texts */
  async endOf(agentId: string): Promise<readonly string[]> {
    const running = this.runningOf(agentId)
    await Promise.all(running.map((command) => this.end(command, 'run')))
    return running.map(({ text }) => inOneLine(text))
  }

  async endAll(by: 'run'): Promise<void> {
    await Promise.all([...this.commands.values()].map((command) => this.end(command, by)))
  }

  /** Records the end of commands whose program died, and tells the main agent of its own. */
  async reportLost(): Promise<void> {
    const { agents, file } = this.home
    for (const state of agents.states())
      for (const { commandId, command } of state.commands) {
        const { id } = state
        // Another process still carries out the agent, and its commands.
        if (isLive(state) && !agents.isMain(id)) continue
        await this.home.withAgent(id, (agent) =>
          agent.emit({ type: 'command-ended', commandId, exitCode: null, by: 'lost' }),
        )
        if (agents.isMain(id))
          file.queue.add(
            commandNotice(
              { id: commandId, agentId: id },
              `The command that you ran in the background (id ${commandId}) was ended because the program ended: ${inOneLine(command)}\nStart it again if you still need it.`,
            ),
          )
      }
  }

  private add(known: Pick<BackgroundCommand, 'id' | 'agentId' | 'kind' | 'text'>): BackgroundCommand {
    const command: BackgroundCommand = {
      ...known,
      output: new UnreadOutput(),
      stopping: new AbortController(),
      by: null,
      ended: null,
      told: false,
      done: Promise.resolve(),
    }
    this.commands.set(known.id, command)
    this.dropOldest()
    return command
  }

  private async run(
    command: BackgroundCommand,
    call: BashCall,
    { agent, context }: { readonly agent: LiveAgent; readonly context: ToolContext },
  ): Promise<void> {
    const { shell } = this.home.ports
    const { cwd } = context.session
    const changesEnd = context.holdChanges?.()
    const shown = shownOutput(call.command)
    const ran = await shell
      .run({
        command: call.command,
        cwd,
        timeoutMs: call.timeout ?? NO_TIME_LIMIT,
        signal: command.stopping.signal,
        onOutput: (text) => {
          const append = shown.piece(text)
          if (append === '') return
          agent.transcript.live({ type: 'live-output', agentId: agent.id, toolUseId: command.id, append })
        },
        onLines: (text) => command.output.append(shown.whole(text)),
        ...(context.limits && { limits: context.limits }),
        environment: sessionEnvironment(context.session, context.limits !== undefined),
      })
      .catch((thrown: unknown) => ({ ok: false as const, failure: { message: messageOf(thrown) } }))
    if (!ran.ok) command.output.append(`${ran.failure.message}\n`)
    else
      for (const note of ran.value.sandboxNotes ?? [])
        command.output.append(`[${withOffers(note, context.reachesUser ?? true)}]\n`)
    await changesEnd?.()
    await this.ended(command, agent, {
      output: ran.ok ? shown.whole(ran.value.output) : '',
      exitCode: ran.ok ? ran.value.exitCode : null,
      by: command.by ?? (ran.ok ? causeOf(ran.value) : 'exit'),
    })
  }

  /** A call ends with 0, or with 1 if its tool reports an error. */
  private async follow(command: BackgroundCommand, work: LaterWork, agent: LiveAgent): Promise<void> {
    const { isError, content } = await work.done
    const output = textOnly(content)
    command.output.append(`${output}\n`)
    await this.ended(command, agent, { output, exitCode: isError ? 1 : 0, by: command.by ?? 'exit' })
  }

  private async ended(
    command: BackgroundCommand,
    agent: LiveAgent,
    {
      output,
      exitCode,
      by,
    }: { readonly output: string; readonly exitCode: number | null; readonly by: CommandEndedBy },
  ): Promise<void> {
    const kept = output === '' ? null : await this.home.file.keepOutput(agent.id, command.id, output)
    const file = kept?.ok ? `${this.home.file.outputFolder(agent.id)}/${command.id}.txt` : null
    command.ended = { exitCode, by, file }
    await this.home.withAgent(agent.id, (current) => {
      current.transcript.stream.toolEnded(command.id)
      current.emit({ type: 'command-ended', commandId: command.id, exitCode, by })
    })
    if (by === 'agent' || by === 'run') command.told = true
    else this.tell(command)
  }

  /** Queues the notice of the end, and wakes an idle main agent. */
  private tell(command: BackgroundCommand): void {
    const { ended, id, text } = command
    if (ended === null || command.told) return
    this.home.file.queue.add(
      commandNotice(
        command,
        command.kind === 'call'
          ? `A call that went on in the background has ended: ${callEnd(ended)} (id ${id})\n${inOneLine(text)}\nTaskOutput returns its result.`
          : `A command that you ran in the background has ended: ${commandEndText(ended)} (id ${id})\n${inOneLine(text)}\nTaskOutput returns its output since your last read.`,
      ),
    )
    void this.home.file.save()
    this.home.agents.get(command.agentId)?.agent?.backing.send()
    this.home.happened({ type: 'command-reported' })
  }

  /** The agent reads the end now, so no notice follows. */
  private markTold(command: BackgroundCommand): void {
    command.told = true
    this.home.file.queue.remove(commandNoticeId(command.id))
  }

  private async end(command: BackgroundCommand, by: 'user' | 'agent' | 'run'): Promise<void> {
    if (command.ended === null) {
      command.by ??= by
      command.stopping.abort()
    }
    await command.done
  }

  private find(id: string, agentId: string): BackgroundCommand | null {
    const command = this.commands.get(id)
    return command?.agentId === agentId ? command : null
  }

  private unknown(id: string, agentId: string): ToolOutcome {
    return toolError(unknownTask(id, this.listFor(agentId)), 'unknown command')
  }

  /** The running commands of an agent: "b-1 (npm start)". */
  listFor(agentId: string): readonly string[] {
    return this.runningOf(agentId).map(({ id, text }) => `${id} (${inOneLine(text)})`)
  }

  private runningOf(agentId: string): readonly BackgroundCommand[] {
    return [...this.commands.values()].filter(
      (command) => command.agentId === agentId && command.ended === null,
    )
  }

  private dropOldest(): void {
    const ended = [...this.commands.values()].filter((command) => command.ended !== null)
    for (const { id } of ended.slice(0, Math.max(0, ended.length - MOST_ENDED))) this.commands.delete(id)
  }
}

/**
 * The commands that the user runs in the folder of a conversation, one at a time, without an agent and, checks aside,
 * outside the sandbox. Their events are in the transcript of the main agent; their output goes to it with the user's next message.
 */

import type { EventOf } from '../../../shared/events/agent-event.ts'
import type { AttachedText } from '../../../shared/events/conversation.ts'
import type { UserCommand } from '../../../shared/events/user-commands-schema.ts'
import { durationOf } from '../../../shared/kernel/amounts.ts'
import { fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import { shortenOutput } from '../loop/shorten-output.ts'
import type { PermitDeps } from '../permissions/decide-call.ts'
import { mayChangeFiles } from '../permissions/decide-command.ts'
import type { OpenChanges } from '../ports/changes.ts'
import type { Ports } from '../ports/ports.ts'
import type { ShellEnd, ShellRun } from '../ports/shell.ts'
import { shownOutput } from '../tools/shown-output.ts'
import type { AgentRegistry } from './agent-registry.ts'
import { checkLimits } from './check-limits.ts'
import type { ConversationFile } from './conversation-file.ts'
import type { LiveAgent } from './live-agent.ts'

/** ms. Timers accept no longer time. */
const NO_TIME_LIMIT = 2 ** 31 - 1

const LONGEST_CHECK_MS = 3_600_000

/** The parts of a conversation that the commands use. */
interface UserCommandsHome {
  readonly id: string
  readonly ports: Ports
  readonly loop: PermitDeps
  readonly agents: AgentRegistry
  readonly file: ConversationFile
  readonly lifetime: AbortController
  withAgent<T>(agentId: string, act: (agent: LiveAgent) => T): Promise<Result<T>>
  /** Called with work that must end before the conversation closes. */
  keepOpenFor(work: Promise<unknown>): void
}

interface RunningUserCommand {
  readonly id: string
  readonly stopping: AbortController
  readonly done: Promise<void>
}

export class UserCommands {
  private readonly home: UserCommandsHome
  private running: RunningUserCommand | null = null

  constructor(home: UserCommandsHome) {
    this.home = home
  }

  /**
   * Returns once the command has begun. A check runs in the sandbox of the main agent, and ends after an hour. Fails with
   * `not-allowed`, `not-possible`, or a failure of the log.
   */
  async run(command: string, isCheck = false): Promise<Result<{ commandId: string }>> {
    const { ports, file, lifetime } = this.home
    const { folder } = file.record
    if (!ports.policy.trusted(folder))
      return fail({
        type: 'not-allowed',
        message: `The command was not run: you have not trusted ${folder}. Trust the folder first.`,
      })
    if (this.running !== null || lifetime.signal.aborted) return fail(stillRunning)
    const commandId = ports.ids.next('u')
    const stopping = new AbortController()
    const started = await new Promise<Result<void>>((begun) => {
      const done = this.carryOut({ commandId, command, isCheck, signal: stopping.signal }, begun)
        .catch((thrown: unknown) => begun(fail({ type: 'io', message: messageOf(thrown) })))
        .finally(() => {
          this.running = null
        })
      this.running = { id: commandId, stopping, done }
      this.home.keepOpenFor(done)
    })
    return started.ok ? ok({ commandId }) : started
  }

  /** Ends the command, or the one that runs; resolves when it has ended. */
  async stop(commandId: string | null): Promise<void> {
    const { running } = this
    if (running === null || (commandId !== null && running.id !== commandId)) return
    running.stopping.abort()
    await running.done
  }

  /** Whether the output goes to the main agent. Fails with `not-found` once it was sent. */
  async share(commandId: string, share: boolean): Promise<Result<void>> {
    const isKnown = this.known().some((one) => one.commandId === commandId && one.sharing !== 'sent')
    if (!isKnown) return fail(alreadySent)
    return this.emit({ type: 'user-command-shared', commandId, sharing: share ? 'next' : 'off' })
  }

  /** The outputs for the next message to the main agent. From then on they count as sent. */
  async takeShared(): Promise<readonly AttachedText[]> {
    const shared = this.known().filter(({ sharing, ended }) => sharing === 'next' && ended !== null)
    for (const { commandId } of shared)
      await this.emit({ type: 'user-command-shared', commandId, sharing: 'sent' })
    return shared.map(attachedOutput)
  }

  /** A message with these outputs was taken back: the next one brings them. */
  async giveBack(attached: readonly AttachedText[]): Promise<void> {
    for (const { commandId } of attached)
      if (commandId !== undefined)
        await this.emit({ type: 'user-command-shared', commandId, sharing: 'next' })
  }

  /** Records the end of a command whose program died. */
  async reportLost(): Promise<void> {
    const lost = { exitCode: null, by: 'lost' as const, output: LOST, durationMs: 0, outputFile: null }
    for (const { commandId, ended } of this.known())
      if (ended === null) await this.emit({ type: 'user-command-ended', commandId, ...lost })
  }

  private async carryOut(
    {
      commandId,
      command,
      isCheck,
      signal,
    }: { commandId: string; command: string; isCheck: boolean; signal: AbortSignal },
    begun: (result: Result<void>) => void,
  ): Promise<void> {
    const { ports, file, lifetime } = this.home
    const { mainAgentId, folder } = file.record
    const cwd = this.home.agents.main?.state().worktree?.path ?? folder
    const changes = await this.beginChanges({ commandId, command, cwd })
    if (!changes.ok) return begun(changes)
    const startedAt = ports.clock.now()
    const started = await this.emit({ type: 'user-command-started', commandId, command, cwd })
    begun(started)
    if (!started.ok) return
    const shown = shownOutput(command)
    const live = (append: string) =>
      void this.home.withAgent(mainAgentId, ({ transcript }) =>
        transcript.live({ type: 'live-output', agentId: mainAgentId, toolUseId: commandId, append }),
      )
    const ending = AbortSignal.any([signal, lifetime.signal])
    const run = {
      ...{ command, cwd, timeoutMs: NO_TIME_LIMIT },
      signal: ending,
      onOutput: (text: string) => {
        const append = shown.piece(text)
        if (append !== '') live(append)
      },
    }
    const ran = await (isCheck ? this.runCheck(run) : ports.shell.run(run)).catch((thrown: unknown) =>
      fail({ type: 'io', message: messageOf(thrown) }),
    )
    await this.endChanges(changes.value)
    const whole = ran.ok ? endedText(ran.value, shown) : `Not started: ${ran.failure.message}`
    const { content, outputFile } = await shortenOutput(
      {
        tools: [],
        outputFolder: file.outputFolder(mainAgentId),
        keepOutput: (id, text) => file.keepOutput(mainAgentId, id, text),
      },
      { id: commandId, name: 'Bash' },
      whole,
    )
    await this.home.withAgent(mainAgentId, ({ transcript }) => transcript.stream.toolEnded(commandId))
    await this.emit({
      type: 'user-command-ended',
      commandId,
      exitCode: ran.ok ? ran.value.exitCode : null,
      by: signal.aborted ? 'user' : lifetime.signal.aborted ? 'program' : 'exit',
      output: typeof content === 'string' ? content : whole,
      durationMs: ports.clock.now() - startedAt,
      outputFile,
    })
  }

  /** Fails with `denied`, or as the shell does. */
  private async runCheck(run: ShellRun): Promise<Result<ShellEnd>> {
    const { ports, agents } = this.home
    const state = agents.main?.state()
    if (state === undefined) return fail({ type: 'not-found', message: 'The main agent is gone.' })
    const limits = await checkLimits(this.home, { state, command: run.command }, run.signal)
    if (!limits.ok) return limits
    return ports.shell.run({
      ...run,
      timeoutMs: LONGEST_CHECK_MS,
      // As a command in the background: when Troupe is killed, the next start ends it with all that it has started.
      onLines: () => {},
      ...(limits.value && { limits: limits.value }),
      ...(state.worktree && { environment: ports.worktrees.environment(state.worktree) }),
    })
  }

  private async beginChanges(call: {
    readonly commandId: string
    readonly command: string
    readonly cwd: string
  }): Promise<Result<OpenChanges | null>> {
    const { ports, file, id: conversationId } = this.home
    const { commandId: toolUseId, command, cwd } = call
    if (ports.changes === undefined || !mayChangeFiles(command, cwd)) return ok(null)
    return ports.changes.begin({
      ...{ conversationId, agentId: file.record.mainAgentId, toolUseId, root: cwd },
      target: { kind: 'folder', path: cwd, command },
    })
  }

  /** What it changed is the user’s: agents hear of it, and an undo never takes it back. */
  private async endChanges(changes: OpenChanges | null): Promise<void> {
    const recorded = (await changes?.end()) ?? []
    const [first] = recorded
    if (first === undefined) return
    await this.emit({
      type: 'files-changed',
      toolUseId: first.toolUseId,
      cause: 'user',
      files: recorded.flatMap(({ files }) => files),
      ignored: recorded.reduce((sum, { ignored }) => sum + ignored, 0),
      note: recorded
        .map(({ note }) => note)
        .filter((note) => note !== '')
        .join(' '),
    })
  }

  private known(): readonly UserCommand[] {
    return this.home.agents.main?.state().userCommands ?? []
  }

  private async emit(
    draft: Parameters<LiveAgent['emit']>[0] & {
      readonly type: EventOf<
        'user-command-started' | 'user-command-ended' | 'user-command-shared' | 'files-changed'
      >['type']
    },
  ): Promise<Result<void>> {
    const { file } = this.home
    const emitted = await this.home.withAgent(file.record.mainAgentId, (agent) => agent.emit(draft))
    return emitted.ok ? file.tryFlush(file.record.mainAgentId) : emitted
  }
}

/** The output, with what its reader must know of the end. */
function endedText({ output, ended, refusedHosts = [] }: ShellEnd, shown: ReturnType<typeof shownOutput>) {
  return [
    shown.whole(output).trimEnd(),
    ended === 'timeout' ? `Ended after ${durationOf(LONGEST_CHECK_MS)}.` : '',
    refusedHosts.length === 0 ? '' : `The sandbox refused connections to ${refusedHosts.join(', ')}.`,
  ]
    .filter((text) => text !== '')
    .join('\n')
}

/** What the agent reads of a command. */
function attachedOutput({ commandId, command, cwd, ended }: UserCommand): AttachedText {
  const { exitCode, by, output } = ended ?? { exitCode: null, by: 'lost' as const, output: '' }
  const end =
    by === 'user'
      ? 'The user stopped it.'
      : by === 'exit'
        ? exitCode === null
          ? 'It did not start, or a signal ended it.'
          : `Exit code ${exitCode}.`
        : 'It was interrupted.'
  const text = output === '' ? '[No output.]' : output.replaceAll(/<\/(?=output\b)/gi, '<\\/')
  const line = command.trim().replace(/\s+/g, ' ')
  return {
    commandId,
    text: `Before this message the user ran a command in ${cwd}, without you. Use its output if it matters for the message; do not run the command again unless you need a new result.\n\nCommand: ${command}\n${end}\n<output>\n${text}\n</output>`,
    note: `Sent with the message: the output of ${line.length > 60 ? `${line.slice(0, 59)}…` : line}`,
  }
}

const stillRunning = {
  type: 'not-possible',
  message: 'A command of yours still runs here. Wait for its end, or stop it, and try again.',
}

const alreadySent = {
  type: 'not-found',
  message: 'The agent already has the output of this command.',
}

const LOST = 'Troupe ended while the command ran. Its effects until then remain.'

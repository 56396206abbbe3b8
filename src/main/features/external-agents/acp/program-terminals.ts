/**
 * Terminals of an external agent: commands that it has Troupe run. They pass the permission rules and run in the
 * sandbox, as Bash of this program's own agents. All of them end with the session's turn.
 */
import type {
  CreateTerminalRequest,
  TerminalExitStatus,
  TerminalOutputResponse,
} from '@agentclientprotocol/sdk'
import { LONGEST_RESULT } from '../../../platform/acp/tool-calls.ts'
import type { BackedAgent } from '../../../runtime/ports/agent-backing.ts'
import type { Shell, ShellEnd } from '../../../runtime/ports/shell.ts'
import { KeptOutput } from './kept-output.ts'
import type { ProgramChanges } from './program-changes.ts'
import { terminalCommand } from './terminal-command.ts'
import type { KnownCall, TerminalView, UpdateRecorder } from './update-recorder.ts'

/** The commands of one program at a time, and the released terminals that rows can still show. */
const MOST_TERMINALS = 50
/** Bytes of output that are kept of one. */
const MOST_OUTPUT = 1024 * 1024
/** In ms: the longest that a timer takes. The program, or the end of its turn, ends a command. */
const NO_TIMEOUT = 2_147_483_647

export interface TerminalDeps {
  readonly agent: BackedAgent
  readonly permit: BackedAgent['permit']
  readonly shell: Shell
  readonly recorder: Pick<UpdateRecorder, 'call' | 'openCall' | 'refused'>
  readonly changes: Pick<ProgramChanges, 'settle'>
  /** Aborts at the end of the run. */
  readonly signal: AbortSignal
}

interface Terminal {
  readonly command: string
  readonly output: KeptOutput
  readonly stop: AbortController
  readonly exited: Promise<TerminalExitStatus>
  status: TerminalExitStatus | null
  /** The call whose row shows the output. */
  shownIn: string | null
}

export class ProgramTerminals {
  private readonly deps: TerminalDeps
  private readonly terminals = new Map<string, Terminal>()
  /** Released ones, for the rows that show them. */
  private readonly released = new Map<string, TerminalView>()
  /** Command lines that were allowed when the program asked for its call. */
  private readonly allowed = new Set<string>()
  private count = 0
  /** Terminals that wait for their permission. */
  private waiting = 0
  private isOver = false

  constructor(deps: TerminalDeps) {
    this.deps = deps
  }

  /** The program asked before and may run this: nobody is asked again when it runs it in a terminal. */
  allow(command: string): void {
    this.allowed.add(command)
  }

  /** Rejects with the reason if the command may not run. Resolves when it has started. */
  async create(request: CreateTerminalRequest): Promise<string> {
    if (this.terminals.size + this.waiting >= MOST_TERMINALS)
      throw new Error(`At most ${MOST_TERMINALS} terminals may be open. Release one first.`)
    this.waiting++
    try {
      return await this.permitted(request)
    } finally {
      this.waiting--
    }
  }

  private async permitted(request: CreateTerminalRequest): Promise<string> {
    const { agent, permit: permitCall, changes, recorder, signal } = this.deps
    const { cwd } = agent.state()
    const line = terminalCommand(request, cwd)
    if (!line.ok) throw new Error(line.failure.message)
    const command = line.value
    const terminalId = `terminal-${++this.count}`
    const open = recorder.openCall(null)
    // Otherwise a call of the program shows the terminal.
    const own = open?.kind === 'execute' ? null : recorder.call(rowOf(terminalId, command, 'pending'))
    const permit = await permitCall(
      {
        toolUseId: (own ?? open)?.id ?? terminalId,
        tool: 'Bash',
        target: { kind: 'command', command },
        input: { command },
        ...(this.allowed.delete(command) && { isAllowed: true }),
      },
      signal,
    )
    if (!permit.ok) {
      if (own !== null) {
        recorder.refused(own)
        recorder.call(rowOf(terminalId, command, 'failed', permit.failure.message))
      }
      throw new Error(permit.failure.message)
    }
    if (own !== null) recorder.call(rowOf(terminalId, command, 'in_progress'))
    await changes.settle()
    if (this.isOver || signal.aborted) {
      if (own !== null) recorder.call(rowOf(terminalId, command, 'failed', TURN_OVER))
      throw new Error(TURN_OVER)
    }
    const { limits, environment } = permit.value
    this.start(terminalId, {
      command,
      limit: Math.min(request.outputByteLimit ?? MOST_OUTPUT, MOST_OUTPUT),
      ...(limits && { limits }),
      ...(environment && { environment }),
      shownIn: own?.id ?? null,
      ended: () => {
        if (own !== null) recorder.call(rowOf(terminalId, command, this.hasFailed(terminalId)))
      },
    })
    return terminalId
  }

  output(terminalId: string): TerminalOutputResponse {
    const { output, status } = this.get(terminalId)
    return { output: output.text, truncated: output.isTruncated, ...(status && { exitStatus: status }) }
  }

  waitForExit(terminalId: string): Promise<TerminalExitStatus> {
    return this.get(terminalId).exited
  }

  /** Ends the command. The terminal stays. */
  async kill(terminalId: string): Promise<void> {
    const { stop, exited } = this.get(terminalId)
    stop.abort()
    await exited
  }

  /** Ends the command, and forgets the terminal. */
  async release(terminalId: string): Promise<void> {
    await this.kill(terminalId)
    const view = this.view(terminalId)
    this.terminals.delete(terminalId)
    if (view === null) return
    this.released.set(terminalId, { ...view, text: view.text.slice(0, LONGEST_RESULT + 1) })
    const [oldest] = this.released.keys()
    if (this.released.size > MOST_TERMINALS && oldest !== undefined) this.released.delete(oldest)
  }

  /** What there is of a terminal for its row; null: there is no such terminal. */
  view(terminalId: string): TerminalView | null {
    const terminal = this.terminals.get(terminalId)
    if (terminal === undefined) return this.released.get(terminalId) ?? null
    const { output, status } = terminal
    const text = output.isTruncated ? `[The beginning was left out.]\n${output.text}` : output.text
    return { text, exitCode: status?.exitCode ?? null }
  }

  /** A call was told or changed: if it has a terminal, its row shows what the terminal says. */
  seen({ id, content, isEnded }: KnownCall): void {
    if (isEnded) return
    for (const part of content) {
      if (part.type !== 'terminal') continue
      const terminal = this.terminals.get(part.terminalId)
      if (terminal === undefined || terminal.shownIn !== null) continue
      terminal.shownIn = id
      this.show(terminal, terminal.output.text)
    }
  }

  /** The turn is over. Resolves when no command runs any more. */
  async end(): Promise<void> {
    this.isOver = true
    await Promise.all([...this.terminals.keys()].map((terminalId) => this.kill(terminalId)))
  }

  private start(
    terminalId: string,
    {
      command,
      limit,
      shownIn,
      ended,
      ...run
    }: {
      readonly command: string
      readonly limit: number
      readonly shownIn: string | null
      readonly ended: () => void
    } & Pick<Parameters<Shell['run']>[0], 'limits' | 'environment'>,
  ): void {
    const { agent, shell, signal } = this.deps
    const stop = new AbortController()
    const output = new KeptOutput(limit)
    const ran = shell.run({
      command,
      cwd: agent.state().cwd,
      timeoutMs: NO_TIMEOUT,
      signal: AbortSignal.any([stop.signal, signal]),
      // All lines, also those that come faster than a row can show them.
      onLines: (lines) => output.append(lines),
      onOutput: (text) => this.show(terminal, text),
      ...run,
    })
    const exited = ran.then((end) => {
      if (!end.ok) output.append(`${end.failure.message}\n`)
      terminal.status = end.ok ? statusOf(end.value) : { exitCode: 126, signal: null }
      try {
        ended()
      } catch {
        // The agent has ended in the meantime, so its transcript takes no more rows.
      }
      return terminal.status
    })
    const terminal: Terminal = { command, output, stop, exited, status: null, shownIn }
    this.terminals.set(terminalId, terminal)
  }

  private show({ shownIn }: Terminal, append: string): void {
    const { agent } = this.deps
    if (shownIn !== null && append !== '')
      agent.live({ type: 'live-output', agentId: agent.id, toolUseId: shownIn, append })
  }

  private hasFailed(terminalId: string): 'completed' | 'failed' {
    return this.terminals.get(terminalId)?.status?.exitCode === 0 ? 'completed' : 'failed'
  }

  private get(terminalId: string): Terminal {
    const terminal = this.terminals.get(terminalId)
    if (terminal === undefined) throw new Error(`There is no terminal ${terminalId}.`)
    return terminal
  }
}

const TURN_OVER = 'The turn is over.'

function rowOf(
  terminalId: string,
  command: string,
  status: 'pending' | 'in_progress' | 'completed' | 'failed',
  refusal?: string,
): Parameters<UpdateRecorder['call']>[0] {
  return {
    toolCallId: `troupe-${terminalId}`,
    kind: 'execute',
    title: command,
    rawInput: { command },
    status,
    content:
      refusal === undefined
        ? [{ type: 'terminal', terminalId }]
        : [{ type: 'content', content: { type: 'text', text: refusal } }],
  }
}

const statusOf = ({ ended, exitCode }: ShellEnd): TerminalExitStatus =>
  ended === 'exit' ? { exitCode, signal: null } : { exitCode: null, signal: 'SIGTERM' }

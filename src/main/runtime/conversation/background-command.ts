/**
 * One background command of an agent, or a call that was moved to the background: its unread output, and the texts
 * about its end.
 */
import type { EventOf } from '../../../shared/events/agent-event.ts'
import type { ToolContent } from '../../../shared/messages/content.ts'
import type { ShellEnd } from '../ports/shell.ts'

export type CommandEndedBy = EventOf<'command-ended'>['by']

export interface BackgroundCommand {
  readonly id: string
  readonly agentId: string
  /** A shell's command, or a tool's call. */
  readonly kind: 'command' | 'call'
  readonly text: string
  readonly output: UnreadOutput
  readonly stopping: AbortController
  /** Who ends it; null: nobody so far. */
  by: Extract<CommandEndedBy, 'user' | 'agent' | 'run'> | null
  ended: {
    readonly exitCode: number | null
    readonly by: CommandEndedBy
    readonly file: string | null
  } | null
  /** Whether the agent knows of the end. */
  told: boolean
  done: Promise<void>
}

export const isCommandId = (id: string): boolean => id.startsWith('b-')

/** The part of the output that its agent has not read, in bounded memory. */
export class UnreadOutput {
  private unread = ''
  private dropped = 0

  append(text: string): void {
    this.unread += text
    // Cut rarely: each cut copies the text.
    if (this.unread.length > MOST_UNREAD * 2) this.cut()
  }

  /** The output since the last call. */
  take(): string {
    if (this.unread.length > MOST_UNREAD) this.cut()
    const { unread, dropped } = this
    this.unread = ''
    this.dropped = 0
    return dropped === 0
      ? unread
      : `[… ${dropped} earlier characters omitted; the result at the command's end names the file with all output …]\n${unread}`
  }

  private cut(): void {
    const at = this.unread.length - MOST_UNREAD
    const line = this.unread.indexOf('\n', at) + 1
    const from = line > 0 ? line : at
    this.dropped += from
    this.unread = this.unread.slice(from)
  }
}

/** Characters. Older unread output is dropped. */
const MOST_UNREAD = 256 * 1024

export const commandNoticeId = (commandId: string): string => `command-end-${commandId}`

export function commandNotice({ id, agentId }: Pick<BackgroundCommand, 'id' | 'agentId'>, text: string) {
  return {
    messageId: commandNoticeId(id),
    agentId,
    from: 'runtime' as const,
    sender: null,
    content: [{ type: 'text' as const, text }],
    note: 'A command in the background ended.',
  }
}

export function causeOf({ ended }: ShellEnd): CommandEndedBy {
  return ended === 'timeout' ? 'timeout' : ended === 'aborted' ? 'run' : 'exit'
}

type CommandEnd = NonNullable<BackgroundCommand['ended']>

export function endNote({ kind, ended }: BackgroundCommand): string {
  if (ended === null) return 'running'
  const { exitCode, by } = ended
  if (by === 'timeout') return 'timed out'
  if (by !== 'exit') return 'stopped'
  if (kind === 'call') return exitCode === 0 ? 'done' : 'failed'
  return exitCode === null ? 'ended by a signal' : `exit ${exitCode}`
}

export function commandEndText({ exitCode, by }: CommandEnd): string {
  if (by === 'timeout') return 'its time limit ended it'
  if (by === 'user') return 'the user stopped it'
  if (by !== 'exit') return 'it was stopped'
  return exitCode === null ? 'a signal ended it, or it did not start' : `exit code ${exitCode}`
}

export function callEnd({ exitCode, by }: CommandEnd): string {
  if (by === 'user') return 'the user canceled it, and it may have taken effect'
  if (by !== 'exit') return 'it was canceled, and it may have taken effect'
  return exitCode === 0 ? 'it succeeded' : 'it failed'
}

export function stateText({ kind, ended }: BackgroundCommand): string {
  if (ended === null) return '[Still running.]'
  return `[It has ended: ${kind === 'call' ? callEnd(ended) : commandEndText(ended)}.${ended.file === null ? '' : ` All of its output is in ${ended.file}.`}]`
}

/** Only the text: a notice and TaskOutput carry no images. */
export function textOnly(content: ToolContent): string {
  if (typeof content === 'string') return content
  return content
    .map((block) =>
      block.type === 'text' ? block.text : '[An image was left out. Call the tool again for it.]',
    )
    .join('\n\n')
}

export function inOneLine(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ')
  return line.length > 200 ? `${line.slice(0, 200)}…` : line
}

/** The answer to a call that names nothing which the caller started. `known`: what it has in the background. */
export function unknownTask(id: string, known: readonly string[]): string {
  return `You started no command or agent ${id}. ${known.length === 0 ? 'Nothing of yours is in the background.' : `In the background: ${known.join(', ')}.`}`
}

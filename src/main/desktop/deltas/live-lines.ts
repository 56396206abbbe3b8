/**
 * The last words that each agent without a panel streams, for its tile: far fewer deltas than the stream itself. A
 * durable event of the agent ends its line.
 */
import type { LiveEvent } from '../../../shared/events/agent-event.ts'
import type { WindowDelta } from '../../../shared/ipc/window-delta.ts'

/** Minimum ms from line to line of all agents together. */
const BEAT = 400
/** Maximum characters of a line. */
const LENGTH = 160

interface Line {
  readonly conversationId: string
  /** The block or command that streams. */
  readonly source: string
  /** The end of its text. */
  tail: string
  sent: string
}

export class LiveLines {
  private readonly send: (deltas: readonly WindowDelta[]) => void
  private readonly lines = new Map<string, Line>()
  private readonly changed = new Set<string>()
  private timer: NodeJS.Timeout | undefined

  /** `send` gets the lines that changed, at most once in 400 ms. */
  constructor(send: (deltas: readonly WindowDelta[]) => void) {
    this.send = send
  }

  take(conversationId: string, event: LiveEvent): void {
    const { agentId } = event
    if (event.type === 'live-clear') {
      this.end(agentId)
      return
    }
    const source = event.type === 'live-block' ? `${event.index} ${event.kind}` : event.toolUseId
    const before = this.lines.get(agentId)
    const line = before?.source === source ? before : { conversationId, source, tail: '', sent: '' }
    // The input of a call is JSON: its end says nothing.
    line.tail =
      event.type === 'live-block' && event.kind === 'tool'
        ? `preparing ${event.name}`
        : bounded(line.tail + event.append)
    this.lines.set(agentId, line)
    this.changed.add(agentId)
    this.timer ??= setTimeout(() => this.flush(), BEAT)
  }

  /** The agent streams no more, or has a panel. */
  end(agentId: string): void {
    this.lines.delete(agentId)
    this.changed.delete(agentId)
  }

  clear(): void {
    this.lines.clear()
    this.changed.clear()
    clearTimeout(this.timer)
    this.timer = undefined
  }

  private flush(): void {
    this.timer = undefined
    const deltas: WindowDelta[] = []
    for (const agentId of this.changed) {
      const line = this.lines.get(agentId)
      if (line === undefined) continue
      const text = lastLineOf(line.tail)
      if (text === '' || text === line.sent) continue
      line.sent = text
      deltas.push({ type: 'live-line', conversationId: line.conversationId, agentId, line: text })
    }
    this.changed.clear()
    if (deltas.length > 0) this.send(deltas)
  }
}

/** Cuts rarely: a cut copies the text. */
function bounded(text: string): string {
  return text.length > 8 * LENGTH ? text.slice(-2 * LENGTH) : text
}

/** The last line with text; of a long line its end, from the start of a word. */
function lastLineOf(text: string): string {
  const trimmed = text.trimEnd()
  const line = trimmed.slice(trimmed.lastIndexOf('\n') + 1).trim()
  if (line.length <= LENGTH) return line
  const end = line.slice(-LENGTH)
  const word = end.indexOf(' ')
  return `… ${word === -1 ? end : end.slice(word + 1)}`
}

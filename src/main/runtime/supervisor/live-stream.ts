/** The current stream of an agent, from its start, for a panel that opens in the middle of a message. */
import type { LiveEvent } from '../../../shared/agent-event.ts'

/** The characters of a running command's output kept for a panel that opens later. */
const OUTPUT_KEPT = 64 * 1024

export class LiveStream {
  private blocks = new Map<number, { kind: 'text' | 'thinking' | 'tool'; name: string; parts: string[] }>()
  private outputs = new Map<string, string>()

  apply(event: LiveEvent): void {
    switch (event.type) {
      case 'live-block': {
        const block = this.blocks.get(event.index)
        if (block) block.parts.push(event.append)
        else this.blocks.set(event.index, { kind: event.kind, name: event.name, parts: [event.append] })
        return
      }
      case 'live-clear':
        this.blocks.clear()
        return
      case 'live-output': {
        const output = (this.outputs.get(event.toolUseId) ?? '') + event.append
        this.outputs.set(
          event.toolUseId,
          output.length > OUTPUT_KEPT * 2 ? output.slice(-OUTPUT_KEPT) : output,
        )
        return
      }
    }
  }

  toolEnded(toolUseId: string): void {
    this.outputs.delete(toolUseId)
  }

  /** The stream as events: one append for each block and each output. */
  events(agentId: string): readonly LiveEvent[] {
    return [
      ...[...this.blocks].map(([index, { kind, name, parts }]): LiveEvent => {
        return { type: 'live-block', agentId, index, kind, name, append: parts.join('') }
      }),
      ...[...this.outputs].map(([toolUseId, append]): LiveEvent => {
        return { type: 'live-output', agentId, toolUseId, append }
      }),
    ]
  }
}

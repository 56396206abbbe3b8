/** The streaming output of an agent's model: live events combined into blocks. */
import type { LiveEvent } from '../../shared/events/agent-event.ts'

/** A block of the streaming message. */
export interface LiveBlock {
  readonly index: number
  readonly kind: 'text' | 'thinking' | 'tool'
  /** The tool's name if `kind` is `tool`; `text` is then the input so far, as incomplete JSON. */
  readonly name: string
  readonly text: string
}

type LiveBlockEvent = Extract<LiveEvent, { type: 'live-block' }>

/** The blocks after one more live event, ordered by index. */
export function appendLive(blocks: readonly LiveBlock[], event: LiveBlockEvent): readonly LiveBlock[] {
  const last = blocks.at(-1)
  if (last !== undefined && last.index === event.index)
    return [...blocks.slice(0, -1), { ...last, text: last.text + event.append }]
  if (last === undefined || last.index < event.index) return [...blocks, blockOf(event)]
  const at = blocks.findIndex((block) => block.index >= event.index)
  const found = blocks[at]
  if (found?.index === event.index) return blocks.with(at, { ...found, text: found.text + event.append })
  return blocks.toSpliced(at, 0, blockOf(event))
}

/** The blocks of a message from all its live events so far. */
export function liveBlocks(events: readonly LiveEvent[]): readonly LiveBlock[] {
  let blocks: readonly LiveBlock[] = []
  for (const event of events) if (event.type === 'live-block') blocks = appendLive(blocks, event)
  return blocks
}

function blockOf(event: LiveBlockEvent): LiveBlock {
  return { index: event.index, kind: event.kind, name: event.name, text: event.append }
}

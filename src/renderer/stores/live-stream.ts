/** What an agent's model is saying at this moment: the live events put together to blocks. */
import type { LiveEvent } from '../../shared/agent-event.ts'

/** A part of the message that still grows. */
export interface LiveBlock {
  readonly index: number
  readonly kind: 'text' | 'thinking' | 'tool'
  /** The tool's name where `kind` is `tool`; `text` is then the input so far, as unfinished JSON. */
  readonly name: string
  readonly text: string
}

export type LiveBlockEvent = Extract<LiveEvent, { type: 'live-block' }>

/** The blocks after one more append, in the order of their index. */
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

/**
 * What streams, from a page's account (complete up to the moment it was made) and what came over the
 * other channel meanwhile (from some moment on). `outdated`: the message of the page's account has ended
 * since. The two overlap by an unknown length: the longest end of the first that the second begins with is
 * taken for it. A wrong guess lasts until the message is finished, when its final text takes its place.
 */
export function joinLive(
  page: readonly LiveEvent[],
  meanwhile: readonly LiveEvent[],
  outdated: boolean,
): readonly LiveBlock[] {
  const lastClear = meanwhile.findLastIndex((event) => event.type === 'live-clear')
  const known = outdated ? [] : blocksOf(page)
  const arrived = blocksOf(meanwhile.slice(lastClear + 1))
  // After a clear, what arrived began with the message: either account is a beginning of the other.
  if (lastClear !== -1) return isBeginning(arrived, known) ? known : arrived
  const joined = known.map((block) => {
    const more = arrived.find((other) => other.index === block.index)
    return more === undefined ? block : { ...block, text: overlap(block.text, more.text) }
  })
  const lastKnown = known.at(-1)?.index ?? -1
  return [...joined, ...arrived.filter((block) => block.index > lastKnown)]
}

function blocksOf(events: readonly LiveEvent[]): readonly LiveBlock[] {
  let blocks: readonly LiveBlock[] = []
  for (const event of events) if (event.type === 'live-block') blocks = appendLive(blocks, event)
  return blocks
}

/** Whether `whole` says all of `part`, and maybe more. */
function isBeginning(part: readonly LiveBlock[], whole: readonly LiveBlock[]): boolean {
  return part.every(
    (block) => whole.find((other) => other.index === block.index)?.text.startsWith(block.text) ?? false,
  )
}

function overlap(known: string, arrived: string): string {
  if (known.endsWith(arrived)) return known
  for (let length = Math.min(known.length, arrived.length); length > 0; length -= 1)
    if (known.endsWith(arrived.slice(0, length))) return known + arrived.slice(length)
  return known + arrived
}

function blockOf(event: LiveBlockEvent): LiveBlock {
  return { index: event.index, kind: event.kind, name: event.name, text: event.append }
}

/** The streaming message, below the rows. */
import { memo, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { createPortal } from 'react-dom'
import { rowForName } from '../../../../shared/tools/row-for-name.ts'
import type { LiveBlock } from '../../../stores/live-blocks.ts'
import { transcriptOf } from '../../../stores/transcript-store.ts'
import { formatTokens } from '../../../ui/text/format.ts'
import { summaryOfPartialInput } from '../rows/tool-input.ts'
import { ToolLine } from '../rows/tool-line.tsx'
import { frameBudget } from './frame-budget.ts'
import { StreamedText } from './streamed-text.tsx'
import type { StreamedEntry, StreamedTexts } from './streamed-texts.ts'

/** A block other than text: thinking, or a tool call. */
export function LiveOther({ agentId, index }: { readonly agentId: string; readonly index: number }) {
  const { block, growing } = useLiveBlock(agentId, index)
  return block === null ? null : <BlockLine block={block} growing={growing} />
}

/** Renders each text that streams or streamed into its own element. Stays mounted with the transcript. */
export function StreamedPortals({ agentId, streamed }: { agentId: string; streamed: StreamedTexts }) {
  const entries = useSyncExternalStore(streamed.subscribe, streamed.entries)
  return entries.map((entry) =>
    createPortal(<EntryText agentId={agentId} entry={entry} />, entry.host, entry.id),
  )
}

const EntryText = memo(function EntryText({ agentId, entry }: { agentId: string; entry: StreamedEntry }) {
  const { block, growing } = useLiveBlock(agentId, entry.row === null ? entry.index : null)
  const latest = useRef('')
  if (entry.row !== null) latest.current = entry.row.text
  else if (block !== null) latest.current = block.text
  return <StreamedText text={latest.current} growing={entry.row === null && growing} />
})

interface LivePart {
  readonly block: LiveBlock | null
  readonly growing: boolean
}

/** The streaming block, as far as the frame's budget allowed; null without a block. */
function useLiveBlock(agentId: string, index: number | null): LivePart {
  const [part, setPart] = useState(() => livePart(agentId, index))
  useEffect(() => {
    if (index === null) return
    let last: LivePart | null = null
    let takeBack: (() => void) | null = null
    const update = () => {
      const now = livePart(agentId, index)
      // Text of another block does not render this block again.
      if (last?.block === now.block && last.growing === now.growing) return
      last = now
      takeBack ??= frameBudget.request(() => {
        takeBack = null
        setPart(livePart(agentId, index))
      })
    }
    update()
    const unsubscribe = transcriptOf(agentId).subscribe(update)
    return () => {
      unsubscribe()
      takeBack?.()
    }
  }, [agentId, index])
  return index === null ? NO_PART : part
}

const NO_PART: LivePart = { block: null, growing: false }

function livePart(agentId: string, index: number | null): LivePart {
  const { live } = transcriptOf(agentId).getView()
  const block = live.find((one) => one.index === index) ?? null
  return { block, growing: block !== null && block === live.at(-1) }
}

/** The received part of a discarded message. */
export function DiscardedMessage({ blocks }: { readonly blocks: readonly LiveBlock[] }) {
  return blocks.map((block) =>
    block.kind === 'text' ? (
      <StreamedText key={block.index} text={block.text} growing={false} />
    ) : (
      <BlockLine key={block.index} block={block} growing={false} />
    ),
  )
}

function BlockLine({
  block: { kind, name, text },
  growing,
}: {
  readonly block: LiveBlock
  readonly growing: boolean
}) {
  if (kind === 'tool')
    return (
      <ToolLine
        call={rowForName(name)}
        summary={summaryOfPartialInput(text)}
        status="waiting"
        note={growing ? `writing ${formatTokens(text.length)}` : 'waiting'}
      />
    )
  return (
    <p dir="auto" className="truncate border-line-strong border-l-2 pl-2 text-fg-2 text-sm italic">
      {text.trim() === '' ? 'Thinking…' : lastLine(text)}
    </p>
  )
}

/** The last line of the thinking so far. */
function lastLine(text: string): string {
  const trimmed = text.trimEnd()
  return trimmed.slice(trimmed.lastIndexOf('\n') + 1).slice(-200)
}

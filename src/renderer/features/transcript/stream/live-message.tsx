/** The message that streams now: what is finished of it stands still, what grows is drawn in its turn. */
import { memo, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { LiveBlock } from '../../../stores/live-stream.ts'
import { formatTokens } from '../../../ui/format.ts'
import { CodeBlock } from '../markdown/code-block.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import { ToolLine } from '../rows/tool-line.tsx'
import { summaryOfPartialInput } from '../rows/tool-names.ts'
import { frameBudget } from './frame-budget.ts'
import { StreamSplitter } from './split-stream.ts'

export interface LiveMessageProps {
  readonly blocks: readonly LiveBlock[]
}

export function LiveMessage({ blocks }: LiveMessageProps) {
  const last = blocks.at(-1)?.index
  return blocks.map((block) => (
    <LiveBlockView key={block.index} block={block} growing={block.index === last} />
  ))
}

interface LiveBlockViewProps {
  readonly block: LiveBlock
  readonly growing: boolean
}

const LiveBlockView = memo(function LiveBlockView({ block, growing }: LiveBlockViewProps) {
  const text = useShownText(block.text)
  switch (block.kind) {
    case 'text':
      return <GrowingText text={text} growing={growing} />
    case 'thinking':
      return (
        <p className="truncate border-line-strong border-l-2 pl-2 text-fg-2 text-sm italic">
          {text.trim() === '' ? 'Thinking…' : lastSentence(text)}
        </p>
      )
    case 'tool':
      return (
        <ToolLine
          name={block.name}
          summary={summaryOfPartialInput(text)}
          status="waiting"
          note={growing ? `writing ${formatTokens(text.length)}` : 'waiting'}
        />
      )
  }
})

/** The text as far as the frame's budget has let it through. */
function useShownText(text: string): string {
  const [shown, setShown] = useState(text)
  const latest = useRef(text)
  latest.current = text
  const behind = shown !== text
  useEffect(() => {
    if (!behind) return
    return frameBudget.request(() => flushSync(() => setShown(latest.current)))
  }, [behind])
  return shown
}

function GrowingText({ text, growing }: { readonly text: string; readonly growing: boolean }) {
  const [splitter] = useState(() => new StreamSplitter())
  const { finished, growing: block } = splitter.read(text)
  return (
    <div data-selectable="" className="flex flex-col gap-2">
      {finished.map((done, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: finished blocks never move
        <Markdown key={index} text={done} />
      ))}
      {block.kind === 'code' ? (
        <CodeBlock code={block.code} language={block.language} growing={growing} />
      ) : (
        <Markdown text={block.text} growing={growing} />
      )}
    </div>
  )
}

/** What it thinks about now: the end of what it thought so far, from the start of its line. */
function lastSentence(text: string): string {
  const trimmed = text.trimEnd()
  return trimmed.slice(trimmed.lastIndexOf('\n') + 1).slice(-200)
}

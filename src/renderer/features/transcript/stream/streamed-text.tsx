/** A model's text while it streams and after it is finished, in the same element. */
import { memo, useRef, useState } from 'react'
import { PartBoundary } from '../../../ui/part-boundary.tsx'
import { CaretSuffix } from '../markdown/caret-mark.tsx'
import { CodeBlock } from '../markdown/code-block.tsx'
import { Markdown, PlainText } from '../markdown/markdown.tsx'
import { boundNesting } from '../markdown/tree.ts'
import { KeepSelection } from '../selection/keep-selection.tsx'
import { type ParsedTail, parseTail, StreamSplitter, wholeRows } from './split-stream.ts'

interface StreamedTextProps {
  readonly text: string
  readonly growing: boolean
}

export const StreamedText = memo(function StreamedText(props: StreamedTextProps) {
  return (
    <PartBoundary fallback={() => <PlainText text={props.text} />}>
      <Blocks {...props} />
    </PartBoundary>
  )
})

function Blocks({ text, growing }: StreamedTextProps) {
  const [splitter] = useState(() => new StreamSplitter())
  const last = useRef<ParsedTail | null>(null)
  const element = useRef<HTMLDivElement>(null)
  const { finished, growing: block } = splitter.read(boundNesting(text))
  const tail = block.kind === 'markdown' && growing ? parseTail(last.current, wholeRows(block.text)) : null
  last.current = tail
  const from = firstShown(finished)
  const blocks = [...finished, block.kind === 'code' ? block.code : block.text]
  return (
    <div ref={element}>
      <KeepSelection within={element}>
        {from > 0 && (
          <p data-unsearched="" className="text-fg-2 text-sm">
            The start of this long message is shown when it is finished.
          </p>
        )}
        {blocks.map((text, index) => {
          if (index < from) return null
          const last = index === finished.length
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: blocks never move; the one that grew stays when it is finished
            <div key={index} className={gapBefore(blocks[index - 1], text)}>
              {last && block.kind === 'code' ? (
                <CodeBlock code={block.code} language={block.language} growing={growing} />
              ) : (
                <CaretSuffix value={(last && tail?.suffix) || ''}>
                  <Markdown streamed text={last && tail ? tail.base : text} growing={last && growing} />
                </CaretSuffix>
              )}
            </div>
          )
        })}
      </KeepSelection>
    </div>
  )
}

/** The characters of a streaming text in the page. */
const MOST_SHOWN = 64_000

/** The index of the first block to show: a long text shows its end while it streams. */
function firstShown(finished: readonly string[]): number {
  let left = MOST_SHOWN
  return (
    finished.findLastIndex((block) => {
      left -= block.length
      return left < 0
    }) + 1
  )
}

const LIST = /^\s{0,3}(?:[-*+]|\d{1,9}[.)])\s/

/** The same spacing as inside one text: between parts of a split list, after paragraphs, before headings. */
function gapBefore(before: string | undefined, block: string): string {
  if (before === undefined) return ''
  if (LIST.test(before) && LIST.test(block)) return 'mt-0.5'
  return /^#{1,6}\s/.test(block) ? 'mt-3.5' : 'mt-2'
}

/** The output of a program, whole: a long one scrolls in its place, and opens large. */
import { Check, Copy, Maximize2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { copyText } from './text/copy-text.ts'
import { count } from './text/format.ts'
import { VisibleText } from './text/visible-text.tsx'

interface EvidenceOutputProps {
  readonly text: string
  /** What the output is of: the title of the large view. */
  readonly title: string
}

/** More lines or characters than this scroll, and can be opened large. */
const SHORT = { lines: 6, characters: 600 }

export function EvidenceOutput({ text, title }: EvidenceOutputProps) {
  const [isLarge, setLarge] = useState(false)
  const lines = text.split('\n').length
  const isLong = lines > SHORT.lines || text.length > SHORT.characters
  return (
    <div className="min-w-0 rounded-sm border border-line bg-bg-0">
      <section
        aria-label={`Output of ${title}`}
        tabIndex={isLong ? 0 : undefined}
        className="max-h-36 overflow-auto"
      >
        <Output text={text} />
      </section>
      {isLong && (
        <div className="flex items-center justify-between gap-2 border-line border-t px-2 py-0.5 text-fg-2 text-xs">
          {count(lines, 'line')}
          <Button variant="quiet" onClick={() => setLarge(true)}>
            <Maximize2 size={11} aria-hidden="true" /> Open large
          </Button>
        </div>
      )}
      <Dialog
        open={isLarge}
        onClose={() => setLarge(false)}
        width={1100}
        title={title}
        flush
        aside={<CopyButton text={text} />}
      >
        <section
          aria-label={`Output of ${title}, large`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled with the keys
          tabIndex={0}
          className="min-h-0 flex-1 overflow-auto bg-bg-0 focus-visible:-outline-offset-2"
        >
          <Output text={text} />
        </section>
      </Dialog>
    </div>
  )
}

function Output({ text }: Pick<EvidenceOutputProps, 'text'>) {
  return (
    <pre
      data-selectable=""
      className="w-max min-w-full whitespace-pre px-2.5 py-1.5 font-mono text-fg-1 text-xs leading-[1.55]"
    >
      <VisibleText>{text}</VisibleText>
    </pre>
  )
}

function CopyButton({ text }: Pick<EvidenceOutputProps, 'text'>) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => setCopied(await copyText(text))
  return (
    <Button variant="quiet" onClick={() => void copy()}>
      {isCopied ? <Check size={12} aria-hidden="true" /> : <Copy size={12} aria-hidden="true" />}
      {isCopied ? 'Copied' : 'Copy'}
    </Button>
  )
}

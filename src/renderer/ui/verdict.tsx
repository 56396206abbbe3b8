/** A verdict and its evidence, whole: the same in the conversation, in Review and in the details of a task. */
import { Check, CircleCheck, CircleHelp, CircleX, Copy, type LucideIcon, Maximize2 } from 'lucide-react'
import { useState } from 'react'
import type { Evidence, Verdict } from '../../shared/verification/verification.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { classNames } from './text/class-names.ts'
import { copyText } from './text/copy-text.ts'
import { count } from './text/format.ts'
import { VisibleText } from './text/visible-text.tsx'

const VERDICTS: Readonly<
  Record<Verdict, { readonly icon: LucideIcon; readonly text: string; readonly color: string }>
> = {
  passed: { icon: CircleCheck, text: 'Verification passed', color: 'text-ok' },
  failed: { icon: CircleX, text: 'Verification failed', color: 'text-bad' },
  unclear: { icon: CircleHelp, text: 'Verification unclear', color: 'text-fg-1' },
}

/** `verdict` null counts as unclear. */
export function VerdictTitle({ verdict }: { readonly verdict: Verdict | null }) {
  const { icon: Icon, text, color } = VERDICTS[verdict ?? 'unclear']
  return (
    <span className={classNames('inline-flex items-center gap-1.5 font-semibold', color)}>
      <Icon size={14} strokeWidth={1.75} aria-hidden="true" className="shrink-0" />
      {text}
    </span>
  )
}

export function EvidenceList({ evidence }: { readonly evidence: readonly Evidence[] }) {
  if (evidence.length === 0) return null
  return (
    <ul aria-label="Evidence" className="grid gap-1 text-sm" data-selectable="">
      {evidence.map((one, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list of a verdict never changes
        <li key={index} className="grid min-w-0 gap-1">
          <span className="flex flex-wrap items-baseline gap-x-2 wrap-anywhere">
            <span className="text-fg-1">
              <VisibleText>{one.claim}</VisibleText>
            </span>
            {one.command !== null && one.command !== one.claim && (
              <code className="font-mono text-fg-2 text-xs">
                <VisibleText>{one.command}</VisibleText>
              </code>
            )}
            {one.exitCode !== null && (
              <span className={classNames('text-xs', one.exitCode === 0 ? 'text-ok' : 'text-bad')}>
                exit code {one.exitCode}
              </span>
            )}
            {one.location !== null && <code className="font-mono text-fg-2 text-xs">{one.location}</code>}
          </span>
          {one.output !== undefined && <EvidenceOutput text={one.output} title={one.command ?? one.claim} />}
        </li>
      ))}
    </ul>
  )
}

interface EvidenceOutputProps {
  readonly text: string
  /** What the output is of: the title of the large view. */
  readonly title: string
}

/** More lines or characters than this scroll, and can be opened large. */
const SHORT = { lines: 6, characters: 600 }

/** The output of a program, whole: a long one scrolls in its place, and opens large. */
function EvidenceOutput({ text, title }: EvidenceOutputProps) {
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

/** A verdict and its evidence, whole: the same in the conversation, in Review and in the details of a task. */
import { CircleCheck, CircleHelp, CircleX, type LucideIcon } from 'lucide-react'
import type { Evidence, Verdict } from '../../shared/verification/verification.ts'
import { EvidenceOutput } from './evidence-output.tsx'
import { classNames } from './text/class-names.ts'
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

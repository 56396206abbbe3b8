/** The parts of a verdict that the conversation and Review share. */
import { CircleCheck, CircleHelp, CircleX, type LucideIcon } from 'lucide-react'
import type { Evidence, Verdict, Verification } from '../../../shared/verification/verification.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { useVerificationStore } from './verifications.ts'

const VERDICTS: Readonly<
  Record<Verdict, { readonly icon: LucideIcon; readonly text: string; readonly color: string }>
> = {
  passed: { icon: CircleCheck, text: 'Verification passed', color: 'text-ok' },
  failed: { icon: CircleX, text: 'Verification failed', color: 'text-bad' },
  unclear: { icon: CircleHelp, text: 'Verification unclear', color: 'text-fg-1' },
}

export function VerdictTitle({ verification }: { readonly verification: Verification }) {
  const { icon: Icon, text, color } = VERDICTS[verification.verdict ?? 'unclear']
  return (
    <span className={classNames('inline-flex items-center gap-1.5 font-semibold', color)}>
      <Icon size={14} strokeWidth={1.75} aria-hidden="true" className="shrink-0" />
      {text}
    </span>
  )
}

/** Says that the files are no longer those that were verified. */
export function ChangedSinceVerdict({ id }: { readonly id: string }) {
  const isChanged = useIsChanged(id)
  if (!isChanged) return null
  return (
    <span
      className="rounded-[4px] bg-bg-3 px-1.5 text-fg-1 text-xs"
      title="The verdict is about older files."
    >
      files changed since
    </span>
  )
}

/** Whether the files changed since this verdict. */
export function useIsChanged(id: string): boolean {
  return useVerificationStore((state) => state.since[id] === 'changed')
}

export function EvidenceList({ evidence }: { readonly evidence: readonly Evidence[] }) {
  if (evidence.length === 0) return null
  return (
    <ul aria-label="Evidence" className="grid gap-0.5 text-sm" data-selectable="">
      {evidence.map((one, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list of a verdict never changes
        <li key={index} className="flex flex-wrap items-baseline gap-x-2 wrap-anywhere">
          <span className="text-fg-1">{one.claim}</span>
          {one.command !== null && one.command !== one.claim && (
            <code className="font-mono text-fg-2 text-xs">{one.command}</code>
          )}
          {one.exitCode !== null && (
            <span className={classNames('text-xs', one.exitCode === 0 ? 'text-ok' : 'text-bad')}>
              exit code {one.exitCode}
            </span>
          )}
          {one.location !== null && <code className="font-mono text-fg-2 text-xs">{one.location}</code>}
        </li>
      ))}
    </ul>
  )
}

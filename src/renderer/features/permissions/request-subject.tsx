/**
 * What a permission request wants, as the user reads it: a title, and below it the commands one by one, the dangerous
 * ones first and in red, or the change, or the path or address in full.
 */
import { useEffect, useMemo, useState } from 'react'
import type { PermissionSubject } from '../../../shared/events/agent-event.ts'
import type { SubjectPart } from '../../../shared/events/permissions-schema.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { DiffView } from '../../ui/diff-view.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { CommandText, VisibleText } from '../../ui/text/visible-text.tsx'
import { parseUnifiedDiff } from '../../ui/unified-diff.ts'
import { AddressText } from './request-parts.tsx'
import type { Request } from './request-shape.ts'

/** "Wants to run 2 commands", "Wants to edit src/a.ts +5 −3". */
export function RequestTitle({ request }: { readonly request: Request }) {
  const { verb, path } = wantedAction(request)
  return (
    <>
      <b className="shrink-0 font-semibold text-fg-0">
        Wants to <VisibleText>{verb}</VisibleText>
      </b>
      {path !== null && (
        <code className="min-w-0 truncate font-mono text-fg-0 text-xs" title={makeVisible(path)}>
          <VisibleText>{path}</VisibleText>
        </code>
      )}
      {request.subject.kind === 'diff' && <ChangedLines patch={request.subject.text} />}
    </>
  )
}

/** What the agent wants, in words: "run 2 commands"; for a change "edit" and its path. */
export function wantedAction({ toolName, subject }: Request): {
  readonly verb: string
  readonly path: string | null
} {
  const { kind, action, parts = [] } = subject
  const path = kind === 'diff' ? /^write (.+)$/s.exec(action)?.[1] : undefined
  if (path !== undefined) return { verb: toolName === 'Write' ? 'write' : 'edit', path }
  const isCompound = kind === 'command' && action === 'run a command' && parts.length > 1
  return { verb: isCompound ? `run ${parts.length} commands` : action, path: null }
}

/** How many lines a change adds and removes: "+5 −3". */
export function ChangedLines({ patch }: { readonly patch: string }) {
  const lines = useMemo(() => parseUnifiedDiff(patch), [patch])
  const of = (kind: 'added' | 'removed') => lines.filter((line) => line.kind === kind).length
  if (lines.length === 0) return null
  return (
    <span className="ml-auto shrink-0 font-mono text-xs tabular-nums">
      <span className="text-ok">+{of('added')}</span> <span className="text-bad">−{of('removed')}</span>
    </span>
  )
}

interface RequestSubjectProps {
  readonly subject: PermissionSubject
  /** Shows a command line as it was written. */
  readonly isFull?: boolean
  /** The lines of a change at first; the rest on a click. */
  readonly lines: number
}

/** Never cut: what does not fit comes with the scroller of the card. */
export function RequestSubject({ subject, isFull = false, lines }: RequestSubjectProps) {
  const { kind, text, parts = [] } = subject
  if (kind === 'diff')
    return (
      <div
        data-subject=""
        className="shrink-0 [&_pre]:leading-[1.0625rem] [&_section]:rounded-none [&_section]:leading-[1.0625rem]"
      >
        <DiffView patch={text} label="Proposed change" shownLines={lines} />
      </div>
    )
  if (parts.length > 0 && !isFull)
    return (
      <ul data-subject="" aria-label="What it wants" className="flex shrink-0 flex-col gap-1.5 px-2.5">
        {dangerousFirst(parts).map((part) => (
          <Part key={`${part.step} ${part.text}`} part={part} isAlone={parts.length === 1} />
        ))}
      </ul>
    )
  return (
    <pre
      data-subject=""
      data-selectable=""
      className="mx-2.5 shrink-0 whitespace-pre-wrap rounded-[6px] border border-line bg-bg-0 px-2 py-1 font-medium font-mono text-[0.71875rem] text-fg-0 leading-[1.5] wrap-anywhere"
    >
      {kind === 'url' ? <AddressText>{text}</AddressText> : <CommandText>{text}</CommandText>}
    </pre>
  )
}

function dangerousFirst(parts: readonly SubjectPart[]): readonly SubjectPart[] {
  const isDangerous = ({ danger }: SubjectPart) => danger !== undefined
  return [...parts.filter(isDangerous), ...parts.filter((part) => !isDangerous(part))]
}

function Part({ part, isAlone }: { readonly part: SubjectPart; readonly isAlone: boolean }) {
  const { text, danger } = part
  return (
    <li
      data-danger={danger?.kind}
      className={classNames(
        'grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-3 rounded-[6px] border px-2.5 py-1',
        danger === undefined
          ? 'border-line bg-bg-0'
          : 'border-bad/60 bg-[color-mix(in_oklab,var(--bad)_10%,var(--bg-0))]',
      )}
    >
      <code
        data-selectable=""
        className={classNames(
          'whitespace-pre-wrap font-mono text-[0.71875rem] leading-[1.5] wrap-anywhere',
          danger === undefined ? 'font-medium text-fg-0' : 'font-semibold text-bad',
        )}
      >
        <CommandText>{text}</CommandText>
      </code>
      {!isAlone && <span className="shrink-0 text-fg-2 text-xs">{orderText(part)}</span>}
      {danger !== undefined && (
        <p className="col-span-2 text-fg-1 text-xs leading-[1.45]">
          <VisibleText>{danger.consequence}</VisibleText>
        </p>
      )}
    </li>
  )
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth']

function orderText({ step, afterFailure }: SubjectPart): string {
  return afterFailure ? 'runs if that fails' : `runs ${ORDINALS[step - 1] ?? `as number ${step}`}`
}

/** The height of a line of a change, and of what else a card in a panel has, in px at the default text size. */
const LINE = 17
const REST = 112
const FEWEST_LINES = 8
/** The part of a panel that a request takes at most. */
const SHARE = 0.8

/** How many lines of a change fit into the panel around a card without scrolling, 8 at least. */
export function useFittingLines(card: { readonly current: HTMLElement | null }): number {
  const [lines, setLines] = useState(FEWEST_LINES)
  useEffect(() => {
    const panel = card.current?.closest<HTMLElement>('[data-agent-panel]')
    if (!panel || typeof ResizeObserver === 'undefined') return
    const measure = () => {
      const size = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1
      setLines(Math.max(FEWEST_LINES, Math.floor((panel.clientHeight * SHARE) / size - REST) / LINE))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(panel)
    return () => observer.disconnect()
  }, [card])
  return Math.floor(lines)
}

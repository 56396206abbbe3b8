/** The changed lines between two versions of a definition, one change at a time. */

import { diffArrays } from 'diff'
import { ChevronDown, ChevronLeft, ChevronRight } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { AgentVersion } from '../../../shared/agent-tests/agent-tests.ts'
import {
  type DefinitionPassage,
  definitionChanges,
  withoutChanges,
} from '../../../shared/agent-tests/definition-changes.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { DIFF_CODE, UnifiedDiffRow } from '../../ui/diff-view.tsx'
import { Tooltip } from '../../ui/popover.tsx'
import { count } from '../../ui/text/format.ts'
import { markChanges, type UnifiedLine } from '../../ui/unified-diff.ts'
import { modelText } from './bench-text.ts'

interface DefinitionDifferenceProps {
  readonly before: AgentVersion
  readonly after: AgentVersion
  /** The lines show when asked for. */
  readonly isShort: boolean
  readonly onTryWithout: (of: AgentVersion, text: string, title: string) => void
}

export function DefinitionDifference({ before, after, isShort, onTryWithout }: DefinitionDifferenceProps) {
  const changes = useMemo(
    () =>
      before.text === null || after.text === null
        ? []
        : definitionChanges(before.text, after.text, diffArrays),
    [before.text, after.text],
  )
  const [wanted, setWanted] = useState(0)
  const [opened, setOpened] = useState<boolean | null>(null)
  const isOpen = opened ?? !isShort
  const at = Math.min(wanted, changes.length - 1)
  const change = changes[at]
  const titles = `${before.title} and ${after.title}`
  if (change === undefined || after.text === null || before.text === null)
    return (
      <div className="flex h-[30px] shrink-0 items-center gap-2 border-line border-t px-3 text-sm">
        <h4 className="font-semibold text-fg-0">Definition</h4>
        <span className="min-w-0 truncate text-fg-2">{sameText(before, after)}</span>
      </div>
    )
  const { text } = after
  const tryWithout = () => {
    const line = change.added.length > 0 ? change.afterLine : change.beforeLine
    onTryWithout(after, withoutChanges(text, [change]), `${after.title} without line ${line}`)
  }
  return (
    <section aria-label="Definition" className="shrink-0 border-line border-t">
      <div className="flex h-[30px] items-center gap-2 pr-2 pl-3 text-sm">
        <h4>
          <button
            type="button"
            aria-expanded={isOpen}
            onClick={() => setOpened(!isOpen)}
            className="-ml-1 flex items-center gap-1 rounded-sm px-1 font-semibold text-fg-0"
          >
            <ChevronDown size={12} aria-hidden="true" className={isOpen ? undefined : '-rotate-90'} />
            Definition
          </button>
        </h4>
        <span className="min-w-0 truncate text-fg-2">
          {titles}, {changes.length === 1 ? '1 change' : `${at + 1} of ${count(changes.length, 'change')}`}
        </span>
        {changes.length > 1 && (
          <span className="flex">
            <IconButton
              label="Previous change"
              icon={ChevronLeft}
              disabled={at === 0}
              focusableWhenDisabled
              onClick={() => setWanted(at - 1)}
            />
            <IconButton
              label="Next change"
              icon={ChevronRight}
              disabled={at === changes.length - 1}
              focusableWhenDisabled
              onClick={() => setWanted(at + 1)}
            />
          </span>
        )}
        <span className="flex-1" />
        <Tooltip text="Makes a version like the right one, without these lines, to see whether they matter">
          <Button variant="quiet" onClick={tryWithout}>
            Try without this change
          </Button>
        </Tooltip>
      </div>
      {isOpen && (
        <section
          aria-label="Changed lines"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard
          tabIndex={0}
          data-selectable=""
          style={{ '--digits': 2 } as object}
          className={`${DIFF_CODE} max-h-[118px] overflow-auto rounded-none border-line border-t py-1 focus-visible:-outline-offset-2`}
        >
          <div className="min-w-max">
            {linesOf(change, before.text, after.text).map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines never move
              <UnifiedDiffRow key={index} line={line} first={false} />
            ))}
          </div>
        </section>
      )}
    </section>
  )
}

/** What distinguishes two versions with equal texts, or with none. */
function sameText(before: AgentVersion, after: AgentVersion): string {
  const { effort: was } = before.ref
  const { effort: is, skill } = after.ref
  const differs = [
    before.model === after.model ? null : `model: ${modelText(before.model)} and ${modelText(after.model)}`,
    was === is ? null : `effort: ${was ?? 'as usual'} and ${is ?? 'as usual'}`,
    skill === before.ref.skill ? null : `skill: ${before.ref.skill ?? 'none'} and ${skill ?? 'none'}`,
  ].filter((each) => each !== null)
  const same = after.text === null ? 'An external agent has no text.' : 'Both have the same text.'
  return differs.length === 0 ? same : `${same} They differ in ${differs.join(', ')}.`
}

/** A change with a line of its surroundings at each end. */
function linesOf(change: DefinitionPassage, before: string, after: string): readonly UnifiedLine[] {
  const { beforeLine, afterLine, removed, added } = change
  const [old, now] = [before.split('\n'), after.split('\n')]
  const context = (wasAt: number, isAt: number): readonly UnifiedLine[] => {
    const text = now[isAt - 1]
    // Beside it may be another change: then its line is in one text only.
    return text === undefined || old[wasAt - 1] !== text
      ? []
      : [{ kind: 'context', before: wasAt, after: isAt, text, changed: null }]
  }
  const plain = (line: string) => line.replace(/\r?\n$/, '')
  return markChanges([
    ...context(beforeLine - 1, afterLine - 1),
    ...removed.map(
      (line, at): UnifiedLine => ({
        ...{ kind: 'removed', before: beforeLine + at, after: null, text: plain(line), changed: null },
      }),
    ),
    ...added.map(
      (line, at): UnifiedLine => ({
        ...{ kind: 'added', before: null, after: afterLine + at, text: plain(line), changed: null },
      }),
    ),
    ...context(beforeLine + removed.length, afterLine + added.length),
  ])
}

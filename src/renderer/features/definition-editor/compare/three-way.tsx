/** Resolves a file that changed on disk while it was edited here: mine, theirs, or merged. */
import { type KeyboardEvent, useId, useMemo, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { count } from '../../../ui/format.ts'
import { Segmented } from '../../../ui/segmented.tsx'
import { markedLines, mergeTexts } from './merge-texts.ts'
import { MergedEditor } from './merged-editor.tsx'
import { SideBySide } from './side-by-side.tsx'

interface ThreeWayProps {
  /** The text when editing began. */
  readonly base: string
  readonly mine: string
  /** The text on disk now. */
  readonly theirs: string
  readonly onChoose: (text: string, kind: 'mine' | 'theirs' | 'merged') => void
  readonly onCancel: () => void
}

/** Fills its parent. Escape cancels. */
export function ThreeWay({ base, mine, theirs, onChoose, onCancel }: ThreeWayProps) {
  const merged = useMemo(() => mergeTexts({ base, mine, theirs }), [base, mine, theirs])
  const [view, setView] = useState<'both' | 'merged'>('both')
  /** The edited text, and the merge result it started from. */
  const [edited, setEdited] = useState({ merged, text: merged.text })
  const text = edited.merged === merged ? edited.text : merged.text
  const marked = useMemo(() => markedLines(text, merged.marks), [text, merged.marks])
  const reason = useId()

  const cancelOnEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return
    event.preventDefault()
    onCancel()
  }
  return (
    <section
      aria-label="Changed on disk"
      className="flex h-full min-h-0 flex-col bg-bg-0"
      onKeyDown={cancelOnEscape}
    >
      <div className="flex shrink-0 items-center gap-3 border-line border-b px-3 py-2">
        <p className="min-w-0 flex-1 text-fg-1 text-md">
          This file changed on disk while you edited it. Choose which version to keep.
        </p>
        <Segmented
          label="View"
          value={view}
          onChange={setView}
          options={[
            { value: 'both', label: 'Side by side' },
            { value: 'merged', label: 'Merged' },
          ]}
        />
      </div>
      <div className="min-h-0 flex-1">
        {view === 'both' ? (
          <SideBySide mine={mine} theirs={theirs} />
        ) : (
          <MergedEditor merged={merged} text={text} onEdit={setText} />
        )}
      </div>
      <div className="flex shrink-0 items-center gap-2 border-line border-t px-3 py-2">
        <p id={reason} aria-live="polite" className="min-w-0 flex-1 text-fg-1 text-sm">
          {conflictText(marked, merged.conflicts, view === 'merged')}
        </p>
        <Button variant="quiet" size="md" onClick={onCancel}>
          Cancel
        </Button>
        <Button size="md" onClick={() => onChoose(mine, 'mine')}>
          Take mine
        </Button>
        <Button size="md" onClick={() => onChoose(theirs, 'theirs')}>
          Take disk version
        </Button>
        <Button
          variant="primary"
          size="md"
          disabled={marked.length > 0}
          focusableWhenDisabled
          aria-describedby={reason}
          onClick={() => onChoose(text, 'merged')}
        >
          Take merged
        </Button>
      </div>
    </section>
  )

  function setText(next: string): void {
    setEdited({ merged, text: next })
  }
}

function conflictText(lines: readonly number[], conflicts: number, isShown: boolean): string {
  if (lines.length === 0) return 'The merged text has the changes of both sides.'
  if (!isShown) return `Resolve ${count(conflicts, 'conflict')} in Merged to take the merged text.`
  const marked = `${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}`
  return `Resolve the marked conflicts (${marked}) to take the merged text.`
}

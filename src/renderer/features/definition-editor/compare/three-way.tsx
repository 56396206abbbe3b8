/** Resolves a file that changed on disk while it was edited here: mine, theirs, or merged. */
import { type KeyboardEvent, useId, useMemo, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { count } from '../../../ui/format.ts'
import { Segmented } from '../../../ui/segmented.tsx'
import { keepMerge, useMerge } from './merge-draft.ts'
import { markedLines, repeatedKeys } from './merge-texts.ts'
import { MergedEditor } from './merged-editor.tsx'
import { SideBySide } from './side-by-side.tsx'

interface ThreeWayProps {
  /** Names the definition: what is typed in the merged text is kept for it. */
  readonly id: string
  /** The text when editing began. */
  readonly base: string
  readonly mine: string
  /** The text on disk now. */
  readonly theirs: string
  readonly onChoose: (text: string, kind: 'mine' | 'theirs' | 'merged') => void
  readonly onCancel: () => void
}

/** Fills its parent. Escape closes it; what was typed in the merged text stays for the next time. */
export function ThreeWay({ id, base, mine, theirs, onChoose, onCancel }: ThreeWayProps) {
  const versions = useMemo(() => ({ base, mine, theirs }), [base, mine, theirs])
  const merged = useMerge(id, versions)
  const [view, setView] = useState<'both' | 'merged'>('both')
  const { text } = merged
  const marked = useMemo(() => markedLines(text, merged.marks), [text, merged.marks])
  const repeated = useMemo(() => repeatedKeys(text), [text])
  const conflicts = text.split(merged.marks.mine).length - 1
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
          <MergedEditor
            key={`${mine}\0${theirs}`}
            {...{ merged }}
            onEdit={(next) => keepMerge(id, { mine, theirs, text: next })}
          />
        )}
      </div>
      <div className="flex shrink-0 items-center gap-2 border-line border-t px-3 py-2">
        <p id={reason} aria-live="polite" className="min-w-0 flex-1 text-fg-1 text-sm">
          {(marked.length === 0 ? repeatText(repeated) : null) ??
            conflictText(marked, conflicts, view === 'merged')}
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
          disabled={marked.length > 0 || repeated.size > 0}
          focusableWhenDisabled
          aria-describedby={reason}
          onClick={() => onChoose(text, 'merged')}
        >
          Take merged
        </Button>
      </div>
    </section>
  )
}

function repeatText(repeated: ReadonlyMap<number, string>): string | null {
  const [first] = repeated
  if (first === undefined) return null
  const [line, key] = first
  return `Line ${line} has “${key}” a second time. Keep one of them to take the merged text.`
}

function conflictText(lines: readonly number[], conflicts: number, isShown: boolean): string {
  if (lines.length === 0) return 'The merged text has the changes of both sides.'
  if (!isShown) return `Resolve ${count(conflicts, 'conflict')} in Merged to take the merged text.`
  const marked = `${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}`
  return `Resolve the marked conflicts (${marked}) to take the merged text.`
}

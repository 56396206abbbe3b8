/** Resolves a file that changed on disk while it was edited here: mine, theirs, or merged. */

import { history } from '@codemirror/commands'
import { goToNextChunk, goToPreviousChunk, MergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Segmented } from '../../../ui/segmented.tsx'
import { count } from '../../../ui/text/format.ts'
import { plainEditor, textAttributes } from '../source/plain-editor.ts'
import { adoptStyles } from '../source/source-theme.ts'
import { startWritten, writtenText } from '../source/written-text.ts'
import {
  conflictDecorations,
  conflictRanges,
  keepMerge,
  type MergedText,
  markedLines,
  repeatedKeys,
  useMerge,
} from './merge-texts.ts'

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

interface MergedEditorProps {
  readonly merged: MergedText
  readonly onEdit: (text: string) => void
}

/** Fills its parent. Begins with the merged text once: a new `key` begins again. The cursor starts at the first conflict. */
function MergedEditor({ merged, onEdit }: MergedEditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const latest = useRef({ merged, onEdit })
  latest.current = { merged, onEdit }
  useEffect(() => {
    if (host.current === null) return
    adoptStyles()
    const { merged: start } = latest.current
    const { doc, extensions } = startWritten(start.text)
    const state = EditorState.create({
      doc,
      extensions: [
        extensions,
        history(),
        textAttributes('Merged', false),
        conflictDecorations(start.marks),
        EditorView.updateListener.of(({ docChanged, state: next }) => {
          if (docChanged) latest.current.onEdit(writtenText(next))
        }),
        plainEditor,
      ],
    })
    const first = conflictRanges(state, start.marks)[0]?.from ?? 0
    const view = new EditorView({
      parent: host.current,
      state: state.update({ selection: { anchor: first } }).state,
      scrollTo: EditorView.scrollIntoView(first, { y: 'center' }),
    })
    return () => view.destroy()
  }, [])
  return <div ref={host} className="h-full min-h-0 min-w-0" />
}

interface SideBySideProps {
  readonly mine: string
  readonly theirs: string
}

/** Fills its parent. F7 and Shift+F7 move between differences. */
function SideBySide({ mine, theirs }: SideBySideProps) {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (host.current === null) return
    adoptStyles()
    const view = new MergeView({
      parent: host.current,
      a: { doc: comparable(mine), extensions: [textAttributes('Mine', true), jumps, plainEditor, colors] },
      b: {
        doc: comparable(theirs),
        extensions: [textAttributes('On disk', true), jumps, plainEditor, colors],
      },
    })
    goToNextChunk(view.a)
    return () => view.destroy()
  }, [mine, theirs])
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="grid shrink-0 grid-cols-2 border-line border-b text-fg-1 text-sm">
        <div className="px-3 py-1.5">Mine (edited here)</div>
        <div className="border-line border-l px-3 py-1.5">On disk</div>
      </div>
      <div ref={host} className="min-h-0 flex-1 *:h-full" />
    </div>
  )
}

const jumps = keymap.of([{ key: 'F7', run: goToNextChunk, shift: goToPreviousChunk }])

/** Without line endings and byte-order mark, which are not compared. */
function comparable(text: string): string {
  return text.replace(/^\uFEFF/, '').replace(/\r\n/g, '\n')
}

const tint = (color: string, percent: number) => `color-mix(in oklab, var(${color}) ${percent}%, transparent)`

const colors = EditorView.theme({
  '&': { height: 'auto' },
  '&.cm-merge-b': { borderLeft: '1px solid var(--line)' },
  '&.cm-merge-a .cm-changedLine': { backgroundColor: tint('--bad', 6) },
  '&.cm-merge-b .cm-changedLine': { backgroundColor: tint('--ok', 6) },
  '&.cm-merge-a .cm-changedText': { background: 'none', borderBottom: '2px solid var(--bad)' },
  '&.cm-merge-b .cm-changedText': { background: 'none', borderBottom: '2px solid var(--ok)' },
  '&.cm-merge-a .cm-changedLineGutter': { background: 'var(--bad)' },
  '&.cm-merge-b .cm-changedLineGutter': { background: 'var(--ok)' },
})

/** Resolves a file that changed on disk while it was edited here: field by field, or one of the versions. */

import { history } from '@codemirror/commands'
import { goToNextChunk, goToPreviousChunk, MergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { isMac } from '../../../ui/platform.ts'
import { Segmented } from '../../../ui/segmented.tsx'
import { count } from '../../../ui/text/format.ts'
import { plainEditor, textAttributes } from '../source/plain-editor.ts'
import { adoptStyles } from '../source/source-theme.ts'
import { startWritten, writtenText } from '../source/written-text.ts'
import { FieldChoices, isTextual, type Side } from './field-choices.tsx'
import { type FieldConflict, mergeFields, mergePlace, WHOLE } from './merge-fields.ts'
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
  /** Names the definition: what is typed in a merged text is kept for it. */
  readonly id: string
  /** The text when editing began. */
  readonly base: string
  readonly mine: string
  /** The text on disk now. */
  readonly theirs: string
  readonly onChoose: (text: string, kind: 'mine' | 'theirs' | 'merged') => void
  readonly onCancel: () => void
}

/** Fills its parent. Escape closes it; what was typed in a merged text stays for the next time. */
export function ThreeWay({ id, base, mine, theirs, onChoose, onCancel }: ThreeWayProps) {
  const versions = useMemo(() => ({ base, mine, theirs }), [base, mine, theirs])
  const { conflicts } = useMemo(() => mergeFields(versions), [versions])
  const [view, setView] = useState<'fields' | 'texts'>('fields')
  const [sides, setSides] = useState<ReadonlyMap<string, Side>>(new Map())
  const textual = conflicts.find(isTextual)
  const merged = useMerge(mergePlace(id, textual?.key ?? ''), textsOf(textual))
  const problem =
    textual === undefined || sideOf(textual, sides) !== 'merged' ? null : problemOf(merged, textual)
  const undecided = conflicts.filter((conflict) => sideOf(conflict, sides) === null).length
  const isComplete = undecided === 0 && problem === null
  const reason = useId()

  const apply = () => {
    if (!isComplete) return
    const chosen = conflicts.map(({ key, ...parts }) => {
      const side = sideOf({ key }, sides)
      return [key, side === 'mine' ? parts.mine : side === 'theirs' ? parts.theirs : merged.text] as const
    })
    onChoose(mergeFields(versions, new Map(chosen)).text, 'merged')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented) return
    const isSave = (isMac ? event.metaKey : event.ctrlKey) && ['s', 'enter'].includes(event.key.toLowerCase())
    if (event.key !== 'Escape' && !isSave) return
    event.preventDefault()
    if (isSave) apply()
    else onCancel()
  }
  return (
    <section
      aria-label="Changed on disk"
      className="flex h-full min-h-0 flex-col bg-bg-0"
      onKeyDown={onKeyDown}
    >
      <div className="flex shrink-0 items-center gap-3 border-line border-b px-4 py-2">
        <p className="min-w-0 flex-1 text-fg-1 text-md">
          {conflicts.length === 1
            ? 'One part changed both here and on disk. Choose which to keep.'
            : `${conflicts.length} parts changed both here and on disk. Choose which to keep.`}
        </p>
        <Segmented
          label="View"
          value={view}
          onChange={setView}
          options={[
            { value: 'fields', label: 'Conflicts' },
            { value: 'texts', label: 'Whole texts' },
          ]}
        />
      </div>
      <div className="min-h-0 flex-1">
        {view === 'texts' ? (
          <SideBySide mine={mine} theirs={theirs} />
        ) : (
          <FieldChoices
            conflicts={conflicts}
            sideOf={(conflict) => sideOf(conflict, sides)}
            onChoose={(key, side) => setSides((before) => new Map(before).set(key, side))}
            merged={
              textual && (
                <MergedEditor
                  key={`${textual.key}\0${textual.mine}\0${textual.theirs}`}
                  {...{ merged }}
                  onEdit={(text) =>
                    keepMerge(mergePlace(id, textual.key), {
                      mine: textual.mine ?? '',
                      theirs: textual.theirs ?? '',
                      text,
                    })
                  }
                />
              )
            }
          />
        )}
      </div>
      <div className="flex shrink-0 flex-wrap items-center justify-end gap-2 border-line border-t px-4 py-2">
        <p id={reason} aria-live="polite" className="min-w-40 flex-1 text-fg-1 text-sm">
          {undecided > 0
            ? `${count(undecided, 'choice')} left of ${conflicts.length}.`
            : (problem ?? 'Everything else has the changes of both sides.')}
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
          disabled={!isComplete}
          focusableWhenDisabled
          aria-describedby={reason}
          onClick={apply}
        >
          Apply choices
        </Button>
      </div>
    </section>
  )
}

/** A text begins with the merge of both; of a field the user chooses a side. */
function sideOf(conflict: Pick<FieldConflict, 'key'>, sides: ReadonlyMap<string, Side>): Side | null {
  return sides.get(conflict.key) ?? (isTextual(conflict) ? 'merged' : null)
}

function textsOf(conflict: FieldConflict | undefined) {
  const { base, mine, theirs } = conflict ?? { base: '', mine: '', theirs: '' }
  return { base: base ?? '', mine: mine ?? '', theirs: theirs ?? '' }
}

/** Why a merged text can't be taken yet, as a sentence; null: it can. */
function problemOf(merged: MergedText, { key }: FieldConflict): string | null {
  const lines = markedLines(merged.text, merged.marks)
  if (lines.length > 0)
    return `Resolve the marked conflicts (${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}) in ${key}.`
  const [repeated] = key === WHOLE ? repeatedKeys(merged.text) : []
  return repeated === undefined
    ? null
    : `Line ${repeated[0]} has “${repeated[1]}” a second time. Keep one of them.`
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
    })
    // Not `scrollIntoView`, which also scrolls the list around the editor.
    view.requestMeasure({
      read: () => view.lineBlockAt(first).top,
      write: (top) => {
        view.scrollDOM.scrollTop = Math.max(0, top - 60)
      },
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

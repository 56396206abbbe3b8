/** Two versions of a text side by side with differences highlighted. Both are read-only. */
import { goToNextChunk, goToPreviousChunk, MergeView } from '@codemirror/merge'
import { EditorView, keymap } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { adoptStyles } from '../source/adopt-styles.ts'
import { plainEditor, textAttributes } from '../source/plain-editor.ts'

interface SideBySideProps {
  readonly mine: string
  readonly theirs: string
}

/** Fills its parent. F7 and Shift+F7 move between differences. */
export function SideBySide({ mine, theirs }: SideBySideProps) {
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

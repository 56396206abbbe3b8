/** Edits the merged text until no conflicts are left. */
import { history } from '@codemirror/commands'
import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { adoptStyles } from '../source/adopt-styles.ts'
import { plainEditor, textAttributes } from '../source/plain-editor.ts'
import { startWritten, writtenText } from '../source/written-text.ts'
import { conflictDecorations, conflictRanges } from './conflict-ranges.ts'
import type { MergedText } from './merge-texts.ts'

interface MergedEditorProps {
  readonly merged: MergedText
  readonly onEdit: (text: string) => void
}

/** Fills its parent. Begins with the merged text once: a new `key` begins again. The cursor starts at the first conflict. */
export function MergedEditor({ merged, onEdit }: MergedEditorProps) {
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

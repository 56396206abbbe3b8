/** An editor of YAML with the look and keys of the source editor, for texts that are no definitions. */
import { history } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { type Diagnostic as Mark, setDiagnostics } from '@codemirror/lint'
import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { plainEditor, textAttributes } from './plain-editor.ts'
import { adoptStyles } from './source-theme.ts'

interface YamlEditorProps {
  readonly label: string
  readonly text: string
  /** 1-based lines. */
  readonly problems: readonly { readonly line: number | null; readonly message: string }[]
  /** The line that is shown at first. */
  readonly line: number | null
  readonly onChange: (text: string) => void
}

/** Fills its parent. The undo history lasts as long as it is shown. */
export function YamlEditor({ label, text, problems, line, onChange }: YamlEditorProps) {
  const parent = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const changed = useRef(onChange)
  changed.current = onChange
  // biome-ignore lint/correctness/useExhaustiveDependencies: later texts are changes of the first
  useEffect(() => {
    const { current } = parent
    if (current === null) return
    adoptStyles()
    const editor = new EditorView({
      parent: current,
      state: startState(label, text, (next) => changed.current(next)),
    })
    view.current = editor
    const { doc } = editor.state
    const at = line === null ? 0 : doc.line(Math.min(line, doc.lines)).from
    editor.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) })
    editor.focus()
    return () => {
      view.current = null
      editor.destroy()
    }
  }, [label])
  useEffect(() => {
    const { current } = view
    if (current !== null && current.state.doc.toString() !== text)
      current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: text } })
  }, [text])
  useEffect(() => {
    const { current } = view
    if (current !== null) current.dispatch(setDiagnostics(current.state, marksOf(current.state, problems)))
  }, [problems])
  return <div ref={parent} className="h-full min-h-0 bg-bg-0" />
}

function startState(label: string, text: string, onChange: (text: string) => void): EditorState {
  return EditorState.create({
    doc: text,
    extensions: [
      history(),
      // Before the language of definitions: the first one counts.
      yaml(),
      plainEditor,
      textAttributes(label, false),
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (docChanged) onChange(state.doc.toString())
      }),
    ],
  })
}

function marksOf(state: EditorState, problems: YamlEditorProps['problems']): Mark[] {
  return problems.flatMap(({ line, message }) => {
    if (line === null || line > state.doc.lines) return []
    const { from, to } = state.doc.line(line)
    return [{ from, to, severity: 'error', message }]
  })
}

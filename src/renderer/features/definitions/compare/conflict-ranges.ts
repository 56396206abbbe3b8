/** Highlights the conflicts of a merged text, with buttons to resolve each one. */
import { isolateHistory } from '@codemirror/commands'
import { type EditorState, type Extension, RangeSetBuilder, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view'
import type { ConflictMarks } from './merge-texts.ts'

interface ConflictRange {
  /** From the start of the first mark to the end of the last. */
  readonly from: number
  readonly to: number
  readonly mine: { readonly from: number; readonly to: number }
  readonly theirs: { readonly from: number; readonly to: number }
}

/** The conflicts whose three marks are complete. */
export function conflictRanges(state: EditorState, marks: ConflictMarks): readonly ConflictRange[] {
  const ranges: ConflictRange[] = []
  let start: { readonly from: number; readonly to: number } | null = null
  let between: { readonly from: number; readonly to: number } | null = null
  for (let number = 1; number <= state.doc.lines; number++) {
    const line = state.doc.line(number)
    const text = line.text.trimEnd()
    if (text === marks.mine) {
      start = line
      between = null
    } else if (text === marks.between && start !== null) between = line
    else if (text === marks.theirs && start !== null && between !== null) {
      ranges.push({
        from: start.from,
        to: line.to,
        mine: { from: start.to + 1, to: between.from },
        theirs: { from: between.to + 1, to: line.from },
      })
      start = null
    }
  }
  return ranges
}

export function conflictDecorations(marks: ConflictMarks): Extension {
  const decorate = (state: EditorState): DecorationSet => {
    const builder = new RangeSetBuilder<Decoration>()
    for (const range of conflictRanges(state, marks))
      for (let at = range.from; at <= range.to; ) {
        const line = state.doc.lineAt(at)
        const isMark = at === range.from || at === range.mine.to || at === range.theirs.to
        const side = at < range.mine.to ? 'cm-conflict-mine' : 'cm-conflict-theirs'
        builder.add(at, at, Decoration.line({ class: isMark ? 'cm-conflict-mark' : side }))
        if (at === range.from)
          builder.add(line.to, line.to, Decoration.widget({ widget: new ConflictChoice(marks, at), side: 1 }))
        at = line.to + 1
      }
    return builder.finish()
  }
  return [
    StateField.define<DecorationSet>({
      create: decorate,
      update: (before, transaction) => (transaction.docChanged ? decorate(transaction.state) : before),
      provide: (field) => EditorView.decorations.from(field),
    }),
    theme,
  ]
}

const CHOICES = [
  { label: 'Mine', parts: ['mine'] },
  { label: 'On disk', parts: ['theirs'] },
  { label: 'Both', parts: ['mine', 'theirs'] },
] as const

class ConflictChoice extends WidgetType {
  private readonly marks: ConflictMarks
  private readonly at: number

  constructor(marks: ConflictMarks, at: number) {
    super()
    this.marks = marks
    this.at = at
  }

  override eq(other: ConflictChoice): boolean {
    return other.at === this.at
  }

  override toDOM(view: EditorView): HTMLElement {
    const dom = document.createElement('span')
    dom.className = 'cm-conflict-choice'
    for (const { label, parts } of CHOICES) {
      const button = dom.appendChild(document.createElement('button'))
      button.type = 'button'
      button.className = 'cm-button'
      button.textContent = label
      button.onclick = () => this.resolve(view, parts)
    }
    return dom
  }

  override ignoreEvent(): boolean {
    return true
  }

  private resolve(view: EditorView, parts: readonly ('mine' | 'theirs')[]): void {
    const range = conflictRanges(view.state, this.marks).find(({ from }) => from === this.at)
    if (range === undefined) return
    const kept = parts.map((part) => view.state.sliceDoc(range[part].from, range[part].to)).join('')
    const isLast = range.to === view.state.doc.length
    view.dispatch({
      changes: { from: range.from, to: isLast ? range.to : range.to + 1, insert: kept },
      selection: { anchor: range.from },
      annotations: isolateHistory.of('full'),
    })
    view.focus()
  }
}

const tint = (color: string, percent: number) => `color-mix(in oklab, var(${color}) ${percent}%, transparent)`

const theme = EditorView.theme({
  '.cm-line.cm-conflict-mark': { backgroundColor: tint('--needs-you', 14), fontWeight: '600' },
  '.cm-line.cm-conflict-mark *': { color: 'var(--fg-0)' },
  '.cm-line.cm-conflict-mine': { backgroundColor: tint('--accent', 8) },
  '.cm-line.cm-conflict-theirs': { backgroundColor: tint('--ok', 8) },
  '.cm-conflict-choice': { display: 'inline-flex', gap: '4px', marginLeft: '12px', verticalAlign: 'middle' },
  '.cm-conflict-choice .cm-button': {
    height: '18px',
    padding: '0 7px',
    border: '1px solid var(--line-strong)',
    fontFamily: 'var(--font-ui)',
  },
})

/** Shows the marked places of a merged text, and decides each by a button in its first line. */
import { isolateHistory } from '@codemirror/commands'
import { type EditorState, type Extension, RangeSetBuilder, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view'
import type { ConflictMarks } from './merge-texts.ts'

interface ConflictPlace {
  /** Of its first and its last line. */
  readonly from: number
  readonly to: number
  readonly mine: { readonly from: number; readonly to: number }
  readonly theirs: { readonly from: number; readonly to: number }
}

/** The places whose three marks are all there. */
export function conflictPlaces(state: EditorState, marks: ConflictMarks): readonly ConflictPlace[] {
  const places: ConflictPlace[] = []
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
      places.push({
        from: start.from,
        to: line.to,
        mine: { from: start.to + 1, to: between.from },
        theirs: { from: between.to + 1, to: line.from },
      })
      start = null
    }
  }
  return places
}

export function conflictDecorations(marks: ConflictMarks): Extension {
  const decorate = (state: EditorState): DecorationSet => {
    const builder = new RangeSetBuilder<Decoration>()
    for (const place of conflictPlaces(state, marks))
      for (let at = place.from; at <= place.to; ) {
        const line = state.doc.lineAt(at)
        const isMark = at === place.from || at === place.mine.to || at === place.theirs.to
        const side = at < place.mine.to ? 'cm-conflict-mine' : 'cm-conflict-theirs'
        builder.add(at, at, Decoration.line({ class: isMark ? 'cm-conflict-mark' : side }))
        if (at === place.from)
          builder.add(line.to, line.to, Decoration.widget({ widget: new Choice(marks, at), side: 1 }))
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

class Choice extends WidgetType {
  private readonly marks: ConflictMarks
  private readonly at: number

  constructor(marks: ConflictMarks, at: number) {
    super()
    this.marks = marks
    this.at = at
  }

  override eq(other: Choice): boolean {
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
      button.onclick = () => this.decide(view, parts)
    }
    return dom
  }

  override ignoreEvent(): boolean {
    return true
  }

  private decide(view: EditorView, parts: readonly ('mine' | 'theirs')[]): void {
    const place = conflictPlaces(view.state, this.marks).find(({ from }) => from === this.at)
    if (place === undefined) return
    const kept = parts.map((part) => view.state.sliceDoc(place[part].from, place[part].to)).join('')
    const isLast = place.to === view.state.doc.length
    view.dispatch({
      changes: { from: place.from, to: isLast ? place.to : place.to + 1, insert: kept },
      selection: { anchor: place.from },
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

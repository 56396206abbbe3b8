/** Merges two versions of a text by lines (diff3). Lines that both changed are marked for the user to resolve. */

import { isolateHistory } from '@codemirror/commands'
import { type EditorState, type Extension, RangeSetBuilder, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view'
import { diff3Merge } from 'node-diff3'
import { EMPTY_DRAFT, setDraft, useDrafts } from '../../../stores/draft-store.ts'

export interface MergedText {
  /** Has marks around each conflict. */
  readonly text: string
  /** The number of conflicts. */
  readonly conflicts: number
  readonly marks: ConflictMarks
}

/** Whole lines that occur in none of the texts. */
export interface ConflictMarks {
  readonly mine: string
  readonly between: string
  readonly theirs: string
}

interface Versions {
  /** The text that both began with. */
  readonly base: string
  readonly mine: string
  readonly theirs: string
}

/**
 * The result has the line endings and the byte-order mark of `mine`.
 * @param marks those of a merge before, which `mine` may still contain
 */
export function mergeTexts(versions: Versions, marks?: ConflictMarks): MergedText {
  const lineEnding = lineEndingOf(versions.mine)
  const hasMark = versions.mine.startsWith('\uFEFF')
  const [base, mine, theirs] = [versions.base, versions.mine, versions.theirs].map((text) => {
    const plain = text.replace(/^\uFEFF/, '')
    return linesOf(lineEndingOf(plain) === lineEnding ? plain : plain.replace(/\r?\n/g, lineEnding))
  }) as [readonly string[], readonly string[], readonly string[]]
  const used = marks ?? marksFor([...base, ...mine, ...theirs])
  const { start, end } = commonEnds([base, mine, theirs])
  const middle = (lines: readonly string[]) => lines.slice(start, lines.length - end)

  let conflicts = 0
  const merged = diff3Merge(middle(mine), middle(base), middle(theirs)).flatMap(({ ok, conflict }) => {
    if (conflict === undefined) return ok ?? []
    conflicts++
    return [
      ...[used.mine + lineEnding, ...conflict.a].map((line) => ended(line, lineEnding)),
      ...[used.between + lineEnding, ...conflict.b].map((line) => ended(line, lineEnding)),
      used.theirs + lineEnding,
    ]
  })
  const lines = [...mine.slice(0, start), ...merged, ...mine.slice(mine.length - end)]
  return { text: (hasMark ? '\uFEFF' : '') + lines.join(''), conflicts, marks: used }
}

/** Numbers (from 1) of the lines that are still marks or start like one. */
export function markedLines(text: string, marks: ConflictMarks): readonly number[] {
  const { between } = marks
  const [opening, closing] = ['<'.repeat(between.length), '>'.repeat(between.length)]
  return text
    .split('\n')
    .flatMap((line, index) =>
      line.startsWith(opening) || line.startsWith(closing) || line.trimEnd() === between ? [index + 1] : [],
    )
}

/**
 * Lines (from 1) of the frontmatter whose key is there a second time, by their key: two changes of one field are both
 * kept. YAML allows no such file.
 */
export function repeatedKeys(text: string): ReadonlyMap<number, string> {
  const found = new Map<number, string>()
  const [first = '', ...lines] = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  if (first.trimEnd() !== '---') return found
  const seen = new Set<string>()
  for (const [index, line] of lines.entries()) {
    if (line.trimEnd() === '---') return found
    const [, key] = /^([^\s#:'"[{-][^:]*?)\s*:(?:\s|$)/.exec(line) ?? []
    if (key === undefined) continue
    if (seen.has(key)) found.set(index + 2, key)
    seen.add(key)
  }
  return new Map()
}

/** Lines with their endings; the last line may have none. */
function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}

function lineEndingOf(text: string): string {
  const all = text.split('\n').length - 1
  const returns = text.split('\r\n').length - 1
  return returns * 2 > all ? '\r\n' : '\n'
}

function ended(line: string, lineEnding: string): string {
  return line.endsWith('\n') ? line : line + lineEnding
}

/** The number of equal lines at the start and at the end of all texts. */
function commonEnds(texts: readonly (readonly string[])[]): { readonly start: number; readonly end: number } {
  const [first = []] = texts
  const shortest = Math.min(...texts.map((lines) => lines.length))
  let start = 0
  while (start < shortest && texts.every((lines) => lines[start] === first[start])) start++
  let end = 0
  while (end < shortest - start && texts.every((lines) => lines.at(-1 - end) === first.at(-1 - end))) end++
  return { start, end }
}

/** Marks of 7 characters, or longer if a text contains lines that look like marks. */
function marksFor(lines: readonly string[]): ConflictMarks {
  let length = 7
  for (const line of lines) {
    const [run = ''] = /^(?:<+|=+|>+)/.exec(line) ?? []
    if (run.length >= length) length = run.length + 1
  }
  return {
    mine: `${'<'.repeat(length)} mine`,
    between: '='.repeat(length),
    theirs: `${'>'.repeat(length)} on disk`,
  }
}

/** Highlights the conflicts of a merged text, with buttons to resolve each one. */
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
  // Markdown takes a line above ======= for a heading.
  '.cm-line.cm-conflict-mine *': { color: 'var(--fg-0)', fontWeight: '400' },
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

// * The edited text of a merge, kept as a draft: it stays when the comparison is closed, when the file changes
// again, and when the program is killed.

/** An edited text, and what it is a merge of. */
type Edited = Omit<Versions, 'base'> & { readonly text: string }

/** The merged text, with what the user has typed in it so far. */
export function useMerge(id: string, versions: Versions): MergedText {
  const stored = useDrafts(({ drafts }) => drafts[placeOf(id)]?.text ?? '')
  return mergeWith(editedOf(stored), versions)
}

export function keepMerge(id: string, edited: Edited): void {
  setDraft(placeOf(id), { ...EMPTY_DRAFT, text: `${JSON.stringify(edited)}\n` })
}

/** The user chose a text. */
export function forgetMerge(id: string): void {
  setDraft(placeOf(id), EMPTY_DRAFT)
}

/** What came since, on either side, is merged into the edited text. */
function mergeWith(edited: Edited | null, versions: Versions): MergedText {
  if (edited === null) return mergeTexts(versions)
  const { base, mine, theirs } = versions
  const first = mergeTexts({ base, mine: edited.mine, theirs: edited.theirs })
  const own = into(edited.text, { from: edited.mine, to: mine }, first)
  return into(own.text, { from: edited.theirs, to: theirs }, first)
}

const into = (
  text: string,
  { from, to }: { readonly from: string; readonly to: string },
  { marks }: MergedText,
): MergedText =>
  from === to ? { text, conflicts: 0, marks } : mergeTexts({ base: from, mine: text, theirs: to }, marks)

const placeOf = (id: string) => `definition-merge:${id}`

/** The last line counts. Null: nothing was typed. */
function editedOf(stored: string): Edited | null {
  try {
    const value = JSON.parse(stored.trimEnd().split('\n').at(-1) ?? '') as Partial<Edited>
    const { mine, theirs, text } = value
    const isWhole = [mine, theirs, text].every((part) => typeof part === 'string')
    return isWhole ? (value as Edited) : null
  } catch {
    return null
  }
}

/** Marks problems in the text, at their places, with what mends them. */
import { isolateHistory } from '@codemirror/commands'
import {
  forEachDiagnostic,
  linter,
  lintGutter,
  type Diagnostic as Mark,
  nextDiagnostic,
} from '@codemirror/lint'
import type { Extension } from '@codemirror/state'
import { type EditorView, keymap } from '@codemirror/view'
import type { Diagnostic } from '../../../../shared/agent-definition/agent-definition.ts'
import { definitionProblems } from './definition-problems.ts'
import { surroundingsOf } from './surroundings-facet.ts'
import { editWritten, toDocument, writtenText } from './written-text.ts'

/** Reading waits until nothing was typed for so long. */
const DELAY_MS = 250

export function sourceLint(): Extension {
  return [
    linter(marksOf, {
      delay: DELAY_MS,
      needsRefresh: (update) =>
        surroundingsOf(update.startState) !== surroundingsOf(update.state) ||
        update.startState.readOnly !== update.state.readOnly,
    }),
    lintGutter({ hoverTime: 200 }),
    keymap.of([
      { key: 'F8', run: nextDiagnostic },
      { key: 'Mod-.', run: mendAtCursor },
    ]),
  ]
}

function problemsOf(view: EditorView): readonly Diagnostic[] {
  const surroundings = surroundingsOf(view.state)
  return surroundings === null ? [] : definitionProblems(writtenText(view.state), surroundings)
}

function marksOf(view: EditorView): readonly Mark[] {
  return problemsOf(view).map((problem) => ({
    from: toDocument(view.state, problem.from),
    to: toDocument(view.state, problem.to),
    severity: problem.severity === 'notice' ? 'info' : problem.severity,
    message: problem.message,
    actions: view.state.readOnly
      ? []
      : problem.mends.map(({ label }) => ({
          name: label,
          apply: (shown: EditorView) => mend(shown, problem, label),
        })),
  }))
}

/** The text may have changed since it was read: the mend is looked for in what it is now. */
function mend(view: EditorView, problem: Diagnostic, label: string): void {
  const found = problemsOf(view)
    .filter(({ code, message }) => code === problem.code && message === problem.message)
    .sort((a, b) => Math.abs(a.from - problem.from) - Math.abs(b.from - problem.from))
    .flatMap(({ mends }) => mends.filter((each) => each.label === label))[0]
  if (found === undefined) return
  view.dispatch({ ...editWritten(view.state, found.edits), annotations: isolateHistory.of('full') })
}

/** The first mend of what is wrong where the cursor is, or else on its line. */
function mendAtCursor(view: EditorView): boolean {
  const { head } = view.state.selection.main
  const line = view.state.doc.lineAt(head)
  const found: { mark: Mark; distance: number }[] = []
  forEachDiagnostic(view.state, (mark, from, to) => {
    if (from > line.to || to < line.from || !mark.actions?.length) return
    found.push({ mark, distance: Math.max(0, from - head, head - to) })
  })
  const nearest = found.sort((a, b) => a.distance - b.distance)[0]?.mark
  nearest?.actions?.[0]?.apply(view, nearest.from, nearest.to)
  return nearest !== undefined
}

/** Marks problems in the text and offers their quick fixes. */
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
import { definitionNotes } from '../../../../shared/agent-definition/definition-notes.ts'
import { missingNames } from '../../../../shared/agent-definition/missing-names.ts'
import { readDefinition } from '../../../../shared/agent-definition/read-definition.ts'
import { textProblems } from '../../../../shared/agent-definition/text-problems.ts'
import { type DefinitionSurroundings, makeFix } from '../surroundings.ts'
import { surroundingsOf } from './surroundings-facet.ts'
import { editWritten, toDocument, writtenText } from './written-text.ts'

/** Delay after the last change before linting. */
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
      { key: 'Mod-.', run: fixAtCursor },
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
      : problem.fixes.map(({ label }) => ({
          name: label,
          apply: (current: EditorView) => applyFix(current, problem, label),
        })),
  }))
}

/** Lints again before applying the fix: the text may have changed since. */
function applyFix(view: EditorView, problem: Diagnostic, label: string): void {
  const found = problemsOf(view)
    .filter(({ code, message }) => code === problem.code && message === problem.message)
    .sort((a, b) => Math.abs(a.from - problem.from) - Math.abs(b.from - problem.from))
    .flatMap((same) => same.fixes.filter((each) => each.label === label).map((fix) => ({ same, fix })))[0]
  if (found === undefined) return
  makeFix(found.same, found.fix, {
    ...surroundingsOf(view.state),
    make: ({ edits }) =>
      view.dispatch({ ...editWritten(view.state, edits), annotations: isolateHistory.of('full') }),
  })
}

/** Applies the first fix of the problem nearest to the cursor on its line. */
function fixAtCursor(view: EditorView): boolean {
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

/** Sorted by position, in UTF-16 offsets of the text. */
export function definitionProblems(
  text: string,
  { stem, entry, catalog }: DefinitionSurroundings,
): readonly Diagnostic[] {
  const { definition, diagnostics } = readDefinition(text, { stem, source: entry.source })
  const ofText = textProblems(text)
  if (definition === null) return [...ofText, ...diagnostics]
  const known = { ...catalog, skills: catalog.skills.map(({ name }) => name) }
  const missing = missingNames(text, { ...definition, source: entry.source }, known)
  const notes = entry.source === 'built-in' ? [] : definitionNotes(text, definition)
  return [...ofText, ...diagnostics, ...missing, ...notes].sort((a, b) => a.from - b.from)
}

/** The extensions of the source editor. */
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { definitionCompletion } from './complete-definition.ts'
import { hoverHelp } from './hover-help.ts'
import { plainEditor, textAttributes } from './plain-editor.ts'
import { sourceLint } from './source-lint.ts'
import type { SourceOptions } from './source-options.ts'
import { surroundingsFacet } from './surroundings-facet.ts'

/** Shared by all views, so that reconfiguring the options keeps open panels. */
const editor: Extension = [definitionCompletion(), sourceLint(), hoverHelp(), plainEditor]

const tabHint = EditorView.contentAttributes.of({
  'aria-description':
    'Tab leaves the text. While completions are open, Tab accepts one and Escape closes them.',
})

export function sourceExtensions({ readOnly, surroundings, label }: SourceOptions): Extension {
  return [
    surroundingsFacet.of(surroundings),
    textAttributes(label, readOnly),
    ...(readOnly ? [] : [tabHint]),
    editor,
  ]
}

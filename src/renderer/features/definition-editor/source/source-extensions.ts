/** All that makes the text of a definition an editor: colours, help, completion, problems, search and keys. */
import { defaultKeymap, historyKeymap, redo } from '@codemirror/commands'
import { markdown, markdownLanguage } from '@codemirror/lang-markdown'
import { yamlFrontmatter } from '@codemirror/lang-yaml'
import { bracketMatching } from '@codemirror/language'
import { search, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { definitionCompletion } from './complete-definition.ts'
import { hoverHelp } from './hover-help.ts'
import { sourceLint } from './source-lint.ts'
import type { SourceOptions } from './source-options.ts'
import { sourceTheme } from './source-theme.ts'
import { surroundingsFacet } from './surroundings-facet.ts'

const language = yamlFrontmatter({ content: markdown({ base: markdownLanguage, completeHTMLTags: false }) })

/** Words of CodeMirror's own, as the window says them. */
const phrases = EditorState.phrases.of({
  next: 'Next',
  previous: 'Previous',
  all: 'Select all',
  'match case': 'Match case',
  regexp: 'Regular expression',
  'by word': 'Whole words',
  replace: 'Replace',
  'replace all': 'Replace all',
  close: 'Close',
})

/** Tab is not bound: it leads on, to what is after the text. */
const keys = keymap.of([
  { key: 'Mod-Shift-z', run: redo },
  { key: 'Mod-y', run: redo },
  ...searchKeymap,
  ...historyKeymap,
  ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'),
])

/** The same ones for every view, so that other options change nothing of what is open. */
const editor: Extension = [
  // A document's line breaks are LF; what the file has for them is kept beside it.
  EditorView.clipboardInputFilter.of((text) => text.replace(/\r\n?/g, '\n')),
  definitionCompletion(),
  sourceLint(),
  hoverHelp(),
  lineNumbers(),
  highlightSpecialChars(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  drawSelection(),
  bracketMatching(),
  search({ top: true }),
  EditorView.lineWrapping,
  language,
  sourceTheme(),
  phrases,
  keys,
]

export function sourceExtensions({ readOnly, surroundings, label }: SourceOptions): Extension {
  return [
    surroundingsFacet.of(surroundings),
    EditorState.readOnly.of(readOnly),
    EditorView.contentAttributes.of({
      'aria-label': label,
      // It scrolls, so the keyboard must reach it: said for tools that do not know it from contenteditable.
      tabindex: '0',
      ...(readOnly ? { 'aria-readonly': 'true' } : {}),
    }),
    editor,
  ]
}

/** The base of all editors for definitions: highlighting, line numbers, search, keys. */
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
import { sourceTheme } from './source-theme.ts'

const language = yamlFrontmatter({ content: markdown({ base: markdownLanguage, completeHTMLTags: false }) })

/** CodeMirror's labels in the window's wording. */
const phrases = EditorState.phrases.of({
  next: 'Next',
  previous: 'Previous',
  all: 'All',
  'match case': 'Case',
  regexp: 'Regex',
  'by word': 'Whole words',
  replace: 'Replace',
  'replace all': 'Replace all',
  close: 'Close',
})

/** Tab is not bound: it moves the focus out of the text. */
const keys = keymap.of([
  { key: 'Mod-Shift-z', run: redo },
  { key: 'Mod-y', run: redo },
  ...searchKeymap,
  ...historyKeymap,
  ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'),
])

/** Shared by all views, so that reconfiguring other options keeps open panels. */
export const plainEditor: Extension = [
  // The document uses LF; written-text.ts stores the file's line breaks.
  EditorView.clipboardInputFilter.of((text) => text.replace(/\r\n?/g, '\n')),
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

/** The accessible name of the text, and whether it is read-only. */
export function textAttributes(label: string, readOnly: boolean): Extension {
  return [
    EditorState.readOnly.of(readOnly),
    EditorView.contentAttributes.of({
      'aria-label': label,
      // Scrollable regions must be focusable; some checkers don't infer this from contenteditable.
      tabindex: '0',
      ...(readOnly ? { 'aria-readonly': 'true' } : {}),
    }),
  ]
}

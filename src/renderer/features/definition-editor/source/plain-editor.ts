/** A text with frontmatter in an editor: colours, line numbers, search and keys, whatever the text is for. */
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

/** Words of CodeMirror's own, as the window says them. */
const phrases = EditorState.phrases.of({
  next: 'Next',
  previous: 'Previous',
  all: 'All',
  'match case': 'Case',
  regexp: 'Regex',
  'by word': 'Words',
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

/** The same for every view, so that other options beside it change nothing of what is open. */
export const plainEditor: Extension = [
  // A document's line breaks are LF; what the file has for them is kept beside it.
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

/** What the text is called, and whether it can be changed. */
export function textAttributes(label: string, readOnly: boolean): Extension {
  return [
    EditorState.readOnly.of(readOnly),
    EditorView.contentAttributes.of({
      'aria-label': label,
      // It scrolls, so the keyboard must reach it: said for tools that do not know it from contenteditable.
      tabindex: '0',
      ...(readOnly ? { 'aria-readonly': 'true' } : {}),
    }),
  ]
}

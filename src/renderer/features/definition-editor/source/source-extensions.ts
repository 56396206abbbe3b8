/** All that makes the text of a definition an editor. */

import { defaultKeymap, historyKeymap } from '@codemirror/commands'
import type { Extension } from '@codemirror/state'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import type { SourceOptions } from './source-options.ts'

export function sourceExtensions({ readOnly, label }: SourceOptions): Extension {
  return [
    EditorState.readOnly.of(readOnly),
    lineNumbers(),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label }),
    EditorView.clipboardInputFilter.of((text) => text.replace(/\r\n?/g, '\n')),
    keymap.of([...defaultKeymap, ...historyKeymap]),
  ]
}

/**
 * The text of a definition while it is edited: the one state that form and source share. The editor's
 * document and its history live here, with or without a view of them.
 */
import { history, isolateHistory, redo, undo } from '@codemirror/commands'
import { diff } from '@codemirror/merge'
import {
  Annotation,
  Compartment,
  EditorState,
  type StateEffect,
  StateField,
  type Transaction,
  type TransactionSpec,
} from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { useSyncExternalStore } from 'react'
import type { TextEdit } from '../../../shared/agent-definition/agent-definition.ts'
import { adoptStyles } from './source/adopt-styles.ts'
import { sourceExtensions } from './source/source-extensions.ts'
import type { SourceOptions } from './source/source-options.ts'
import { changesWritten, editWritten, startWritten, toDocument, writtenText } from './source/written-text.ts'

export interface DefinitionDocument {
  /** Byte for byte as in the file, where it was not edited: line ends, byte-order mark, no final newline. */
  readonly text: string
  /** One step of the history. Edits of one group in quick succession (1 s) join to one. */
  edit(edits: readonly TextEdit[], options?: { readonly group?: string }): void
  /** Whether there was something to undo. */
  undo(): boolean
  redo(): boolean
  /** Other content, from disk: one change, that can be undone, of what differs. */
  replaceWith(text: string): void
  /** Called after every change of the text; returns what ends that. */
  subscribe(listener: () => void): () => void
  /**
   * Shows it in an element; returns what ends that. The document lives on without a view. Called again with
   * the same element, it takes the new options. There is one view at a time: the last.
   */
  attach(parent: HTMLElement, options: SourceOptions): () => void
  /**
   * Selects a place (UTF-16 offsets of `text`), scrolls to it and puts the focus there; kept for later
   * where no view is attached.
   */
  reveal(from: number, to?: number): void
}

/** How far back undo goes at least, in steps. */
const STEPS = 2000
const QUICK_MS = 1000

const groupOfEdit = Annotation.define<string>()
const lastGroup = StateField.define<string | null>({
  create: () => null,
  update: (before, transaction) =>
    changesWritten(transaction) ? (transaction.annotation(groupOfEdit) ?? null) : before,
})

/** Typing joins where it goes on beside the last letter; edits of a group join wherever they are. */
function isSameStep(transaction: Transaction, isAdjacent: boolean): boolean {
  const group = transaction.annotation(groupOfEdit) ?? null
  return group === transaction.startState.field(lastGroup) && (group !== null || isAdjacent)
}

export function createDefinitionDocument(text: string): DefinitionDocument {
  const presentation = new Compartment()
  const { doc, extensions } = startWritten(text)
  let state = EditorState.create({
    doc,
    extensions: [
      extensions,
      lastGroup,
      history({ minDepth: STEPS, newGroupDelay: QUICK_MS, joinToEvent: isSameStep }),
      presentation.of([]),
    ],
  })
  let view: EditorView | null = null
  /** Where the view was scrolled to when it was last taken away, or where it is to scroll to. */
  let scrollTo: StateEffect<unknown> | null = null
  let written: string | null = null
  const listeners = new Set<() => void>()

  const take = (next: EditorState, changed: boolean) => {
    if (changed) written = null
    state = next
    if (changed) for (const listener of [...listeners]) listener()
  }
  const dispatch = (transaction: Transaction) => {
    if (view === null) take(transaction.state, changesWritten(transaction))
    else view.dispatch(transaction)
  }
  const change = (spec: TransactionSpec) => dispatch(state.update(spec))
  const currentText = () => {
    written ??= writtenText(state)
    return written
  }
  const edit: DefinitionDocument['edit'] = (edits, { group } = {}) => {
    if (edits.length === 0) return
    change({
      ...editWritten(state, edits),
      annotations: group === undefined ? isolateHistory.of('full') : groupOfEdit.of(group),
    })
  }

  return {
    get text() {
      return currentText()
    },
    edit,
    undo: () => undo({ state, dispatch }),
    redo: () => redo({ state, dispatch }),
    replaceWith: (next) => {
      const differences = diff(currentText(), next, { scanLimit: 500 })
      edit(
        differences.map(({ fromA, toA, fromB, toB }) => ({
          from: fromA,
          to: toA,
          insert: next.slice(fromB, toB),
        })),
      )
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    attach: (parent, options) => {
      const effects = presentation.reconfigure(sourceExtensions(options))
      if (view?.dom.parentElement === parent) view.dispatch({ effects })
      else {
        end()
        state = state.update({ effects }).state
        adoptStyles()
        view = new EditorView({
          state,
          parent,
          ...(scrollTo === null ? {} : { scrollTo }),
          dispatchTransactions: (transactions, shown) => {
            shown.update(transactions)
            take(shown.state, transactions.some(changesWritten))
          },
        })
        scrollTo = null
      }
      const attached = view
      return () => {
        if (view === attached) end()
      }
    },
    reveal: (from, to = from) => {
      const selection = { anchor: toDocument(state, from), head: toDocument(state, to) }
      const effects = EditorView.scrollIntoView(selection.anchor, { y: 'center' })
      if (view === null) {
        change({ selection })
        scrollTo = effects
      } else {
        change({ selection, effects })
        view.focus()
      }
    },
  }

  function end() {
    if (view === null) return
    scrollTo = view.scrollSnapshot()
    view.destroy()
    view = null
    state = state.update({ effects: presentation.reconfigure([]) }).state
  }
}

/** The text, anew after every change of it. */
export function useDocumentText(document: DefinitionDocument): string {
  return useSyncExternalStore(document.subscribe, () => document.text)
}

/**
 * The text of an open definition, shared by form and source. Holds the editor's document and history, with or
 * without a view.
 */
import { history, isolateHistory, redo, undo } from '@codemirror/commands'
import { diff } from '@codemirror/merge'
import {
  Annotation,
  Compartment,
  EditorState,
  type Extension,
  type StateEffect,
  StateField,
  Transaction,
  type TransactionSpec,
} from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { useSyncExternalStore } from 'react'
import type { TextEdit } from '../../../shared/agent-definition/agent-definition.ts'
import { definitionCompletion } from './source/complete-definition.ts'
import { hoverHelp } from './source/hover-help.ts'
import { plainEditor, textAttributes } from './source/plain-editor.ts'
import { sourceLint } from './source/source-lint.ts'
import { adoptStyles } from './source/source-theme.ts'
import { surroundingsFacet } from './source/surroundings-facet.ts'
import { changesWritten, editWritten, startWritten, toDocument, writtenText } from './source/written-text.ts'
import type { DefinitionSurroundings } from './surroundings.ts'

export interface DefinitionDocument {
  /** Unedited parts match the file byte for byte: line endings, byte-order mark, no final newline. */
  readonly text: string
  /** Adds one step to the history. Edits of one group within 1 s join into one step. */
  edit(edits: readonly TextEdit[], options?: { readonly group?: string }): void
  /** False when there is nothing to undo. */
  undo(): boolean
  redo(): boolean
  /** Replaces the differing parts in one step of the history. */
  replaceWith(text: string): void
  /** Replaces the differing parts without a step of the history: undo keeps them. */
  takeOver(text: string): void
  /** Calls the listener after each change of the text. Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void
  /**
   * Shows the document in an element. Returns a function that detaches the view; the document lives on without
   * one. Another call with the same element changes the options. Only the last view exists.
   */
  attach(parent: HTMLElement, options: SourceOptions): () => void
  /**
   * Selects a range (UTF-16 offsets of `text`), scrolls to it and focuses the view. Without a view the range is
   * selected in the next one.
   */
  reveal(from: number, to?: number): void
}

/** The minimum number of undo steps. */
const STEPS = 2000
const QUICK_MS = 1000

const groupOfEdit = Annotation.define<string>()
const lastGroup = StateField.define<string | null>({
  create: () => null,
  update: (before, transaction) =>
    changesWritten(transaction) ? (transaction.annotation(groupOfEdit) ?? null) : before,
})

/** Adjacent typing joins into one step; edits of one group join wherever they are. */
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
  /** The scroll position of the next view. */
  let scrollTo: StateEffect<unknown> | null = null
  let written: string | null = null
  const listeners = new Set<() => void>()

  const applyState = (next: EditorState, changed: boolean) => {
    if (changed) written = null
    state = next
    if (changed) for (const listener of [...listeners]) listener()
  }
  const dispatch = (transaction: Transaction) => {
    if (view === null) applyState(transaction.state, changesWritten(transaction))
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
    replaceWith: (next) => edit(differences(currentText(), next)),
    takeOver: (next) => {
      const edits = differences(currentText(), next)
      if (edits.length === 0) return
      change({ ...editWritten(state, edits), annotations: Transaction.addToHistory.of(false) })
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
            applyState(shown.state, transactions.some(changesWritten))
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

function differences(before: string, after: string): readonly TextEdit[] {
  return diff(before, after, { scanLimit: 500 }).map(({ fromA, toA, fromB, toB }) => ({
    from: fromA,
    to: toA,
    insert: after.slice(fromB, toB),
  }))
}

/** The current text; renders again after each change. */
export function useDocumentText(document: DefinitionDocument): string {
  return useSyncExternalStore(document.subscribe, () => document.text)
}

/** Shared by all views, so that reconfiguring the options keeps open panels. */
const editor: Extension = [definitionCompletion(), sourceLint(), hoverHelp(), plainEditor]

const tabHint = EditorView.contentAttributes.of({
  'aria-description':
    'Tab leaves the text. While completions are open, Tab accepts one and Escape closes them.',
})

/** The extensions of the source editor. */
function sourceExtensions({ readOnly, surroundings, label }: SourceOptions): Extension {
  return [
    surroundingsFacet.of(surroundings),
    textAttributes(label, readOnly),
    ...(readOnly ? [] : [tabHint]),
    editor,
  ]
}

/** Options of the source editor. */
export interface SourceOptions {
  readonly readOnly: boolean
  readonly surroundings: DefinitionSurroundings
  /** The accessible name of the text. */
  readonly label: string
}

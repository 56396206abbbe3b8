import { EditorView } from '@codemirror/view'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { applyEdits, type TextEdit } from '../../../shared/agent-definition/agent-definition.ts'
import { openConditions } from '../../../shared/agent-definition/effective-tools.ts'
import { triesOf } from '../../../shared/testing/tries.ts'
import type { SourceOptions } from './definition-document.ts'
import { createDefinitionDocument, type DefinitionDocument } from './definition-document.ts'

const options: SourceOptions = {
  readOnly: false,
  label: 'Source',
  surroundings: {
    entry: {
      id: 'a',
      name: 'a',
      source: 'project',
      plugin: null,
      file: '/p/a.md',
      path: 'a.md',
      locked: false,
    },
    stem: 'a',
    catalog: { entries: [], tools: ['Read'], conditions: openConditions, skills: [], servers: [] },
    models: [],
  },
}

let end = () => {}
beforeEach(() => vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => {
  end()
  end = () => {}
  document.body.replaceChildren()
  vi.useRealTimers()
})

/** Attaches a view, so that the document receives typed text. */
function show(definition: DefinitionDocument): EditorView {
  const parent = document.body.appendChild(document.createElement('div'))
  end = definition.attach(parent, options)
  const view = EditorView.findFromDOM(parent)
  if (view === null) throw new Error('no view')
  return view
}

function type(view: EditorView, at: number, text: string): void {
  view.dispatch({ changes: { from: at, insert: view.state.toText(text) }, userEvent: 'input.type' })
}

/** Pieces of files with all kinds of line endings. */
const text = fc
  .array(
    fc.constantFrom('a', 'key: x', '---', '\n', '\r\n', '\r\n', '\r', '\uFEFF', '\t', '020', 'ü', '😀'),
    {
      maxLength: 24,
    },
  )
  .map((parts) => parts.join(''))
const file = fc.tuple(fc.constantFrom('', '\uFEFF'), text).map((parts) => parts.join(''))

/** Edits at positions given as fractions from 0 to 1. */
function editsOf(
  content: string,
  positions: readonly number[],
  inserts: readonly string[],
): readonly TextEdit[] {
  const sorted = positions.map((position) => Math.round(position * content.length)).sort((a, b) => a - b)
  return inserts.flatMap((insert, index) => {
    const from = sorted[index * 2]
    const to = sorted[index * 2 + 1]
    return from === undefined || to === undefined ? [] : [{ from, to, insert }]
  })
}
const change = fc.record({
  positions: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 6 }),
  inserts: fc.array(text, { minLength: 1, maxLength: 3 }),
  options: fc.constantFrom({}, { group: 'name' }),
})

describe('the bytes of the file', () => {
  test('are the given text', () => {
    fc.assert(fc.property(file, (start) => createDefinitionDocument(start).text === start))
  })

  test('match the edits with and without a view; undo restores the original', () => {
    fc.assert(
      fc.property(file, fc.array(change, { maxLength: 6 }), fc.boolean(), (start, changes, shown) => {
        const definition = createDefinitionDocument(start)
        if (shown) show(definition)
        const texts = [start]
        for (const { positions, inserts, options } of changes) {
          const edits = editsOf(definition.text, positions, inserts)
          const expected = applyEdits(definition.text, edits)
          definition.edit(edits, options)
          expect(definition.text).toBe(expected)
          texts.push(expected)
        }
        const last = definition.text
        let steps = 0
        while (definition.undo()) {
          steps++
          expect(texts).toContain(definition.text)
        }
        expect(definition.text).toBe(start)
        for (let step = 0; step < steps; step++) definition.redo()
        expect(definition.text).toBe(last)
        end()
      }),
      { numRuns: triesOf(300) },
    )
  })

  test('stay unchanged outside typed text, and undo restores them', () => {
    const typed = fc.record({
      position: fc.double({ min: 0, max: 1, noNaN: true }),
      length: fc.nat(6),
      insert: fc.constantFrom('', 'x', '\n', 'x\ny', '\n\n'),
    })
    fc.assert(
      fc.property(file, fc.array(typed, { maxLength: 6 }), (start, keys) => {
        const definition = createDefinitionDocument(start)
        const view = show(definition)
        for (const { position, length, insert } of keys) {
          const from = Math.round(position * view.state.doc.length)
          const to = Math.min(from + length, view.state.doc.length)
          view.dispatch({ changes: { from, to, insert }, userEvent: 'input.type' })
          vi.setSystemTime(Date.now() + 5000)
        }
        while (definition.undo());
        expect(definition.text).toBe(start)
        end()
      }),
    )
  })

  test('replacing the content can be undone', () => {
    fc.assert(
      fc.property(file, file, (start, next) => {
        const definition = createDefinitionDocument(start)
        definition.replaceWith(next)
        expect(definition.text).toBe(next)
        if (start !== next) expect(definition.undo()).toBe(true)
        expect(definition.text).toBe(start)
      }),
    )
  })

  test('a new line has the ending of the line above', () => {
    const definition = createDefinitionDocument('\uFEFF---\r\nname: a\r\n---\nbody')
    const view = show(definition)
    type(view, view.state.doc.line(2).to, '\nmodel: opus')
    expect(definition.text).toBe('\uFEFF---\r\nname: a\r\nmodel: opus\r\n---\nbody')
    type(view, view.state.doc.length, '\nmore')
    expect(definition.text).toBe('\uFEFF---\r\nname: a\r\nmodel: opus\r\n---\nbody\nmore')
  })

  test('an edit keeps the cursor at its position in the text', () => {
    const definition = createDefinitionDocument('a\r\nb\r\nc')
    const view = show(definition)
    definition.reveal(6)
    definition.edit([{ from: 0, to: 1, insert: 'longer\r\nand longer' }])
    expect(view.state.sliceDoc(view.state.selection.main.head)).toBe('c')
  })
})

describe('the history', () => {
  test('quick edits of one group are one step', () => {
    const definition = createDefinitionDocument('name: a\n')
    for (const [index, letter] of [...'bcd'].entries())
      definition.edit([{ from: 7 + index, to: 7 + index, insert: letter }], { group: 'name' })
    definition.edit([{ from: 0, to: 0, insert: '# ' }], { group: 'other' })
    definition.undo()
    expect(definition.text).toBe('name: abcd\n')
    definition.undo()
    expect(definition.text).toBe('name: a\n')
    expect(definition.undo()).toBe(false)
  })

  test('distant edits of one group join, but not after a pause', () => {
    const definition = createDefinitionDocument('one\ntwo\n')
    definition.edit([{ from: 0, to: 0, insert: 'x' }], { group: 'tools' })
    definition.edit([{ from: 5, to: 5, insert: 'y' }], { group: 'tools' })
    vi.setSystemTime(Date.now() + 2000)
    definition.edit([{ from: 0, to: 0, insert: 'z' }], { group: 'tools' })
    definition.undo()
    expect(definition.text).toBe('xone\nytwo\n')
    definition.undo()
    expect(definition.text).toBe('one\ntwo\n')
  })

  test('each edit without a group is its own step', () => {
    const definition = createDefinitionDocument('ab')
    definition.edit([{ from: 1, to: 1, insert: '1' }])
    definition.edit([{ from: 2, to: 2, insert: '2' }])
    definition.undo()
    expect(definition.text).toBe('a1b')
  })

  test('is shared by typed text and edits, with and without a view', () => {
    const definition = createDefinitionDocument('a\r\n')
    const view = show(definition)
    type(view, 0, 'T')
    definition.edit([{ from: 2, to: 2, insert: 'E' }], { group: 'name' })
    type(view, 3, 'U')
    expect(definition.text).toBe('TaEU\r\n')
    end()
    definition.undo()
    expect(definition.text).toBe('TaE\r\n')
    show(definition)
    definition.undo()
    expect(definition.text).toBe('Ta\r\n')
    definition.undo()
    expect(definition.text).toBe('a\r\n')
    definition.redo()
    definition.redo()
    expect(definition.text).toBe('TaE\r\n')
  })
})

describe('listeners and views', () => {
  test('a listener is called for every change until it unsubscribes', () => {
    const definition = createDefinitionDocument('a')
    const heard: string[] = []
    const off = definition.subscribe(() => heard.push(definition.text))
    definition.edit([{ from: 0, to: 0, insert: '1' }])
    const view = show(definition)
    type(view, 0, '2')
    view.dispatch({ selection: { anchor: 1 } })
    definition.undo()
    off()
    definition.redo()
    expect(heard).toEqual(['1a', '21a', '1a'])
  })

  test('a range revealed without a view is selected in the next view', () => {
    const definition = createDefinitionDocument('\uFEFFa\r\nb\r\nc')
    definition.reveal(4, 5)
    const view = show(definition)
    const { from, to } = view.state.selection.main
    expect(view.state.sliceDoc(from, to)).toBe('b')
    expect(view.state.doc.lineAt(from).number).toBe(2)
  })

  test('attaching to the same element changes the options and keeps the view', () => {
    const definition = createDefinitionDocument('a')
    const view = show(definition)
    const parent = view.dom.parentElement
    if (parent === null) throw new Error('no parent')
    end = definition.attach(parent, { ...options, readOnly: true })
    expect(EditorView.findFromDOM(parent)).toBe(view)
    expect(view.state.readOnly).toBe(true)
    end()
    expect(parent.childElementCount).toBe(0)
  })
})

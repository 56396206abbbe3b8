import { forceLinting, forEachDiagnostic } from '@codemirror/lint'
import { EditorView, runScopeHandlers } from '@codemirror/view'
import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { StrictMode } from 'react'
import { afterEach, expect, test } from 'vitest'
import { createDefinitionDocument, type DefinitionDocument } from '../definition-document.ts'
import { SourcePane } from '../definition-editor.tsx'
import { sampleSurroundings } from '../testing/sample-surroundings.ts'

afterEach(cleanup)

const surroundings = sampleSurroundings()

function show(definition: DefinitionDocument, readOnly = false) {
  const pane = (locked: boolean, around = surroundings) => (
    <StrictMode>
      <SourcePane document={definition} surroundings={around} readOnly={locked} />
      <button type="button">After</button>
    </StrictMode>
  )
  const { rerender, unmount } = render(pane(readOnly))
  return {
    unmount,
    show: (locked: boolean, around = surroundings) => rerender(pane(locked, around)),
    view: () => {
      const view = EditorView.findFromDOM(screen.getByRole('textbox'))
      if (view === null) throw new Error('no view')
      return view
    },
  }
}

function marks(view: EditorView) {
  const found: { text: string; actions: readonly string[] }[] = []
  forEachDiagnostic(view.state, (mark, from, to) =>
    found.push({
      text: view.state.sliceDoc(from, to),
      actions: (mark.actions ?? []).map(({ name }) => name),
    }),
  )
  return found
}

/** Lints without the delay, until `problems` marks are present. */
async function read(view: EditorView, problems: number) {
  forceLinting(view)
  await expect.poll(() => marks(view)).toHaveLength(problems)
  return marks(view)
}

/** happy-dom changes the selection during an update, so keys go to the keymap directly. */
function press(view: EditorView, key: string, more: KeyboardEventInit = {}): void {
  runScopeHandlers(view, new KeyboardEvent('keydown', { key, ...more }), 'editor')
}

test('the text is labeled with its file, and Tab moves on', async () => {
  show(createDefinitionDocument('---\nname: reviewer\n---\n'))
  const text = screen.getByRole('textbox', { name: 'Source of reviewer.md' })
  expect(text.textContent).toContain('name: reviewer')
  const user = userEvent.setup()
  text.focus()
  await user.keyboard('{Tab}')
  expect(document.activeElement?.textContent).toBe('After')
})

test('a problem in a CRLF file is marked at its position, and its fix changes nothing else', async () => {
  const definition = createDefinitionDocument(
    '---\r\nname: a\r\ndescription: b\r\ntools: Raed, Bash\r\n---\r\n',
  )
  const { view } = show(definition)
  expect(await read(view(), 1)).toEqual([{ text: 'Raed', actions: ['Use Read', 'Remove Raed'] }])
  act(() => {
    forEachDiagnostic(view().state, (mark, from, to) => mark.actions?.[0]?.apply(view(), from, to))
  })
  expect(definition.text).toBe('---\r\nname: a\r\ndescription: b\r\ntools: Read, Bash\r\n---\r\n')
  act(() => void definition.undo())
  expect(definition.text).toContain('Raed')
})

test('a fix is applied at the current position of its problem', async () => {
  const definition = createDefinitionDocument('---\nname: a\ndescription: b\ntools: Raed\n---\n')
  const { view } = show(definition)
  await read(view(), 1)
  definition.edit([{ from: 4, to: 4, insert: '# a comment\n' }])
  forEachDiagnostic(view().state, (mark, from, to) => mark.actions?.[0]?.apply(view(), from, to))
  expect(definition.text).toBe('---\n# a comment\nname: a\ndescription: b\ntools: Read\n---\n')
})

test('Mod-. applies the first fix on the cursor’s line', async () => {
  const definition = createDefinitionDocument('---\nname: a\ndescription: b\ntools: Raed\n---\n')
  const { view } = show(definition)
  await read(view(), 1)
  view().dispatch({ selection: { anchor: definition.text.indexOf('tools') } })
  press(view(), '.', { ctrlKey: true })
  expect(definition.text).toContain('tools: Read\n')
})

test('in a read-only text, keys change nothing and problems have no fixes', async () => {
  const definition = createDefinitionDocument('---\nname: a\ndescription: b\ntools: Raed\n---\n')
  const { view } = show(definition, true)
  const start = definition.text
  await read(view(), 1)
  view().dispatch({ selection: { anchor: start.indexOf('Raed') } })
  for (const key of ['Enter', 'Delete', 'Backspace']) press(view(), key)
  press(view(), '.', { ctrlKey: true })
  expect(definition.text).toBe(start)
  expect(screen.getByRole('textbox').getAttribute('aria-readonly')).toBe('true')
  expect(marks(view())).toEqual([{ text: 'Raed', actions: [] }])
})

test('changed surroundings lint the text again in the same view', async () => {
  const definition = createDefinitionDocument('---\nname: a\ndescription: b\nskills: deploy\n---\n')
  const { view, show: showAgain } = show(definition)
  const first = view()
  await read(first, 1)
  showAgain(false, {
    ...surroundings,
    catalog: {
      ...surroundings.catalog,
      skills: [{ name: 'deploy', description: '', source: 'user', file: '/u' }],
    },
  })
  expect(view()).toBe(first)
  await expect.poll(() => marks(first)).toEqual([])
})

test('the document outlives the pane', () => {
  const definition = createDefinitionDocument('a')
  const { unmount } = show(definition)
  unmount()
  definition.edit([{ from: 0, to: 0, insert: 'b' }])
  expect(definition.text).toBe('ba')
})

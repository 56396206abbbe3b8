/** A key typed into a long body reads nothing again: counted in calls, renders and changes of the page. */
import { EditorView } from '@codemirror/view'
import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { Profiler } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { splitFrontmatter } from '../../../shared/agent-definition/split-frontmatter.ts'
import { parseStrictly } from '../../../shared/agent-definition/strict-yaml.ts'
import { TooltipProvider } from '../../ui/popover.tsx'
import { createDefinitionDocument, type DefinitionDocument } from './definition-document.ts'
import { SourcePane } from './definition-editor.tsx'
import { DefinitionForm } from './form/definition-form.tsx'
import { formSurroundings } from './form/testing/form-surroundings.ts'
import { PanelsBelow } from './panels/panels-below.tsx'

vi.mock('../../../shared/agent-definition/strict-yaml.ts', async (original) => {
  const module = await original<{ parseStrictly: typeof parseStrictly }>()
  return { ...module, parseStrictly: vi.fn(module.parseStrictly) }
})
vi.mock('../../../shared/agent-definition/split-frontmatter.ts', async (original) => {
  const module = await original<{ splitFrontmatter: typeof splitFrontmatter }>()
  return { ...module, splitFrontmatter: vi.fn(module.splitFrontmatter) }
})

const HEAD = '---\nname: a\ndescription: Reads.\ntools: Read, Grep\n---\n'
const BODY = 'A line of instructions that says what to do.\n'.repeat(4600)
const KEYS = 20

let renders = 0
let document: DefinitionDocument
beforeEach(() => {
  document = createDefinitionDocument(HEAD + BODY)
  const surroundings = formSurroundings()
  const props = { document, surroundings, readOnly: false }
  render(
    <TooltipProvider>
      <Profiler id="form" onRender={() => renders++}>
        <DefinitionForm {...props} />
        <PanelsBelow {...props} onReveal={() => {}} />
      </Profiler>
      <SourcePane {...props} />
    </TooltipProvider>,
  )
  renders = 0
  vi.mocked(parseStrictly).mockClear()
  vi.mocked(splitFrontmatter).mockClear()
})
afterEach(cleanup)

const bodyField = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: /^Body/ })

test('a key in the source parses, splits and renders nothing, and does not touch the text field', () => {
  const view = EditorView.findFromDOM(screen.getByRole('textbox', { name: /^Source/ }))
  if (view === null) throw new Error('no view')
  const before = bodyField().value
  for (let key = 0; key < KEYS; key++)
    act(() =>
      view.dispatch({ changes: { from: view.state.doc.length, insert: 'x' }, userEvent: 'input.type' }),
    )
  expect(document.text).toBe(HEAD + BODY + 'x'.repeat(KEYS))
  expect(parseStrictly).not.toHaveBeenCalled()
  expect(splitFrontmatter).not.toHaveBeenCalled()
  expect(renders).toBe(0)
  expect(bodyField().value).toBe(before)
})

test('a key in the frontmatter reads the frontmatter alone', () => {
  act(() => document.edit([{ from: HEAD.indexOf('Reads'), to: HEAD.indexOf('Reads'), insert: 'It ' }]))
  const longest = Math.max(...vi.mocked(parseStrictly).mock.calls.map(([text]) => text.length))
  const split = Math.max(...vi.mocked(splitFrontmatter).mock.calls.map(([text]) => text.length))
  expect(longest).toBeLessThan(HEAD.length + 10)
  expect(split).toBeLessThan(HEAD.length + 10)
})

test('the text field has the present text as soon as it gets the focus, and a key in it parses nothing', async () => {
  act(() => document.edit([{ from: HEAD.length, to: HEAD.length, insert: 'New. ' }]))
  expect(bodyField().value.startsWith('New.')).toBe(false)
  act(() => bodyField().focus())
  expect(bodyField().value.startsWith('New. A line')).toBe(true)
  bodyField().setSelectionRange(0, 0)
  await userEvent.setup().keyboard('Z')
  expect(document.text).toBe(`${HEAD}ZNew. ${BODY}`)
  expect(parseStrictly).not.toHaveBeenCalled()
  expect(splitFrontmatter).not.toHaveBeenCalled()
})

import { EditorView } from '@codemirror/view'
import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { useDrafts } from '../../../stores/draft-store.ts'
import { ThreeWay } from './three-way.tsx'

afterEach(() => {
  cleanup()
  useDrafts.setState({ drafts: {} })
})

const base = '---\r\nname: a\r\nmodel: opus\r\n---\r\n\r\nOne.\r\nTwo.\r\n'
const mine = base.replace('opus', 'haiku')
const user = userEvent.setup()

function show(theirs: string) {
  const onChoose = vi.fn()
  const onCancel = vi.fn()
  render(<ThreeWay id="a" base={base} mine={mine} theirs={theirs} onChoose={onChoose} onCancel={onCancel} />)
  return { onChoose, onCancel }
}
const button = (name: string) => screen.getByRole('button', { name })

function merged(): EditorView {
  const view = EditorView.findFromDOM(screen.getByRole('textbox', { name: 'Merged' }))
  if (view === null) throw new Error('no view')
  return view
}

test('my text and the text on disk are side by side and read-only', () => {
  show(base.replace('Two.', 'Three.'))
  expect(screen.getByRole('textbox', { name: 'Mine' }).textContent).toContain('haiku')
  expect(screen.getByRole('textbox', { name: 'On disk' }).textContent).toContain('Three.')
  for (const text of screen.getAllByRole('textbox'))
    expect(EditorView.findFromDOM(text)?.state.readOnly).toBe(true)
})

test('each version is taken byte for byte', async () => {
  const theirs = base.replace('Two.', 'Three.')
  const { onChoose } = show(theirs)
  await user.click(button('Take mine'))
  await user.click(button('Take disk version'))
  await user.click(button('Take merged'))
  expect(onChoose.mock.calls).toEqual([
    [mine, 'mine'],
    [theirs, 'theirs'],
    [mine.replace('Two.', 'Three.'), 'merged'],
  ])
})

test('all conflicts must be resolved before the merged text can be taken', async () => {
  const { onChoose } = show(base.replace('opus', 'sonnet'))
  const take = button('Take merged')
  expect(take.getAttribute('aria-disabled')).toBe('true')
  await user.click(take)
  expect(onChoose).not.toHaveBeenCalled()
  expect(screen.getByText(/1 conflict in Merged/)).toBeTruthy()

  await user.click(screen.getByRole('radio', { name: 'Merged' }))
  expect(screen.getByText(/lines 3, 5, 7/)).toBeTruthy()
  await user.click(button('On disk'))
  await user.click(take)
  expect(onChoose).toHaveBeenCalledWith(base.replace('opus', 'sonnet'), 'merged')
})

test('both sides can be kept, and the choice can be undone', async () => {
  show(base.replace('opus', 'sonnet'))
  await user.click(screen.getByRole('radio', { name: 'Merged' }))
  const before = merged().state.doc.toString()
  await user.click(button('Both'))
  expect(merged().state.doc.line(3).text).toBe('model: haiku')
  expect(merged().state.doc.line(4).text).toBe('model: sonnet')
  await user.keyboard('{Control>}z{/Control}')
  expect(merged().state.doc.toString()).toBe(before)
})

test('edits of the merged text survive a switch of views', async () => {
  const { onChoose } = show(base.replace('Two.', 'Three.'))
  await user.click(screen.getByRole('radio', { name: 'Merged' }))
  act(() => merged().dispatch({ changes: { from: merged().state.doc.length, insert: 'Four.\n' } }))
  await user.click(screen.getByRole('radio', { name: 'Side by side' }))
  await user.click(screen.getByRole('radio', { name: 'Merged' }))
  expect(merged().state.doc.toString()).toContain('Four.')
  await user.click(button('Take merged'))
  expect(onChoose).toHaveBeenCalledWith(`${mine.replace('Two.', 'Three.')}Four.\r\n`, 'merged')
})

test('the keyboard can resolve, take and cancel', async () => {
  const { onChoose, onCancel } = show(base.replace('opus', 'sonnet'))
  screen.getByRole('radio', { name: 'Side by side' }).focus()
  await user.keyboard('{ArrowRight}')
  await user.tab()
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Merged' }))
  await user.tab()
  expect(document.activeElement).toBe(button('Mine'))
  await user.keyboard('{Enter}')
  for (let press = 0; press < 4; press++) await user.tab()
  expect(document.activeElement).toBe(button('Take merged'))
  await user.keyboard('{Enter}')
  expect(onChoose).toHaveBeenCalledWith(mine, 'merged')
  await user.keyboard('{Escape}')
  expect(onCancel).toHaveBeenCalledOnce()
})

const typeIn = (insert: string) =>
  act(() => merged().dispatch({ changes: { from: merged().state.doc.length, insert } }))
const openMerged = () => user.click(screen.getByRole('radio', { name: 'Merged' }))

test('what was typed comes back after Escape', async () => {
  show(base.replace('Two.', 'Three.'))
  await openMerged()
  typeIn('Four.\n')
  await user.keyboard('{Escape}')
  cleanup()
  show(base.replace('Two.', 'Three.'))
  await openMerged()
  expect(merged().state.doc.toString()).toContain('Four.')
})

test('what was typed stays when the file changes again, together with the new change', async () => {
  const theirs = base.replace('opus', 'sonnet')
  show(theirs)
  await openMerged()
  typeIn('Four.\n')
  cleanup()
  const { onChoose } = show(theirs.replace('One.', 'First.'))
  await openMerged()
  const text = merged().state.doc.toString()
  expect(text).toContain('Four.')
  expect(text).toContain('First.')
  expect(button('Take merged').getAttribute('aria-disabled')).toBe('true')
  await user.click(button('On disk'))
  await user.click(button('Take merged'))
  expect(onChoose).toHaveBeenCalledWith(`${theirs.replace('One.', 'First.')}Four.\r\n`, 'merged')
})

test('a field that is there twice can’t be taken', async () => {
  const { onChoose } = show(base.replace('opus', 'sonnet'))
  await openMerged()
  await user.click(button('Both'))
  expect(screen.getByText(/Line 4 has “model” a second time/)).toBeTruthy()
  await user.click(button('Take merged'))
  expect(onChoose).not.toHaveBeenCalled()
})

import { EditorView } from '@codemirror/view'
import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, describe, expect, test, vi } from 'vitest'
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

const radio = (name: string | RegExp) => screen.getByRole('radio', { name })
const both = base.replace('Two.', 'Three.').replace('opus', 'sonnet')

test('the whole texts are side by side and read-only', async () => {
  show(both)
  await user.click(radio('Whole texts'))
  expect(screen.getByRole('textbox', { name: 'Mine' }).textContent).toContain('haiku')
  expect(screen.getByRole('textbox', { name: 'On disk' }).textContent).toContain('Three.')
  for (const text of screen.getAllByRole('textbox'))
    expect(EditorView.findFromDOM(text)?.state.readOnly).toBe(true)
})

test('each version is taken byte for byte', async () => {
  const { onChoose } = show(both)
  await user.click(button('Take mine'))
  await user.click(button('Take disk version'))
  await user.click(radio(/^On disk: model: sonnet/))
  await user.click(button('Apply choices'))
  expect(onChoose.mock.calls).toEqual([
    [mine, 'mine'],
    [both, 'theirs'],
    [both, 'merged'],
  ])
})

test('a field shows its three versions and must be chosen before the choices can be applied', async () => {
  const { onChoose } = show(both)
  const field = screen.getByRole('region', { name: 'model' })
  expect(field.textContent).toContain('Beforemodel: opus')
  expect(button('Apply choices').getAttribute('aria-disabled')).toBe('true')
  expect(screen.getByText('1 choice left of 1.')).toBeTruthy()
  await user.click(button('Apply choices'))
  expect(onChoose).not.toHaveBeenCalled()
  await user.click(radio(/^Mine: model: haiku/))
  await user.click(button('Apply choices'))
  expect(onChoose).toHaveBeenCalledWith(mine.replace('Two.', 'Three.'), 'merged')
})

test('the keyboard chooses, applies and cancels', async () => {
  const { onChoose, onCancel } = show(both)
  expect(document.activeElement).toBe(radio(/^Mine: model/))
  await user.keyboard('{Control>}s{/Control}')
  expect(onChoose).not.toHaveBeenCalled()
  await user.keyboard('{ArrowRight}')
  await user.keyboard('{Control>}s{/Control}')
  expect(onChoose).toHaveBeenCalledWith(both, 'merged')
  await user.keyboard('{Escape}')
  expect(onCancel).toHaveBeenCalledOnce()
})

test('a choice stays when the file changes again', async () => {
  const onChoose = vi.fn()
  const props = { id: 'a', base, mine, onChoose, onCancel: () => {} }
  const shown = render(<ThreeWay {...props} theirs={both} />)
  await user.click(radio(/^On disk: model: sonnet/))
  shown.rerender(<ThreeWay {...props} theirs={both.replace('name: a', 'name: b')} />)
  await user.click(button('Apply choices'))
  expect(onChoose).toHaveBeenCalledWith(both.replace('name: a', 'name: b'), 'merged')
})

describe('the body', () => {
  const myBody = base.replace('Two.', 'Mine.')
  const theirBody = base.replace('Two.', 'Theirs.').replace('opus', 'haiku')
  const open = () => {
    const onChoose = vi.fn()
    const onCancel = vi.fn()
    render(<ThreeWay id="a" base={base} mine={myBody} theirs={theirBody} {...{ onChoose, onCancel }} />)
    return { onChoose }
  }
  const typeIn = (insert: string) =>
    act(() => merged().dispatch({ changes: { from: merged().state.doc.length, insert } }))

  test('is merged as a text: each conflict has its own buttons', async () => {
    const { onChoose } = open()
    expect(screen.getByText(/Resolve the marked conflicts \(lines 3, 5, 7\)/)).toBeTruthy()
    await user.click(button('Apply choices'))
    expect(onChoose).not.toHaveBeenCalled()
    await user.click(button('Both'))
    await user.keyboard('{Control>}z{/Control}')
    expect(screen.getByText(/Resolve the marked conflicts/)).toBeTruthy()
    await user.click(button('On disk'))
    typeIn('Four.\n')
    await user.click(button('Apply choices'))
    expect(onChoose).toHaveBeenCalledWith(`${theirBody}Four.\r\n`, 'merged')
  })

  test('can be taken from one side', async () => {
    const { onChoose } = open()
    await user.click(radio('Mine'))
    await user.click(button('Apply choices'))
    expect(onChoose).toHaveBeenCalledWith(myBody.replace('opus', 'haiku'), 'merged')
  })

  test('what was typed comes back after Escape', async () => {
    open()
    typeIn('Four.\n')
    await user.keyboard('{Escape}')
    cleanup()
    open()
    expect(merged().state.doc.toString()).toContain('Four.')
  })
})

test('a field that is there twice can’t be taken', async () => {
  const onChoose = vi.fn()
  const broken = mine.replace('name: a', 'name: "a')
  render(<ThreeWay id="a" base={base} mine={broken} theirs={both} onChoose={onChoose} onCancel={() => {}} />)
  await user.click(button('Both'))
  expect(screen.getByText(/has “name” a second time/)).toBeTruthy()
  await user.click(button('Apply choices'))
  expect(onChoose).not.toHaveBeenCalled()
})

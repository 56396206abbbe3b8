import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { showFailure, showNotice } from '../stores/notice-store.ts'
import { Toasts } from './toasts.tsx'

afterEach(cleanup)

test('the action of a notice runs once and closes the notice', async () => {
  render(<Toasts />)
  let undone = 0
  act(() =>
    showNotice({
      level: 'info',
      text: '“Cart” is in the trash.',
      action: {
        label: 'Undo',
        run: () => {
          undone += 1
        },
      },
    }),
  )
  expect(await screen.findByText('“Cart” is in the trash.')).toBeTruthy()
  await userEvent.setup().click(screen.getByRole('button', { name: 'Undo', hidden: true }))
  expect(undone).toBe(1)
})

test('a failure shows its own message', async () => {
  render(<Toasts />)
  act(() => showFailure({ message: 'The disk is full. Nothing was renamed.' }))
  expect((await screen.findAllByText('The disk is full. Nothing was renamed.')).length).toBeGreaterThan(0)
})

test('the close button of a notice is named for screen readers while it can have the focus', async () => {
  render(<Toasts />)
  act(() => showNotice({ level: 'info', text: 'The branch was merged.' }))
  await screen.findByText('The branch was merged.')
  for (const close of screen.getAllByRole('button', { name: 'Close', hidden: true }))
    expect(close.getAttribute('aria-hidden')).not.toBe('true')
})

test('an error and its buttons are not hidden from screen readers', async () => {
  render(<Toasts />)
  act(() => showFailure({ message: 'The branch was not merged.' }))
  const error = await screen.findByRole('alertdialog', { name: 'Error', hidden: true })
  expect(error.getAttribute('aria-hidden')).not.toBe('true')
})

import { act, cleanup, render, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { renameConversation } from '../stores/listed-conversations.ts'
import { endNotices, showFailure, showNotice } from '../stores/overlay-store.ts'
import { NoticeSlot, Toasts } from './toasts.tsx'

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

test('the toast of a failed command leaves when the same command succeeds, and not before', async () => {
  let isFull = true
  const answer = async () =>
    isFull ? { ok: false, failure: { type: 'io', message: 'The disk is full.' } } : { ok: true, value: null }
  Object.assign(window, { troupe: { command: answer } })
  render(<Toasts />)
  const rename = (title: string) => renameConversation('c', title)
  await act(() => rename('Cart'))
  expect((await screen.findAllByText('The disk is full.')).length).toBeGreaterThan(0)
  isFull = false
  await act(() => rename('Other'))
  expect(screen.queryAllByText('The disk is full.').length).toBeGreaterThan(0)
  await act(() => rename('Cart'))
  await waitFor(() => expect(screen.queryAllByText('The disk is full.')).toEqual([]))
  Object.assign(window, { troupe: undefined })
})

test('notices about something leave when it is in order', async () => {
  render(<Toasts />)
  act(() => showNotice({ level: 'error', text: 'settings.json is not JSON.', about: 'settings' }))
  expect((await screen.findAllByText('settings.json is not JSON.')).length).toBeGreaterThan(0)
  act(() => endNotices('settings'))
  await waitFor(() => expect(screen.queryAllByText('settings.json is not JSON.')).toEqual([]))
})

test('notices are in the status bar, one at a time; a long one is read in a dialog', async () => {
  render(
    <>
      <footer>
        <NoticeSlot />
      </footer>
      <Toasts />
    </>,
  )
  const long = `The file could not be written. ${'It is a long story. '.repeat(8)}`
  act(() => showNotice({ level: 'error', text: long }))
  const read = await screen.findByRole('button', { name: 'Read', hidden: true })
  expect(screen.getByRole('contentinfo').contains(read)).toBe(true)
  await userEvent.setup().click(read)
  expect((await screen.findByRole('dialog', { name: 'Notice' })).textContent).toContain('It is a long story.')
})

/** The notices in view. */
const shown = () =>
  screen
    .queryAllByLabelText(/^(Error|Notice)$/)
    .filter((notice) => !['data-limited', 'data-ending-style'].some((name) => notice.hasAttribute(name)))
    .map(({ textContent }) => textContent)

test('the time of a notice begins when it is in view', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  render(<Toasts />)
  const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms))
  act(() => showNotice({ level: 'error', text: 'The branch was not merged.' }))
  act(() => showNotice({ level: 'info', text: 'Copied.' }))
  pass(4500)
  expect(shown()).toEqual(['The branch was not merged.'])
  pass(8000)
  expect(shown()).toEqual(['The branch was not merged.'])
  pass(3000)
  expect(shown()).toEqual([])
})

test('a newer notice hides none for good: the number of the others is shown, and an older one comes back', async () => {
  render(<Toasts />)
  const user = userEvent.setup()
  act(() => showNotice({ level: 'error', text: 'The branch was not merged.' }))
  act(() => showNotice({ level: 'info', text: 'Zoom 110%', about: 'zoom' }))
  expect(shown()).toEqual(['Zoom 110%1 more'])
  await user.click(screen.getAllByRole('button', { name: '1 more', hidden: true })[0] as HTMLElement)
  const all = await screen.findByRole('dialog', { name: 'Notices' })
  expect(all.textContent).toContain('Zoom 110%\n\nThe branch was not merged.')
  await user.keyboard('{Escape}')
  act(() => endNotices('zoom'))
  await waitFor(() => expect(shown()).toEqual(['The branch was not merged.']))
})

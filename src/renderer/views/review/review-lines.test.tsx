/** Comments on several lines, with the mouse. */
import { cleanup, fireEvent, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test } from 'vitest'
import { madeUpWorktree, textChange } from '../../features/worktrees/testing/review-world.ts'
import { button, drawReview, grid, prepareReview, showReview } from './testing/review-stage.tsx'

const user = userEvent.setup()
prepareReview()

const text = (change: (line: number) => string) =>
  Array.from({ length: 20 }, (_, index) => change(index + 1)).join('\n')

beforeEach(() => localStorage.clear())

const show = () =>
  showReview([
    madeUpWorktree(
      { id: 'one', agentName: 'refactorer' },
      {
        changes: [
          textChange(
            'src/charge.ts',
            text((line) => `line ${line}`),
            text((line) => (line === 10 ? 'ten' : `line ${line}`)),
          ),
        ],
      },
    ),
  ])

const number = (line: number, side = 'after') => {
  const found = [...grid().querySelectorAll<HTMLElement>(`[data-number="${side}"]`)].find(
    ({ textContent }) => textContent === String(line),
  )
  if (found === undefined) throw new Error(`no line ${line}`)
  return found
}
const code = (line: number, side = 'after') => {
  const row = number(line, side).closest('[role="row"]')
  const found = row?.querySelector(`[data-code="${side}"]`)
  if (!found) throw new Error(`no code ${line}`)
  return found
}
const over = (element: Element) => fireEvent.mouseOver(element, { buttons: 1 })
const selected = () =>
  [...grid().querySelectorAll('[data-number].bg-accent\\/22')].map(({ textContent }) => textContent)
const editor = () => screen.queryByRole<HTMLTextAreaElement>('textbox', { name: /^Comment on/ })
const asked = () => editor()?.closest('label')?.querySelector('span')?.textContent

test('a drag over line numbers marks the lines and comments on all of them', async () => {
  const { bridge } = await show()
  fireEvent.mouseDown(number(9))
  over(number(10))
  expect(selected()).toEqual(['9', '10'])
  // The pointer may leave the numbers, and go back.
  over(code(12))
  over(number(11))
  expect(selected()).toEqual(['9', '10', '11'])
  expect(editor()).toBeNull()
  fireEvent.mouseUp(number(11))
  expect(asked()).toBe('Comment on lines 9–11')
  await user.keyboard('why these?{Enter}')
  expect(grid().textContent).toContain('You on lines 9–11: why these?')
  await user.keyboard('a')
  await user.click(button('Send 1 comment'))
  expect(bridge.inputsOf('review.comment')[0]?.comments).toEqual([
    {
      path: 'src/charge.ts',
      side: 'after',
      line: 9,
      lastLine: 11,
      quote: 'line 9\nten\nline 11',
      text: 'why these?',
    },
  ])
})

test('a drag upward, on the old side, released over the code of the same side or outside the window', async () => {
  await show()
  fireEvent.mouseDown(number(11, 'before'))
  over(code(9))
  fireEvent.mouseUp(document.body)
  expect(asked()).toBe('Comment on old lines 9–11')
  cleanup()
  await drawReview()
  fireEvent.mouseDown(number(8))
  over(number(9))
  // The window did not see the release.
  fireEvent.mouseOver(number(12), { buttons: 0 })
  expect(asked()).toBe('Comment on lines 8–9')
})

test('a drag back to its start comments on that line once; other buttons do not drag', async () => {
  await show()
  fireEvent.mouseDown(number(9))
  over(number(10))
  over(code(9))
  fireEvent.mouseUp(code(9))
  fireEvent.click(code(9))
  expect(asked()).toBe('Comment on line 9')
  await user.keyboard('{Escape}')
  fireEvent.mouseDown(number(9), { button: 2 })
  over(number(11))
  fireEvent.mouseUp(number(11), { button: 2 })
  expect(editor()).toBeNull()
  fireEvent.mouseDown(code(9))
  over(code(11))
  fireEvent.mouseUp(code(11))
  expect(editor()).toBeNull()
})

test('Shift+click extends an unfinished comment with its text, from the line where it began', async () => {
  await show()
  fireEvent.mouseDown(number(11))
  over(number(9))
  fireEvent.mouseUp(number(9))
  expect(asked()).toBe('Comment on lines 9–11')
  await user.keyboard('half')
  fireEvent.mouseDown(number(13), { shiftKey: true })
  fireEvent.click(number(13), { shiftKey: true })
  expect(asked()).toBe('Comment on lines 11–13')
  expect(editor()?.value).toBe('half')
  expect(grid().textContent).not.toContain('You on')
  // On the other side it is another comment.
  fireEvent.click(number(11, 'before'), { shiftKey: true })
  expect(asked()).toBe('Comment on old line 11')
  expect(grid().textContent).toContain('You on lines 11–13: half')
})

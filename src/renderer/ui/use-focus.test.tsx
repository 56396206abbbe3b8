import { cleanup, render, renderHook, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { useFinalFocus } from './use-focus.ts'

afterEach(cleanup)

test.each([
  ['of the overlay that closes, goes back to its origin', { 'data-closed': '' }, true],
  ['of an overlay that opened meanwhile, stays', { 'data-open': '' }, false],
])('the focus in a field %s', (_title, state, goesBack) => {
  render(
    <>
      <input aria-label="Composer" />
      <div role="dialog" aria-label="Overlay" {...state}>
        <input aria-label="Field" />
      </div>
    </>,
  )
  screen.getByLabelText('Composer').focus()
  const { result, rerender } = renderHook(useFinalFocus, { initialProps: true })
  screen.getByLabelText('Field').focus()
  rerender(false)
  expect(result.current()).toBe(goesBack ? screen.getByLabelText('Composer') : false)
})

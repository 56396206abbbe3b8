import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { useRef } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { REST_MS, usePointerAtWork } from './pointer-at-work.ts'

let renders = 0
beforeEach(() => {
  renders = 0
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
  render(
    <>
      <Area />
      <p>outside</p>
    </>,
  )
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

function Area() {
  const area = useRef<HTMLDivElement>(null)
  const { isAtWork } = usePointerAtWork(area)
  renders += 1
  return <div ref={area}>{isAtWork ? 'at work' : 'at rest'}</div>
}

const area = () => screen.getByText(/^at /)
const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms))

test('a pointer that moves is at work, and rests after a while', () => {
  expect(area().textContent).toBe('at rest')
  fireEvent.pointerMove(area())
  expect(area().textContent).toBe('at work')
  pass(REST_MS - 1000)
  fireEvent.pointerMove(area())
  pass(REST_MS - 1000)
  expect(area().textContent).toBe('at work')
  pass(1000)
  expect(area().textContent).toBe('at rest')
})

test('a pointer that leaves is not at work', () => {
  fireEvent.pointerMove(area())
  fireEvent.pointerLeave(area())
  expect(area().textContent).toBe('at rest')
})

test('a held button is at work until it is released, also outside the element', () => {
  fireEvent.pointerDown(area())
  pass(10 * REST_MS)
  fireEvent.pointerLeave(area())
  expect(area().textContent).toBe('at work')
  fireEvent.pointerUp(screen.getByText('outside'))
  expect(area().textContent).toBe('at rest')
})

test('moves of a pointer at work render nothing', () => {
  fireEvent.pointerMove(area())
  const before = renders
  for (let move = 0; move < 50; move += 1) fireEvent.pointerMove(area())
  expect(renders).toBe(before)
})

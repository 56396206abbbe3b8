import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { useRef } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { usePressGuard } from './press-guard.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

let pressed: string[] = []
let top = 0

function Row() {
  const row = useRef<HTMLDivElement>(null)
  const guard = usePressGuard(row)
  return (
    <div
      ref={(element) => {
        row.current = element
        if (element) element.getBoundingClientRect = () => ({ left: 0, top }) as DOMRect
      }}
    >
      <button
        type="button"
        disabled={!guard.isSettled}
        onClick={() => guard.mayClick() && pressed.push('click')}
        onKeyDown={() => guard.mayType() && pressed.push('key')}
      >
        Allow
      </button>
    </div>
  )
}

const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms))
const button = () => screen.getByRole<HTMLButtonElement>('button')
const press = () => {
  pressed = []
  fireEvent.click(button())
  return pressed
}

test('a button that just appeared takes no press, and then takes one', () => {
  top = 0
  render(<Row />)
  expect(button().disabled).toBe(true)
  expect(press()).toEqual([])
  pass(400)
  expect(button().disabled).toBe(false)
  expect(press()).toEqual(['click'])
})

test('a button that moved takes no press, even where nothing has looked at it yet', () => {
  top = 0
  render(<Row />)
  pass(1000)
  top = 40
  expect(press()).toEqual([])
  pass(150)
  expect(button().disabled).toBe(true)
  expect(press()).toEqual([])
  pass(400)
  expect(press()).toEqual(['click'])
})

test('a key counts only a moment after the focus came, and not again while it stays inside', () => {
  render(<Row />)
  pass(1000)
  const key = () => {
    pressed = []
    fireEvent.keyDown(button(), { key: 'a' })
    return pressed
  }
  act(() => button().focus())
  expect(key()).toEqual([])
  pass(400)
  expect(key()).toEqual(['key'])
})

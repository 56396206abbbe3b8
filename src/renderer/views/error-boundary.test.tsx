import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { ErrorBoundary } from './error-boundary.tsx'

afterEach(cleanup)

const fault = { now: true }

function Fragile() {
  if (fault.now) throw new Error('the row has no key')
  return <p>all is well</p>
}

test('a broken part shows its error and can be retried; another conversation retries by itself', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  fault.now = true
  const { rerender } = render(
    <ErrorBoundary part="the conversation" resetKey="a">
      <Fragile />
    </ErrorBoundary>,
  )
  expect(screen.getByText('Something broke in the conversation')).toBeTruthy()
  expect(screen.getByText('the row has no key')).toBeTruthy()
  fault.now = false
  await userEvent.setup().click(screen.getByRole('button', { name: 'Try again' }))
  expect(screen.getByText('all is well')).toBeTruthy()
  fault.now = true
  rerender(
    <ErrorBoundary part="the conversation" resetKey="b">
      <Fragile />
    </ErrorBoundary>,
  )
  expect(screen.getByRole('alert')).toBeTruthy()
  fault.now = false
  rerender(
    <ErrorBoundary part="the conversation" resetKey="c">
      <Fragile />
    </ErrorBoundary>,
  )
  expect(screen.getByText('all is well')).toBeTruthy()
})

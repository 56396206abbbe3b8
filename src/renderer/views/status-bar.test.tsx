import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { useSession } from '../stores/session-store.ts'
import { API, startWindow } from '../testing/start-window.tsx'
import { StatusBar } from './status-bar.tsx'

afterEach(cleanup)

test('a refused key makes the connection dot red and says so, until a request succeeds', async () => {
  await startWindow({ access: { ...API, refused: 'The API refused the key (401).' } })
  render(<StatusBar onShowRequests={() => {}} />)
  const refused = screen.getByRole('button', { name: 'Anthropic API: access refused' })
  expect(refused.title).toBe('The API refused the key (401). Open the settings of model access.')
  expect(refused.querySelector('.bg-bad')).toBeTruthy()
  act(() => useSession.setState({ access: API }))
  const accepted = screen.getByRole('button', { name: 'Anthropic API' })
  expect(accepted.querySelector('.bg-ok')).toBeTruthy()
  expect(accepted.querySelector('.bg-bad')).toBeNull()
})

import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { defaultSettings } from '../../../shared/settings/settings.ts'
import { startWindow } from '../../testing/start-window.tsx'
import { StorageSettings } from './worktree-settings.tsx'

afterEach(cleanup)
const user = userEvent.setup()
const settings = { 'settings.change': () => defaultSettings }

test('the space for undo is shown and cleaned, and its limits are set', async () => {
  const bridge = await startWindow()
  bridge.answer({
    ...settings,
    'changes.space': () => ({ bytes: 5_000_000 }),
    'changes.clean': () => ({ bytes: 1000 }),
  })
  render(<StorageSettings />)
  expect(await screen.findByText(/MB of former content/)).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Clean now' }))
  expect(await screen.findByText(/kB of former content|1,000 B|KB of former content/)).toBeTruthy()
  const days = screen.getByRole('textbox', { name: /Days for undo/ })
  await user.clear(days)
  await user.type(days, '7{Enter}')
  expect(bridge.inputsOf('settings.change').at(-1)).toEqual({ patch: { changesDays: 7 } })
})

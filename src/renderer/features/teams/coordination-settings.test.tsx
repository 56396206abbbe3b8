import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { defaultSettings } from '../../../shared/settings/settings.ts'
import { startWindow } from '../../testing/start-window.tsx'
import { CoordinationSettings } from './coordination-settings.tsx'

afterEach(cleanup)
const user = userEvent.setup()
const settings = { 'settings.change': () => defaultSettings }

test('subagents get all, listed or no tools of MCP servers', async () => {
  const bridge = await startWindow()
  bridge.answer(settings)
  render(<CoordinationSettings />)
  await user.click(screen.getByRole('radio', { name: 'Listed' }))
  expect(bridge.inputsOf('settings.change').at(-1)).toEqual({ patch: { mcpToolsForSubagents: 'listed' } })
})

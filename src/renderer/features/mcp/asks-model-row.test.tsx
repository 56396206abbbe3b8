import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import type { McpServerState } from '../../../shared/mcp/mcp.ts'
import { defaultSettings } from '../../../shared/settings/settings.ts'
import { startWindow } from '../../testing/start-window.tsx'
import { AsksModelRow } from './server-view.tsx'

afterEach(cleanup)

test('a server may ask the model once the user turned it on, and no longer once it is off', async () => {
  const user = userEvent.setup()
  const bridge = await startWindow()
  bridge.answer({
    'settings.change': ({ patch: { mcpSampling = [] } }) => ({ ...defaultSettings, mcpSampling }),
  })
  const server = { name: 'github', status: { kind: 'idle' } } as McpServerState
  render(<AsksModelRow server={server} />)
  const toggle = screen.getByRole('switch', { name: 'github may ask the model' })
  await user.click(toggle)
  expect(bridge.inputsOf('settings.change').at(-1)).toEqual({ patch: { mcpSampling: ['github'] } })
  expect(toggle.getAttribute('aria-checked')).toBe('true')
  await user.click(toggle)
  expect(bridge.inputsOf('settings.change').at(-1)).toEqual({ patch: { mcpSampling: [] } })
})

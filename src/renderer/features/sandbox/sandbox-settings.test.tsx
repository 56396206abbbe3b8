import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import type { SandboxState } from '../../../shared/permissions/confinement.ts'
import { defaultSettings, sandboxSettings } from '../../../shared/settings/settings.ts'
import { startWindow } from '../../testing/start-window.tsx'
import { SandboxSection } from './sandbox-settings.tsx'
import { SandboxStatus } from './sandbox-status.tsx'

afterEach(cleanup)
const user = userEvent.setup()

async function show(state: SandboxState) {
  const bridge = await startWindow()
  bridge.answer({
    'sandbox.state': () => state,
    'settings.change': ({ patch }) => ({
      ...defaultSettings,
      sandbox: sandboxSettings.parse(patch.sandbox ?? {}),
    }),
  })
  render(<SandboxSection />)
  const changed = () => bridge.inputsOf('settings.change').at(-1)?.patch.sandbox
  return { bridge, changed }
}

test('says that the sandbox runs, and turns it off with all that depends on it', async () => {
  const { changed } = await show({ kind: 'on' })
  expect(await screen.findByText('It runs on this machine.')).toBeTruthy()
  await user.click(screen.getByRole('switch', { name: 'Run commands in a sandbox' }))
  expect(changed()).toEqual({ ...defaultSettings.sandbox, enabled: false })
  expect(screen.getByRole('textbox', { name: 'Allowed hosts' })).toHaveProperty('disabled', true)
})

test('says what is missing, what to do, and what holds until then', async () => {
  await show({ kind: 'missing', message: 'The sandbox for commands needs bubblewrap. Install it.' })
  expect(await screen.findByText(/needs bubblewrap\. Install it\. Until then/)).toBeTruthy()
})

test('shows the command that installs what is missing', async () => {
  await show({ kind: 'missing', message: 'It needs bubblewrap.', install: 'sudo apt install bubblewrap' })
  await user.click(await screen.findByRole('button', { name: 'Show install command' }))
  expect(screen.getByText('sudo apt install bubblewrap')).toBeTruthy()
})

test('the status bar says that there is no sandbox, and leads to the reason; nothing where it runs or is off', async () => {
  await show({ kind: 'missing', message: 'It needs bubblewrap.' })
  cleanup()
  render(<SandboxStatus />)
  expect((await screen.findByRole('button', { name: 'no sandbox' })).title).toBe('It needs bubblewrap.')
  cleanup()
  await show({ kind: 'on' })
  const { container } = render(<SandboxStatus />)
  await screen.findByText('It runs on this machine.')
  expect(container.textContent).toBe('')
})

test('hosts are typed with spaces or commas, and apply on Enter', async () => {
  const { changed } = await show({ kind: 'on' })
  const hosts = screen.getByRole('textbox', { name: 'Allowed hosts' })
  await user.type(hosts, 'packages.example.com, *.example.com{Enter}')
  const allowedDomains = ['packages.example.com', '*.example.com']
  expect(changed()?.network).toEqual({ allowedDomains, allowUnixSockets: [] })
  expect(hosts).toHaveProperty('value', 'packages.example.com *.example.com')
})

test('sockets keep the hosts, and hosts the sockets', async () => {
  const { changed } = await show({ kind: 'on' })
  await user.type(screen.getByRole('textbox', { name: 'Local sockets' }), '$SSH_AUTH_SOCK{Enter}')
  expect(changed()?.network).toEqual({ allowedDomains: [], allowUnixSockets: ['$SSH_AUTH_SOCK'] })
})

test('Escape takes a typed text back', async () => {
  const { bridge } = await show({ kind: 'on' })
  const folders = screen.getByRole('textbox', { name: 'Folders to write to' })
  await user.type(folders, '~/.npm{Escape}')
  await user.tab()
  expect(folders).toHaveProperty('value', '')
  expect(bridge.inputsOf('settings.change')).toEqual([])
})

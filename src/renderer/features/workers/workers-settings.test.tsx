import { act, cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { defaultSettings, type Settings } from '../../../shared/settings/settings.ts'
import { noWorkers } from '../../../shared/workers/worker-presence.ts'
import { useWorkers } from '../../stores/teams-and-workers.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { startWindow } from '../../testing/start-window.tsx'
import { WorkersSettings } from './workers-settings.tsx'

afterEach(cleanup)
const user = userEvent.setup()
let bridge: FakeBridge

beforeEach(async () => {
  bridge = await startWindow()
  let kept: Settings = defaultSettings
  bridge.answer({
    'settings.change'({ patch }) {
      kept = { ...kept, ...patch } as Settings
      return kept
    },
  })
  render(<WorkersSettings />)
})

const field = (name: string) => screen.getByRole<HTMLInputElement>('textbox', { name })
const address = () => field('Address of the NATS server')
const testButton = () => screen.getByRole('button', { name: /Test/ })
const patches = () => bridge.inputsOf('settings.change').map(({ patch }) => patch)

test('each field applies on Enter and when it is left, and Escape discards what was typed', async () => {
  await user.type(address(), ' nats://127.0.0.1:4222 {Enter}')
  await user.type(field('Credentials file'), '/home/ana/sender.nk')
  await user.tab()
  await user.type(field('Certificate of the authority'), 'x{Escape}')
  await user.tab()
  expect(patches()).toEqual([
    { natsUrl: 'nats://127.0.0.1:4222' },
    { natsCredentials: '/home/ana/sender.nk' },
  ])
  expect(field('Certificate of the authority').value).toBe('')
  await user.clear(address())
  await user.tab()
  expect(patches().at(-1)).toEqual({ natsUrl: '' })
})

test('what the file can’t take stays in the field, with the reason', async () => {
  bridge.answer({
    'settings.change': () => {
      throw new Error('The disk is full.')
    },
  })
  await user.type(address(), 'nats://127.0.0.1:4222{Enter}')
  expect(await screen.findByText('The disk is full.')).not.toBeNull()
  expect(address().value).toBe('nats://127.0.0.1:4222')
})

test('a test uses what is typed and lists what was found', async () => {
  expect(testButton().getAttribute('aria-disabled')).toBe('true')
  bridge.answer({
    'workers.test': () => [
      { what: 'server', outcome: 'ok', text: 'nats-server 2.9.10' },
      { what: 'clock', outcome: 'failed', text: 'This machine’s clock is 60 minutes behind.' },
    ],
  })
  await user.type(address(), 'nats://127.0.0.1:4222')
  await user.click(testButton())
  const failed = await screen.findByText('This machine’s clock is 60 minutes behind.')
  expect(within(failed.parentElement ?? failed).getByText('failed')).not.toBeNull()
  expect(screen.getByText('nats-server 2.9.10')).not.toBeNull()
  expect(bridge.inputsOf('workers.test')).toEqual([{ url: 'nats://127.0.0.1:4222', credentials: '', ca: '' }])
  await user.type(address(), '3')
  expect(screen.queryByText('nats-server 2.9.10')).toBeNull()
})

test.each([
  [{ kind: 'off' }, 'This program is not connected to one.'],
  [{ kind: 'connecting', url: 'nats://a' }, 'Connecting to nats://a…'],
  [{ kind: 'connected', url: 'tls://a', tls: true }, 'Connected to tls://a with TLS.'],
  [{ kind: 'failed', url: 'nats://a', message: 'Nobody listens. Start it.' }, 'Nobody listens. Start it.'],
] as const)('the connection is said in words: %j', (nats, text) => {
  act(() => useWorkers.setState({ state: { ...noWorkers, nats } }))
  expect(screen.getByText(text)).not.toBeNull()
})

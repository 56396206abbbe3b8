import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { defaultSettings, type Settings } from '../../../shared/settings/settings.ts'
import { useSession } from '../../stores/session-store.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { startWindow } from '../../testing/start-window.tsx'
import { StatusLineRow } from './status-line-row.tsx'

afterEach(cleanup)
const user = userEvent.setup()
let bridge: FakeBridge

beforeEach(async () => {
  bridge = await startWindow()
  bridge.answer({
    'settings.change': ({ patch }) => ({ ...defaultSettings, ...patch }) as Settings,
  })
  render(<StatusLineRow />)
})

const field = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Status line command' })
const patches = () => bridge.inputsOf('settings.change').map((input) => input.patch)
const testButton = () => screen.getByRole('button', { name: /Test/ })

test('a command applies once on Enter and on blur; an empty field turns it off', async () => {
  await user.type(field(), '  git log -1 {Enter}')
  await user.tab()
  await user.tab()
  expect(patches()).toEqual([{ statusLine: { command: 'git log -1' } }])
  expect(field().value).toBe('git log -1')
  await user.clear(field())
  await user.click(document.body)
  expect(patches().at(-1)).toEqual({ statusLine: null })
})

test('Escape discards the typed text', async () => {
  await user.type(field(), 'date{Escape}')
  await user.tab()
  expect(field().value).toBe('')
  expect(patches()).toEqual([])
})

test('shows a command that another program wrote to the file', () => {
  act(() =>
    bridge.push({ type: 'settings', settings: { ...defaultSettings, statusLine: { command: 'uptime' } } }),
  )
  expect(useSession.getState().settings.statusLine).toEqual({ command: 'uptime' })
  expect(field().value).toBe('uptime')
})

test('a test runs the typed command and shows output, exit code and time', async () => {
  bridge.answer({
    'statusLine.test': () => ({
      output: '\x1b[31mmain\x1b[0m\u202e\n2 files\n',
      problem: null,
      exitCode: 0,
      ms: 42,
    }),
  })
  await user.type(field(), ' git status ')
  await user.click(testButton())
  expect(bridge.inputsOf('statusLine.test')).toEqual([{ command: 'git status' }])
  expect(patches()).toEqual([])
  expect(await screen.findByText('exit code 0 · 42 ms')).toBeTruthy()
  expect(screen.getByText(/main⟨RLO⟩\s+2 files/)).toBeTruthy()
  await user.type(field(), '!')
  expect(screen.queryByText('exit code 0 · 42 ms')).toBeNull()
  // Leaving the row applies the command.
  await user.tab()
  expect(patches()).toEqual([])
  await user.tab()
  expect(patches()).toEqual([{ statusLine: { command: 'git status !' } }])
})

test('a failed or refused test shows the reason', async () => {
  bridge.answer({
    'statusLine.test': () => ({ output: '', problem: 'It printed nothing.', exitCode: null, ms: 1003 }),
  })
  await user.type(field(), 'sleep 2')
  await user.click(testButton())
  expect(await screen.findByText('It printed nothing.')).toBeTruthy()
  expect(screen.getByText('no exit code · 1003 ms')).toBeTruthy()
  bridge.answer({
    'statusLine.test': () => {
      throw new Error('You have not said that you trust this folder.')
    },
  })
  await user.click(testButton())
  expect(await screen.findByText('You have not said that you trust this folder.')).toBeTruthy()
})

test('the test button is disabled without a command', () => {
  expect(testButton().hasAttribute('data-disabled')).toBe(true)
})

test('a command that can’t be saved stays in the field, with the reason', async () => {
  bridge.answer({
    'settings.change': () => {
      throw new Error('settings.json cannot be written: the disk is full.')
    },
  })
  await user.type(field(), 'date{Enter}')
  expect(await screen.findByText('settings.json cannot be written: the disk is full.')).toBeTruthy()
  expect(field().value).toBe('date')
})

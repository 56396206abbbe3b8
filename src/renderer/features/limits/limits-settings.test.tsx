import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { defaultSettings, type Settings } from '../../../shared/settings/settings.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { startWindow } from '../../testing/start-window.tsx'
import { LimitsSettings } from './limits-settings.tsx'

afterEach(cleanup)
const user = userEvent.setup()
let bridge: FakeBridge

beforeEach(async () => {
  bridge = await startWindow()
  let now = defaultSettings
  bridge.answer({
    'settings.change': ({ patch }) => {
      now = { ...now, ...patch } as Settings
      return now
    },
  })
  render(<LimitsSettings />)
})

const field = (name: string) => screen.getByRole<HTMLInputElement>('textbox', { name })
const noLimit = (title: string) => screen.getByRole('button', { name: `${title}: no limit` })
const patches = () => bridge.inputsOf('settings.change').map((input) => input.patch)

test('lists every limit with its name in the file and its default', () => {
  const names = [
    'maxParallelAgents',
    'maxAgents',
    'maxDepth',
    'conversationTokens',
    'conversationUsd',
    'conversationMinutes',
    'agentTokens',
    'agentUsd',
    'agentMinutes',
    'backgroundMinutes',
    'agentSpawns',
  ] as const
  for (const name of names) {
    const row = screen.getByText(name).parentElement?.parentElement
    const usual = defaultSettings[name]
    expect(row?.textContent, name).toContain(
      `Default: ${usual === null ? 'no limit' : usual.toLocaleString('en')}.`,
    )
  }
  expect(screen.getByText('forkSubagents')).toBeTruthy()
})

test('an amount applies on Enter and on blur, in common notations', async () => {
  const tokens = field('Agent tokens')
  expect(tokens.value).toBe('5,000,000')
  await user.clear(tokens)
  await user.type(tokens, '1.5M{Enter}')
  expect(tokens.value).toBe('1,500,000')
  await user.clear(field('Conversation US dollars'))
  await user.type(field('Conversation US dollars'), '$0.50')
  await user.tab()
  expect(patches()).toEqual([{ agentTokens: 1_500_000 }, { conversationUsd: 0.5 }])
})

test('invalid input stays with a message and changes nothing', async () => {
  const tokens = field('Agent tokens')
  for (const wrong of ['many', '0', '-5', '999', '1.5']) {
    await user.clear(tokens)
    await user.type(tokens, `${wrong}{Enter}`)
    expect(screen.getByText('A whole number from 1,000. Leave it empty for no limit.')).toBeTruthy()
  }
  expect(tokens.getAttribute('aria-invalid')).toBe('true')
  await user.tab()
  expect(tokens.value).toBe('1.5')
  await user.type(tokens, '{Escape}')
  expect(tokens.value).toBe('5,000,000')
  await user.clear(field('Agent US dollars'))
  await user.type(field('Agent US dollars'), '10001')
  expect(screen.getByText('An amount above 0, at most 10,000. Leave it empty for no limit.')).toBeTruthy()
  expect(patches()).toEqual([])
})

test('the button, or Enter in an empty field, removes a limit; blur does not', async () => {
  await user.clear(field('Agent US dollars'))
  await user.tab()
  expect(field('Agent US dollars').value).toBe('5')
  expect(patches()).toEqual([])
  await user.clear(field('Agent US dollars'))
  await user.keyboard('{Enter}')
  expect(noLimit('Agent US dollars').getAttribute('aria-pressed')).toBe('true')
  await user.click(noLimit('Agent tokens'))
  expect(field('Agent tokens').value).toBe('')
  expect(patches()).toEqual([{ agentUsd: null }, { agentTokens: null }])
})

test('the button discards typed text; a second press restores the default', async () => {
  await user.type(field('Background minutes'), '9')
  await user.click(noLimit('Background minutes'))
  await user.click(noLimit('Background minutes'))
  expect(patches()).toEqual([{ backgroundMinutes: null }, { backgroundMinutes: 60 }])
  // A limit that is unusual has no preset, so the user types a number.
  await user.click(noLimit('Foreground minutes'))
  expect(document.activeElement).toBe(field('Foreground minutes'))
  await user.keyboard('2.5{Enter}')
  expect(patches().at(-1)).toEqual({ agentMinutes: 2.5 })
})

test('zero agents is a valid limit', async () => {
  await user.clear(field('Agents per agent'))
  await user.type(field('Agents per agent'), '0{Enter}')
  expect(patches()).toEqual([{ agentSpawns: 0 }])
})

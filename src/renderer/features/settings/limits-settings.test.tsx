import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { defaultSettings, type Settings } from '../../../shared/settings.ts'
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

test('every limit is there by its name in the file, with its default', () => {
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

test('an amount is taken on Enter and on leaving, as people write it', async () => {
  const tokens = field('Tokens of an agent')
  expect(tokens.value).toBe('5,000,000')
  await user.clear(tokens)
  await user.type(tokens, '1.5M{Enter}')
  expect(tokens.value).toBe('1,500,000')
  await user.clear(field('US dollars of a conversation'))
  await user.type(field('US dollars of a conversation'), '$0.50')
  await user.tab()
  expect(patches()).toEqual([{ agentTokens: 1_500_000 }, { conversationUsd: 0.5 }])
})

test('wrong input stays, is told, and changes nothing', async () => {
  const tokens = field('Tokens of an agent')
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
  await user.clear(field('US dollars of an agent'))
  await user.type(field('US dollars of an agent'), '10001')
  expect(screen.getByText('An amount above 0, at most 10,000. Leave it empty for no limit.')).toBeTruthy()
  expect(patches()).toEqual([])
})

test('a limit is taken away by its button or an empty field and Enter, never by leaving the field', async () => {
  await user.clear(field('US dollars of an agent'))
  await user.tab()
  expect(field('US dollars of an agent').value).toBe('5')
  expect(patches()).toEqual([])
  await user.clear(field('US dollars of an agent'))
  await user.keyboard('{Enter}')
  expect(noLimit('US dollars of an agent').getAttribute('aria-pressed')).toBe('true')
  await user.click(noLimit('Tokens of an agent'))
  expect(field('Tokens of an agent').value).toBe('')
  expect(patches()).toEqual([{ agentUsd: null }, { agentTokens: null }])
})

test('the button gives up what is typed, and pressed once more brings the default back', async () => {
  await user.type(field('Minutes in the background'), '9')
  await user.click(noLimit('Minutes in the background'))
  await user.click(noLimit('Minutes in the background'))
  expect(patches()).toEqual([{ backgroundMinutes: null }, { backgroundMinutes: 60 }])
  // Where none is usual, a number is to be typed.
  await user.click(noLimit('Minutes in the foreground'))
  expect(document.activeElement).toBe(field('Minutes in the foreground'))
  await user.keyboard('2.5{Enter}')
  expect(patches().at(-1)).toEqual({ agentMinutes: 2.5 })
})

test('no agents at all may be started, where that is meant', async () => {
  await user.clear(field('Agents that one agent starts'))
  await user.type(field('Agents that one agent starts'), '0{Enter}')
  expect(patches()).toEqual([{ agentSpawns: 0 }])
})

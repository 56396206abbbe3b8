import { act, cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import type { CommandInput } from '../../../shared/ipc/ipc-contract.ts'
import { defaultSettings, type Settings } from '../../../shared/settings/settings.ts'
import { useSession } from '../../stores/session-store.ts'
import { startWindow } from '../../testing/start-window.tsx'
import { ProviderSettings } from './provider-settings.tsx'

afterEach(cleanup)
const user = userEvent.setup()
const field = (name: string) => screen.getByRole('textbox', { name })
const button = (name: string) => screen.getByRole('button', { name })

async function open(providers: Settings['providers'] = {}) {
  const bridge = await startWindow({})
  const now = () => useSession.getState().settings
  const set = (next: Settings['providers']) => ({ ...now(), providers: next })
  act(() => useSession.setState({ settings: { ...defaultSettings, providers } }))
  bridge.answer({
    'provider.save': ({ name, provider }: CommandInput<'provider.save'>) =>
      set({ ...now().providers, [name]: provider }),
    'provider.remove': () => set({}),
    'provider.probe': ({ model }: CommandInput<'provider.probe'>) => ({ model, at: 0, ms: 1, checks: [] }),
  })
  render(<ProviderSettings />)
  return bridge
}

test('a provider is added from the keyboard; problems are named when it is sent', async () => {
  const bridge = await open()
  await user.click(button('Add provider…'))
  expect(document.activeElement).toBe(field('Name'))
  await user.keyboard('my server{Enter}')
  expect(screen.getByText(/without spaces/)).toBeTruthy()
  expect(screen.getByText('Enter the address of the server.')).toBeTruthy()
  expect(screen.getByText(/at least one model/)).toBeTruthy()
  expect(bridge.inputsOf('provider.save')).toEqual([])
  await user.clear(field('Name'))
  await user.type(field('Name'), 'lab')
  await user.type(field('Address'), 'http://localhost:11434')
  await user.type(field('Models'), 'qwen3-coder, gpt-oss:20b, qwen3-coder')
  await user.type(field('Context window'), '64,000')
  await user.click(screen.getByRole('checkbox', { name: /cost nothing/ }))
  await user.keyboard('{Tab}')
  await user.click(button('Add'))
  const facts = { contextTokens: 64_000, price: { input: 0, output: 0 } }
  expect(bridge.inputsOf('provider.save')).toEqual([
    {
      before: null,
      name: 'lab',
      provider: {
        baseUrl: 'http://localhost:11434',
        models: { 'qwen3-coder': facts, 'gpt-oss:20b': facts },
      },
      key: null,
    },
  ])
  expect(within(screen.getByRole('list', { name: 'Models of lab' })).getAllByRole('listitem')).toHaveLength(2)
})

test.each(['default', 'a/b', '-x', ''])('the name %j is refused', async (name) => {
  const bridge = await open()
  await user.click(button('Add provider…'))
  if (name !== '') await user.type(field('Name'), name)
  await user.type(field('Address'), 'http://localhost:1')
  await user.type(field('Models'), 'a{Enter}')
  expect(field('Name').getAttribute('aria-invalid')).toBe('true')
  expect(bridge.inputsOf('provider.save')).toEqual([])
})

test('an edit keeps what the form does not show; Escape leaves it, and the focus stays', async () => {
  const entry = {
    baseUrl: 'http://localhost:1',
    cache: true,
    models: { a: { tools: true, price: { input: 1, output: 2 } } },
  }
  const bridge = await open({ lab: entry })
  await user.click(button('Edit lab'))
  await user.keyboard('{Escape}')
  expect(screen.queryByRole('form')).toBeNull()
  await user.click(button('Edit lab'))
  await user.type(field('Models'), ', b')
  await user.click(button('Save'))
  expect(bridge.inputsOf('provider.save')).toMatchObject([
    { before: 'lab', name: 'lab', provider: { ...entry, models: { ...entry.models, b: {} } }, key: null },
  ])
})

test('a model is tested once at a time, and says what it can', async () => {
  const bridge = await open({
    lab: {
      baseUrl: 'http://localhost:1',
      models: { a: { tools: false, probe: { at: 0, problem: 'Calls tools: no. As text.' } }, b: {} },
    },
  })
  expect(screen.getByText(/can’t call tools · tested/)).toBeTruthy()
  expect(screen.getByText('Calls tools: no. As text.')).toBeTruthy()
  expect(screen.getByText('not tested · cost unknown')).toBeTruthy()
  await user.click(button('Test lab/a'))
  expect(bridge.inputsOf('provider.probe')).toEqual([{ model: 'lab/a' }])
})

test('a provider is removed with a second press', async () => {
  const bridge = await open({ lab: { baseUrl: 'http://localhost:1', models: {} } })
  await user.click(button('Remove lab'))
  expect(bridge.inputsOf('provider.remove')).toEqual([])
  await user.click(button('Really remove lab'))
  expect(bridge.inputsOf('provider.remove')).toEqual([{ name: 'lab' }])
})

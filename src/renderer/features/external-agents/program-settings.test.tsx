import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import type { DefinitionInfo } from '../../../shared/agent-definition/agent-catalog.ts'
import type { CommandInput } from '../../../shared/ipc/ipc-contract.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import { useOverlay } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { deferred } from '../../testing/deferred.ts'
import { startWindow } from '../../testing/start-window.tsx'
import { ProgramSettings } from './program-settings.tsx'

afterEach(cleanup)
const user = userEvent.setup()

const agent = (name: string, isProgram: boolean): DefinitionInfo => ({
  ...{
    name,
    description: '',
    source: 'built-in',
    color: 'blue',
    model: 'inherit',
    tools: null,
    hidden: false,
  },
  ...(isProgram && { isProgram: true }),
})

async function open(names: readonly string[] = []) {
  const bridge = await startWindow({})
  let stored = names
  bridge.answer({
    'programs.keys': () => ({ names: stored, isSafe: true }),
    'programs.saveKey': ({ name, value }: CommandInput<'programs.saveKey'>) => {
      if (value === 'refused') throw new Error('Not a valid key.')
      stored = [...stored.filter((each) => each !== name), ...(value === null ? [] : [name])]
      return { names: stored, isSafe: true }
    },
    'settings.change': ({ patch }: CommandInput<'settings.change'>) =>
      ({ ...useSession.getState().settings, ...patch }) as Settings,
  })
  act(() => useSession.setState({ definitions: [agent('Explore', false), agent('claude-code', true)] }))
  render(<ProgramSettings />)
  await act(async () => {})
  return bridge
}

test('the main agent of new conversations is one of the programs, or Troupe’s own', async () => {
  const bridge = await open()
  await user.click(screen.getByRole('button', { name: /Main agent/ }))
  expect(screen.queryByText('Explore')).toBeNull()
  await user.click(screen.getByText('claude-code'))
  expect(bridge.inputsOf('settings.change')).toEqual([{ patch: { mainAgent: 'claude-code' } }])
})

test('the programs on this computer are set up in their dialog', async () => {
  await open()
  await user.click(screen.getByRole('button', { name: 'Set up…' }))
  expect(useOverlay.getState().overlay).toBe('programs')
})

test('a key is saved, listed by its name only, and removed', async () => {
  const bridge = await open()
  await user.type(screen.getByLabelText('Variable'), 'GEMINI_API_KEY')
  await user.type(screen.getByLabelText('Key'), 'secret-key{Enter}')
  expect(bridge.inputsOf('programs.saveKey')).toEqual([{ name: 'GEMINI_API_KEY', value: 'secret-key' }])
  expect(await screen.findByText('GEMINI_API_KEY')).toBeTruthy()
  expect(document.body.textContent).not.toContain('secret-key')
  expect((screen.getByLabelText('Key') as HTMLInputElement).value).toBe('')
  await user.click(screen.getByRole('button', { name: 'Remove GEMINI_API_KEY' }))
  expect(bridge.inputsOf('programs.saveKey').at(-1)).toEqual({ name: 'GEMINI_API_KEY', value: null })
  expect(screen.queryByText('GEMINI_API_KEY')).toBeNull()
})

test('a key in place of a name is told at once; a refused key stays in its field with the reason', async () => {
  const bridge = await open()
  await user.type(screen.getByLabelText('Variable'), 'sk-ant-1')
  await user.type(screen.getByLabelText('Key'), 'refused{Enter}')
  expect(screen.getByText(/the name, not the key/)).toBeTruthy()
  expect(bridge.inputsOf('programs.saveKey')).toEqual([])
  await user.clear(screen.getByLabelText('Variable'))
  await user.type(screen.getByLabelText('Variable'), 'A_KEY{Enter}')
  expect(await screen.findByText('Not a valid key.')).toBeTruthy()
  expect((screen.getByLabelText('Key') as HTMLInputElement).value).toBe('refused')
})

test.each([
  ['export GEMINI_API_KEY="secret-key"', 'secret-key'],
  ['GEMINI_API_KEY=secret-key\n', 'secret-key'],
])('a pasted line %j fills both fields, and the key is not readable', async (line, key) => {
  await open()
  await user.click(screen.getByLabelText('Variable'))
  await user.paste(line)
  expect((screen.getByLabelText('Variable') as HTMLInputElement).value).toBe('GEMINI_API_KEY')
  const field = screen.getByLabelText('Key') as HTMLInputElement
  expect([field.value, field.type]).toEqual([key, 'password'])
})

test('keys that can’t be listed are told', async () => {
  const bridge = await startWindow({})
  bridge.answer({
    'programs.keys': () => {
      throw new Error('The folder of keys can’t be read.')
    },
  })
  render(<ProgramSettings />)
  expect(await screen.findByText('The folder of keys can’t be read.')).toBeTruthy()
})

test('a main agent that is not in this folder stays listed; Troupe’s own is stored as none', async () => {
  const bridge = await open()
  act(() => useSession.setState(({ settings }) => ({ settings: { ...settings, mainAgent: 'goose' } })))
  await user.click(screen.getByRole('button', { name: 'Main agent: goose' }))
  const options = (await screen.findAllByRole('menuitemradio')).map(({ textContent }) => textContent)
  expect(options).toEqual(['Troupeits own main agent', 'claude-code', 'goosenot an agent in this folder'])
  bridge.answer({
    'settings.change': () => {
      throw new Error('The file can’t be written.')
    },
  })
  await user.click(screen.getByRole('menuitemradio', { name: /^Troupe/ }))
  expect(bridge.inputsOf('settings.change')).toEqual([{ patch: { mainAgent: null } }])
  expect(await screen.findByText('The file can’t be written.')).toBeTruthy()
})

test('a key is saved once, without blanks around its name, and only when both fields are filled', async () => {
  const bridge = await open()
  const saved = deferred<{ names: string[]; isSafe: boolean }>()
  bridge.answer({ 'programs.saveKey': () => saved.promise })
  const save = () => screen.getByRole<HTMLButtonElement>('button', { name: /^Sav/ })
  expect(save().disabled).toBe(true)
  await user.type(screen.getByLabelText('Variable'), ' A_KEY ')
  expect(save().disabled).toBe(true)
  await user.type(screen.getByLabelText('Key'), 'k{Enter}{Enter}')
  expect(save().textContent).toBe('Saving…')
  expect(bridge.inputsOf('programs.saveKey')).toEqual([{ name: 'A_KEY', value: 'k' }])
  await act(async () => saved.resolve({ names: ['A_KEY'], isSafe: false }))
  expect(screen.getByText(/Your system only obfuscates stored keys\./)).toBeTruthy()
})

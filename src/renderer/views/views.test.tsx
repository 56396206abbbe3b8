import { act, cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { COMMANDS } from '../../shared/commands/commands.ts'
import { VIEWS } from '../../shared/commands/views.ts'
import { HelpDialog } from '../features/composer/help-dialog.tsx'
import { useSession } from '../stores/session-store.ts'
import { startWindow } from '../testing/start-window.tsx'
import { shortcutText } from '../ui/kbd.tsx'
import { runCommand } from './command-actions.ts'
import { paletteCommands } from './palette-commands.ts'
import { Rail } from './window.tsx'

afterEach(cleanup)

test('each view has a button in the rail, which shows the view', async () => {
  await startWindow()
  render(<Rail />)
  const buttons = within(screen.getByRole('navigation', { name: 'Views' })).getAllByRole('button')
  expect(buttons.map((button) => button.getAttribute('aria-label'))).toEqual([
    'Stage',
    'Agents',
    'Timeline',
    'Review',
    'Environments',
    'Mailbox & teams',
    'Settings',
  ])
  for (const { id, title } of VIEWS.filter(({ rail }) => rail !== 'none')) {
    await userEvent.click(screen.getByRole('button', { name: title }))
    expect(useSession.getState().view).toBe(id)
    expect(screen.getByRole('button', { current: 'page' })).toBe(screen.getByRole('button', { name: title }))
  }
})

test('the palette and the menu show each view', async () => {
  await startWindow()
  for (const { id, title, keys } of VIEWS) {
    const command = paletteCommands().find((one) => one.id === id)
    expect(command).toMatchObject({ title, keys })
    act(() => command?.run())
    expect(useSession.getState().view).toBe(id)
    act(() => useSession.setState({ view: id === 'stage' ? 'agents' : 'stage' }))
    act(() => runCommand(id))
    expect(useSession.getState().view).toBe(id)
  }
})

test('the help lists every command that has a key, with the key', () => {
  render(<HelpDialog open onClose={() => {}} />)
  const lines = screen
    .getAllByRole('term')
    .map((term) => [term.textContent, term.nextElementSibling?.textContent])
  for (const { keys, title } of COMMANDS)
    if (keys !== undefined) expect(lines).toContainEqual([shortcutText(keys), title])
  for (const { keys, title } of VIEWS) expect(lines).toContainEqual([shortcutText(keys), title])
})

test('the help finds keys by their name, by what they do and by their place', async () => {
  render(<HelpDialog open onClose={() => {}} />)
  const search = screen.getByRole('searchbox', { name: 'Search keys and commands' })
  const found = () => screen.queryAllByRole('term').map((term) => term.nextElementSibling?.textContent)
  const all = found().length
  await userEvent.type(search, 'ctrl+f')
  expect(found()).toEqual([
    'Search in conversations',
    'Find in the transcript',
    'Find',
    'Search the list',
    'Find in the file',
  ])
  await userEvent.clear(search)
  await userEvent.type(search, 'tree parent')
  expect(found()).toEqual(['To the parent; to the first subagent'])
  await userEvent.clear(search)
  await userEvent.type(search, 'nothing at all')
  expect(found()).toEqual([])
  expect(screen.getByRole('status').textContent).toContain('No key or command matches')
  await userEvent.clear(search)
  expect(found()).toHaveLength(all)
})

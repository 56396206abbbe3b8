import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { defaultSettings } from '../../../shared/settings/settings.ts'
import { snapshotOf } from '../../../shared/testing/sample-log.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { useOverlay } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { openConversation } from '../../stores/shown-conversation.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { startWindow, summaryOf } from '../../testing/start-window.tsx'
import { Composer } from './composer.tsx'

afterEach(cleanup)
const user = userEvent.setup()
let bridge: FakeBridge

async function start(mainAgent: string | null = null) {
  bridge = await startWindow({ settings: { mainAgent } })
  bridge.answer({
    'conversation.create': () => summaryOf('new'),
    'conversation.send': () => ({ messageId: 'm', queued: false }),
    'conversation.subscribe': () => {
      throw new Error('not needed here')
    },
    'settings.change': () => ({ ...defaultSettings, mainAgent: 'codex' }),
  })
  await act(() => openConversation(null))
  render(<Composer variant="start" />)
}

function offer(...names: string[]) {
  const common = { description: '', source: 'built-in', color: 'green', model: 'inherit' }
  const definitions = names.map((name) => ({
    ...{ name, ...common, tools: null, hidden: false, isProgram: true as const },
  }))
  act(() => useSession.setState({ definitions }))
}

const picker = () => screen.queryByRole('button', { name: /^Main agent/ })

test('without an external agent there is nothing to choose', async () => {
  await start()
  expect(picker()).toBeNull()
  offer('codex')
  expect(picker()?.textContent).toBe('Troupe')
})

test('the chosen one leads the next conversation, whose model is its own', async () => {
  await start()
  offer('codex', 'gemini')
  picker()?.focus()
  await user.keyboard('{Enter}')
  await user.click(await screen.findByRole('menuitemradio', { name: /^codex/ }))
  expect(screen.queryByRole('button', { name: /^Model/ })).toBeNull()
  await user.type(screen.getByRole('textbox', { name: 'Message' }), 'Begin{Enter}')
  expect(bridge.inputsOf('conversation.create')).toMatchObject([{ agent: 'codex' }])
})

test('Troupe itself can lead one conversation although the settings name another agent', async () => {
  await start('codex')
  offer('codex')
  await user.click(screen.getByRole('button', { name: 'Main agent: codex' }))
  await user.click(await screen.findByRole('menuitemradio', { name: /^Troupe/ }))
  await user.type(screen.getByRole('textbox', { name: 'Message' }), 'Begin{Enter}')
  expect(bridge.inputsOf('conversation.create')).toMatchObject([{ agent: null }])
})

test('the chosen one can be kept for all new conversations', async () => {
  await start()
  offer('codex')
  await user.click(screen.getByRole('button', { name: 'Main agent: Troupe' }))
  await user.click(await screen.findByRole('menuitemradio', { name: /^codex/ }))
  await user.click(screen.getByRole('button', { name: 'Main agent: codex' }))
  await user.click(await screen.findByRole('menuitemcheckbox', { name: /all new conversations/ }))
  expect(bridge.inputsOf('settings.change')).toEqual([{ patch: { mainAgent: 'codex' } }])
})

test('a kept agent can be given up, and one that is not here any more is named', async () => {
  await start('codex')
  expect(picker()?.textContent).toBe('codex')
  offer('gemini')
  await user.click(screen.getByRole('button', { name: 'Main agent: codex' }))
  const options = (await screen.findAllByRole('menuitemradio')).map(({ textContent }) => textContent)
  expect(options).toEqual([
    'Troupesplits the work among agents, with your model access',
    'geminileads with its own models, tools and login',
    'codexnot found in this folder',
  ])
  const kept = screen.getByRole('menuitemcheckbox', { name: /all new conversations/ })
  expect(kept.getAttribute('aria-checked')).toBe('true')
  await user.click(kept)
  expect(bridge.inputsOf('settings.change')).toEqual([{ patch: { mainAgent: null } }])
})

test('the menu opens the dialog of programs; a conversation that has begun has no menu', async () => {
  await start()
  offer('codex')
  await user.click(screen.getByRole('button', { name: 'Main agent: Troupe' }))
  await user.click(await screen.findByRole('menuitem', { name: /External agents…/ }))
  expect(useOverlay.getState().overlay).toBe('programs')
  expect(picker()).not.toBeNull()
  act(() => useConversation.setState({ record: snapshotOf('c1').record }))
  expect(picker()).toBeNull()
  act(() => useConversation.setState({ record: null }))
})

import { act, cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { defaultSettings } from '../../shared/settings/settings.ts'
import { onNotice } from '../stores/overlay-store.ts'
import { useSession } from '../stores/session-store.ts'
import { openConversation } from '../stores/shown-conversation.ts'
import { FOLDER, startWindow, summaryOf } from '../testing/start-window.tsx'
import { FolderMenu } from './folder-menu.tsx'
import { useLeftFolder } from './window.tsx'

afterEach(cleanup)
const user = userEvent.setup()
const API_FOLDER = { ...FOLDER, path: '/work/api', name: 'api' }

function Parts() {
  useLeftFolder()
  return <FolderMenu />
}

async function start() {
  const bridge = await startWindow({
    conversations: [
      summaryOf('here', { running: 2, requests: 1 }),
      summaryOf('api', { folder: '/work/api', running: 4, requests: 1 }),
      summaryOf('api-2', { folder: '/work/api', running: 1, requests: 0 }),
      summaryOf('site', { folder: '/work/site', running: 2, requests: 2 }),
      summaryOf('old', { folder: '/work/old' }),
    ],
  })
  bridge.answer({
    'folder.open': ({ path }) => ({ ...FOLDER, path, name: path.split('/').at(-1) ?? '' }),
    'conversation.subscribe': () => {
      throw new Error('These tests need no transcript.')
    },
  })
  act(() =>
    useSession.setState({
      settings: { ...defaultSettings, recentFolders: ['/work/shop', '/work/old', '/work/api'] },
    }),
  )
  render(<Parts />)
  return bridge
}
const openMenu = () => user.click(screen.getByRole('button', { name: /^Folder / }))

test('the menu lists what agents do in each folder, those that need the user first', async () => {
  await start()
  await openMenu()
  const menu = within(await screen.findByRole('menu'))
  const lines = menu.getAllByRole('menuitem').map((item) => item.textContent ?? '')
  expect(lines.filter((line) => line.includes('/work') || line.includes('this window'))).toEqual([
    'shopthis window1 working · 1 needs you',
    'api/work4 working · 1 needs you',
    'site/work2 need you',
    'old/work',
  ])
})

test('the menu starts the tutorial', async () => {
  const bridge = await start()
  await openMenu()
  await user.click(await screen.findByRole('menuitem', { name: 'Try the tutorial' }))
  expect(bridge.inputsOf('tutorial.start')).toEqual([{ again: false }])
})

test('the button counts the questions in other folders', async () => {
  const bridge = await start()
  expect(screen.getByRole('button', { name: 'Folder shop. In other folders: 3 need you' })).toBeTruthy()
  act(() =>
    bridge.push(
      { type: 'conversation', summary: summaryOf('api', { folder: '/work/api', running: 4 }) },
      { type: 'conversation', summary: summaryOf('site', { folder: '/work/site', running: 2 }) },
    ),
  )
  expect(screen.getByRole('button', { name: 'Folder shop' })).toBeTruthy()
})

test('from the keyboard a folder opens in a window of its own, and this window stays as it is', async () => {
  const bridge = await start()
  bridge.answer({ 'folder.open': () => null, 'folder.pick': () => null })
  screen.getByRole('button', { name: /^Folder / }).focus()
  await user.keyboard('{Enter}')
  await screen.findByRole('menu')
  const side = screen.getByRole('menuitem', { name: 'Open api in new window' })
  for (let presses = 0; document.activeElement !== side && presses < 30; presses++)
    await user.keyboard('{ArrowDown}')
  await user.keyboard('{Enter}')
  expect(bridge.inputsOf('folder.open')).toEqual([{ path: '/work/api', newWindow: true }])
  await openMenu()
  await user.click(await screen.findByRole('menuitem', { name: /^Open folder in new window/ }))
  expect(bridge.inputsOf('folder.pick')).toEqual([{ newWindow: true }])
  expect(useSession.getState().folder?.path).toBe('/work/shop')
})

test('leaving a folder where agents work says that they continue, and leads back', async () => {
  const bridge = await start()
  const notices: Parameters<Parameters<typeof onNotice>[0]>[0][] = []
  const stop = onNotice((notice) => notices.push(notice))
  await act(() => bridge.push({ type: 'folder', folder: API_FOLDER, opened: true }))
  expect(notices.map(({ text }) => text)).toEqual([
    'Agents in shop continue in the background (1 working · 1 needs you). The folder menu shows them.',
  ])
  expect(notices[0]?.action?.label).toBe('Back to shop')
  await act(async () => notices[0]?.action?.run())
  expect(bridge.inputsOf('folder.open')).toEqual([{ path: '/work/shop', newWindow: false }])
  await act(() =>
    bridge.push(
      { type: 'folder', folder: { ...FOLDER, path: '/work/old', name: 'old' }, opened: true },
      { type: 'folder', folder: API_FOLDER, opened: true },
    ),
  )
  expect(notices.map(({ action }) => action?.label)).toEqual(['Back to shop', 'Back to api', 'Back to shop'])
  stop()
})

test('a conversation whose folder another window has is shown there; this window stays as it is', async () => {
  const bridge = await start()
  bridge.answer({ 'folder.open': () => null })
  await act(() => openConversation('here'))
  await act(() => openConversation('api'))
  expect(bridge.inputsOf('folder.open')).toEqual([{ path: '/work/api', conversationId: 'api' }])
  expect(useSession.getState()).toMatchObject({ conversationId: 'here', folder: { path: '/work/shop' } })
})

test('of two conversations chosen in a row the last one is shown', async () => {
  const bridge = await start()
  const answers: (() => void)[] = []
  bridge.answer({
    'folder.open': ({ path }) =>
      new Promise((resolve) => answers.push(() => resolve({ ...FOLDER, path, name: path }))),
  })
  const first = openConversation('api')
  const second = openConversation('here')
  await act(() => second)
  answers[0]?.()
  await act(() => first)
  expect(useSession.getState()).toMatchObject({ conversationId: 'here', folder: { path: '/work/shop' } })
})

test('the main process can show a conversation of a folder', async () => {
  const bridge = await start()
  await act(() => bridge.push({ type: 'folder', folder: API_FOLDER, opened: true, conversationId: 'api-2' }))
  expect(useSession.getState()).toMatchObject({ conversationId: 'api-2', folder: { path: '/work/api' } })
})

import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { Settings } from 'lucide-react'
import { useState } from 'react'
import { afterEach, expect, test } from 'vitest'
import { useSession } from '../../stores/session-store.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { startWindow, summaryOf } from '../../testing/start-window.tsx'
import { Palette } from './palette.tsx'

afterEach(cleanup)
const user = userEvent.setup()
const done: string[] = []

async function open(): Promise<FakeBridge> {
  done.length = 0
  const bridge = await startWindow({
    conversations: [
      summaryOf('c1', { title: 'Refactor the cart' }),
      summaryOf('c2', { title: 'Charge twice' }),
    ],
  })
  bridge.answer({
    'folder.files': () => ['src/charge.ts', 'test/charge.test.ts'],
    'conversation.subscribe': () => {
      throw new Error('not needed here')
    },
  })
  const settings = {
    id: 'settings',
    title: 'Settings',
    icon: Settings,
    keywords: 'preferences',
    run: () => void done.push('settings'),
  }
  render(<Palette open onClose={() => done.push('closed')} commands={[settings]} onOpenAgent={() => {}} />)
  expect(document.activeElement).toBe(screen.getByRole('combobox'))
  await act(async () => {})
  return bridge
}

const options = () => screen.getAllByRole('option').map((option) => option.textContent)

test('typed letters go to the palette; the best match comes first and Enter opens it', async () => {
  const bridge = await open()
  bridge.answer({ 'folder.files': () => [] })
  await user.keyboard('ref')
  expect(options()).toEqual(['Refactor the cart', 'Settings'])
  await user.keyboard('{Enter}')
  expect(done).toEqual(['closed'])
  expect(useSession.getState().conversationId).toBe('c1')
})

test('keywords find a command', async () => {
  await open()
  await user.keyboard('prefer{Enter}')
  expect(done).toEqual(['closed', 'settings'])
})

test('finds files of the folder and opens them in the editor', async () => {
  const bridge = await open()
  await user.keyboard('charge.t')
  const group = await screen.findByRole('group', { name: 'Files' })
  await user.click(within(group).getByText('src/charge.ts'))
  expect(bridge.inputsOf('folder.files')).toEqual([{ path: '/work/shop', query: 'charge.t' }])
  expect(bridge.inputsOf('system.openFile')).toEqual([
    { folder: '/work/shop', path: 'src/charge.ts', line: null },
  ])
})

test('shows that nothing matches', async () => {
  const bridge = await open()
  bridge.answer({ 'folder.files': () => [] })
  await user.keyboard('zzz')
  expect(await screen.findByText(/No match for “zzz”/)).toBeTruthy()
})

const go = (title: string, run: () => void) => ({ id: title, title, icon: Settings, run })
const MOVES = [go('Go to the line', () => screen.getByLabelText('line').focus()), go('Do nothing', () => {})]

function Around() {
  const [open, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        open
      </button>
      <input aria-label="line" />
      <Palette open={open} onClose={() => setOpen(false)} commands={MOVES} onOpenAgent={() => {}} />
    </>
  )
}

test('the focus stays where a command moved it, and returns to its origin otherwise', async () => {
  await startWindow({})
  render(<Around />)
  const opener = screen.getByRole('button', { name: 'open' })
  await user.click(opener)
  await user.keyboard('nothing{Enter}')
  await waitFor(() => expect(document.activeElement).toBe(opener))
  await user.click(opener)
  await user.keyboard('line{Enter}')
  await waitFor(() => expect(screen.queryByRole('combobox')).toBeNull())
  await act(() => new Promise<void>((resolve) => setTimeout(resolve)))
  expect(document.activeElement).toBe(screen.getByLabelText('line'))
})

test('finds conversations of other programs by title, of those that may be read', async () => {
  const bridge = await open()
  const id = `from-codex-${'0'.repeat(20)}`
  const entry = { id, program: 'codex' as const, title: 'Charge the cart', folder: '/work/other' }
  const source = {
    program: 'codex' as const,
    place: '/h/.codex',
    isFound: true,
    reading: 'on' as const,
    problems: [],
  }
  const figures = { createdAt: 0, updatedAt: 0, agents: 1, bytes: 0 }
  bridge.answer({
    'folder.files': () => [],
    'history.list': () => [{ ...source, entries: [{ ...entry, ...figures }] }],
  })
  await user.keyboard('charge')
  expect(options()).toEqual(['Charge twice'])
  expect(bridge.inputsOf('history.list')).toEqual([])
  await act(async () =>
    useSession.setState(({ settings }) => ({ settings: { ...settings, histories: { codex: true } } })),
  )
  await user.keyboard(' cart')
  expect(options()[0]).toBe('Charge the cartCodex/work/other')
  await user.keyboard('{Enter}')
  expect(useSession.getState().conversationId).toBe(id)
})

test('lists conversations only, where the user looks for one of them', async () => {
  const bridge = await startWindow({
    conversations: [
      summaryOf('c1', { title: 'Refactor the cart' }),
      summaryOf('c2', { title: 'Charge twice' }),
    ],
  })
  const settings = { id: 'settings', title: 'Charge settings', icon: Settings, run: () => {} }
  render(
    <Palette
      open
      onlyConversations
      query="charge"
      onClose={() => {}}
      commands={[settings]}
      onOpenAgent={() => {}}
    />,
  )
  await act(async () => {})
  expect(options()).toEqual(['Charge twice'])
  expect(bridge.inputsOf('folder.files')).toEqual([])
})

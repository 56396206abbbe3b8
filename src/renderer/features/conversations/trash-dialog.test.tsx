import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import type { TrashedConversation } from '../../../shared/conversations/contract.ts'
import { snapshotOf } from '../../../shared/testing/sample-log.ts'
import { onNotice } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { startWindow, summaryOf } from '../../testing/start-window.tsx'
import { ConversationTrashDialog } from './trash-dialog.tsx'

const notices: string[] = []
const silence = onNotice(({ text }) => notices.push(text))
afterEach(cleanup)
const user = userEvent.setup()

const trashed = (id: string, more: Partial<TrashedConversation> = {}): TrashedConversation => ({
  id,
  title: `Talk ${id}`,
  folder: '/work/shop',
  scratch: false,
  trashedAt: Date.now() - 3.5 * 3_600_000,
  size: 1_500_000,
  ...more,
})

async function open(...list: TrashedConversation[]): Promise<{ bridge: FakeBridge; closed: () => number }> {
  notices.length = 0
  let content = list
  let closed = 0
  const bridge = await startWindow({})
  bridge.answer({
    'trash.list': () => content,
    'trash.delete': ({ conversationIds }) => {
      content = content.filter(({ id }) => !conversationIds.includes(id))
    },
    'conversation.restore': ({ conversationId }) =>
      summaryOf(conversationId, { title: `Talk ${conversationId}` }),
    'conversation.subscribe': ({ conversationId }) => snapshotOf(conversationId),
  })
  render(<ConversationTrashDialog open onClose={() => (closed += 1)} />)
  await act(async () => {})
  return { bridge, closed: () => closed }
}

const rows = () => screen.queryAllByRole('listitem').map((row) => row.textContent)

test('lists title, age and size, and the folder of other folders', async () => {
  await open(trashed('a'), trashed('b', { folder: '/elsewhere', size: 800 }))
  expect(rows()[0]).toMatch(/^Talk a3h · 1\.5 MB/)
  expect(rows()[1]).toContain('/elsewhere')
  expect(screen.getByText(/^2 conversations \(1\.5 MB\)\./)).toBeTruthy()
})

test('restores one; the others stay, and the list of conversations has it again', async () => {
  const { bridge } = await open(trashed('a'), trashed('b'))
  await user.click(screen.getByRole('button', { name: 'Restore Talk a' }))
  expect(bridge.inputsOf('conversation.restore')).toEqual([{ conversationId: 'a' }])
  expect(rows()).toHaveLength(1)
  expect(useSession.getState().conversations.map(({ id }) => id)).toEqual(['a'])
  expect(notices).toEqual(['“Talk a” is back.'])
})

test('“Open” restores, shows the conversation and closes the trash', async () => {
  const { closed } = await open(trashed('a'))
  await user.click(screen.getByRole('button', { name: 'Restore and open Talk a' }))
  await waitFor(() => expect(useSession.getState().conversationId).toBe('a'))
  expect(closed()).toBe(1)
})

test('a conversation that can’t be restored stays, with the reason', async () => {
  const { bridge } = await open(trashed('a'))
  bridge.answer({
    'conversation.restore': () => {
      throw new Error('A conversation with this id already exists.')
    },
  })
  await user.click(screen.getByRole('button', { name: 'Restore Talk a' }))
  expect(rows()).toHaveLength(1)
  expect(notices).toEqual(['A conversation with this id already exists.'])
})

test('emptying asks first, with the number and the size, and deletes exactly what was listed', async () => {
  const { bridge } = await open(trashed('a'), trashed('b'), trashed('s', { scratch: true }))
  expect(rows()).toHaveLength(2)
  await user.click(screen.getByRole('button', { name: 'Empty trash…' }))
  expect(
    screen.getByText(/^Delete 2 conversations and 1 trial of an agent \(4\.5 MB\) for good\?/),
  ).toBeTruthy()
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Cancel'))
  await user.keyboard('{Enter}')
  expect(bridge.inputsOf('trash.delete')).toEqual([])
  await user.click(screen.getByRole('button', { name: 'Empty trash…' }))
  await user.click(screen.getByRole('button', { name: 'Delete for good' }))
  expect(bridge.inputsOf('trash.delete')).toEqual([{ conversationIds: ['a', 'b', 's'] }])
  expect(await screen.findByText('The trash is empty.')).toBeTruthy()
  expect(within(screen.getByRole('dialog')).getByRole('button', { name: 'Empty trash…' })).toHaveProperty(
    'disabled',
    true,
  )
})

test('an unreadable trash says why', async () => {
  const bridge = await startWindow({})
  bridge.answer({
    'trash.list': () => {
      throw new Error('The trash can’t be read: EACCES')
    },
  })
  render(<ConversationTrashDialog open onClose={() => {}} />)
  expect(await screen.findByText('The trash can’t be read: EACCES')).toBeTruthy()
  silence()
})

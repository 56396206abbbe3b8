import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { onNotice } from '../../stores/notice-store.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { startWindow, summaryOf } from '../../testing/start-window.tsx'
import { ConversationList } from './conversation-list.tsx'
import { TitleField } from './title-field.tsx'

afterEach(cleanup)
const user = userEvent.setup()

async function open(...conversations: ReturnType<typeof summaryOf>[]): Promise<FakeBridge> {
  const bridge = await startWindow({ conversations })
  bridge.answer({
    'conversation.subscribe': () => {
      throw new Error('not needed here')
    },
  })
  render(<ConversationList />)
  return bridge
}

const titles = () =>
  screen.queryAllByRole('listitem').map((item) => item.querySelector('.truncate')?.textContent)
const row = (name: RegExp) => screen.getByRole('button', { name })

test('those of this folder, the one used last first; an empty list says what fills it', async () => {
  await open(
    summaryOf('a', { updatedAt: 1 }),
    summaryOf('b', { updatedAt: 3 }),
    summaryOf('far', { folder: '/elsewhere', updatedAt: 9 }),
  )
  expect(titles()).toEqual(['Conversation b', 'Conversation a'])
  cleanup()
  await open()
  expect(screen.getByText(/The first message begins one/)).toBeTruthy()
})

test('F2 renames in place: Enter keeps, Escape and an empty title do not', async () => {
  const bridge = await open(summaryOf('a'))
  row(/Conversation a/).focus()
  await user.keyboard('{F2}')
  await user.keyboard('Better name{Enter}')
  expect(bridge.inputsOf('conversation.rename')).toEqual([{ conversationId: 'a', title: 'Better name' }])
  act(() => bridge.push({ type: 'conversation', summary: summaryOf('a', { title: 'Better name' }) }))
  expect(titles()).toEqual(['Better name'])
  row(/Better name/).focus()
  await user.keyboard('{F2}nonsense{Escape}')
  row(/Better name/).focus()
  await user.keyboard('{F2}{Backspace}{Enter}')
  expect(bridge.inputsOf('conversation.rename')).toHaveLength(1)
})

test('a title that was kept with Enter is not kept again as its field goes', () => {
  const kept: (string | null)[] = []
  render(<TitleField title="Old" onDone={(title) => kept.push(title)} />)
  const field = screen.getByRole('textbox', { name: 'Title' })
  fireEvent.change(field, { target: { value: 'New' } })
  fireEvent.keyDown(field, { key: 'Enter' })
  fireEvent.blur(field)
  expect(kept).toEqual(['New'])
})

test('Delete moves to the trash', async () => {
  const bridge = await open(summaryOf('a'), summaryOf('b'))
  row(/Conversation a/).focus()
  await user.keyboard('{Delete}')
  expect(bridge.inputsOf('conversation.trash')).toEqual([{ conversationId: 'a' }])
  expect(titles()).toEqual(['Conversation b'])
})

test('moving one with agents at work to the trash says that they were stopped', async () => {
  const said: string[] = []
  const stop = onNotice(({ text }) => said.push(text))
  await open(summaryOf('a', { running: 2 }), summaryOf('b'))
  row(/Conversation a/).focus()
  await user.keyboard('{Delete}')
  row(/Conversation b/).focus()
  await user.keyboard('{Delete}')
  expect(said).toEqual([
    '“Conversation a” is in the trash. Its 2 agents were stopped.',
    '“Conversation b” is in the trash.',
  ])
  stop()
})

test('a question in a conversation, and agents at work, are seen and read out', async () => {
  await open(
    summaryOf('a', { prompts: 2, running: 3, updatedAt: 2 }),
    summaryOf('b', { running: 1, updatedAt: 1 }),
  )
  expect(within(row(/Conversation a/)).getByText('2 questions for you')).toBeTruthy()
  expect(within(row(/Conversation b/)).getByText('1 agent running')).toBeTruthy()
})

test('a thousand conversations are not all drawn at once', async () => {
  await open(...Array.from({ length: 1000 }, (_, index) => summaryOf(`c${index}`, { updatedAt: index })))
  expect(screen.getAllByRole('listitem').length).toBeLessThan(60)
  await user.click(screen.getByRole('button', { name: 'Show 200 more of 960' }))
  expect(screen.getAllByRole('listitem').length).toBeGreaterThan(200)
})

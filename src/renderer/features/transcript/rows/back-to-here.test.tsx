import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ChangesList, ListedCall, UndoPreview } from '../../../../shared/changes/changes.ts'
import { applyUndo, setContinues, showChanges, useChanges } from '../../../stores/changes-store.ts'
import { useConversation } from '../../../stores/conversation-store.ts'
import { draftKeyNow, draftOf } from '../../../stores/draft-store.ts'
import { type Notice, onNotice } from '../../../stores/overlay-store.ts'
import { useSession } from '../../../stores/session-store.ts'
import { stagePartNow } from '../../../stores/stage-store.ts'
import type { FakeBridge } from '../../../testing/fake-bridge.ts'
import { startWindow } from '../../../testing/start-window.tsx'
import { StreamedTexts } from '../stream/streamed-texts.ts'
import { FoldStates, SurroundingsContext } from '../surroundings.ts'
import { TailRows } from '../tail-rows.tsx'
import { MessageActions } from './message-rows.tsx'

const ROW: Parameters<typeof MessageActions>[0]['row'] = {
  kind: 'user',
  key: 'k',
  seq: 9,
  at: 0,
  messageId: 'm',
  sender: null,
  from: 'user',
  text: 'Use p-retry.',
  images: [],
}

const call = (toolUseId: string, cause: ListedCall['cause'], path: string): ListedCall => ({
  agentId: 'a',
  toolUseId,
  order: 1,
  at: 0,
  cause,
  label: 'x',
  ignored: 0,
  note: '',
  messageSeq: 9,
  files: [
    {
      path,
      shown: path,
      before: null,
      after: null,
      added: 1,
      removed: 0,
      renamedFrom: null,
      kept: 'yes',
      maybeBy: [],
      letter: 'A',
      undone: false,
      alsoBy: [],
      cannot: null,
    },
  ],
})

const LIST: ChangesList = {
  conversationId: 'c1',
  agents: [{ agentId: 'a', name: 'Main agent', color: 'blue', worktree: null }],
  messages: [{ seq: 9, order: 9, at: 0, text: 'Use p-retry.' }],
  calls: [call('t1', 'tool', '/a'), call('t2', 'command', '/b')],
  user: [],
  undos: [],
  redo: null,
  kept: { days: 30, bytes: 0 },
}

const PREVIEW: UndoPreview = {
  scope: { kind: 'message', seq: 9 },
  ...{ redoOf: null, version: 'v1', files: [], notUndone: [], messages: 2 },
  stops: [{ agentId: 'b', name: 'test-writer' }],
  messageText: 'Use p-retry.',
}

const user = userEvent.setup()
let bridge: FakeBridge
let notices: Notice[]
let stop: () => void

beforeEach(async () => {
  bridge = await startWindow()
  bridge.answer({
    'conversation.unsubscribe': () => undefined,
    'conversation.subscribe': () => {
      throw new Error('not needed here')
    },
    'changes.list': () => LIST,
    'changes.preview': () => PREVIEW,
    'changes.undo': ({ continues }) => ({
      ...{ undoId: 'u', restored: 2, merged: 0, deleted: 0, left: [] },
      conversationId: continues ? 'c2' : null,
    }),
  })
  useConversation.setState({ conversationId: 'c1' })
  useChanges.setState({ conversationId: 'c1', list: LIST })
  notices = []
  stop = onNotice((notice) => notices.push(notice))
  render(<MessageActions row={ROW} canBranch />)
  await user.click(screen.getByRole('button', { name: 'Back to here…' }))
})
afterEach(() => {
  stop()
  cleanup()
  act(() => showChanges(false))
})

test('a message says what changed after it, and its button shows what going back would do', async () => {
  expect(screen.getByRole('button', { name: 'Changes: 2 files, 1 command' })).toBeTruthy()
  expect(useChanges.getState()).toMatchObject({ asked: { preview: PREVIEW, continues: true } })
  expect(stagePartNow()).toBe('changes')
  expect(bridge.inputsOf('changes.preview')).toMatchObject([{ scope: { kind: 'message', seq: 9 } }])
})

test('the conversation goes on from a branch, with the message in its composer, and a notice can undo it', async () => {
  await act(() => applyUndo())
  expect(bridge.inputsOf('changes.undo')).toMatchObject([
    { scope: PREVIEW.scope, version: 'v1', continues: true },
  ])
  expect(useSession.getState().conversationId).toBe('c2')
  expect(draftOf(draftKeyNow()).text).toBe('Use p-retry.')
  const undo = notices.find(({ action }) => action?.label === 'Undo this…')
  await act(async () => undo?.action?.run())
  await expect.poll(() => bridge.inputsOf('changes.previewRedo')).toHaveLength(1)
  expect(bridge.inputsOf('changes.previewRedo')).toMatchObject([{ conversationId: 'c1' }])
  expect(useSession.getState().conversationId).toBe('c1')
})

test('only the files go back if the user keeps the conversation', async () => {
  act(() => setContinues(false))
  await act(() => applyUndo())
  expect(bridge.inputsOf('changes.undo')).toMatchObject([{ continues: false }])
  expect(useSession.getState().conversationId).not.toBe('c2')
})

test('the newest rows are marked as taken out too, from the message on', () => {
  useConversation.setState({ agents: new Map([['main', { parentId: null } as never]]) })
  const row = (seq: number, text: string) => ({ kind: 'text' as const, key: `${seq}`, seq, at: 0, text })
  const rows = [row(8, 'Before it.'), row(9, 'The message.'), row(12, 'The answer.')]
  const streamed = new StreamedTexts()
  const surroundings = {
    ...{ agentId: 'main', openFile: () => undefined, openLink: () => undefined, openAgent: null },
    ...{ folds: new FoldStates(), streamed },
  }
  const { container } = render(
    <SurroundingsContext value={surroundings}>
      <TailRows agentId="main" rows={rows} version={1} start={0} kinds="" streamed={streamed} />
    </SurroundingsContext>,
  )
  expect(screen.getByText('The answer.')).toBeTruthy()
  const marked = () =>
    [...container.querySelectorAll('[data-row]')].map((one) => one.classList.contains('line-through'))
  expect(marked()).toEqual([false, true, true])
  act(() => setContinues(false))
  expect(marked()).toEqual([false, false, false])
})

test('the line of a message is reached with Tab, action by action', async () => {
  act(() => (document.activeElement as HTMLElement | null)?.blur())
  const reached: (string | null)[] = []
  for (let press = 0; press < 5; press += 1) {
    await user.tab()
    const { activeElement } = document
    reached.push(activeElement?.getAttribute('aria-label') ?? activeElement?.textContent ?? null)
  }
  expect(reached).toEqual([
    'Copy message',
    'Branch from here',
    'Edit and resend',
    'Back to here…',
    'Changes: 2 files, 1 command',
  ])
})

import { act, cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ChangesList, ListedCall, ListedFile, UndoPreview } from '../../../shared/changes.ts'
import { ChangesView } from '../../features/changes/changes-view.tsx'
import { showChanges, useChangesOf } from '../../stores/changes-store.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { onNotice } from '../../stores/notice-store.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { Refusal } from '../../testing/refusal.ts'
import { startWindow } from '../../testing/start-window.tsx'
import { TooltipProvider } from '../../ui/tooltip.tsx'

const user = userEvent.setup()
let bridge: FakeBridge

function file(shown: string, more: Partial<ListedFile> = {}): ListedFile {
  return {
    path: `/work/shop/${shown}`,
    shown,
    before: null,
    after: null,
    added: 2,
    removed: 1,
    renamedFrom: null,
    kept: 'yes',
    maybeBy: [],
    letter: 'M',
    undone: false,
    alsoBy: [],
    cannot: null,
    ...more,
  }
}

function call(toolUseId: string, files: readonly ListedFile[], more: Partial<ListedCall> = {}): ListedCall {
  return {
    agentId: 'a',
    toolUseId,
    order: 1,
    at: 0,
    cause: 'tool',
    label: 'Edit',
    files,
    ignored: 0,
    note: '',
    messageSeq: null,
    ...more,
  }
}

const LIST: ChangesList = {
  conversationId: 'c1',
  agents: [{ agentId: 'a', name: 'refactorer', color: 'orange', worktree: null }],
  messages: [],
  calls: [
    call('t1', [file('charge.ts')]),
    call('t2', [file('charge.ts', { added: 3, removed: 0 })]),
    call('t3', [file('old.ts', { letter: 'A', undone: true })]),
    call('t4', [file('big.bin', { cannot: 'The file is over 32 MB.', added: null, removed: null })]),
    call('t5', [file('refund.ts')], { cause: 'command', label: 'npm run codemod', ignored: 212 }),
  ],
  user: [{ path: '/work/shop/mine.ts', shown: 'mine.ts', at: 0, letter: 'M' }],
  redo: null,
  kept: { days: 30, bytes: 0 },
}

const PREVIEW: UndoPreview = {
  scope: { kind: 'agent', agentId: 'a' },
  redoOf: null,
  version: 'v1',
  files: [
    {
      path: '/work/shop/new.ts',
      shown: 'new.ts',
      action: 'deleted',
      reason: 'refactorer made it',
      added: 0,
      removed: 1,
      conflict: null,
    },
    {
      path: '/work/shop/charge.ts',
      shown: 'charge.ts',
      action: 'choose',
      reason: 'You changed line 3 later',
      added: 1,
      removed: 1,
      conflict: { with: ['user'], lines: [{ from: 3, to: 3 }], choice: 'leave' },
    },
  ],
  notUndone: [],
  messages: 0,
  stops: [],
  messageText: '',
}

beforeEach(async () => {
  bridge = await startWindow()
  bridge.answer({
    'changes.list': () => LIST,
    'changes.preview': () => PREVIEW,
    'changes.file': () => ({ kind: 'text', before: 'one\n', after: 'two\n' }),
    'changes.undo': () => ({
      undoId: 'u1',
      restored: 0,
      merged: 0,
      deleted: 1,
      left: [{ shown: 'charge.ts', reason: 'left' }],
      conversationId: null,
    }),
  })
  useConversation.setState({ conversationId: 'c1' })
  render(
    <TooltipProvider>
      <Shown />
    </TooltipProvider>,
  )
  await screen.findByRole('region', { name: 'refactorer' })
})
afterEach(() => {
  cleanup()
  act(() => showChanges(false))
})

function Shown() {
  useChangesOf('c1')
  return <ChangesView />
}

async function askAgent() {
  await user.click(screen.getByRole('button', { name: 'Undo what refactorer changed…' }))
  return screen.findByRole('region', { name: 'Undo what refactorer changed' })
}

test('the list has one row for each file of an agent, its commands, and what an undo leaves', () => {
  const group = within(screen.getByRole('region', { name: 'refactorer' }))
  expect(group.getByRole('button', { name: /charge\.ts/ }).textContent).toBe('Mchanged charge.ts+5−1')
  expect(group.getByRole('button', { name: /old\.ts/ }).textContent).toContain('undone')
  expect(group.getByText(/Can’t be undone: The file is over 32 MB/)).toBeTruthy()
  expect(group.getByText('npm run codemod')).toBeTruthy()
  expect(group.getByText(/212 ignored files changed, not kept/)).toBeTruthy()
  expect(within(screen.getByRole('region', { name: 'You' })).getByText('mine.ts')).toBeTruthy()
})

test('a file of a command shows only the changes of that command', async () => {
  await user.click(screen.getByRole('button', { name: /refund\.ts/ }))
  const diff = await screen.findByRole('region', { name: 'Changes of refund.ts' })
  expect(diff.textContent).toContain('two')
  expect(bridge.inputsOf('changes.file').at(-1)).toMatchObject({ agentId: 'a', toolUseId: 't5' })
})

test('the preview says what happens to each file, and Escape closes it without an undo', async () => {
  const panel = await askAgent()
  expect(document.activeElement).toBe(panel)
  expect(await within(panel).findByText('is deleted')).toBeTruthy()
  expect(within(panel).getByText('you decide')).toBeTruthy()
  await user.keyboard('{Escape}')
  expect(screen.queryByRole('region', { name: 'Undo what refactorer changed' })).toBeNull()
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Undo what refactorer changed…' }))
  expect(bridge.inputsOf('changes.undo')).toEqual([])
})

test('a choice is sent with the next preview and with the undo', async () => {
  const notices: string[] = []
  const stop = onNotice(({ text }) => notices.push(text))
  const panel = within(await askAgent())
  await user.click(await panel.findByRole('radio', { name: 'Keep later lines' }))
  const choices = { '/work/shop/charge.ts': 'keep' }
  expect(bridge.inputsOf('changes.preview').at(-1)).toMatchObject({ choices })
  await user.click(await panel.findByRole('button', { name: 'Undo: delete 1, decide 1' }))
  expect(bridge.inputsOf('changes.undo')).toEqual([
    { conversationId: 'c1', scope: PREVIEW.scope, version: 'v1', choices, continues: false },
  ])
  expect(notices).toEqual(['Undone: 1 deleted, 1 left as they are.'])
  stop()
})

test('a file that changed since the preview leads to a new preview, with the reason', async () => {
  bridge.answer({
    'changes.undo': () => {
      throw new Refusal('charge.ts changed since the preview.', 'moved')
    },
  })
  const panel = within(await askAgent())
  await user.click(await panel.findByRole('button', { name: /^Undo:/ }))
  expect((await panel.findByRole('alert')).textContent).toBe('charge.ts changed since the preview.')
  expect(bridge.inputsOf('changes.preview')).toHaveLength(2)
})

test('after a choice nothing is undone before its own preview is there', async () => {
  const panel = within(await askAgent())
  await panel.findByRole('button', { name: /^Undo:/ })
  bridge.answer({ 'changes.preview': () => new Promise(() => {}) })
  await user.click(panel.getByRole('radio', { name: 'Keep later lines' }))
  const apply = panel.getByRole('button', { name: /^Undo:/ })
  expect(apply.hasAttribute('disabled') || apply.getAttribute('aria-disabled') === 'true').toBe(true)
  await user.click(apply)
  expect(bridge.inputsOf('changes.undo')).toEqual([])
})

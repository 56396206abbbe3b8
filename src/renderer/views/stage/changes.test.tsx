import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ChangesList, ListedCall, ListedFile, UndoPreview } from '../../../shared/changes/changes.ts'
import { ChangesView } from '../../features/changes/changes-view.tsx'
import { openChanges, showChanges, useChanges, useChangesOf } from '../../stores/changes-store.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { onNotice } from '../../stores/overlay-store.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { Refusal } from '../../testing/fake-handlers.ts'
import { startWindow } from '../../testing/start-window.tsx'
import { TooltipProvider } from '../../ui/popover.tsx'

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
  user: [{ path: '/work/shop/mine.ts', shown: 'mine.ts', at: 0, since: 0, letter: 'M' }],
  undos: [],
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
  // No layout here: every element gets the same size.
  for (const size of ['clientHeight', 'clientWidth', 'offsetHeight', 'offsetWidth'] as const)
    vi.spyOn(HTMLElement.prototype, size, 'get').mockReturnValue(1000)
  bridge = await startWindow()
  bridge.answer({
    'changes.list': () => LIST,
    'changes.preview': () => PREVIEW,
    'changes.history': () => null,
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
  await screen.findByRole('button', { name: /^refactorer/ })
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

const rows = () => within(screen.getByRole('region', { name: 'Changed files' }))
const fileRow = (name: RegExp) => rows().getByRole('button', { name })

test('at a past moment changes are undone, or not yet, as they were then', async () => {
  const key = { agentId: 'a', toolUseId: 't2', path: '/work/shop/charge.ts' }
  const calls = [
    call('t1', [file('first.ts')], { order: 1 }),
    call('t2', [file('charge.ts', { undone: true })], { order: 3 }),
    call('t3', [file('late.ts')], { order: 8 }),
  ]
  const undos = [{ order: 6, isRedo: false, changes: [key] }]
  bridge.answer({ 'changes.list': () => ({ ...LIST, calls, undos, user: [] }) })
  cleanup()
  render(
    <TooltipProvider>
      <Shown />
    </TooltipProvider>,
  )
  const at = (order: number) => {
    act(() => useConversation.setState({ lastOrder: order, pastAt: order }))
    const { list } = useChanges.getState()
    return list?.calls.flatMap(({ files }) => files.map(({ shown, undone }) => `${shown} ${undone}`))
  }
  await waitFor(() => expect(useChanges.getState().whole?.undos).toEqual(undos))
  expect(at(3)).toEqual(['first.ts false', 'charge.ts false'])
  expect(at(6)).toEqual(['first.ts false', 'charge.ts true'])
  expect(at(5)).toEqual(['first.ts false', 'charge.ts false'])
  expect(at(2)).toEqual(['first.ts false'])
  act(() => useConversation.setState({ pastAt: null }))
  expect(useChanges.getState().list?.calls).toEqual(calls)
})

test('the list has one row for each file of an agent, its commands, and what an undo leaves', () => {
  const list = rows()
  expect(fileRow(/charge\.ts/).textContent).toBe('Mchanged charge.ts+5−1')
  expect(fileRow(/old\.ts/).textContent).toContain('undone')
  expect(list.getByText(/Can’t be undone: The file is over 32 MB/)).toBeTruthy()
  expect(list.getByText('npm run codemod')).toBeTruthy()
  expect(list.getByText(/212 other files changed too/)).toBeTruthy()
  expect(list.getByRole('button', { name: 'You 1 file, never touched by an undo' })).toBeTruthy()
  expect(list.getByText('mine.ts')).toBeTruthy()
})

test('a group folds and opens', async () => {
  await user.click(rows().getByRole('button', { name: /^refactorer/ }))
  expect(rows().queryByRole('button', { name: /charge\.ts/ })).toBeNull()
  await user.click(rows().getByRole('button', { name: /^refactorer/ }))
  expect(fileRow(/charge\.ts/)).toBeTruthy()
})

test('by message, the newest message is first and names the agent of each file', async () => {
  const messages = [
    { seq: 3, order: 3, at: 0, text: 'First' },
    { seq: 9, order: 9, at: 0, text: 'Second' },
  ]
  const calls = LIST.calls.map((one, index) => ({ ...one, messageSeq: index < 3 ? 3 : 9 }))
  act(() => useChanges.setState({ list: { ...LIST, messages, calls } }))
  await user.click(screen.getByRole('radio', { name: 'By message' }))
  const heads = rows().getAllByRole('button', { expanded: true })
  expect(heads.map(({ textContent }) => textContent?.replace(/^\d\d:\d\d /, ''))).toEqual([
    'Second',
    'First',
    'You1 file, never touched by an undo',
  ])
  expect(fileRow(/refund\.ts/).textContent).toContain('by refactorer')
  await user.click(rows().getByRole('button', { name: /before “Second”…$/ }))
  expect(bridge.inputsOf('changes.preview').at(-1)).toMatchObject({ scope: { kind: 'message', seq: 9 } })
})

test('2,000 files are listed, and only those in view are in the page', async () => {
  const files = Array.from({ length: 2000 }, (_, index) => file(`f${index}.ts`))
  act(() => useChanges.setState({ list: { ...LIST, calls: [call('t1', files)] } }))
  expect(rows().getByRole('button', { name: /^refactorer ?2,000 files/ })).toBeTruthy()
  expect(rows().getAllByRole('button').length).toBeLessThan(150)
})

test('a file of a command shows only the changes of that command', async () => {
  await user.click(fileRow(/refund\.ts/))
  const diff = await screen.findByRole('region', { name: 'Changes of refund.ts' })
  expect(diff.textContent).toContain('two')
  expect(bridge.inputsOf('changes.file').at(-1)).toMatchObject({ agentId: 'a', toolUseId: 't5' })
})

test('changed lines name their authors, and a filter shows only one of them', async () => {
  const far = Array.from({ length: 20 }, (_, index) => `line ${index}`)
  const text = (lines: readonly string[]) => `${lines.join('\n')}\n`
  const [agents, mine] = [
    ['theirs', ...far.slice(1)],
    ['theirs', ...far.slice(1, 19), 'mine'],
  ]
  bridge.answer({
    'changes.history': () => ({
      first: text(far),
      steps: [
        { agentId: 'a', toolUseId: 't1', at: 0, text: text(agents) },
        { agentId: null, toolUseId: null, at: 0, text: text(mine) },
      ],
    }),
  })
  act(() => useChanges.setState({ list: { ...LIST } }))
  const diff = () => screen.getByRole('region', { name: 'Changes of charge.ts' }).textContent
  await waitFor(() => expect(diff()).toMatch(/refactorer, .*theirs.*You, .*mine/))
  expect(screen.getByText('You changed 2 lines here. An undo leaves your changes.')).toBeTruthy()
  await user.click(screen.getByRole('radio', { name: 'You' }))
  expect(diff()).not.toContain('theirs')
  await user.click(screen.getByRole('radio', { name: 'refactorer' }))
  expect(diff()).not.toContain('mine')
})

test('the keys select files, go to changes and back, undo, and open in the editor', async () => {
  bridge.answer({
    'changes.history': () => ({
      first: 'one\n',
      steps: [{ agentId: 'a', toolUseId: 't1', at: 0, text: 'two\n' }],
    }),
    'system.openFile': () => undefined,
  })
  act(() => useChanges.setState({ list: { ...LIST } }))
  act(() => openChanges('/work/shop/charge.ts'))
  expect(document.activeElement).toBe(fileRow(/charge\.ts/))
  await user.keyboard('jk')
  expect(document.activeElement).toBe(fileRow(/charge\.ts/))
  await user.keyboard('j')
  expect(document.activeElement).toBe(fileRow(/old\.ts/))
  await user.keyboard('k')
  await screen.findByRole('region', { name: 'Changes of charge.ts' })
  await user.keyboard('n')
  expect(document.activeElement?.textContent).toContain('one')
  await user.keyboard('{Escape}')
  expect(document.activeElement).toBe(fileRow(/charge\.ts/))
  await user.keyboard('{Enter}')
  expect(document.activeElement).toBe(screen.getByRole('region', { name: 'Changes of charge.ts' }))
  await user.keyboard('o')
  expect(bridge.inputsOf('system.openFile').at(-1)).toMatchObject({ path: '/work/shop/charge.ts' })
  await user.keyboard('u')
  expect(bridge.inputsOf('changes.preview').at(-1)).toMatchObject({
    scope: { kind: 'file', path: '/work/shop/charge.ts', agentId: 'a' },
  })
  await user.keyboard('{Escape}')
  await user.keyboard('U')
  expect(bridge.inputsOf('changes.preview').at(-1)).toMatchObject({ scope: { kind: 'agent', agentId: 'a' } })
})

test('letters do nothing while the focus is elsewhere', async () => {
  act(() => (document.activeElement instanceof HTMLElement ? document.activeElement.blur() : undefined))
  await user.keyboard('ujn')
  expect(bridge.inputsOf('changes.preview')).toEqual([])
})

test('an undone change is not undone again', async () => {
  const notices: string[] = []
  const stop = onNotice(({ text }) => notices.push(text))
  act(() => openChanges('/work/shop/old.ts'))
  await user.keyboard('u')
  expect(notices).toEqual(['This change is already undone.'])
  expect(bridge.inputsOf('changes.preview')).toEqual([])
  stop()
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
  await user.click(await panel.findByRole('radio', { name: 'Keep my line 3' }))
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
  await user.click(panel.getByRole('radio', { name: 'Keep my line 3' }))
  const apply = panel.getByRole('button', { name: /^Undo:/ })
  expect(apply.hasAttribute('disabled') || apply.getAttribute('aria-disabled') === 'true').toBe(true)
  await user.click(apply)
  expect(bridge.inputsOf('changes.undo')).toEqual([])
})

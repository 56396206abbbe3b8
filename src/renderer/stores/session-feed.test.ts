import { beforeEach, expect, test } from 'vitest'
import type { CommandOutput } from '../../shared/ipc/ipc-contract.ts'
import { defaultSettings } from '../../shared/settings/settings.ts'
import type { ConversationSummary } from '../../shared/state/conversation-summary.ts'
import type { StartInfo } from '../../shared/window/contract.ts'
import { deferred } from '../testing/deferred.ts'
import { type FakeBridge, installFakeBridge } from '../testing/fake-bridge.ts'
import { API, connectStores, FOLDER, summaryOf } from '../testing/start-window.tsx'
import { branchAt, send } from './conversation-actions.ts'
import { useConversation } from './conversation-store.ts'
import { restoreConversation, trashConversation } from './listed-conversations.ts'
import { type Notice, onNotice } from './overlay-store.ts'
import { openFolder, startSession } from './session-feed.ts'
import { setView, useSession } from './session-store.ts'
import { leaveScratch, openConversation, showScratch } from './shown-conversation.ts'

let bridge: FakeBridge
let disconnect = () => {}
const get = useSession.getState

type Loaded = CommandOutput<'folder.definitions'>
const NONE: Loaded = { definitions: [], problems: [] }

const START: StartInfo = {
  version: '0.1.0',
  platform: 'linux',
  dataFolder: '/data',
  settings: defaultSettings,
  access: API,
  folder: FOLDER,
  coordinatorMode: null,
  electron: '',
}

beforeEach(() => {
  disconnect()
  localStorage.clear()
  bridge = installFakeBridge({
    start: () => START,
    'conversation.list': () => [],
    'folder.definitions': () => NONE,
    'folder.open': ({ path }) => ({ ...FOLDER, path, name: path.split('/').at(-1) ?? '' }),
    'conversation.subscribe': () => {
      throw new Error('It is not read in this test.')
    },
  })
  disconnect = connectStores(() => {})
})

test('a command that changed instructions makes the window count those that wait', async () => {
  await startSession()
  bridge.answer({ 'folder.definitions': () => ({ ...NONE, waitingTexts: 1 }) })
  const base = { v: 2, agentId: 'a-1', seq: 1, order: 1, at: 1, type: 'notice', level: 'warning' } as const
  bridge.push({ type: 'event', event: { ...base, text: 'A retry.' } } as never)
  bridge.push({
    type: 'event',
    event: { ...base, text: 'A command changed CLAUDE.md.', path: '/p/CLAUDE.md' },
  } as never)
  await expect.poll(() => get().waitingTexts).toBe(1)
})

test('the first frame has the folder, so it does not ask for one', async () => {
  const frames: (string | null)[] = []
  const stop = useSession.subscribe(({ phase, folder }) => {
    if (phase === 'ready') frames.push(folder?.path ?? null)
  })
  await startSession()
  stop()
  expect(new Set(frames)).toEqual(new Set([FOLDER.path]))
})

test('the window opens before the conversation list has loaded, and shows the last conversation at once', async () => {
  localStorage.setItem(`last-conversation:${FOLDER.path}`, 'c1')
  const list = deferred<readonly ConversationSummary[]>()
  bridge.answer({ 'conversation.list': () => list.promise })
  const started = startSession()
  await expect.poll(() => get().phase).toBe('ready')
  expect(get()).toMatchObject({ conversationId: 'c1', listed: false })
  bridge.push({ type: 'conversation', summary: summaryOf('c2', { title: 'told meanwhile', updatedAt: 9 }) })
  list.resolve([summaryOf('c1', { updatedAt: 5 }), summaryOf('c2', { title: 'older', updatedAt: 2 })])
  await started
  expect(get().conversations.map((summary) => summary.title)).toEqual(['told meanwhile', 'Conversation c1'])
  expect(get().conversationId).toBe('c1')
})

test('of two answers about the agents the later request counts, whichever answer comes last', async () => {
  await startSession()
  const [first, second] = [deferred<Loaded>(), deferred<Loaded>()]
  const answers = [first, second].values()
  bridge.answer({ 'folder.definitions': () => answers.next().value?.promise ?? NONE })
  const changed = () => bridge.push({ type: 'definitions', folder: FOLDER.path })
  changed()
  changed()
  second.resolve({ definitions: [], problems: [{ file: 'a.md', message: 'new' }] })
  await expect.poll(() => get().definitionProblems).toMatchObject([{ message: 'new' }])
  first.resolve({ definitions: [], problems: [{ file: 'a.md', message: 'old' }] })
  await new Promise((resolve) => setImmediate(resolve))
  expect(get().definitionProblems).toMatchObject([{ message: 'new' }])
})

test('a deleted last conversation leads to a new one', async () => {
  localStorage.setItem(`last-conversation:${FOLDER.path}`, 'gone')
  await startSession()
  expect(get()).toMatchObject({ conversationId: null, listed: true })
  expect(useConversation.getState().phase).toBe('none')
})

test('a failed start shows the reason and can be retried', async () => {
  let broken = true
  bridge.answer({
    start: () => {
      if (broken) throw new Error('The data folder cannot be read.')
      return START
    },
  })
  await startSession()
  expect(get()).toMatchObject({ phase: 'failed', failure: 'The data folder cannot be read.' })
  broken = false
  await startSession()
  expect(get().phase).toBe('ready')
})

test('opening a conversation of another folder opens the folder, too', async () => {
  bridge.answer({ 'conversation.list': () => [summaryOf('far', { folder: '/work/other' })] })
  await startSession()
  await openConversation('far')
  expect(get().folder?.path).toBe('/work/other')
  expect(bridge.inputsOf('folder.definitions').at(-1)).toEqual({ path: '/work/other' })
})

test('a folder opened from outside is shown; a folder that only changed is not', async () => {
  await startSession()
  bridge.push({ type: 'folder', folder: { ...FOLDER, path: '/work/second', name: 'second' } })
  expect(get().folder?.name).toBe('shop')
  bridge.push({ type: 'folder', folder: { ...FOLDER, dirtyFiles: 7 } })
  expect(get().folder?.dirtyFiles).toBe(7)
  bridge.push({ type: 'folder', folder: { ...FOLDER, path: '/work/second', name: 'second' }, opened: true })
  expect(get().folder?.name).toBe('second')
})

test('a trashed conversation can be restored, and is shown again if it was shown before', async () => {
  bridge.answer({
    'conversation.list': () => [summaryOf('c1')],
    'conversation.restore': () => summaryOf('c1'),
  })
  await startSession()
  await openConversation('c1')
  const notices: Notice[] = []
  const stop = onNotice((notice) => notices.push(notice))
  await trashConversation('c1')
  stop()
  expect(get()).toMatchObject({ conversations: [], conversationId: null })
  notices[0]?.action?.run()
  await expect.poll(() => get().conversationId).toBe('c1')
  expect(get().conversations.map((summary) => summary.id)).toEqual(['c1'])
})

test('a conversation deleted elsewhere leaves the screen', async () => {
  bridge.answer({ 'conversation.list': () => [summaryOf('c1')] })
  await startSession()
  await openConversation('c1')
  bridge.push({ type: 'conversation-gone', conversationId: 'c1' })
  expect(get()).toMatchObject({ conversations: [], conversationId: null })
})

test('a scratch conversation is unlisted, shown temporarily, and restores the previous one', async () => {
  bridge.answer({ 'conversation.list': () => [summaryOf('c1'), summaryOf('try-1', { scratch: true })] })
  await startSession()
  await openConversation('c1')
  bridge.push({ type: 'conversation', summary: summaryOf('try-2', { scratch: true }) })
  expect(get().conversations.map(({ id }) => id)).toEqual(['c1'])
  setView('agents')
  await showScratch('try-1')
  await showScratch('try-2')
  expect(get()).toMatchObject({ conversationId: 'try-2', view: 'agents' })
  expect(localStorage.getItem(`last-conversation:${FOLDER.path}`)).toBe('c1')
  await leaveScratch()
  expect(get()).toMatchObject({ conversationId: 'c1', scratch: null, view: 'agents' })
})

test('the end of a scratch conversation restores the stage, unless another conversation was selected', async () => {
  bridge.answer({ 'conversation.list': () => [summaryOf('c1'), summaryOf('c2')] })
  await startSession()
  await openConversation('c1')
  setView('agents')
  await showScratch('try-1')
  bridge.push({ type: 'conversation-gone', conversationId: 'try-1' })
  expect(get()).toMatchObject({ conversationId: 'c1', view: 'agents' })
  await showScratch('try-2')
  await openConversation('c2')
  await leaveScratch()
  expect(get()).toMatchObject({ conversationId: 'c2', view: 'stage' })
  await showScratch('try-3')
  bridge.push({ type: 'conversation-gone', conversationId: 'c2' })
  await leaveScratch()
  expect(get().conversationId).toBeNull()
})

test('the agents view stays open when another folder opens, and follows agent changes', async () => {
  await startSession()
  setView('agents')
  bridge.push({ type: 'folder', folder: { ...FOLDER, path: '/work/other', name: 'other' }, opened: true })
  await expect.poll(() => get().folder?.name).toBe('other')
  expect(get().view).toBe('agents')
  const before = bridge.inputsOf('folder.definitions').length
  bridge.push({ type: 'definitions', folder: FOLDER.path })
  bridge.push({ type: 'definitions', folder: '/work/other' })
  expect(bridge.inputsOf('folder.definitions').slice(before)).toEqual([{ path: '/work/other' }])
})

/** Each action shows the stage, or its conversation, when an answer has arrived. */
const LATE: readonly {
  readonly action: string
  readonly answers: 'conversation.create' | 'conversation.restore' | 'conversation.branch' | 'folder.open'
  readonly run: () => Promise<unknown>
}[] = [
  {
    action: 'the first message of a new conversation',
    answers: 'conversation.create',
    run: () => send({ agentId: null, content: 'Hello' }),
  },
  { action: 'a restore', answers: 'conversation.restore', run: () => restoreConversation('late', true) },
  { action: 'a branch', answers: 'conversation.branch', run: () => branchAt(3, null) },
  { action: 'a folder', answers: 'folder.open', run: () => openFolder('/work/cart') },
  {
    action: 'a conversation of another folder',
    answers: 'folder.open',
    run: () => openConversation('elsewhere'),
  },
]

test.for(LATE)('$action does not undo a view that the user chose meanwhile', async ({ answers, run }) => {
  await startSession()
  if (answers === 'conversation.branch') await openConversation('c1')
  useSession.setState({
    conversations: [summaryOf('c1'), summaryOf('elsewhere', { folder: '/work/cart' })],
    view: 'stage',
  })
  const arrived = deferred<void>()
  const summary = async () => {
    await arrived.promise
    return summaryOf('late')
  }
  bridge.answer({
    'conversation.create': summary,
    'conversation.restore': summary,
    'conversation.branch': summary,
    'folder.open': async () => {
      await arrived.promise
      return { ...FOLDER, path: '/work/cart', name: 'cart' }
    },
  })
  const acting = run()
  await expect.poll(() => bridge.inputsOf(answers)).toHaveLength(1)
  setView('teams')
  arrived.resolve()
  await acting
  await expect
    .poll(() => (answers === 'folder.open' ? get().folder?.path : get().conversationId))
    .toBe(answers === 'folder.open' ? '/work/cart' : 'late')
  expect(get().view).toBe('teams')
})

test('a conversation that the window creates late does not replace one that the user opened meanwhile', async () => {
  await startSession()
  const created = deferred<ConversationSummary>()
  bridge.answer({ 'conversation.create': () => created.promise })
  const sending = send({ agentId: null, content: 'Hello' })
  await openConversation('c1')
  created.resolve(summaryOf('late'))
  await sending
  expect(get().conversationId).toBe('c1')
})

test('a deleted conversation leaves the view as it is', async () => {
  await startSession()
  await openConversation('c1')
  setView('review')
  bridge.push({ type: 'conversation-gone', conversationId: 'c1' })
  expect(get()).toMatchObject({ conversationId: null, view: 'review' })
})

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { DraftToStore, StoredDraft } from '../../shared/messages/draft.ts'
import { type FakeBridge, installFakeBridge } from '../testing/fake-bridge.ts'
import {
  changeDraft,
  clearDraft,
  draftOf,
  lineDraftKey,
  saveNow,
  startDraftSaving,
  useDrafts,
} from './draft-store.ts'
import { onNotice } from './overlay-store.ts'

let bridge: FakeBridge
let stop = () => {}
let stored: StoredDraft[] = []
const saves = () => bridge.inputsOf('draft.save') as DraftToStore[]
const settled = () => vi.advanceTimersByTimeAsync(0)

beforeEach(() => {
  vi.useFakeTimers()
  stored = []
  useDrafts.setState({ drafts: {} })
  bridge = installFakeBridge({ 'draft.list': () => stored })
})
afterEach(() => {
  stop()
  vi.useRealTimers()
})

const start = async () => {
  stop = startDraftSaving()
  await settled()
}

test('typing is stored soon, also without a pause, and not with each key', async () => {
  await start()
  for (let keys = 1; keys <= 10; keys += 1) {
    changeDraft('c1', { text: 'x'.repeat(keys) })
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(saves().map(({ text }) => text.length)).toEqual([4, 8])
  await vi.advanceTimersByTimeAsync(400)
  expect(saves().at(-1)).toEqual({
    place: 'c1',
    text: 'x'.repeat(10),
    recipientId: null,
    attachments: [],
    added: [],
  })
})

test('the message field of a panel is stored too, and a sent draft is emptied', async () => {
  await start()
  changeDraft(lineDraftKey('a1'), { text: 'hurry' })
  await saveNow()
  clearDraft(lineDraftKey('a1'))
  await saveNow()
  expect(saves().map(({ place, text }) => [place, text])).toEqual([
    ['agent:a1', 'hurry'],
    ['agent:a1', ''],
  ])
})

test('the content of an attachment is stored once; its removal is stored', async () => {
  await start()
  changeDraft('c1', { pasted: [{ key: 'p-1', text: 'long' }] })
  await saveNow()
  changeDraft('c1', { text: 'see above' })
  await saveNow()
  changeDraft('c1', { pasted: [] })
  await saveNow()
  expect(saves().map(({ attachments, added }) => [attachments, added.length])).toEqual([
    [['p-1'], 1],
    [['p-1'], 0],
    [[], 0],
  ])
})

test('stored drafts come back with text, recipient and attachments, in front of what was typed meanwhile', async () => {
  stored = [
    {
      place: 'c1',
      text: 'before ',
      recipientId: 'a1',
      attachments: [{ kind: 'pasted', key: 'p-1', text: 'long' }],
    },
  ]
  stop = startDraftSaving()
  changeDraft('c1', { text: 'and after' })
  await settled()
  expect(draftOf('c1')).toEqual({
    text: 'before and after',
    recipientId: 'a1',
    pasted: [{ key: 'p-1', text: 'long' }],
    images: [],
  })
  await saveNow()
  expect(saves()).toMatchObject([{ text: 'before and after', attachments: ['p-1'], added: [] }])
})

test('a draft that cannot be stored says so once, and is stored whole with its next change', async () => {
  await start()
  const notices: string[] = []
  const silence = onNotice(({ text }) => notices.push(text))
  bridge.answer({
    'draft.save': () => {
      throw new Error('The disk is full.')
    },
  })
  changeDraft('c1', { pasted: [{ key: 'p-1', text: 'long' }] })
  await saveNow()
  changeDraft('c1', { text: 'a' })
  await saveNow()
  expect(notices).toEqual(['The disk is full.'])
  bridge.answer({ 'draft.save': () => undefined })
  changeDraft('c1', { text: 'ab' })
  await saveNow()
  expect(saves().at(-1)?.added).toHaveLength(1)
  silence()
})

test('what is unsaved when the window closes is stored', async () => {
  await start()
  changeDraft('c1', { text: 'last words' })
  window.dispatchEvent(new Event('pagehide'))
  await settled()
  expect(saves().map(({ text }) => text)).toEqual(['last words'])
})

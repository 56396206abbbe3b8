import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sampleDefinition } from '../../shared/testing/sample-events.ts'
import { SampleLog } from '../../shared/testing/sample-log.ts'
import { type FakeBridge, installFakeBridge } from '../testing/fake-bridge.ts'
import { changeColumnWidths, useColumnWidths } from './column-widths.ts'
import { useConversation } from './conversation-store.ts'
import {
  applyLayout,
  deleteLayout,
  layoutNamed,
  renameLayout,
  saveLayout,
  useNamedLayouts,
} from './named-layouts.ts'
import { type Notice, onNotice } from './overlay-store.ts'
import { useOwnWindows } from './own-windows.ts'
import { recall, remember, type StageMemory, useStageMemory } from './stage-store.ts'

let bridge: FakeBridge
let notices: Notice[]
let stop: () => void

beforeEach(() => {
  localStorage.clear()
  useNamedLayouts.setState({ all: [], dialog: null })
  bridge = installFakeBridge({ 'agentWindow.open': () => undefined, 'agentWindow.close': () => undefined })
  notices = []
  stop = onNotice((notice) => notices.push(notice))
  useOwnWindows.setState({ agentIds: new Set() })
  changeColumnWidths({ side: null, talk: null })
})
afterEach(() => {
  stop()
  vi.unstubAllGlobals()
})

/** Shows a conversation with a subagent of each type. */
function show(conversationId: string, agents: Readonly<Record<string, string>>) {
  const log = new SampleLog({ conversationId })
  log.spawn('main', { parentId: null })
  for (const [id, type] of Object.entries(agents))
    log.spawn(id, { parentId: 'main', definition: sampleDefinition({ name: type }) })
  const ids = ['main', ...Object.keys(agents)]
  useConversation.setState({ conversationId, agents: new Map(ids.map((id) => [id, log.stateOf(id)])) })
  recall(conversationId)
}
const memory = (): StageMemory => useStageMemory.getState().memory
const names = () => useNamedLayouts.getState().all.map(({ name }) => name)
const opened = () => bridge.inputsOf('agentWindow.open').map(({ agentId }) => agentId)

test('a layout brings back layout, panels, pins, widths and windows, and nothing of the tree', () => {
  show('c1', { a: 'Explore', b: 'refactorer', c: 'Explore' })
  remember({ layout: 'columns', pinned: ['b'], collapsed: ['a'] })
  useStageMemory.setState({ shown: ['c', 'b'] })
  changeColumnWidths({ side: 200, talk: 500 })
  useOwnWindows.setState({ agentIds: new Set(['a', 'of another conversation']) })
  expect(saveLayout('Review')).toBeNull()

  remember({ layout: 'grid', pinned: [], collapsed: [] })
  changeColumnWidths({ side: null, talk: null })
  useOwnWindows.setState({ agentIds: new Set(['b']) })
  applyLayout('review')
  expect(memory()).toMatchObject({ layout: 'columns', pinned: ['b'], collapsed: [] })
  expect(useStageMemory.getState().wanted).toEqual(['c', 'b'])
  expect(useColumnWidths.getState()).toEqual({ side: 200, talk: 500 })
  expect(opened()).toEqual(['a'])
  expect(bridge.inputsOf('agentWindow.close').map(({ agentId }) => agentId)).toEqual(['b'])
})

test('in another conversation places go to agents of the same type, then to the same number', () => {
  show('c1', { a: 'Explore', b: 'refactorer', c: 'doc-writer' })
  const dock = { panels: { b: { id: 'b', params: { agentId: 'b' } } }, grid: { data: ['b', 'c', 'a'] } }
  remember({ layout: 'free', dock })
  useStageMemory.setState({ shown: ['a', 'b', 'c'] })
  saveLayout('Work')

  show('c2', { x: 'refactorer', y: 'Explore', z: 'general-purpose' })
  applyLayout('Work')
  expect(memory()).toMatchObject({
    layout: 'free',
    dock: { panels: { x: { id: 'x', params: { agentId: 'x' } } }, grid: { data: ['x', 'z', 'y'] } },
  })
  expect(notices.at(-1)?.text).toBe('Layout “Work”')
})

test('places without an agent are left out and told', () => {
  show('c1', { a: 'Explore', b: 'refactorer' })
  remember({ layout: 'grid', pinned: ['a', 'b'] })
  saveLayout('Two')
  show('c2', { x: 'refactorer' })
  applyLayout('Two')
  expect(memory().pinned).toEqual(['x'])
  expect(notices.at(-1)?.text).toBe('Layout “Two”, without 1 agent that this conversation does not have')
  show('c3', {})
  applyLayout('Two')
  expect(memory()).toMatchObject({ layout: 'grid', pinned: [] })
})

test.each([
  ['', 'Enter a name.'],
  ['   ', 'Enter a name.'],
  ['x'.repeat(61), 'Use at most 60 characters.'],
  ['a\u202eb', 'The name has a character that can’t be seen.'],
])('the name %j is refused', (name, why) => {
  show('c1', {})
  expect(saveLayout(name)).toBe(why)
  saveLayout('Good')
  expect(renameLayout('Good', name)).toBe(why)
  expect(names()).toEqual(['Good'])
})

test('a layout of the same name is replaced; a rename to the name of another one is refused', () => {
  show('c1', {})
  remember({ layout: 'focus' })
  saveLayout('Review')
  remember({ layout: 'grid' })
  saveLayout('  REVIEW ')
  expect(useNamedLayouts.getState().all).toMatchObject([{ name: 'REVIEW', layout: 'grid' }])
  saveLayout('Other')
  expect(renameLayout('Other', 'review')).toBe('Another layout is named “review”.')
  expect(renameLayout('REVIEW', 'Review')).toBeNull()
  expect(names()).toEqual(['Other', 'Review'])
})

test('a deleted layout comes back with Undo, unless another one took its name', () => {
  show('c1', {})
  saveLayout('Review')
  deleteLayout('Review')
  expect(names()).toEqual([])
  const undo = notices.at(-1)?.action
  undo?.run()
  undo?.run()
  expect(names()).toEqual(['Review'])
})

test('layouts survive a restart, and what can’t be read of them is left out', async () => {
  show('c1', { a: 'Explore' })
  remember({ layout: 'focus', focused: 'a' })
  saveLayout('Review')
  const stored = JSON.parse(localStorage.getItem('troupe.layouts') ?? '[]')
  localStorage.setItem(
    'troupe.layouts',
    JSON.stringify([...stored, { name: '' }, 7, { name: 'x', layout: 'no' }]),
  )
  vi.resetModules()
  const later = await import('./named-layouts.ts')
  expect(later.useNamedLayouts.getState().all).toEqual([layoutNamed('Review')])
})

test('a storage that is full says so, and keeps the layouts as they were', () => {
  show('c1', {})
  vi.stubGlobal('localStorage', {
    setItem: () => {
      throw new Error('full')
    },
  })
  expect(saveLayout('Review')).toContain('could not be stored')
  expect(names()).toEqual([])
})

import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SampleLog, stateAfter } from '../../shared/testing/sample-log.ts'
import { Palette } from '../features/palette/palette.tsx'
import { useConversation } from '../stores/conversation-store.ts'
import { openConversation } from '../stores/shown-conversation.ts'
import { deferred } from '../testing/deferred.ts'
import { startWindow, summaryOf } from '../testing/start-window.tsx'
import { paletteCommands } from './palette-commands.ts'

/** The typed words, and the command that Enter runs. */
const WORDS: readonly (readonly [string, string])[] = [
  ['new', 'New conversation'],
  ['new agent', 'New agent…'],
  ['theme', 'Toggle theme'],
  ['dark', 'Dark theme'],
  ['light', 'Light theme'],
  ['system', 'System theme'],
  ['agents', 'Agents'],
  ['stage', 'Stage'],
  ['review', 'Review'],
  ['settings', 'Settings'],
  ['preferences', 'Settings'],
  ['delete', 'Move conversation to trash'],
  ['remove', 'Move conversation to trash'],
  ['trash', 'Deleted conversations…'],
  ['restore', 'Deleted conversations…'],
  ['empty', 'Deleted conversations…'],
  ['terminal', 'Open terminal'],
  ['shell', 'Open terminal'],
  ['layout', 'Choose panel layout…'],
  ['focus', 'Panel layout: Focus'],
  ['columns', 'Panel layout: Columns'],
  ['find', 'Find in conversation'],
  ['search', 'Find in conversation'],
  ['help', 'Keys and commands'],
  ['keys', 'Keys and commands'],
  ['shortcuts', 'Keys and commands'],
  ['rename', 'Rename conversation'],
  ['copy', 'Copy conversation'],
  ['model', 'Choose model…'],
  ['opus', 'Model: opus'],
  ['mode', 'Choose permission mode…'],
  ['plan', 'Permission mode: Plan only'],
  ['zoom', 'Zoom in'],
  ['larger text', 'Zoom in'],
  ['zoom out', 'Zoom out'],
  ['open', 'Open folder…'],
  ['sample', 'Open sample project'],
  ['cost', 'Conversation usage'],
  ['usage', 'Conversation usage'],
  ['context', 'Context window'],
  ['compaction', 'Context window'],
  ['limits', 'Conversation limits'],
  ['pause', 'Pause all agents'],
  ['stop', 'Stop all agents'],
  ['permission', 'Choose permission mode…'],
  ['questions', 'Pending questions'],
  ['NEW ', 'New conversation'],
]

const user = userEvent.setup()
const highlighted = () => screen.queryByRole('option', { selected: true })?.textContent ?? null
const ran = vi.fn<(title: string) => void>()

/** A window in which an agent, a conversation and files match every word of the table. */
beforeEach(async () => {
  ran.mockClear()
  const all = WORDS.map(([word]) => word.trim()).join(' ')
  const bridge = await startWindow({
    conversations: [summaryOf('c1', { title: all }), summaryOf('c2', { title: 'Refactor the cart' })],
  })
  bridge.answer({
    'folder.files': ({ query }) => [query, `src/${query}.ts`],
    'conversation.subscribe': () => {
      throw new Error('not needed here')
    },
  })
  await act(() => openConversation('c1'))
  const script = new SampleLog()
  const main = [script.spawn('main', { task: '' }), script.status('main', 'running')]
  const helper = [
    script.spawn('Explore', { parentId: 'main', task: all }),
    script.status('Explore', 'running'),
  ]
  useConversation.setState({
    conversationId: 'c1',
    readOnly: false,
    agents: new Map([main, helper].map(stateAfter).map((state) => [state.id, state])),
  })
  return bridge
})
afterEach(cleanup)

async function open(onOpenAgent: (id: string) => void = () => {}) {
  const commands = paletteCommands().map((entry) => ({ ...entry, run: () => ran(entry.title) }))
  render(<Palette open onClose={() => {}} commands={commands} onOpenAgent={onOpenAgent} />)
  await act(async () => {})
}

test.each(WORDS)('“%s” and Enter runs “%s”, before and after the files arrive', async (word, title) => {
  await open()
  await user.keyboard(word)
  expect(highlighted()?.startsWith(title)).toBe(true)
  await screen.findByText(`src/${word.trim()}.ts`)
  expect(highlighted()?.startsWith(title)).toBe(true)
  await user.keyboard('{Enter}')
  expect(ran.mock.calls).toEqual([[title]])
})

test('the name of an agent goes to the agent, not to a command for it', async () => {
  const opened: string[] = []
  await open((id) => opened.push(id))
  await user.keyboard('expl{Enter}')
  expect([opened, ran.mock.calls]).toEqual([['Explore'], []])
})

test('a verb with a name runs the command for the agent', async () => {
  await open()
  await user.keyboard('stop expl{Enter}')
  expect(ran.mock.calls.map(([title]) => title?.slice(0, 6))).toEqual(['Stop: '])
})

test('a row chosen with the arrow keys stays chosen when files arrive', async () => {
  const files = deferred<readonly string[]>()
  const bridge = await startWindow({})
  bridge.answer({ 'folder.files': () => files.promise })
  await open()
  await user.keyboard('theme{ArrowDown}{ArrowDown}')
  const chosen = highlighted()
  await expect.poll(() => bridge.inputsOf('folder.files')).toHaveLength(1)
  await act(async () => files.resolve(['theme', 'theme.css']))
  expect(screen.getByText('theme.css')).toBeTruthy()
  expect(highlighted()).toBe(chosen)
})

test('files of an earlier query cannot be run', async () => {
  const later = deferred<readonly string[]>()
  const bridge = await startWindow({})
  bridge.answer({ 'folder.files': ({ query }) => (query === 'cha' ? ['cha.ts'] : later.promise) })
  await open()
  await user.keyboard('cha')
  await screen.findByText('cha.ts')
  await user.keyboard('rge.ts{Enter}')
  expect(bridge.inputsOf('system.openFile')).toEqual([])
  await expect.poll(() => bridge.inputsOf('folder.files')).toHaveLength(2)
  await act(async () => later.resolve(['charge.ts', 'cha.ts']))
  expect(highlighted()).toBe('charge.ts')
  await user.keyboard('{Enter}')
  expect(bridge.inputsOf('system.openFile').map(({ path }) => path)).toEqual(['charge.ts'])
})

test('without a query the commands used last come first', async () => {
  await open()
  await user.keyboard('terminal{Enter}')
  cleanup()
  await open()
  await user.keyboard('dark{Enter}')
  cleanup()
  await open()
  const rows = screen.getAllByRole('option').map((option) => option.textContent)
  expect([rows[0], rows[1]]).toEqual(['Dark theme', 'Open terminal'])
  expect(highlighted()).toBe('Dark theme')
})

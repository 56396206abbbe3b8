import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { TranscriptRows } from '../../../shared/transcript/transcript-rows.ts'
import { createNodeFileSystem } from '../../platform/files/node-file-system.ts'
import { unwrap } from '../../platform/transcripts/testing/open-store.ts'
import { echo, script } from '../../runtime/testing/scripts.ts'
import { createTestRuntime } from '../../runtime/testing/test-runtime.ts'
import { historyHandlers } from './feature.ts'
import { claudeSession, textOfLines } from './testing/claude-lines.ts'
import { historyHome } from './testing/history-home.ts'

const FILE = '.claude/projects/p/s-1.jsonl'

async function withHistory(lines: (s: ReturnType<typeof claudeSession>) => readonly string[], cwd?: string) {
  const home = await historyHome()
  const folder = join(home.home, 'shop')
  await mkdir(folder)
  await home.write(FILE, textOfLines(...lines(claudeSession('s-1', cwd ?? folder))))
  const [entry] = await home.list('claude')
  const troupe = createTestRuntime({
    ports: { store: home.store },
    script: script([{ text: 'I go on.' }], echo),
  })
  onTestFinished(() => troupe.runtime.close())
  const handlers = historyHandlers(home.histories, { files: createNodeFileSystem(), runtime: troupe.runtime })
  const copy = (given?: string) =>
    handlers['history.continue']({
      conversationId: entry?.id ?? '',
      ...(given !== undefined && { folder: given }),
    })
  return { ...home, folder, entry, troupe, copy }
}

test('a copy goes on with the history, without thinking, in the folder and with the choices of a new conversation', async () => {
  const { copy, folder, troupe, store, entry } = await withHistory((s) => [
    s.user('Fix it'),
    s.thinks('m1', 'Hmm.'),
    s.calls('t1', 'shell', { command: ['ls'] }),
    s.result('t1', 'a.ts'),
    s.calls('t2', 'Task', { description: 'Look', prompt: 'Look' }),
    s.user('Stop', { uuid: 'stop' }),
  ])
  const summary = unwrap(await copy())
  expect(summary).toMatchObject({ folder, title: 'Fix it', readOnly: false, branchOf: entry?.id })
  const record = unwrap(await store.read(summary.id))
  expect(record.history).toBeUndefined()
  const sent = await troupe.runtime.dispatch({
    ...{ type: 'conversation.send', conversationId: summary.id, agentId: null, content: 'Go on' },
  })
  unwrap(sent)
  const main = await troupe.runtime.settled(summary.id)
  expect(main).toMatchObject({ lastLine: 'I go on.', definition: { name: 'main', source: 'built-in' } })
  const { messages } = troupe.model.requests.at(-1) ?? { messages: [] }
  expect(messages.map(({ role, content }) => [role, content.map(({ type }) => type)])).toEqual([
    ['user', ['text']],
    ['assistant', ['tool_use']],
    ['user', ['tool_result']],
    ['assistant', ['tool_use']],
    ['user', ['tool_result', 'text', 'text', 'text']],
  ])
  const { events } = unwrap(await store.page(record.mainAgentId, { before: null, limit: 1000 }))
  const notes = TranscriptRows.from(events).rows.flatMap((row) => (row.kind === 'notice' ? [row.text] : []))
  expect(notes[0]).toContain('Continued from a conversation of Claude Code')
  expect(notes[0]).toContain('the thinking of the model')
  expect(notes.filter((note) => note.includes('definition'))).toEqual([])
})

test('a folder that is gone is said, and another one can be named', async () => {
  const { copy, folder } = await withHistory((s) => [s.user('Fix it'), s.says('m1', 'Done.')], '/gone/shop')
  expect(await copy()).toMatchObject({
    ...{ ok: false, failure: { type: 'folder-gone', message: expect.stringContaining('/gone/shop') } },
  })
  expect(unwrap(await copy(folder))).toMatchObject({ folder })
})

test('a history that is too long for a model goes on from an excerpt, and its transcript is whole', async () => {
  const { copy, store } = await withHistory((s) => [
    s.user('Begin'),
    ...Array.from({ length: 60 }, (_, at) => [
      s.calls(`t${at}`, 'Read', { file_path: `f${at}` }),
      s.result(`t${at}`, 'x'.repeat(10_000)),
      s.says(`m${at}`, `Step ${at}.`),
    ]).flat(),
  ])
  const summary = unwrap(await copy())
  const record = unwrap(await store.read(summary.id))
  const { events } = unwrap(await store.page(record.mainAgentId, { before: null, limit: 1000 }))
  const compacted = events.flatMap((event) => (event.type === 'context-compacted' ? [event.summary] : []))
  expect(compacted).toEqual([expect.stringMatching(/User: Begin[\s\S]*Agent: Step 59\./)])
  expect(compacted[0]?.length).toBeLessThan(70_000)
  expect(events.filter(({ type }) => type === 'tool-ended')).toHaveLength(60)
})

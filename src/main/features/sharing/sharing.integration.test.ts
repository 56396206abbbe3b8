import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { LoggedEvent } from '../../../shared/events/conversation-event.ts'
import { unwrap } from '../../platform/transcripts/testing/open-store.ts'
import { importConversation } from './import-conversation.ts'
import { previewShare, type Share, type SharingDeps, shareChunks } from './share-conversation.ts'
import { CONVERSATION, HOME, KEY, MAIN, READER, WRITER } from './testing/sample-conversation.ts'
import { sharedStore } from './testing/shared-store.ts'
import { writeFileOf } from './write-chunks.ts'

const signal = new AbortController().signal

async function textOf(share: Share, deps: SharingDeps): Promise<string> {
  let text = ''
  for await (const chunk of unwrap(await shareChunks(share, deps)))
    text += Buffer.from(unwrap(chunk)).toString()
  return text
}

const linesOf = (text: string): LoggedEvent[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as LoggedEvent)

test('an exported conversation that is imported and exported again is the same, byte for byte', async () => {
  const { deps, share, dataFolder, store, ids } = await sharedStore()
  const first = await textOf(share, deps)
  const file = join(dataFolder, 'one.jsonl')
  await writeFile(file, first)
  const imported = unwrap(await importConversation(file, { store, ids, home: HOME }))
  expect(imported).toMatchObject({ title: 'Make the retries honest', agents: 3 })
  expect(imported.conversationId).not.toBe(CONVERSATION)
  expect(await textOf({ ...share, conversationId: imported.conversationId }, deps)).toBe(first)

  const record = unwrap(await store.read(imported.conversationId))
  expect(record).toMatchObject({ folder: '/home/ada/src/shop', imported: true })
  const [main, reader] = unwrap(await store.states(record.agentIds))
  expect(main).toMatchObject({ task: 'Make the retries honest', turns: 2, status: 'waiting' })
  expect(reader).toMatchObject({ parentId: main?.id, report: 'The retry path is honest.' })
  const output = unwrap(await store.toolOutput(reader?.id ?? '', 'toolu_with_long_output'))
  expect(output).toMatch(/^9000\n[\s\S]*\[secret\]\n$/)
})

test('a file has neither secrets nor the home folder, and JSON Lines no ids of this machine', async () => {
  const { deps, share } = await sharedStore()
  for (const format of ['jsonl', 'markdown'] as const) {
    const text = await textOf({ ...share, format }, deps)
    expect(text).not.toContain(KEY)
    expect(text).not.toContain('/home/ada')
  }
  const lines = await textOf(share, deps)
  for (const id of [CONVERSATION, MAIN, READER, WRITER]) expect(lines).not.toContain(id)
  expect(await textOf({ ...share, keepPaths: true }, deps)).toContain('/home/ada/src/shop/retry.test.ts')
})

test('the preview tells agents, events, files, size and each masked place', async () => {
  const { deps, share } = await sharedStore()
  const text = await textOf(share, deps)
  const preview = unwrap(await previewShare(share, { ...deps, signal }))
  expect(preview).toMatchObject({
    title: 'Make the retries honest',
    events: linesOf(text).filter(({ type }) => String(type) !== 'output-kept').length,
    bytes: Buffer.byteLength(text),
    files: ['~/src/shop/retry.test.ts'],
    fileCount: 1,
    secrets: 2,
  })
  expect(preview.agents.map(({ name, depth, left }) => [name, depth, left])).toEqual([
    ['Main agent', 0, false],
    ['Read the retry path', 1, false],
    ['Write the test', 1, false],
  ])
  expect(preview.places).toEqual([
    {
      agentId: READER,
      seq: expect.any(Number),
      what: 'output of Bash',
      count: 1,
      excerpt: 'ANTHROPIC=[secret]',
    },
    { agentId: READER, seq: expect.any(Number), what: 'whole output of Bash', count: 1, excerpt: '[secret]' },
  ])
})

test.each(['Read the retry path', READER, 'Explore'])('leaves out an agent named as %s', async (one) => {
  const { deps, share, dataFolder, store, ids } = await sharedStore()
  const without = [one]
  const text = await textOf({ ...share, without }, deps)
  expect(linesOf(text).filter(({ type }) => type === 'agent-spawned')).toHaveLength(2)
  expect(text).not.toContain('ANTHROPIC=')
  expect(await textOf({ ...share, format: 'markdown', without }, deps)).not.toContain('ANTHROPIC=')
  const preview = unwrap(await previewShare({ ...share, without }, { ...deps, signal }))
  expect(preview.agents.filter(({ left }) => left).map(({ id }) => id)).toEqual([READER])
  // It is complete without the agent.
  const file = join(dataFolder, 'part.jsonl')
  await writeFile(file, text)
  expect(await importConversation(file, { store, ids, home: HOME })).toMatchObject({
    ok: true,
    value: { agents: 2 },
  })
})

test.each([
  ['nobody', 'no-agent', 'Main agent, Read the retry path, Write the test'],
  [MAIN, 'main-agent', 'can’t be left out'],
])('does not leave out %s', async (one, type, words) => {
  const { deps, share } = await sharedStore()
  expect(await shareChunks({ ...share, without: [one] }, deps)).toMatchObject({
    ok: false,
    failure: { type, message: expect.stringContaining(words) },
  })
})

test('refuses a file that is not complete, and writes nothing then', async () => {
  const { deps, share, dataFolder, store, ids } = await sharedStore()
  const lines = (await textOf(share, deps)).split('\n')
  const file = join(dataFolder, 'broken.jsonl')
  const importing = async (broken: readonly string[]) => {
    await writeFile(file, broken.join('\n'))
    const imported = await importConversation(file, { store, ids, home: HOME })
    return imported.ok ? 'imported' : imported.failure.message
  }
  const folders = async () => (await readdir(join(dataFolder, 'tasks'))).sort()
  const before = await folders()
  expect(await importing([])).toContain('The file is empty.')
  expect(await importing(['hello'])).toMatch(/^This is not an export to JSON Lines, .* It is not JSON\.$/)
  expect(await importing(lines.toSpliced(0, 1))).toContain('not the start of a conversation')
  expect(await importing(lines.toSpliced(9, 1))).toMatch(/Line \d+ .*lines are missing or doubled/)
  expect(await importing(lines.toSpliced(9, 0, lines[9] ?? ''))).toMatch(/missing or doubled/)
  expect(await importing(lines.with(4, (lines[4] ?? '').slice(0, 40)))).toContain('Line 5 of the file')
  const foreign = lines.map((line) => line.replaceAll('a-00000000000000000002', '../../outside'))
  expect(await importing(foreign)).toContain('belongs to another conversation')
  expect(await importConversation(join(dataFolder, 'none'), { store, ids, home: HOME })).toMatchObject({
    ok: false,
    failure: { type: 'folder-gone' },
  })
  expect(await folders()).toEqual(before)
  expect(await store.list()).toHaveLength(1)
})

test('writes a file whole or not at all, and replaces one only on request', async () => {
  const { deps, share, dataFolder } = await sharedStore()
  const path = join(dataFolder, 'out.jsonl')
  const write = async (options: { readonly force: boolean; readonly signal?: AbortSignal }) =>
    writeFileOf(unwrap(await shareChunks(share, deps)), { path, signal, ...options })
  await writeFile(path, 'mine')
  expect(await write({ force: false })).toMatchObject({ ok: false, failure: { type: 'exists' } })
  expect(await write({ force: true, signal: AbortSignal.abort() })).toMatchObject({
    ok: false,
    failure: { type: 'canceled' },
  })
  expect(await readFile(path, 'utf8')).toBe('mine')
  const bytes = unwrap(await write({ force: true }))
  expect(Buffer.byteLength(await readFile(path, 'utf8'))).toBe(bytes)
  expect((await readdir(dataFolder)).filter((name) => name.includes('tmp'))).toEqual([])
})

test('the Markdown has a section for each agent, with folded calls and fenced diffs', async () => {
  const { deps, share } = await sharedStore()
  const text = await textOf({ ...share, format: 'markdown' }, deps)
  expect(text.match(/^#+ .*/gm)).toEqual([
    '# Make the retries honest',
    '## Main agent',
    '## Read the retry path',
    '## Write the test',
  ])
  expect(text).toContain('- Started **Read the retry path**\n- Started **Write the test**')
  expect(text).toContain('```diff\n@@ -1,1 +1,1 @@\n-a\n+b\n```')
  expect(text).toMatch(/<details><summary>Bash env \(exit code 0\)<\/summary>/)
})

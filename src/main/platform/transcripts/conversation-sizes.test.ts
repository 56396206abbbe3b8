import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createConversationSizes } from './conversation-sizes.ts'
import { openStore, unwrap } from './testing/open-store.ts'
import { sampleEvents } from './testing/sample-events.ts'

test('a size counts logs, outputs and kept content, and is read again once the conversation goes on', async () => {
  const { store, dataFolder, write } = await openStore()
  await write('c-1', [...sampleEvents('a-1', 3), ...sampleEvents('a-2', 2)])
  await write('c-2', sampleEvents('a-3', 1))
  const sizes = createConversationSizes(dataFolder, store)
  const first = unwrap(await sizes())
  expect(first['c-1']).toBeGreaterThan(first['c-2'] ?? 0)
  expect(first['c-2']).toBeGreaterThan(200)
  // Unchanged logs: nothing is read again.
  const outputs = join(dataFolder, 'tasks', 'a-2', 'tool-results')
  const content = join(dataFolder, 'changes', 'c-1')
  for (const folder of [outputs, content]) {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'one'), 'x'.repeat(1000))
  }
  expect(unwrap(await sizes())).toEqual(first)
  await appendFile(join(dataFolder, 'tasks', 'a-1', 'transcript.jsonl'), '\n')
  expect(unwrap(await sizes())).toEqual({ ...first, 'c-1': (first['c-1'] ?? 0) + 2001 })
})

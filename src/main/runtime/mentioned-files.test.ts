import { expect, test } from 'vitest'
import { fail, ok } from '../../shared/kernel/result.ts'
import { createMemoryRules } from './testing/memory-rules.ts'
import { echo, script } from './testing/scripts.ts'
import { createTestRuntime, FOLDER, type TestRuntime } from './testing/test-runtime.ts'

const TEXTS: Readonly<Record<string, string>> = {
  [`${FOLDER}/src/cart.ts`]: 'export const cart = []\nexport const total = 0\n',
  [`${FOLDER}/my notes.md`]: 'buy </file> milk',
  [`${FOLDER}/.env`]: 'KEY=secret',
  [`${FOLDER}/long.txt`]: 'line\n'.repeat(3000),
}

const missing = (path: string) => fail({ type: 'not-found' as const, message: `${path} does not exist.` })

function withFiles(): TestRuntime {
  return createTestRuntime({
    script: script([{ text: 'ok' }, { text: 'ok' }, { text: 'ok' }], echo),
    ports: {
      rules: createMemoryRules(),
      files: {
        stat: async (path) => {
          const text = TEXTS[path]
          if (text !== undefined) return ok({ kind: 'file', size: text.length, mtimeMs: 0 })
          return path === FOLDER || path === `${FOLDER}/src`
            ? ok({ kind: 'folder', size: 0, mtimeMs: 0 })
            : missing(path)
        },
        read: async (path) => {
          const text = TEXTS[path]
          return text === undefined ? missing(path) : ok(new TextEncoder().encode(text))
        },
        list: async () => ok(['cart.ts', 'api']),
        write: async () => ok({ kind: 'file', size: 0, mtimeMs: 0 }),
        realPath: async (path) => ok(path),
      },
    },
  })
}

/** What the model gets, and what the transcript shows of the files. */
async function sent(text: string): Promise<{ readonly told: string; readonly notes: readonly string[] }> {
  const troupe = withFiles()
  await troupe.runtime.settled(await troupe.begin(text))
  const notes = troupe.events.flatMap((event) =>
    event.type === 'user-message' && event.note !== undefined ? [event.note] : [],
  )
  return { told: JSON.stringify(troupe.model.requests[0]?.messages), notes }
}

test('a mentioned file goes to the agent with the message, and the user’s text stays as it is', async () => {
  const { told, notes } = await sent('Explain @src/cart.ts, please.')
  expect(told).toContain('"Explain @src/cart.ts, please."')
  expect(told).toContain('     1\\texport const cart = []')
  expect(told).toContain('read a file with Read before you change it')
  expect(notes).toEqual(['Attached: src/cart.ts, 2 lines'])
})

test('a path with spaces stands in quotes, and its text can’t close the tag', async () => {
  const { told, notes } = await sent('Read @"my notes.md".')
  expect(told).toContain('buy <\\\\/file> milk')
  expect(notes).toEqual(['Attached: my notes.md, 1 line'])
})

test('a folder gives its names, and a long file its beginning', async () => {
  const { told, notes } = await sent('Compare @src with @long.txt')
  expect(told).toContain('api\\ncart.ts')
  expect(told).toContain('[Lines 1 to 2000 of 3,000. Continue with offset 2001.]')
  expect(notes).toEqual(['Attached: src, 2 entries · long.txt, 2,000 of 3,000 lines'])
})

test('a file that needs permission is named, and not read', async () => {
  const { told, notes } = await sent('Use @.env')
  expect(told).not.toContain('KEY=secret')
  expect(told).toContain('[Not attached: reading it needs the user’s permission, which Read asks for.]')
  expect(notes).toEqual(['Attached: .env, not attached: needs permission'])
})

test('a word that names no file stays text', async () => {
  const { told, notes } = await sent('Ask @nobody and mail me@work.')
  expect(told).not.toContain('<file')
  expect(notes).toEqual([])
})

test('messages keep their order while files are read', async () => {
  const troupe = withFiles()
  const id = await troupe.begin('Begin')
  const send = (content: string) =>
    troupe.runtime.dispatch({ type: 'conversation.send', conversationId: id, agentId: null, content })
  await Promise.all([send('First @src/cart.ts'), send('Second')])
  await troupe.runtime.settled(id)
  const texts = troupe.events.flatMap((event) =>
    event.type === 'user-message' && event.from === 'user'
      ? event.content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
      : [],
  )
  expect(texts).toEqual(['Begin', 'First @src/cart.ts', 'Second'])
})

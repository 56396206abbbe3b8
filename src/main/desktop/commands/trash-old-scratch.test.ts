import { expect, test } from 'vitest'
import { fail, ok } from '../../../shared/kernel/result.ts'
import type { ConversationSummary } from '../../../shared/state/conversation-summary.ts'
import { fakeProgram, fakeSettings } from '../testing/fake-program.ts'
import { conversationCommands } from './conversations.ts'
import { createScratchTrash } from './trash-old-scratch.ts'

const summary = (id: string, more: Partial<ConversationSummary>): ConversationSummary =>
  ({ id, scratch: true, readOnly: false, updatedAt: 0, ...more }) as ConversationSummary

const LIST = [
  summary('held', {}),
  summary('left', {}),
  summary('real', { scratch: false }),
  summary('elsewhere', { readOnly: true }),
  summary('new', { updatedAt: Number.MAX_SAFE_INTEGER }),
]

test('scratch conversations of an earlier run are trashed with the first list, once', async () => {
  const trashed: string[] = []
  const program = fakeProgram({
    runtime: {
      conversations: async () => LIST,
      trash: async (id) => {
        trashed.push(id)
        return id === 'held' ? fail({ type: 'locked', message: 'Another program has it.' }) : ok(undefined)
      },
    },
  })
  const commands = conversationCommands({
    program: async () => program,
    settings: fakeSettings(),
    isRehearsal: () => false,
  })
  const list = commands['conversation.list'] as () => Promise<unknown>
  expect(await list()).toEqual(ok(LIST))
  await list()
  await expect.poll(() => trashed).toEqual(['held', 'left'])
})

test('a second window trashes nothing: a scratch conversation may be in use in the first', async () => {
  const trashed: string[] = []
  const trash = async (id: string) => {
    trashed.push(id)
    return ok(undefined)
  }
  let all = LIST
  const program = fakeProgram({ runtime: { conversations: async () => all, trash } })
  const trashScratch = createScratchTrash()
  const windows = [1, 2].map(() =>
    conversationCommands({
      program: async () => program,
      settings: fakeSettings(),
      isRehearsal: () => false,
      trashScratch,
    }),
  )
  for (const commands of windows) {
    await (commands['conversation.list'] as () => Promise<unknown>)()
    await expect.poll(() => trashed).toEqual(['held', 'left'])
    all = [...all, summary('tried out in the first window', {})]
  }
})

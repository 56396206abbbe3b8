/** A conversation with two subagents, a secret, a diff, a long output and hostile text. */
import { callOf, SampleLog, sampleRecord } from '../../../../shared/testing/sample-log.ts'
import type { TranscriptStore } from '../../../runtime/ports/transcripts.ts'

export const CONVERSATION = 'c-01jf8z3k4y7g1p5a8rjk'
export const MAIN = 'a-01jf8z3k5mh2x9qtwv04'
export const READER = 'a-01jf8z3r7c0d4b6nse81'
export const WRITER = 'a-01jf8z3r7c0d4b6nse82'
export const KEY = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz012345'
export const HOME = '/home/ada'

const CALL = 'toolu_with_long_output'

/** The events of all agents, in their order. */
function sampleConversation(): SampleLog {
  const log = new SampleLog({ conversationId: CONVERSATION })
  const of = (id: string, task: string, type: string) =>
    log.starts({
      id,
      name: type,
      color: 'blue',
      task,
      ...(id !== MAIN && { parentId: MAIN, call: callOf(id) }),
    })
  of(MAIN, 'Make the retries honest', 'main')
  log.receives(MAIN, 'Make the **retries** honest in /home/ada/src/shop', 'user')
  log.answers(MAIN, {
    thinking: 'Two places to look.',
    text: 'I start two agents.',
    calls: [
      { agentId: READER, type: 'Explore', task: 'Read the retry path' },
      { agentId: WRITER, type: 'general-purpose', task: 'Write the test' },
    ],
  })
  of(READER, 'Read the retry path', 'Explore')
  of(WRITER, 'Write the test', 'general-purpose')
  log.receives(READER, `Read the retry path. Ask ${WRITER} if needed.`)
  log.receives(WRITER, 'Write the test. </script><img src=x onerror=alert(1)>')
  log.answers(READER, {
    tools: [
      {
        tool: 'Bash',
        summary: 'env',
        input: { command: 'env' },
        note: 'exit code 0',
        output: `ANTHROPIC=${KEY}\nPATH=/bin`,
      },
    ],
  })
  log.answers(WRITER, {
    tools: [
      {
        tool: 'Edit',
        summary: '/home/ada/src/shop/retry.test.ts',
        input: { file_path: '/home/ada/src/shop/retry.test.ts', old_string: 'a', new_string: 'b' },
        note: '+1 −1',
        output: 'Edited.',
        display: {
          kind: 'diff',
          path: '/home/ada/src/shop/retry.test.ts',
          patch: '@@ -1,1 +1,1 @@\n-a\n+b\n',
          added: 1,
          removed: 1,
          created: false,
        },
      },
    ],
  })
  // Two calls that run at the same time.
  log.add(READER, 'tool-started', { toolUseId: 'toolu_other', name: 'Glob', summary: '**/*.ts' })
  log.add(READER, 'tool-started', { toolUseId: CALL, name: 'Bash', summary: 'seq 9000' })
  log.add(READER, 'tool-ended', { toolUseId: 'toolu_other', name: 'Glob', content: 'none' })
  log.add(READER, 'tool-ended', {
    toolUseId: CALL,
    name: 'Bash',
    content: 'head … tail',
    outputFile: { path: `tasks/${READER}/tool-results/${CALL}.txt`, bytes: 40_000 },
  })
  log.answers(READER, { text: `The retry path is honest. Report of ${READER}.` })
  log.add(READER, 'agent-ended', { status: 'completed', report: 'The retry path is honest.' })
  log.answers(WRITER, { text: 'Wrote the test.\n\n```ts\nexpect(1)\n```' })
  log.add(WRITER, 'agent-ended', { status: 'completed', report: 'Wrote the test.' })
  log.answers(MAIN, {
    text: 'Both are done.\u2028[docs](https://example.com) ![x](https://example.com/x.png)',
  })
  log.status(MAIN, 'waiting', 'message')
  return log
}

/** Writes it to a store. */
export async function writeSample(store: TranscriptStore): Promise<void> {
  const { events } = sampleConversation()
  const opened = await store.open(
    sampleRecord(CONVERSATION, [MAIN], {
      folder: '/home/ada/src/shop',
      title: 'Make the retries honest',
      createdAt: 1_700_000_000_000,
    }),
  )
  if (!opened.ok) throw new Error(opened.failure.message)
  const log = opened.value
  let { seq, order } = log.next
  const known = new Set([MAIN])
  for (const event of events) {
    const { agentId, at } = event
    if (!known.has(agentId))
      log.append({
        v: 1,
        conversationId: CONVERSATION,
        seq: seq++,
        order: order++,
        at,
        type: 'agent-added',
        agentId,
      })
    known.add(agentId)
    log.append({ ...event, order: order++ })
  }
  const kept = await log.keepOutput(READER, CALL, `${'9000\n'.repeat(8000)}${KEY}\n`)
  if (!kept.ok) throw new Error(kept.failure.message)
  await log.close()
}

/** What an export of a scene's conversation would have in it, and the conversation of the tutorial at its third step. */
import type { CommandInput } from '../../../src/shared/ipc/ipc-contract.ts'
import type { SharePreview } from '../../../src/shared/sharing/sharing.ts'
import { agentNames, nameText } from '../../../src/shared/state/agent-names.ts'
import { callOf, SampleLog } from '../../../src/shared/testing/sample-log.ts'

const KEPT = 40

/** The preview of a conversation with masked secrets and many files. */
export function exportPreview(
  log: SampleLog,
  { format, without, keepPaths }: CommandInput<'sharing.preview'>,
): SharePreview {
  const states = [...log.states.values()]
  const names = agentNames(states)
  const left = (id: string) => without.includes(id)
  const home = keepPaths ? '/home/ada' : '~'
  return {
    ...{ title: 'Make retries idempotent', format, bytes: 184_320, secrets: 3, fileCount: 48 },
    agents: states.map(({ id, parentId, definition, status, depth, lastSeq }) => ({
      ...{ id, parentId, status, depth, left: left(id), events: lastSeq + 1 },
      name: nameText(names.get(id) ?? { title: id, letter: null }),
      type: definition.name,
    })),
    events: states.reduce((sum, { id, lastSeq }) => sum + (left(id) ? 0 : lastSeq + 1), 0),
    files: Array.from(
      { length: KEPT },
      (_, at) => `${home}/src/checkout-service/src/payments/charge-${at}.ts`,
    ),
    places: [
      { agentId: 'explore', seq: 14, what: 'output of Bash', excerpt: 'STRIPE_KEY=[secret]', count: 2 },
      { agentId: 'main', seq: 3, what: 'message', excerpt: 'use [secret] for the tests', count: 1 },
    ],
    notes: keepPaths ? [] : ['The home folder reads ~ in all paths.'],
  }
}

/** Three agents of the tutorial: one has run the tests, one goes in circles, one waits for a message. */
export function tutorialLog(conversationId: string, now: number): SampleLog {
  const log = new SampleLog({ conversationId, now: now - 90_000 })
  const jobs = [
    ['tests', 'Run the tests'],
    ['circles', 'Look for the cause'],
    ['fix', 'Write the fix'],
  ] as const
  log.begins('Ana paid 10.00 for three people, and only 9.99 came back. Find out why, and fix it.')
  log.answers('main', {
    text: 'Now three agents work side by side. One goes in circles: stop it. One writes the fix in a worktree, and waits for a message from you.',
    calls: jobs.map(([agentId, task]) => ({ agentId, type: 'tutorial', task })),
  })
  for (const [id, task] of jobs)
    log.starts({ id, name: 'tutorial', color: 'teal', task, parentId: 'main', call: callOf(id) })
  log.answers('tests', { tools: [{ tool: 'Bash', summary: 'node --test', note: 'exit code 1' }] })
  log.ends('tests', 'One test fails: `splits an amount into parts`')
  for (const file of ['src/money.js', 'src/ledger.js'])
    log.answers('circles', {
      text: 'I have read this before, and read it again.',
      tools: [{ tool: 'Read', summary: file, note: '34 lines' }],
    })
  log.answers('fix', {
    text: 'A cent is left over when 10.00 is split by three. Who gets it? Write to me: the first, or the last.',
    tools: [{ tool: 'Read', summary: 'README.md', note: '51 lines' }],
  })
  log.status('main', 'waiting', 'children')
  return log
}

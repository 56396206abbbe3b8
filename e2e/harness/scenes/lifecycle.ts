/** An agent in each state that allows an action of the user. */
import type { AgentEventDraft } from '../../../src/shared/events/agent-event.ts'
import { callOf, SampleLog } from '../../../src/shared/testing/sample-log.ts'

type Kind = 'background' | 'fork'

const AGENTS: readonly (readonly [string, string, string, Kind?])[] = [
  ['Explore', 'blue', 'look at routes'],
  ['test-writer', 'green', 'failing test first'],
  ['doc-writer', 'cyan', 'page on refunds', 'background'],
  ['migration', 'orange', 'order charge key'],
  ['general-purpose', 'purple', 'same question, other way', 'fork'],
  ['api-mapper', 'yellow', 'calls without a time limit'],
  ['security-reviewer', 'pink', 'token handling'],
  ['Plan', 'cyan', 'order of the change'],
  ['flaky-hunter', 'red', 'why CI fails on Fridays'],
  ['log-review', 'blue', 'what is logged'],
  ['bench', 'green', 'cart under load'],
  ['i18n', 'purple', 'words in two languages'],
]

export function lifecycleLog(conversationId: string, now: number): SampleLog {
  const log = new SampleLog({ conversationId, now: now - 300_000, step: 0 })
  log.begins('Get the order charge key ready to ship: look at everything around it.')
  log.answers('main', {
    text: 'I split this among twelve agents; two of them need not hold anything up.',
    calls: AGENTS.map(([name, , task]) => ({ agentId: name, type: name, task })),
    window: 200_000,
  })
  for (const [name, color, task, kind] of AGENTS) {
    log.pass(800).starts({
      id: name,
      name,
      color,
      task,
      parentId: 'main',
      call: callOf(name),
      ...(kind === 'background' ? { background: true } : {}),
      ...(kind === 'fork' ? { inherits: { agentId: 'main', seq: 2 } } : {}),
    })
    log.receives(name, `Do this: ${task}. Report what you find, with file and line.`)
    log.reachTurn(name, 5)
    log.answers(name, {
      text: `I look at what ${task} touches first.`,
      tools: [{ tool: 'Read', summary: 'src/orders/order.ts', note: '140 lines' }],
      tokens: 11_000,
    })
  }
  log.now = now - 20_000
  works(log)
  ends(log)
  log.status('main', 'waiting', 'children')
  return log
}

function works(log: SampleLog): void {
  const folder = '/home/ada/src/checkout-service'
  log.answers('Explore', { tools: [{ tool: 'Grep', summary: '“router” src/' }] })
  log.answers('test-writer', { tools: [{ tool: 'Bash', summary: 'npm test -- routes' }] })
  log.next('test-writer', { type: 'pause-changed', paused: true })
  log.answers('doc-writer', { tools: [{ tool: 'Edit', summary: 'docs/payments.md' }] })
  log.next('migration', { type: 'moved-to-background', by: 'user', bubbles: true })
  log.waits(
    'migration',
    'Bash',
    { kind: 'command', action: 'run a command', text: 'npm run db:migrate', folder },
    'No rule allows it.',
    'Bash(npm run db:migrate)',
  )
  log.answers('general-purpose', { text: 'Seen from the queue, the key is made too late.' })
  log.next('api-mapper', { type: 'pause-changed', paused: true })
  log.status('api-mapper', 'paused')
}

const ended: Extract<AgentEventDraft, { type: 'agent-ended' }> = {
  type: 'agent-ended',
  status: 'completed',
  report: 'As far as I came: three of seven paths are measured.',
  failure: null,
  reachedLimit: null,
  limitOf: null,
}

function ends(log: SampleLog): void {
  log.ends('security-reviewer', 'Tokens are compared in the open.', 'stopped')
  log.ends('Plan', 'First the key, then the queue, then the refunds.')
  log.ends('flaky-hunter', '', 'failed', 'The API is overloaded (529). It was tried six times.')
  log.next('log-review', { ...ended, status: 'interrupted', report: '' })
  log.next('bench', { ...ended, reachedLimit: 'turns', limitOf: 'agent' })
  log.next('i18n', { ...ended, reachedLimit: 'money', limitOf: 'conversation' })
}

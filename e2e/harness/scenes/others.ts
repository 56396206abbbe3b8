/** The smaller scenes: many permission requests, failures, a long transcript, streaming agents. */
import { callOf, SampleLog } from '../../../src/shared/testing/sample-log.ts'

const COLORS = ['red', 'orange', 'yellow', 'green', 'cyan', 'blue', 'purple', 'pink'] as const

function begin(conversationId: string, now: number, task: string): SampleLog {
  const log = new SampleLog({ conversationId, now: now - 90_000, step: 0 })
  log.begins(task)
  return log
}

/** A main agent that has started `amount` agents named worker-1, worker-2 … */
export function workersLog(conversationId: string, now: number, amount: number): SampleLog {
  const log = begin(conversationId, now, `Look at ${amount} parts of the program at once.`)
  const names = Array.from({ length: amount }, (_, index) => `worker-${index + 1}`)
  log.answers('main', {
    text: 'I start one agent for each part.',
    calls: names.map((agentId) => ({ agentId, type: agentId, task: 'one part' })),
    window: 200_000,
  })
  names.forEach((id, index) => {
    log.starts({
      id,
      name: id,
      color: COLORS[index % COLORS.length] ?? 'blue',
      task: 'one part of it',
      parentId: 'main',
      call: callOf(id),
    })
    log.receives(id, 'Look at your part and say what you see.')
  })
  log.status('main', 'waiting', 'children')
  return log
}

/** Ten permission requests of every kind at once; some try to hide their effect. */
export function promptsLog(conversationId: string, now: number): SampleLog {
  const log = workersLog(conversationId, now, 5)
  const folder = '/home/ada/src/checkout-service'
  const subjects = [
    { kind: 'command', action: 'run a command', text: 'npm test -- --run', folder },
    { kind: 'command', action: 'run a command', text: 'git push origin main', folder },
    {
      kind: 'file',
      action: 'write a file',
      text: '/home/ada/src/checkout-service/src/payments/charge.ts',
      folder,
    },
    {
      kind: 'diff',
      action: 'change a file',
      text: '--- a/src/cart.ts\n+++ b/src/cart.ts\n@@ -1,3 +1,3 @@\n-const limit = 10\n+const limit = 20\n export { limit }',
      folder,
    },
    {
      kind: 'url',
      action: 'fetch a page',
      text: 'https://docs.example.com/payments/retries?version=3',
      folder,
    },
    { kind: 'command', action: 'run a command', text: 'echo safe \u202e rm -rf ~ \u202c && ls', folder },
    {
      kind: 'command',
      action: 'run a command',
      text: 'for file in src/**/*.ts; do\n  sed -n 1,20p "$file"\ndone',
      folder,
    },
    {
      kind: 'other',
      action: 'use github: create an issue',
      text: '{ "title": "Double charge", "labels": ["bug"] }',
      folder,
    },
    { kind: 'command', action: 'run a command', text: 'npm run build', folder },
    { kind: 'url', action: 'fetch a page', text: 'http://169.254.169.254/latest/meta-data/', folder },
  ] as const
  subjects.forEach((subject, index) => {
    if (index === 5) log.holds('main')
    log
      .pass(200)
      .waits(
        `worker-${(index % 5) + 1}`,
        subject.kind === 'url' ? 'WebFetch' : 'Bash',
        subject,
        'No rule allows it.',
        index % 3 === 2 ? null : `Bash(${subject.text.split('\n')[0]})`,
      )
  })
  return log
}

/** Failures: a countdown to a retry, a failed agent, a stopped one, a failed tool, notices. */
export function troublesLog(conversationId: string, now: number): SampleLog {
  const log = workersLog(conversationId, now, 4)
  log.answers('worker-1', {
    text: 'I read the queue first.',
    tools: [
      {
        tool: 'Read',
        summary: 'src/queue/missing.ts',
        note: 'no such file',
        isError: true,
        output: 'There is no file src/queue/missing.ts.',
      },
    ],
  })
  log.next('worker-1', { type: 'request-started', turn: 2, attempt: 1, model: 'claude-sonnet-4-5' })
  log.now = now - 1000
  log.next('worker-1', {
    type: 'request-failed',
    turn: 2,
    attempt: 1,
    failure: { type: 'overloaded', message: 'The API is overloaded (529).' },
    retryAt: now + 45_000,
  })
  log.ends(
    'worker-2',
    '',
    'failed',
    'The API does not know the model claude-sonnet-9 (404). Choose another model in the settings.',
  )
  log.ends('worker-3', 'Stopped by the user.', 'stopped')
  log.next('worker-4', {
    type: 'notice',
    level: 'warning',
    text: 'The test command ran into its time limit of 2 minutes and was ended.',
  })
  log.answers('worker-4', {
    tools: [
      {
        tool: 'Bash',
        summary: 'npm test',
        input: { command: 'npm test' },
        note: 'exit code 1',
        isError: true,
        display: { kind: 'terminal', exitCode: 1, timedOut: false },
        output:
          '\u001b[31m✗\u001b[0m charges once\n  expected 1 charge, got 2\n\u001b[32m✓\u001b[0m keeps the key\n',
      },
    ],
  })
  return log
}

/** A main agent with a transcript of about `amount` events. */
export function longLog(conversationId: string, now: number, amount: number): SampleLog {
  const log = begin(conversationId, now, 'Read every file and say one thing about each.')
  for (let index = 0; log.events.length < amount; index += 1) {
    log.answers('main', {
      text: `File ${index + 1} is about part ${index % 17} of the shop. It exports \`part${index}\` and is used in ${index % 9} places.`,
      tools: [
        {
          tool: 'Read',
          summary: `src/part-${index}.ts`,
          note: `${(index * 7) % 400} lines`,
          output: 'export const part = 1\n'.repeat(20),
        },
      ],
    })
  }
  log.status('main', 'waiting', 'message')
  return log
}

import { expect, test } from 'vitest'
import { SampleLog } from '../testing/sample-log.ts'
import type { AnsweredRequest, EventOf } from './agent-event.ts'

const command = {
  kind: 'command' as const,
  action: 'run a command',
  text: 'npm test\nnpm run lint',
  folder: '/work',
}

/** The list after a request and its answer for each of these. */
function answered(
  ...answers: readonly (Partial<EventOf<'permission-answered'>> &
    Partial<Pick<EventOf<'permission-asked'>, 'subject'>>)[]
): readonly AnsweredRequest[] {
  const log = new SampleLog()
  log.add('a', 'agent-spawned')
  for (const [index, { subject = command, ...answer }] of answers.entries()) {
    const requestId = `p${index}`
    log.add('a', 'permission-asked', { requestId, toolName: 'Bash', subject })
    log.add('a', 'permission-answered', { requestId, decision: 'allow-once', feedback: null, ...answer })
  }
  return log.stateOf('a').answered
}

test('an answer is kept with the request’s first line, the rule and who answered', () => {
  const rule = 'Bash(npm test)'
  expect(answered({ decision: 'allow-always', rule, answeredBy: 'rules' })).toEqual([
    {
      requestId: 'p0',
      toolName: 'Bash',
      action: 'run a command',
      text: 'npm test',
      decision: 'allow-always',
      feedback: null,
      rule,
      answeredBy: 'rules',
      at: 1_700_000_003_000,
    },
  ])
})

test('a withdrawn request is not listed', () => {
  expect(answered({ decision: 'withdrawn' })).toEqual([])
})

test('a change of a file is listed by its action, and the list keeps the last 50', () => {
  const edit = { subject: { ...command, kind: 'diff' as const } }
  expect(answered(edit)[0]).toMatchObject({
    action: 'run a command',
    text: '',
    answeredBy: 'user',
    rule: null,
  })
  const many = answered(edit, ...Array.from({ length: 60 }, () => ({})))
  expect([many.length, many.at(-1)?.requestId]).toEqual([50, 'p60'])
})

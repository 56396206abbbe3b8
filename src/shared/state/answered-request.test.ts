import { expect, test } from 'vitest'
import type { EventOf } from '../events/agent-event.ts'
import { withAnswered } from './answered-request.ts'

const request = (requestId: string, text = 'npm test\nnpm run lint') => ({
  requestId,
  toolName: 'Bash',
  subject: { kind: 'command' as const, action: 'run a command', text, folder: '/work' },
})
const answer = (more: Partial<EventOf<'permission-answered'>>): EventOf<'permission-answered'> =>
  ({ requestId: 'p1', decision: 'allow-once', feedback: null, at: 7, ...more }) as never

test('an answer is kept with the request’s first line, the rule and who answered', () => {
  const rule = 'Bash(npm test)'
  expect(
    withAnswered([], [request('p1')], answer({ decision: 'allow-always', rule, answeredBy: 'rules' })),
  ).toEqual([
    {
      requestId: 'p1',
      toolName: 'Bash',
      action: 'run a command',
      text: 'npm test',
      decision: 'allow-always',
      feedback: null,
      rule,
      answeredBy: 'rules',
      at: 7,
    },
  ])
})

test('a withdrawn request is not listed', () => {
  expect(withAnswered([], [request('p1')], answer({ decision: 'withdrawn' }))).toEqual([])
})

test('a change of a file is listed by its action, and the list keeps the last 50', () => {
  const edit = { ...request('p1'), subject: { ...request('p1').subject, kind: 'diff' as const } }
  let answered = withAnswered([], [edit], answer({}))
  expect(answered[0]).toMatchObject({ action: 'run a command', text: '', answeredBy: 'user', rule: null })
  for (let index = 0; index < 60; index++)
    answered = withAnswered(answered, [request(`q${index}`)], answer({ requestId: `q${index}` }))
  expect([answered.length, answered.at(-1)?.requestId]).toEqual([50, 'q59'])
})

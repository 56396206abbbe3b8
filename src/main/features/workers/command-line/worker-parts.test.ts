/** The parts of `troupe worker` without a process: arguments, the member, the terminal. */

import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { EVENT_VERSION } from '../../../../shared/events/agent-event.ts'
import type { ConversationRecord } from '../../../../shared/events/conversation.ts'
import type { FormContent } from '../../../../shared/forms/form.ts'
import type { Team } from '../../../../shared/teams/team-schema.ts'
import { sampleRecord } from '../../../../shared/testing/sample-log.ts'
import { parseLine } from '../../../testing/parse-line.ts'
import { formInTerminal, typedFormAnswer } from '../../run/form-in-terminal.ts'
import { findMember } from './run-workers.ts'
import { answerOf, createWorkerTerminal } from './worker-terminal.ts'

test.each([
  [['--team', 'pay', '--name', 'ann'], { agent: { team: 'pay', name: 'ann' }, access: null, idleMs: null }],
  [
    ['--agent', 'a-1', '--access', '-', '--idle', '60'],
    { agent: { id: 'a-1' }, access: '-', idleMs: 60_000 },
  ],
])('reads %j', (args, read) => {
  expect(parseLine(['worker', ...args])).toEqual({ ok: true, value: read })
})

test.each([
  [[], 'Which team member to carry out is missing.'],
  [['--team', 'pay'], 'Which team member to carry out is missing.'],
  [['--agent', 'a-1', '--name', 'ann'], '--agent and --team with --name exclude each other.'],
  [
    ['--team', 'pay', '--name', 'ann', '--idle', 'soon'],
    '--idle must be a whole number of seconds, not "soon".',
  ],
  [['ann'], 'Unknown argument "ann".'],
])('refuses %j', (args, message) => {
  expect(parseLine(['worker', ...args])).toMatchObject({
    ok: false,
    failure: { type: 'usage', message: expect.stringContaining(message) },
  })
})

const team = (name: string, more: Partial<Team> = {}): Team => ({
  id: `t-${name}`,
  name,
  leaderId: 'a-main',
  members: [
    { name: 'ann', agentId: 'a-ann', agent: 'general-purpose', backing: 'pane' },
    { name: 'ben', agentId: 'a-ben', agent: 'general-purpose', backing: 'in-process' },
  ],
  createdAt: 1,
  endingAt: null,
  endedAt: null,
  ...more,
})

const record = (updatedAt: number, teams: Team[]): ConversationRecord =>
  sampleRecord(`c-${updatedAt}`, ['a-main'], { updatedAt, teams })

test('the member of the newest conversation with a team of that name', () => {
  const newer = team('pay', { members: [{ name: 'Ann', agentId: 'a-new', agent: 'x', backing: 'pane' }] })
  const records = [record(1, [team('pay')]), record(2, [newer, team('old', { endedAt: 3 })])]
  expect(findMember(records, { team: 'Pay', name: 'ANN' })).toEqual({ ok: true, value: 'a-new' })
})

test.each([
  [{ team: 'old', name: 'ann' }, 'There is no team "old". Teams: pay.'],
  [{ team: 'pay', name: 'eve' }, 'The team pay has no member "eve". Members: ann, ben.'],
  [{ team: 'pay', name: 'ben' }, 'ben has the backing in-process'],
])('says what there is instead of %j', (wanted, message) => {
  const records = [record(1, [team('pay'), team('old', { endedAt: 3 })])]
  expect(findMember(records, wanted)).toMatchObject({
    ok: false,
    failure: { type: 'usage', message: expect.stringContaining(message) },
  })
})

test('a terminal without anybody at its input says where a request is answered, and asks nothing', () => {
  const shown: string[] = []
  const terminal = createWorkerTerminal({
    input: null,
    output: { write: (text) => shown.push(text) },
    whenIdle: () => {},
  })
  terminal.show({
    ...{ v: EVENT_VERSION, agentId: 'a-1', seq: 1, order: 1, at: 1 },
    type: 'permission-asked',
    requestId: 'p-1',
    toolUseId: 't-1',
    toolName: 'Bash',
    subject: { kind: 'command', action: 'run a command', text: 'npm test', folder: '/project' },
    because: 'npm can run code.',
    remedy: '',
    alwaysRule: null,
  })
  expect(shown).toEqual([
    '? It waits for an answer in Troupe’s window, because it wants to run a command:\nnpm test\n',
  ])
  terminal.close()
})

test.each([
  ['y', { decision: 'allow-once' }],
  [' Always ', { decision: 'allow-always' }],
  ['n', { decision: 'deny', feedback: null }],
  ['no, use npm ci', null],
  ['n use npm ci', { decision: 'deny', feedback: 'use npm ci' }],
  ['yes please', null],
  ['', null],
])('the answer %j', (typed, answer) => {
  expect(answerOf(typed)).toEqual(answer)
})

test('a typed line is a message, or answers the request that waits', async () => {
  const input = new PassThrough()
  const shown: string[] = []
  const done: unknown[] = []
  const terminal = createWorkerTerminal({
    input,
    output: { write: (text) => shown.push(text) },
    whenIdle: (text) => done.push(`idle: ${text}`),
  })
  terminal.reach({
    message: (text) => done.push(text),
    answer: (requestId, answer) => {
      done.push([requestId, answer])
      return true
    },
    answerForm: (formId, answer) => {
      done.push([formId, answer])
      return true
    },
  })
  const type = async (line: string) => {
    input.write(`${line}\n`)
    await new Promise((resolve) => setImmediate(resolve))
  }
  const head = { v: EVENT_VERSION, agentId: 'a-1', seq: 1, order: 1, at: 1 } as const
  await type('Look at b too')
  terminal.show({
    ...head,
    type: 'permission-asked',
    requestId: 'p-1',
    toolUseId: 't-1',
    toolName: 'Bash',
    subject: { kind: 'command', action: 'run a command', text: 'npm test', folder: '/project' },
    because: 'npm can run code.',
    alwaysRule: null,
    remedy: '',
  })
  await type('what?')
  await type('y')
  terminal.show({
    ...head,
    type: 'permission-answered',
    requestId: 'p-1',
    toolUseId: 't-1',
    decision: 'allow-once',
    feedback: null,
  })
  await type('Thanks')
  terminal.reach(null)
  await type('More')
  terminal.close()
  expect(done).toEqual(['Look at b too', ['p-1', { decision: 'allow-once' }], 'Thanks', 'idle: More'])
  expect(shown.join('')).toContain('It wants to run a command:\nnpm test')
  // The question is repeated for an answer that is none.
  expect(shown.join('').split('Type y to allow it once')).toHaveLength(3)
})

describe('a form in the terminal', () => {
  const form: FormContent = {
    kind: 'elicitation',
    server: 'tickets',
    message: 'Who are you?',
    schema: {
      properties: { name: { type: 'string', title: 'Your name' }, age: { type: 'integer' } },
      required: ['name'],
    },
  }
  const page: FormContent = {
    kind: 'elicitation-url',
    server: 'tickets',
    message: 'Sign in.',
    url: 'https://a.example/',
  }
  const plan: FormContent = { kind: 'plan', plan: '1. Begin' }

  test('shows who asks, and the fields', () => {
    expect(formInTerminal(form)).toContain('tickets: Who are you?\n  name (Your name), required\n  age')
    expect(formInTerminal(page)).toContain('https://a.example/')
    expect(formInTerminal(plan)).toContain('Answer it in the window')
  })

  test.each<[FormContent, string, unknown]>([
    [form, '{"name": "Ada", "age": 36}', { action: 'accept', values: { name: 'Ada', age: 36 } }],
    [form, '{"age": "x"}', 'name: Required.\nage: Not a number.'],
    [form, 'Ada', expect.stringContaining('Type the values as JSON')],
    [form, 'n not now', { action: 'decline', feedback: 'not now' }],
    [page, 'y', { action: 'accept', values: {} }],
    [page, 'what', expect.stringContaining('type y when you are done')],
    [plan, 'y', expect.stringContaining('in the window')],
  ])('%j takes %j', (asked, line, answer) => {
    expect(typedFormAnswer(asked, line)).toEqual(answer)
  })

  test('is answered by the next line, until it is closed', async () => {
    const input = new PassThrough()
    const done: unknown[] = []
    const terminal = createWorkerTerminal({ input, output: { write: () => {} }, whenIdle: () => {} })
    terminal.reach({
      message: (text) => done.push(text),
      answer: () => false,
      answerForm: (formId, answer) => {
        done.push([formId, answer.action])
        return true
      },
    })
    const type = async (line: string) => {
      input.write(`${line}\n`)
      await new Promise((resolve) => setImmediate(resolve))
    }
    const head = {
      v: EVENT_VERSION,
      agentId: 'a-1',
      seq: 1,
      order: 1,
      at: 1,
      formId: 'f-1',
      toolUseId: 't-1',
    } as const
    terminal.show({ ...head, type: 'form-opened', toolName: 'x', form })
    await type('{}')
    await type('{"name": "Ada"}')
    terminal.show({ ...head, type: 'form-closed', answer: { action: 'accept', values: {} } })
    await type('Thanks')
    terminal.close()
    expect(done).toEqual([['f-1', 'accept'], 'Thanks'])
  })
})

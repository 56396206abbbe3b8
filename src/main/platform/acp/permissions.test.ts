import type { PermissionOption } from '@agentclientprotocol/sdk'
import { expect, test } from 'vitest'
import type { EventOf } from '../../../shared/events/agent-event.ts'
import type { ExternalAgentChoice } from '../../../shared/external-agents/external-agent.ts'
import { sampleEvent } from '../../../shared/testing/sample-events.ts'
import { askedCall, choicesOf, permissionAnswer, permissionOptions } from './permissions.ts'

const asked = (choices: readonly ExternalAgentChoice[] = []): EventOf<'permission-asked'> =>
  sampleEvent('permission-asked', {
    toolName: 'Bash',
    subject: { kind: 'command', action: 'run', text: 'npm test', folder: '/project' },
    because: '',
    alwaysRule: 'Bash(npm test)',
    choices,
  })
const edits = {
  ...asked(),
  toolName: 'Edit',
  because: '',
  subject: {
    kind: 'diff' as const,
    action: 'write src/a.ts',
    text: '@@ -1,1 +1,1 @@\n-old\n+new\n',
    folder: '/project',
  },
}
const given = (optionId: string, choices: readonly ExternalAgentChoice[] = []) =>
  permissionAnswer({ outcome: 'selected', optionId }, asked(choices))
const names = (choices: readonly ExternalAgentChoice[] = []) =>
  permissionOptions(asked(choices)).map(({ kind, name }) => `${kind}: ${name}`)

const session: ExternalAgentChoice = { id: 'session', name: 'Yes, for this session', kind: 'always' }
const manual: ExternalAgentChoice = { id: 'manual', name: 'Yes, one by one', kind: 'once' }
const never: ExternalAgentChoice = { id: 'never', name: 'Never', kind: 'deny' }

test('Troupe offers to allow once, to keep a rule, and to deny', () => {
  expect(names()).toEqual([
    'allow_once: Allow once',
    'allow_always: Always allow Bash(npm test)',
    'reject_once: Deny',
  ])
  expect(given('allow-once')).toEqual({ decision: 'allow-once' })
  expect(given('always:0')).toEqual({ decision: 'allow-always', rule: 'Bash(npm test)' })
  expect(given('deny')).toEqual({ decision: 'deny', feedback: null })
})

test('what a program keeps for longer stands beside the rule of Troupe', () => {
  expect(names([session])).toEqual([
    'allow_once: Allow once',
    'allow_always: Yes, for this session',
    'allow_always: Always allow Bash(npm test)',
    'reject_once: Deny',
  ])
  expect(given('program:session', [session])).toEqual({ decision: 'allow-once', choice: 'session' })
})

test('a program’s own plain answers take the place of Troupe’s', () => {
  expect(names([manual, never])).toEqual([
    'allow_once: Yes, one by one',
    'allow_always: Always allow Bash(npm test)',
    'reject_once: Never',
  ])
  expect(given('program:manual', [manual])).toEqual({ decision: 'allow-once', choice: 'manual' })
  expect(given('program:never', [never])).toEqual({ decision: 'deny', feedback: null, choice: 'never' })
})

test.each(['program:deny', 'always:1', 'always:-1', 'always:', 'program:', '', '__proto__', 'toString'])(
  'the answer “%s”, which was not offered, denies',
  (optionId) => {
    expect(given(optionId, [session])).toEqual({ decision: 'deny', feedback: null })
  },
)

test('a program can’t give an answer the name of one of Troupe’s', () => {
  const posing: ExternalAgentChoice = { id: 'allow-once', name: 'No', kind: 'deny' }
  expect(permissionOptions(asked([posing])).map(({ optionId }) => optionId)).toEqual([
    'allow-once',
    'always:0',
    'program:allow-once',
  ])
  expect(given('program:allow-once', [posing])).toMatchObject({ decision: 'deny', choice: 'allow-once' })
})

test('a change is called by its file, and shown as a difference', () => {
  expect(askedCall('t-1', edits, null)).toMatchObject({
    title: 'Edit: src/a.ts',
    kind: 'edit',
    content: [{ type: 'diff', path: '/project/src/a.ts', oldText: 'old', newText: 'new' }],
  })
  const created = { ...edits, subject: { ...edits.subject, text: '@@ -0,0 +1,1 @@\n+new\n' } }
  expect(askedCall('t-1', created, 'Explore')).toMatchObject({
    title: 'Explore: Edit: src/a.ts',
    content: [{ type: 'diff', oldText: null, newText: 'new' }],
  })
})

test('a call of a program is called by its own first line, and keeps the kind that it told', () => {
  const subject = {
    kind: 'other' as const,
    action: 'change its own mode',
    text: 'Leave the plan\n{}',
    folder: '/project',
  }
  const call = askedCall('t-1', { ...asked(), toolName: 'acp_tool', subject }, null)
  expect(call.title).toBe('Leave the plan')
  expect(call).not.toHaveProperty('kind')
})

const option = (kind: PermissionOption['kind'], name: string): PermissionOption => ({
  optionId: name,
  kind,
  name,
})
const chosenNames = (options: readonly PermissionOption[]) =>
  choicesOf(options).map(({ name, kind }) => `${kind}: ${name}`)

test('one answer of each plain kind is no choice', () => {
  expect(chosenNames([option('allow_once', 'Yes'), option('reject_once', 'No')])).toEqual([])
})

test('what the program keeps for longer is one', () => {
  expect(
    chosenNames([
      option('allow_once', 'Yes'),
      option('allow_always', 'This session'),
      option('reject_once', 'No'),
    ]),
  ).toEqual(['always: This session'])
})

test('of several answers of a kind all are, by their names', () => {
  expect(
    chosenNames([
      option('allow_always', 'Yes, auto mode'),
      option('allow_always', 'Yes, accept edits'),
      option('allow_once', 'Yes, ask me'),
      option('reject_once', 'No, keep planning'),
    ]),
  ).toEqual(['always: Yes, auto mode', 'always: Yes, accept edits', 'once: Yes, ask me'])
  expect(chosenNames([option('reject_once', 'No'), option('reject_always', 'Never')])).toEqual([
    'deny: No',
    'deny: Never',
  ])
})

test('answers of kinds that nobody knows are left out', () => {
  expect(chosenNames([option('allow_twice' as never, 'Twice'), option('allow_once', 'Yes')])).toEqual([])
})

test('no two answers have one name, and none has the name of Troupe’s own', () => {
  const id = (kind: PermissionOption['kind'], name: string, optionId: string) => ({ kind, name, optionId })
  expect(
    chosenNames([
      id('allow_always', 'Allow', 'session'),
      id('allow_always', 'Always Allow', 'server'),
      id('allow_always', 'Always allow', 'tool'),
      id('allow_once', 'Yes', 'yes'),
      id('reject_once', 'Yes', 'odd'),
      id('reject_always', 'Deny…', 'never'),
    ]),
  ).toEqual([
    'always: Allow (kept by the program)',
    'always: Always Allow (kept by the program)',
    'always: Always allow (kept by the program) (2)',
    'once: Yes (once)',
    'deny: Yes (denies)',
    'deny: Deny… (denies)',
  ])
})

import { describe, expect, test } from 'vitest'
import type { CaseCheck } from '../../../shared/agent-tests/agent-tests.ts'
import { fail, ok } from '../../../shared/kernel/result.ts'
import { type AttemptWork, type CheckEffects, type CommandEnd, runChecks, type Vote } from './run-checks.ts'

const WORK: AttemptWork = {
  report: 'Found a double charge in src/charge.ts:38.',
  changed: ['src/charge.ts', 'docs/notes.md'],
  tools: ['Read', 'Read', 'Bash'],
  requests: ['WebFetch'],
}
const ended = (end: Partial<CommandEnd>) => ok({ exitCode: 0, isTimeout: false, output: '', ...end })

/** "passed: what was found", or the failure. */
async function checked(
  check: CaseCheck,
  effects: Partial<CheckEffects> = {},
  work: Partial<AttemptWork> = {},
) {
  const done = await runChecks(
    [check],
    { ...WORK, ...work },
    {
      command: async () => ended({}),
      vote: async () => fail({ type: 'x', message: 'Not asked.' }),
      ...effects,
    },
  )
  if (!done.ok) return `${done.failure.type}: ${done.failure.message}`
  return done.value.map(({ passed, found }) => `${passed ? 'passed' : 'failed'}: ${found}`).join('; ')
}

describe('the report', () => {
  test.each<[CaseCheck, string]>([
    [{ type: 'report-contains', text: 'charge.ts:38' }, 'passed: in the report'],
    [{ type: 'report-contains', text: 'settle' }, 'failed: not in the report: Found a double charge'],
    [{ type: 'report-lacks', text: 'settle' }, 'passed: not in the report'],
    [{ type: 'report-lacks', text: 'double' }, 'failed: …Found a double charge'],
    [{ type: 'report-matches', pattern: 'CHARGE\\.ts:\\d+', flags: 'i' }, 'passed: charge.ts:38'],
    [{ type: 'report-matches', pattern: '^x', flags: '' }, 'failed: nothing matches'],
    [{ type: 'report-schema', schema: { type: 'object' } }, 'failed: It is not JSON'],
  ])('%j', async (check, expected) => {
    expect(await checked(check)).toContain(expected)
  })

  test('may be JSON in a block of code', async () => {
    const schema = { type: 'object', required: ['a'] }
    const of = (report: string) => checked({ type: 'report-schema', schema }, {}, { report })
    expect(await of('```json\n{"a": 1}\n```')).toBe('passed: valid')
    expect(await of('{"b": 1}')).toContain("failed: The value must have required property 'a'.")
  })
})

test.each<[CaseCheck, string]>([
  [
    { type: 'files-changed', paths: ['src/*.ts', 'notes.md'] },
    'passed: changed: src/charge.ts, docs/notes.md',
  ],
  [
    { type: 'files-changed', paths: ['src/*.ts', '*.json'] },
    'failed: *.json unchanged; changed: src/charge.ts',
  ],
  [{ type: 'files-unchanged', paths: ['test/**'] }, 'passed: unchanged'],
  [{ type: 'files-unchanged', paths: ['**'] }, 'failed: changed: src/charge.ts, docs/notes.md'],
  [{ type: 'tools-not-used', tools: ['Write', 'bash'] }, 'failed: used: 1 Bash'],
  [{ type: 'tools-not-used', tools: ['*'] }, 'failed: used: 2 Read, 1 Bash'],
  [{ type: 'tools-not-used', tools: ['Edit'] }, 'passed: none used'],
  [{ type: 'no-request', tools: ['Bash'] }, 'passed: none asked for'],
  [{ type: 'no-request', tools: ['*'] }, 'failed: asked for: 1 WebFetch'],
])('%j', async (check, expected) => {
  expect(await checked(check)).toContain(expected)
})

describe('a command', () => {
  const of = (end: Parameters<typeof ended>[0]) =>
    checked({ type: 'command', command: 'make' }, { command: async () => ended(end) })

  test('passes with exit code 0, else its output is shown', async () => {
    expect(await of({})).toBe('passed: exit code 0')
    expect(await of({ exitCode: 2, output: 'no rule\n' })).toBe('failed: exit code 2\nno rule')
  })

  test('that never ends fails, and one that is none or may not run breaks the attempt', async () => {
    expect(await of({ exitCode: null, isTimeout: true })).toBe('failed: It was ended after 10 min.')
    expect(await of({ exitCode: 127, output: 'make: not found' })).toBe(
      'broken: The check “make” could not be run: make: not found',
    )
    const denied = { command: async () => fail({ type: 'denied', message: 'A rule denies it.' }) }
    expect(await checked({ type: 'command', command: 'make' }, denied)).toBe(
      'broken: The check “make” could not be run: A rule denies it.',
    )
  })
})

describe('an opinion', () => {
  const of = (...votes: readonly (Vote | null)[]) => {
    const left = [...votes]
    const vote = async () => {
      const next = left.shift()
      return next ? ok(next) : fail({ type: 'no-vote', message: 'The model was silent.' })
    }
    return checked({ type: 'opinion', rubric: 'It is polite.' }, { vote })
  }
  const yes = { passed: true, because: 'It thanks.' }
  const no = { passed: false, because: 'It shouts.' }

  test('is that of the majority, also without one of the votes', async () => {
    expect(await of(yes, no, yes)).toBe('passed: 2 of 3 votes: It thanks.')
    expect(await of(no, null, no)).toBe('failed: 2 of 3 votes: It shouts.')
  })

  test('without a majority breaks the attempt', async () => {
    expect(await of(yes, no, null)).toBe(
      'broken: No majority of three votes was reached about the opinion. The model was silent.',
    )
  })
})

test('the first check that can’t be carried out ends the others', async () => {
  const commands: string[] = []
  const checks: CaseCheck[] = [
    { type: 'report-schema', schema: { type: 'nonsense' } },
    { type: 'command', command: 'make' },
  ]
  const done = await runChecks(checks, WORK, {
    command: async (command) => {
      commands.push(command)
      return ended({})
    },
    vote: async () => ok({ passed: true, because: '' }),
  })
  expect(done).toMatchObject({ ok: false, failure: { type: 'broken' } })
  expect(commands).toEqual([])
})

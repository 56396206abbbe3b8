import { describe, expect, test } from 'vitest'
import type { AgentCase } from './agent-tests.ts'
import { caseText, firstCaseText } from './case-file.ts'
import { readCaseFile } from './read-case-file.ts'

const FILE = '.claude/agent-tests/reviewer/double-charge.yaml'
const read = (text: string) => readCaseFile(text, FILE)
const problemsOf = (text: string) => read(text).problems.map(({ line, message }) => `${line}: ${message}`)
const MINIMAL = 'task: Review.\nchecks:\n  - report-contains: x\n'

describe('a case file', () => {
  test('needs a task and a check, and is named by its path', () => {
    expect(read(MINIMAL)).toEqual({
      case: {
        file: FILE,
        agent: 'reviewer',
        name: 'double-charge',
        task: 'Review.',
        start: { type: 'head' },
        role: 'subagent',
        checks: [{ type: 'report-contains', text: 'x' }],
        limits: { turns: null, tokens: null, usd: null, ms: null },
        permissions: { mode: 'default', allow: [], deny: [] },
      },
      problems: [],
    })
  })

  test('comes back as it was written', () => {
    const whole: AgentCase = {
      file: FILE,
      agent: 'reviewer',
      name: 'Find: the double charge',
      task: 'Review src/payments.\n\n  - with file and line\n# not a comment',
      start: { type: 'commit', commit: '0123456' },
      role: 'main',
      checks: [
        { type: 'report-contains', text: '0x10' },
        { type: 'report-lacks', text: 'null' },
        { type: 'report-matches', pattern: 'charge\\.ts:\\d+', flags: 'i' },
        { type: 'report-schema', schema: { type: 'object', required: ['files'] } },
        { type: 'files-changed', paths: ['src/**/*.ts', 'README.md'] },
        { type: 'files-unchanged', paths: ['**'] },
        { type: 'command', command: 'npm test -- "a: b"' },
        { type: 'tools-not-used', tools: ['Bash'] },
        { type: 'no-request', tools: ['*'] },
        { type: 'opinion', rubric: 'It is polite.\nIt is short.' },
      ],
      limits: { turns: 12, tokens: 50_000, usd: 0.5, ms: 90_000 },
      permissions: { mode: 'acceptEdits', allow: ['Bash(npm test)'], deny: ['WebFetch'] },
    }
    expect(read(caseText(whole))).toEqual({ case: whole, problems: [] })
    const kept = { ...whole, start: { type: 'files' as const, folder: 'clean' } }
    expect(read(caseText(kept)).case).toEqual(kept)
  })

  test('to begin with can be read', () => {
    expect(read(firstCaseText).problems).toEqual([])
  })
})

describe('a mistake is told at its line, and makes the text no case', () => {
  test.each([
    ['a key twice', `task: a\n${MINIMAL}`, '2: This key stands here twice.'],
    ['an unknown key', `${MINIMAL}limit: {}\n`, '4: A case has no “limit”. Did you mean “limits”?'],
    [
      'an unknown check',
      'task: a\nchecks:\n  - report-contain: b\n',
      '3: A check has no “report-contain”. Did you mean “report-contains”?',
    ],
    ['no task', 'checks:\n  - command: make\n', '1: A case needs “task”'],
    ['no checks', 'task: a\n', '1: A case needs “checks”'],
    ['an empty list of checks', 'task: a\nchecks: []\n', '2: checks is empty'],
    [
      'a check that says two things',
      'task: a\nchecks:\n  - command: b\n    opinion: c\n',
      '3: This check says two',
    ],
    ['checks that are no list', 'task: a\nchecks: all\n', '2: checks is a list.'],
    ['a wrong limit', `${MINIMAL}limits:\n  turns: many\n`, '5: limits: turns is a whole number above 0.'],
    ['a limit of nothing', `${MINIMAL}limits:\n  usd: 0\n`, '5: limits: usd is a number above 0.'],
    ['a wrong mode', `${MINIMAL}permissions:\n  mode: accept\n`, '5: permissions: mode is'],
    ['a wrong rule', `${MINIMAL}permissions:\n  allow: [Bsh(npm test)]\n`, '5: The rule "Bsh(npm test)"'],
    ['a bad expression', 'task: a\nchecks:\n  - report-matches: /(/\n', '3: "/(/" is no regular expression.'],
    ['a folder outside', `${MINIMAL}start:\n  files: ../../..\n`, '5: "../../.." is not beside this file.'],
    ['an option as a commit', `${MINIMAL}start:\n  commit: --all\n`, '5: "--all" names no commit.'],
    ['two starts', `${MINIMAL}start: {commit: a1b2, files: b}\n`, '4: start has either'],
    ['an empty task', 'task:\nchecks:\n  - command: make\n', '1: task is a text.'],
    ['no YAML', 'task: "a\n', 'This is not YAML:'],
    ['no map', '- a\n', '1: A case is made of “name: …”'],
    ['nothing', '', 'A case is made of'],
  ])('%s', (_, text, expected) => {
    const problems = problemsOf(text)
    expect(problems.join('\n')).toContain(expected)
    expect(read(text).case).toBe(null)
  })

  test('several mistakes are told in the order of their lines', () => {
    const text = 'tsk: a\nchecks:\n  - opinio: b\nlimits: {turns: x}\n'
    expect(problemsOf(text).map((each) => each.slice(0, 1))).toEqual(['1', '1', '3', '4'])
  })

  test('a text that would take long to parse is not parsed', () => {
    expect(problemsOf(`a: ${'['.repeat(100_000)}`)[0]).toContain('more than 4000 keys')
  })
})

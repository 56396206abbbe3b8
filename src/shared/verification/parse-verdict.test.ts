import { describe, expect, test } from 'vitest'
import { parseVerdict } from './parse-verdict.ts'

describe('a verifier’s report', () => {
  test('in the requested form is read whole', () => {
    const report = `I ran everything.

VERDICT: failed — empty lines are dropped
EVIDENCE:
- the tests fail — \`npm test\`, exit code 1
- empty lines are skipped — src/parse.ts:12
- types are sound (\`npx tsc --noEmit\`, exit 0)`
    expect(parseVerdict(report)).toEqual({
      verdict: 'failed',
      summary: 'empty lines are dropped',
      evidence: [
        { claim: 'the tests fail', command: 'npm test', exitCode: 1, location: null },
        { claim: 'empty lines are skipped', command: null, exitCode: null, location: 'src/parse.ts:12' },
        { claim: 'types are sound', command: 'npx tsc --noEmit', exitCode: 0, location: null },
      ],
    })
  })

  test.each([
    ['**Verdict:** Passed. All 12 tests pass.', 'passed'],
    ['## Verdict: the change works', 'passed'],
    ['1. Verdict: does not work', 'failed'],
    ['verdict = `FAIL`', 'failed'],
    ['Verdict — could not be verified', 'unclear'],
    ['Verdict: not passed', 'failed'],
    ['VERDICT: verified', 'passed'],
    ['> VERDICT: unclear', 'unclear'],
    ['All is well.', 'unclear'],
    ['', 'unclear'],
    ['Verdict: purple', 'unclear'],
    ['The verdict: I passed the tests to a friend.', 'unclear'],
  ])('%s', (report, verdict) => {
    expect(parseVerdict(report).verdict).toBe(verdict)
  })

  test('the last verdict counts, so that a quoted or revised one does not', () => {
    expect(parseVerdict('VERDICT: passed\n\nThen I tried null.\n\nVERDICT: failed\n').verdict).toBe('failed')
  })

  test('a verdict without text takes the summary, or the sentence below', () => {
    expect(parseVerdict('VERDICT: failed\nSUMMARY: The parser hangs.\nEVIDENCE:\n- x').summary).toBe(
      'The parser hangs.',
    )
    expect(parseVerdict('VERDICT: passed\n\nIt works for all inputs.').summary).toBe(
      'It works for all inputs.',
    )
    expect(parseVerdict('VERDICT: passed\nEVIDENCE:\n- it works').summary).toBe('')
  })

  test('empty lines between the parts change nothing', () => {
    const parts = ['VERDICT: passed', 'SUMMARY: It works.', 'EVIDENCE:', '- It runs: `npm test`, exit code 0']
    const report = parts.join('\n\n')
    expect(parseVerdict(report)).toEqual(parseVerdict(parts.join('\n')))
    expect(parseVerdict(report)).toMatchObject({ summary: 'It works.', evidence: [{ exitCode: 0 }] })
  })

  test('a name in backticks is no command, and text after the list is no evidence', () => {
    const { evidence } = parseVerdict(
      'VERDICT: passed\n\n### Evidence\n\n1. `add` handles null: `src/add.ts:3`\n\nNot checked:\n- Windows',
    )
    expect(evidence).toEqual([
      { claim: '`add` handles null', command: null, exitCode: null, location: 'src/add.ts:3' },
    ])
  })

  test('evidence is whole: long claims, and the output below them with its own lists', () => {
    const long = 'x'.repeat(2000)
    const report = `VERDICT: failed
EVIDENCE:
- ${long} end: \`npm test\`, exit code 1
  \`\`\`
  FAIL src/parse.test.ts
  - expected: 3

    + received: 2
  \`\`\`

- One more: src/parse.ts:12
    12 | return lines
      - a nested item
- The last: \`npm run check\`, exit code 0`
    const { evidence } = parseVerdict(report)
    expect(evidence).toEqual([
      {
        claim: `${long} end`,
        command: 'npm test',
        exitCode: 1,
        location: null,
        output: 'FAIL src/parse.test.ts\n- expected: 3\n\n  + received: 2',
      },
      {
        claim: 'One more',
        command: null,
        exitCode: null,
        location: 'src/parse.ts:12',
        output: '12 | return lines\n  - a nested item',
      },
      { claim: 'The last', command: 'npm run check', exitCode: 0, location: null },
    ])
  })

  test('a huge report costs little', () => {
    const items = Array.from({ length: 500 }, (_, index) => `- ${'x ('.repeat(20_000)} ${index}`)
    const { evidence } = parseVerdict(`VERDICT: passed\nEVIDENCE\n${items.join('\n')}`)
    expect(evidence).toHaveLength(500)
  })
})

import { DOMParser } from 'linkedom'
import { describe, expect, test } from 'vitest'
import { resultsJunit } from './results-junit.ts'
import { DRAFT, IN_USE, sampleAttempt, sampleAttempts, sampleCase } from './testing/sample-results.ts'

const CHARGE = sampleCase('double charge')
const NASTY = sampleCase('quotes "&" <tags>\n\u001b[31mred\u0000 \ud800 ]]>')

const junit = resultsJunit({
  agent: 'reviewer',
  cases: [CHARGE, NASTY],
  versions: [IN_USE, { ...DRAFT, title: 'Draft, <haiku>' }],
  startedAt: Date.UTC(2026, 10, 26, 9, 30, 5, 250),
  attempts: [
    ...sampleAttempts(CHARGE, IN_USE, 'pppwsb'),
    sampleAttempt(CHARGE, DRAFT, {
      number: 1,
      state: 'failed',
      checks: [
        {
          check: { type: 'command', command: 'npm test' },
          passed: false,
          found: 'exit code 1\n\u001b[31m✗ a < b && c\u001b[0m',
        },
        { check: { type: 'report-contains', text: 'a' }, passed: true, found: 'in the report' },
      ],
    }),
    sampleAttempt(NASTY, DRAFT, { number: 1, state: 'broken', because: 'The commit\n"abc" is gone.' }),
  ],
})

interface Found {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly Found[]
}

const read = (text: string): Found => {
  const found = (element: Element): Found => ({
    name: element.localName,
    attributes: Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value])),
    children: [...element.children].map(found),
  })
  return found(new DOMParser().parseFromString(text, 'text/xml').documentElement as unknown as Element)
}

/** What both schemas demand: the attributes that must be there, those that may be, and the children in their order. */
const RULES: Readonly<
  Record<string, { readonly must: string[]; readonly may?: string[]; readonly children: RegExp }>
> = {
  testsuites: { must: [], children: /^(testsuite )*$/ },
  testsuite: {
    must: ['errors', 'failures', 'hostname', 'id', 'name', 'package', 'tests', 'time', 'timestamp'],
    may: ['skipped'],
    children: /^properties (testcase )*system-out system-err $/,
  },
  properties: { must: [], children: /^(property )*$/ },
  property: { must: ['name', 'value'], children: /^$/ },
  testcase: { must: ['classname', 'name', 'time'], children: /^((failure|error|skipped) )?$/ },
  failure: { must: ['message', 'type'], children: /^$/ },
  error: { must: ['message', 'type'], children: /^$/ },
  skipped: { must: [], may: ['message', 'type'], children: /^$/ },
  'system-out': { must: [], children: /^$/ },
  'system-err': { must: [], children: /^$/ },
}

function checkRules({ name, attributes, children }: Found): void {
  const rule = RULES[name]
  if (rule === undefined) throw new Error(`no schema has ${name}`)
  const names = Object.keys(attributes)
  for (const must of rule.must) expect(names, name).toContain(must)
  for (const given of names) expect([...rule.must, ...(rule.may ?? [])], name).toContain(given)
  expect(children.map((child) => `${child.name} `).join(''), name).toMatch(rule.children)
  for (const number of ['id', 'tests', 'failures', 'errors', 'skipped'])
    if (number in attributes) expect(attributes[number]).toMatch(/^\d+$/)
  if ('time' in attributes) expect(attributes['time']).toMatch(/^\d+\.\d{3}$/)
  if ('timestamp' in attributes) expect(attributes['timestamp']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
  expect(attributes['name']).not.toBe('')
  children.forEach(checkRules)
}

describe('JUnit XML', () => {
  test('follows the schemas of Jenkins and Ant', () => {
    checkRules(read(junit))
  })

  test('has a suite for each version and a test case for each attempt', () => {
    const suites = read(junit).children
    expect(suites.map(({ attributes }) => attributes)).toMatchObject([
      { name: 'reviewer: In use', tests: '6', failures: '0', errors: '1', skipped: '2', time: '258.000' },
      { name: 'reviewer: Draft, <haiku>', tests: '2', failures: '1', errors: '1', skipped: '0', id: '1' },
    ])
    expect(suites[0]?.attributes['timestamp']).toBe('2026-11-26T09:30:05')
    const cases = suites[1]?.children.filter(({ name }) => name === 'testcase') ?? []
    expect(cases[0]).toMatchObject({
      attributes: { classname: 'reviewer.Draft, <haiku>', name: 'double charge, attempt 1', time: '43.000' },
      children: [{ name: 'failure', attributes: { type: 'check' } }],
    })
    expect(cases[1]?.children[0]).toMatchObject({
      name: 'error',
      attributes: { message: 'The commit\n"abc" is gone.' },
    })
    expect(junit).toContain('✗ npm test passes: exit code 1\n')
    expect(junit).toContain('✓ reports a: in the report')
  })

  test('has no character that XML can’t have', () => {
    expect(junit).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/)
    expect(junit).not.toMatch(/\p{Surrogate}/u)
    expect(junit).toContain(
      'quotes &quot;&amp;&quot; &lt;tags&gt;&#10;\ufffd[31mred\ufffd \ufffd ]]&gt;, attempt 1',
    )
  })

  test('of no attempts is a suite without test cases', () => {
    const empty = resultsJunit({
      agent: 'reviewer',
      cases: [],
      versions: [IN_USE],
      attempts: [],
      startedAt: 0,
    })
    checkRules(read(empty))
    expect(read(empty).children[0]?.attributes).toMatchObject({ tests: '0', time: '0.000' })
  })
})

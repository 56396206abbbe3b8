import { expect, test } from 'vitest'
import type { CatalogEntry } from '../../../shared/agent-catalog.ts'
import { catalogText, entryState, rowsOf } from './catalog-rows.ts'

const entry = (name: string, more: Partial<CatalogEntry> = {}): CatalogEntry => ({
  id: `/${more.source ?? 'project'}/${name}.md`,
  name,
  source: 'project',
  plugin: null,
  file: `/${name}.md`,
  path: `${name}.md`,
  color: 'blue',
  description: '',
  state: 'offered',
  locked: false,
  shadowedBy: null,
  overrides: [],
  diagnostics: [],
  ...more,
})
const problem = (severity: 'notice' | 'warning' | 'error', line: number) => ({
  code: 'x',
  severity,
  line,
  column: 1,
  message: 'wrong',
})
const shown = (entries: readonly CatalogEntry[], query = '') =>
  rowsOf(entries, query, ['project', 'user']).map((row) =>
    row.kind === 'group' ? `${row.title}${row.source === null ? '' : ' +'}` : `  ${row.entry.name}`,
  )

test('writable groups come first, even when empty; each plugin has its own group', () => {
  expect(
    shown([
      entry('Explore', { source: 'built-in' }),
      entry('from-json', { source: 'command-line' }),
      entry('check', { source: 'managed' }),
      entry('kit:notes', { source: 'plugin', plugin: 'kit' }),
      entry('other:x', { source: 'plugin', plugin: 'other' }),
      entry('tester'),
    ]),
  ).toEqual([
    'Project +',
    '  tester',
    'User +',
    'Plugin · kit',
    '  kit:notes',
    'Plugin · other',
    '  other:x',
    'Managed',
    '  check',
    'Built in',
    '  Explore',
    'Command line',
    '  from-json',
  ])
})

test('an untrusted folder has no project group', () => {
  expect(rowsOf([], '', ['user']).map((row) => row.key)).toEqual(['group:user'])
})

test('every search term must match the name, path or description; groups without a match are hidden', () => {
  const entries = [
    entry('reviewer', { description: 'Looks at payments.' }),
    entry('tester', { path: 'review/tester.md', source: 'user' }),
    entry('writer', { source: 'user' }),
  ]
  expect(shown(entries, 'REVIEW')).toEqual(['Project +', '  reviewer', 'User +', '  tester'])
  expect(shown(entries, 'review pay')).toEqual(['Project +', '  reviewer'])
  expect(shown(entries, 'nothing like it')).toEqual([])
})

test.each([
  ['unsaved', entry('a', { state: 'refused' }), true, 'unsaved'],
  [
    'broken',
    entry('a', { state: 'refused', diagnostics: [problem('warning', 2), problem('error', 4)] }),
    false,
    'line 4',
  ],
  ['broken', entry('a', { state: 'refused' }), false, 'broken'],
  ['no-agent', entry('a', { state: 'no-agent', diagnostics: [problem('notice', 1)] }), false, 'no agent'],
  ['shadowed', entry('a', { state: 'shadowed', diagnostics: [problem('warning', 3)] }), false, 'shadowed'],
  ['warning', entry('a', { diagnostics: [problem('notice', 1), problem('warning', 3)] }), false, 'line 3'],
  ['locked', entry('a', { source: 'managed' }), false, 'locked'],
  ['hidden', entry('a', { state: 'hidden' }), false, 'hidden'],
  ['fine', entry('a', { diagnostics: [problem('notice', 1)] }), false, ''],
] as const)('the most important state is shown: %s', (kind, shownEntry, isUnsaved, label) => {
  expect(entryState(shownEntry, isUnsaved)).toEqual({ kind, label })
})

test('the count includes agents only, not other files', () => {
  expect(catalogText([entry('a')])).toBe('1 agent')
  expect(
    catalogText([
      entry('a', { diagnostics: [problem('warning', 3)] }),
      entry('b', { diagnostics: [problem('notice', 3)] }),
      entry('README', { state: 'no-agent' }),
    ]),
  ).toBe('2 agents · 1 with problems')
})

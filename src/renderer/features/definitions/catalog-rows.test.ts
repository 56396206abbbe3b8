import { expect, test } from 'vitest'
import type { CatalogEntry } from '../../../shared/agent-definition/agent-catalog.ts'
import { contentOf } from '../../../shared/agent-definition/agent-catalog.ts'
import { plainDefinition } from '../../../shared/agent-definition/agent-definition.ts'
import { openConditions } from '../../../shared/agent-definition/effective-tools.ts'
import { type CatalogFilter, catalogRowsOf, catalogText, entryState, firstEntry } from './catalog-rows.ts'

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
  content: contentOf(plainDefinition(name, '')),
  ...more,
})
const saying = (more: Partial<NonNullable<CatalogEntry['content']>>): Partial<CatalogEntry> => ({
  content: { ...contentOf(plainDefinition('x', '')), ...more },
})
const problem = (severity: 'notice' | 'warning' | 'error', line: number) => ({
  code: 'x',
  severity,
  line,
  column: 1,
  message: 'wrong',
})
const options = {
  sources: ['project', 'user'],
  unsaved: new Set<string>(),
  tools: ['Read', 'Bash'],
  conditions: openConditions,
} as const
const rowsFor = (
  entries: readonly CatalogEntry[],
  more: { readonly query?: string; readonly filters?: readonly CatalogFilter[] } = {},
) => catalogRowsOf(entries, { query: '', filters: [], ...options, ...more })
const shown = (entries: readonly CatalogEntry[], query = '') =>
  rowsFor(entries, { query }).map((row) =>
    row.kind === 'group' ? `${row.title}${row.source === null ? '' : ' +'}` : `  ${row.entry.name}`,
  )
const names = (rows: ReturnType<typeof catalogRowsOf>) =>
  rows.flatMap((row) => (row.kind === 'entry' ? [row.entry.name] : []))

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
  const rows = catalogRowsOf([], { ...options, query: '', filters: [], sources: ['user'] })
  expect(rows.map((row) => row.key)).toEqual(['group:user'])
})

test('agents are in the order of the names that are shown, not of their files', () => {
  const entries = [
    entry('zeta', { path: 'a.md' }),
    entry('agent-10', { path: 'b.md' }),
    entry('Beta', { path: 'c.md' }),
    entry('agent-9', { path: 'd.md' }),
    // A file that can't be read is shown by its path.
    entry('unread', { path: 'core/x.md', state: 'refused' }),
  ]
  expect(names(rowsFor(entries))).toEqual(['agent-9', 'agent-10', 'Beta', 'unread', 'zeta'])
  expect(firstEntry(entries)?.name).toBe('agent-9')
})

test('every search term must match; the best match is first, whatever its source', () => {
  const entries = [
    entry('writer', { ...saying({ body: 'Ask the reviewer first.' }) }),
    entry('helper', { ...saying({ tools: ['mcp__review__open'] }) }),
    entry('planner', { description: 'Plans a review of payments.' }),
    entry('in-folder', { path: 'review/in-folder.md' }),
    entry('code-review', { source: 'user' }),
    entry('review-all', { source: 'built-in' }),
    entry('review', { source: 'user' }),
    entry('kit:reviewer', { source: 'plugin', plugin: 'kit' }),
    entry('other'),
  ]
  expect(names(rowsFor(entries, { query: 'REVIEW' }))).toEqual([
    'review',
    'kit:reviewer',
    'review-all',
    'code-review',
    'planner',
    'in-folder',
    'helper',
    'writer',
  ])
  expect(names(rowsFor(entries, { query: ' review  pay ' }))).toEqual(['planner'])
  // The name in a file that is not in use is not what the list shows.
  const refused = entry('review', { path: 'posing.md', state: 'refused' })
  expect(names(rowsFor([refused, entry('my-review')], { query: 'review' }))).toEqual(['my-review', 'review'])
  expect(rowsFor(entries, { query: 'nothing like it' })).toEqual([])
})

test('the rows of a search state their number, and the source of each agent', () => {
  const rows = rowsFor([entry('a', { source: 'user' }), entry('ab')], { query: 'a' })
  expect(rows[0]).toMatchObject({ kind: 'group', title: '2 matches', source: null })
  expect(rows[1]).toMatchObject({ where: 'User' })
  expect(rows[2]).toMatchObject({ where: 'Project' })
  expect(rowsFor([entry('a')], { query: 'a' })[0]).toMatchObject({ title: '1 match' })
})

test('agents of one name show their paths, ignoring case; others do not', () => {
  const entries = [entry('same'), entry('Same', { source: 'user' }), entry('single')]
  const paths = () =>
    rowsFor(entries).flatMap((row) => (row.kind === 'entry' ? [[row.entry.name, row.showsPath]] : []))
  expect(paths()).toEqual([
    ['same', true],
    ['single', false],
    ['Same', true],
  ])
  // A filter that hides one of the two does not hide that there are two.
  const [, first] = rowsFor(entries, { query: 'same' })
  expect(first).toMatchObject({ showsPath: true })
})

test.each([
  [[{ kind: 'problem', value: null }], ['broken', 'faulty']],
  [[{ kind: 'unsaved', value: null }], ['faulty']],
  [[{ kind: 'shadowed', value: null }], ['below']],
  [[{ kind: 'model', value: 'opus' }], ['below', 'faulty']],
  [[{ kind: 'tool', value: 'Bash' }], ['below', 'faulty']],
  [
    [
      { kind: 'model', value: 'opus' },
      { kind: 'shadowed', value: null },
    ],
    ['below'],
  ],
] as const)('filters %j show %j', (filters, expected) => {
  const entries = [
    entry('faulty', { ...saying({ model: 'opus' }), diagnostics: [problem('warning', 3)] }),
    entry('below', { ...saying({ model: 'opus' }), state: 'shadowed' }),
    entry('reader', { ...saying({ tools: ['Read'] }), diagnostics: [problem('notice', 3)] }),
    entry('writer', { ...saying({ disallowedTools: ['Bash'] }) }),
    entry('broken', { content: null, state: 'refused' }),
  ]
  const rows = catalogRowsOf(entries, {
    ...options,
    query: '',
    filters,
    unsaved: new Set(['/project/faulty.md']),
  })
  expect(names(rows)).toEqual([...expected])
  // No empty groups.
  expect(rows.filter(({ kind }) => kind === 'group')).toHaveLength(1)
})

test('a filter and a search apply together', () => {
  const entries = [entry('ab', { state: 'shadowed' }), entry('ac', { state: 'shadowed' }), entry('ad')]
  const filters = [{ kind: 'shadowed', value: null }] as const
  expect(names(rowsFor(entries, { query: 'c', filters }))).toEqual(['ac'])
  expect(names(rowsFor(entries, { query: 'd', filters }))).toEqual([])
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

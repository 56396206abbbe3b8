import { expect, test } from 'vitest'
import type { LibraryEntry } from '../../../../shared/agent-library.ts'
import { DefinitionFolder } from '../testing/definition-folder.ts'
import { checkNewFile, fileNameOf, freeName } from './check-new-file.ts'

const FOLDER = '/home/ada/src/checkout-service'
const text = (name: string) => `---\nname: ${name}\ndescription: Something.\n---\n`

function entriesOf(): readonly LibraryEntry[] {
  const disk = new DefinitionFolder()
  disk.fill([
    { source: 'project', path: 'reviewer.md', text: text('reviewer') },
    { source: 'project', path: 'odd-file.md', text: text('Tester') },
    { source: 'user', path: 'writer.md', text: text('writer') },
    { source: 'managed', path: 'check.md', text: text('check') },
    { source: 'built-in', path: 'Explore.md', text: text('Explore') },
  ])
  return disk.library(true).entries
}
const check = (name: string, source: 'project' | 'user' = 'project') =>
  checkNewFile({ name, source, folder: FOLDER, entries: entriesOf() })

test.each([
  ['', 'A name can’t be empty.'],
  ['  ', 'A name can’t be empty.'],
  ['kit:reviewer', 'A name is one line without a colon, which separates a plugin from its agents.'],
  ['Reviewer', 'There is a file reviewer.md already. Choose another name.'],
  ['tester', 'There is an agent Tester already, in odd-file.md.'],
])('%j can’t be the name of a new one', (name, error) => {
  expect(check(name).error).toBe(error)
})

test('what has the name elsewhere is no obstacle, but what it means is said', () => {
  expect(check('writer')).toEqual({
    path: 'writer.md',
    error: null,
    note: 'It will hold in place of the user agent of this name.',
  })
  expect(check('explore').note).toBe('It will hold in place of the built-in agent of this name.')
  expect(check('check').note).toBe('The managed agent of this name will hold in its place.')
  expect(check('reviewer', 'user').note).toBe('The project’s agent of this name will hold in its place.')
  expect(check('brand new')).toEqual({ path: 'brand-new.md', error: null, note: null })
})

test('an agents folder further up in the same project is no obstacle', () => {
  const above = entriesOf().map((entry) =>
    entry.path === 'reviewer.md' ? { ...entry, file: '/home/ada/src/.claude/agents/reviewer.md' } : entry,
  )
  const wanted = { name: 'reviewer', source: 'project', folder: FOLDER, entries: above } as const
  expect(checkNewFile(wanted).error).toBeNull()
})

test('one that is renamed is not in its own way', () => {
  const entries = entriesOf()
  const wanted = { name: 'Reviewer', source: 'project', folder: FOLDER, entries } as const
  expect(checkNewFile({ ...wanted, except: `${FOLDER}/.claude/agents/reviewer.md` }).error).toBeNull()
})

test.each([
  ['Security Reviewer', 'security-reviewer'],
  ['../../etc/passwd', 'etc-passwd'],
  ['проверка кода', 'проверка-кода'],
  ['.hidden', 'hidden'],
  ['con', 'con-agent'],
  ['🙂', 'agent'],
  ['a'.repeat(200), 'a'.repeat(80)],
])('the file of %j is %j', (name, file) => {
  expect(fileNameOf(name)).toBe(file)
})

test('a free name is the wanted one, or the next with a number', () => {
  const wanted = { source: 'project', folder: FOLDER, entries: entriesOf() } as const
  expect(freeName({ ...wanted, name: 'new' })).toBe('new')
  expect(freeName({ ...wanted, name: 'reviewer' })).toBe('reviewer-2')
  expect(freeName({ ...wanted, name: 'a:b' })).toBe('a:b')
})

import { expect, test } from 'vitest'
import type { CatalogEntry } from '../../../../shared/agent-definition/agent-catalog.ts'
import { DefinitionFolder } from '../testing/definition-folder.ts'
import { checkNewFile, fileNameOf, freeName } from './check-new-file.ts'

const FOLDER = '/home/ada/src/checkout-service'
const text = (name: string) => `---\nname: ${name}\ndescription: Something.\n---\n`

function entriesOf(): readonly CatalogEntry[] {
  const disk = new DefinitionFolder()
  disk.fill([
    { source: 'project', path: 'reviewer.md', text: text('reviewer') },
    { source: 'project', path: 'odd-file.md', text: text('Tester') },
    { source: 'user', path: 'writer.md', text: text('writer') },
    { source: 'managed', path: 'check.md', text: text('check') },
    { source: 'built-in', path: 'Explore.md', text: text('Explore') },
  ])
  return disk.catalog(true).entries
}
const check = (name: string, source: 'project' | 'user' = 'project') =>
  checkNewFile({ name, source, folder: FOLDER, entries: entriesOf() })

test.each([
  ['', 'The name is empty.'],
  ['  ', 'The name is empty.'],
  ['kit:reviewer', 'The name must be one line without a colon, which separates a plugin from its agents.'],
  ['Reviewer', 'The file reviewer.md already exists. Choose another name.'],
  ['tester', 'The agent Tester already exists in odd-file.md.'],
])('%j is not a valid new name', (name, error) => {
  expect(check(name).error).toBe(error)
})

test('an agent of the same name in another source is allowed, with a note', () => {
  expect(check('writer')).toEqual({
    path: 'writer.md',
    error: null,
    note: 'Shadows the user agent of this name.',
  })
  expect(check('explore').note).toBe('Shadows the built-in agent of this name.')
  expect(check('check').note).toBe('Shadowed by the managed agent of this name.')
  expect(check('reviewer', 'user').note).toBe('Shadowed by the project agent of this name.')
  expect(check('brand new')).toEqual({ path: 'brand-new.md', error: null, note: null })
})

test('an agent in a parent folder of the same project is allowed', () => {
  const above = entriesOf().map((entry) =>
    entry.path === 'reviewer.md' ? { ...entry, file: '/home/ada/src/.claude/agents/reviewer.md' } : entry,
  )
  const wanted = { name: 'reviewer', source: 'project', folder: FOLDER, entries: above } as const
  expect(checkNewFile(wanted).error).toBeNull()
})

test('the renamed entry does not conflict with itself', () => {
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
])('the file name of %j is %j', (name, file) => {
  expect(fileNameOf(name)).toBe(file)
})

test('a free name is the wanted name, or the wanted name with a number', () => {
  const wanted = { source: 'project', folder: FOLDER, entries: entriesOf() } as const
  expect(freeName({ ...wanted, name: 'new' })).toBe('new')
  expect(freeName({ ...wanted, name: 'reviewer' })).toBe('reviewer-2')
  expect(freeName({ ...wanted, name: 'a:b' })).toBe('a:b')
})

import { expect, test } from 'vitest'
import { readDefinition } from '../../../../shared/agent-definition/read-definition.ts'
import { DefinitionFolder, type MadeUpFile } from '../testing/definition-folder.ts'
import { announcement } from './announcement.ts'

const agent = (name: string, more = '') => `---\nname: ${name}\ndescription: Looks.\n${more}---\n`

/** What is told of the first of these files, with this text in the editor. */
function toldOf(files: readonly MadeUpFile[], edited = files[0]?.text ?? '') {
  const disk = new DefinitionFolder()
  disk.fill(files)
  const library = disk.library(true)
  const first = files[0]
  const entry = library.entries.find(({ source, path }) => source === first?.source && path === first?.path)
  if (entry === undefined) throw new Error('the file is not listed')
  const read = readDefinition(edited, { stem: 'x', source: 'project' })
  const { line, why, overrides, overriddenBy } = announcement(read, { entry, library }, ['Read'])
  return {
    line,
    why,
    overrides: overrides.map(({ source }) => source),
    overriddenBy: overriddenBy?.source ?? null,
  }
}

test('the line is the one that is sent; a plugin’s agent has its plugin’s name', () => {
  expect(toldOf([{ source: 'project', path: 'a.md', text: agent('a') }]).line).toBe(
    '- a: Looks. (Tools: Read)',
  )
  expect(toldOf([{ source: 'plugin', plugin: 'kit', path: 'notes/a.md', text: agent('a') }]).line).toBe(
    '- kit:notes:a: Looks. (Tools: Read)',
  )
})

test('where nothing is told, the reason is', () => {
  const one = (text: string) => toldOf([{ source: 'project', path: 'a.md', text }])
  expect(one(agent('a', 'hidden: true\n'))).toMatchObject({
    line: null,
    why: 'Nothing: it is hidden. It can be started by whoever knows its name.',
  })
  expect(one(agent('a', 'permissionMode: yolo\n')).why).toBe(
    'Nothing, until what is wrong with it is mended.',
  )
  expect(one('no frontmatter').why).toBe('Nothing: the text is no agent.')
})

test('what overrides what follows the precedence, and the name as it is in the text now', () => {
  const files: readonly MadeUpFile[] = [
    { source: 'project', path: 'a.md', text: agent('a') },
    { source: 'user', path: 'a.md', text: agent('A') },
    { source: 'managed', path: 'b.md', text: agent('b') },
  ]
  expect(toldOf(files)).toMatchObject({ overrides: ['user'], overriddenBy: null })
  expect(toldOf(files, agent('b'))).toMatchObject({
    line: null,
    why: 'Nothing: another agent of this name holds in its place.',
    overrides: [],
    overriddenBy: 'managed',
  })
  expect(toldOf(files, agent('c'))).toMatchObject({ overrides: [], overriddenBy: null })
  expect(toldOf(files.toReversed().slice(1))).toMatchObject({ line: null, overriddenBy: 'project' })
})

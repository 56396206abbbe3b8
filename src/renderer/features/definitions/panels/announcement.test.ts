import { expect, test } from 'vitest'
import { readDefinition } from '../../../../shared/agent-definition/read-definition.ts'
import { DefinitionFolder, type MadeUpFile } from '../testing/definition-folder.ts'
import { announcement } from './announcement.ts'

const agent = (name: string, more = '') => `---\nname: ${name}\ndescription: Looks.\n${more}---\n`

/** The announcement of the first file, with `edited` as its text in the editor. */
function announcementOf(files: readonly MadeUpFile[], edited = files[0]?.text ?? '') {
  const disk = new DefinitionFolder()
  disk.fill(files)
  const catalog = disk.catalog(true)
  const first = files[0]
  const entry = catalog.entries.find(({ source, path }) => source === first?.source && path === first?.path)
  if (entry === undefined) throw new Error('the file is not listed')
  const read = readDefinition(edited, { stem: 'x', source: 'project' })
  const { line, obstacle, shadows, shadowedBy } = announcement(read, { entry, catalog }, ['Read'])
  return {
    line,
    obstacle,
    shadows: shadows.map(({ source }) => source),
    shadowedBy: shadowedBy?.source ?? null,
  }
}

test('the line is the sent line; a plugin’s agent has the plugin’s prefix', () => {
  expect(announcementOf([{ source: 'project', path: 'a.md', text: agent('a') }]).line).toBe(
    '- a: Looks. (Tools: Read)',
  )
  expect(
    announcementOf([{ source: 'plugin', plugin: 'kit', path: 'notes/a.md', text: agent('a') }]).line,
  ).toBe('- kit:notes:a: Looks. (Tools: Read)')
})

test('an agent that is not announced has a reason', () => {
  const one = (text: string) => announcementOf([{ source: 'project', path: 'a.md', text }])
  expect(one(agent('a', 'hidden: true\n'))).toMatchObject({
    line: null,
    obstacle: 'Not announced: hidden. It can still be started by name.',
  })
  expect(one(agent('a', 'permissionMode: yolo\n')).obstacle).toBe('Not announced until its errors are fixed.')
  expect(one('no frontmatter').obstacle).toBe('Not announced: the text is not an agent.')
})

test('shadowing follows the precedence of sources and the current name in the text', () => {
  const files: readonly MadeUpFile[] = [
    { source: 'project', path: 'a.md', text: agent('a') },
    { source: 'user', path: 'a.md', text: agent('A') },
    { source: 'managed', path: 'b.md', text: agent('b') },
  ]
  expect(announcementOf(files)).toMatchObject({ shadows: ['user'], shadowedBy: null })
  expect(announcementOf(files, agent('b'))).toMatchObject({
    line: null,
    obstacle: 'Not announced: shadowed by another agent of this name.',
    shadows: [],
    shadowedBy: 'managed',
  })
  expect(announcementOf(files, agent('c'))).toMatchObject({ shadows: [], shadowedBy: null })
  expect(announcementOf(files.toReversed().slice(1))).toMatchObject({ line: null, shadowedBy: 'project' })
})

import { describe, expect, test, vi } from 'vitest'
import { fail, ok } from '../../../shared/kernel/result.ts'
import type { DefinitionFiles, DefinitionSource, SkillSource } from '../../runtime/ports/definitions.ts'
import { DeltaStream } from '../deltas/delta-stream.ts'
import type { Folders } from '../folders/folders.ts'
import { fakeProgram, fakeSettings } from '../testing/fake-program.ts'
import { definitionCommands } from './definitions.ts'

const call = () => ({ stream: new DeltaStream({ now: () => 0 }), hold: vi.fn() })
const text = { id: '/real/.claude/agents/a.md', text: 'x', version: '1' }
const notOpen = fail({ type: 'not-open', message: 'Open it first.' })

/** `/repo` is known by its real path; no other folder is. */
function open() {
  const catalog = vi.fn<DefinitionSource['catalog']>(async () => {
    return { entries: [], problems: ['a problem'], watched: ['.claude/agents'] }
  })
  const skill = { name: 'commit', description: 'd', source: 'user', file: '/s/SKILL.md' } as const
  const list = vi.fn<SkillSource['list']>(async () => [skill])
  const done = () => vi.fn(async () => ok(text))
  const files = {
    open: done(),
    pending: vi.fn(async () => ok({ ...text, former: 'y', gained: [] })),
    approve: vi.fn(async () => ok(undefined)),
    approveAll: vi.fn(async () => ok(undefined)),
    save: done(),
    create: done(),
    move: done(),
    restore: vi.fn(async () => ok({ ...text, unsaved: 'u' })),
    trash: vi.fn(async () => ok({ trashId: 't' })),
    listTrash: vi.fn(async () => ok({ folder: '/data/trash', definitions: [] })),
    readTrashed: vi.fn(async () => ok('x')),
    deleteTrashed: vi.fn(async () => ok(undefined)),
  } satisfies DefinitionFiles
  const commands = definitionCommands({
    program: async () =>
      fakeProgram({
        definitions: { catalog } as unknown as DefinitionSource,
        skills: { list } as unknown as SkillSource,
        definitionFiles: files,
        toolNames: () => ['Read', 'Agent'],
      }),
    settings: fakeSettings({ trustedFolders: ['/real'] }),
    folders: { known: async (path: string) => (path === '/repo' ? ok('/real') : notOpen) } as Folders,
  })
  return { commands, files, catalog, list, skill }
}

describe('definitions in the window', () => {
  test('the catalog includes tools and skills, as far as the folder is trusted', async () => {
    const { commands, catalog, list, skill } = open()
    expect(await commands['definition.catalog']({ folder: '/repo' }, call())).toEqual(
      ok({
        entries: [],
        problems: ['a problem'],
        watched: ['.claude/agents'],
        tools: ['Read', 'Agent'],
        skills: [skill],
        servers: [],
      }),
    )
    expect(catalog).toHaveBeenCalledWith('/real', { trusted: true })
    expect(list).toHaveBeenCalledWith('/real', { trusted: true })
  })

  test('files are opened and changed at the folder’s real path', async () => {
    const { commands, files } = open()
    const at = { folder: '/repo', id: text.id }
    await commands['definition.open'](at, call())
    await commands['definition.save']({ ...at, text: 'y', version: '1' }, call())
    await commands['definition.create']({ folder: '/repo', source: 'user', path: 'b.md', text: 'z' }, call())
    await commands['definition.move']({ ...at, path: 'c.md' }, call())
    expect(await commands['definition.trash']({ ...at, unsaved: 'u' }, call())).toEqual(ok({ trashId: 't' }))
    expect(await commands['definition.restore']({ trashId: 't' }, call())).toEqual(
      ok({ ...text, unsaved: 'u' }),
    )
    expect(files.open).toHaveBeenCalledWith('/real', text.id)
    expect(files.save).toHaveBeenCalledWith('/real', { id: text.id, text: 'y', version: '1' })
    expect(files.create).toHaveBeenCalledWith('/real', { source: 'user', path: 'b.md', text: 'z' })
    expect(files.move).toHaveBeenCalledWith('/real', text.id, 'c.md')
    expect(files.trash).toHaveBeenCalledWith('/real', text.id, 'u')
    expect(files.restore).toHaveBeenCalledWith('t')
    expect(await commands['definition.listTrash']({}, call())).toMatchObject({ ok: true })
    expect(await commands['definition.readTrashed']({ trashId: 't' }, call())).toEqual(ok('x'))
    await commands['definition.deleteTrashed']({ trashIds: ['t', 'u'] }, call())
    expect(files.deleteTrashed).toHaveBeenCalledWith(['t', 'u'])
  })

  test('files of a folder that is not open are refused', async () => {
    const { commands, files, catalog } = open()
    const at = { folder: '/etc', id: '/etc/.claude/agents/a.md' }
    expect(await commands['definition.catalog']({ folder: '/etc' }, call())).toEqual(notOpen)
    expect(await commands['definition.open'](at, call())).toEqual(notOpen)
    expect(await commands['definition.save']({ ...at, text: '', version: null }, call())).toEqual(notOpen)
    expect(
      await commands['definition.create'](
        { folder: '/etc', source: 'project', path: 'b.md', text: '' },
        call(),
      ),
    ).toEqual(notOpen)
    expect(await commands['definition.move']({ ...at, path: 'c.md' }, call())).toEqual(notOpen)
    expect(await commands['definition.trash']({ ...at, unsaved: null }, call())).toEqual(notOpen)
    expect(catalog).not.toHaveBeenCalled()
    for (const file of Object.values(files)) expect(file).not.toHaveBeenCalled()
  })
})

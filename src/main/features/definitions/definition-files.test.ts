import { expect, test, vi } from 'vitest'
import { openConditions } from '../../../shared/agent-definition/effective-tools.ts'
import { ok } from '../../../shared/kernel/result.ts'
import type { DefinitionFiles, DefinitionSource, SkillSource } from '../../runtime/ports/definitions.ts'
import { definitionHandlers } from './definition-files.ts'

test('the catalog includes tools and skills, as far as the folder is trusted', async () => {
  const found = { entries: [], problems: ['a problem'], watched: ['.claude/agents'] }
  const catalog = vi.fn<DefinitionSource['catalog']>(async () => found)
  const skill = { name: 'commit', description: 'd', source: 'user', file: '/s/SKILL.md' } as const
  const list = vi.fn<SkillSource['list']>(async () => [skill])
  const ofFolder = {
    tools: ['Read', 'Agent', 'mcp__linear__find', 'mcp__linear__read'],
    conditions: { ...openConditions, maxDepth: 1 },
  }
  const handlers = definitionHandlers({
    definitionFiles: {} as DefinitionFiles,
    definitions: { catalog },
    skills: { list },
    toolsIn: async () => ofFolder,
    isTrusted: (folder) => folder === '/real',
  })
  for (const [folder, trusted] of [
    ['/real', true],
    ['/other', false],
  ] as const) {
    expect(await handlers['definition.catalog']({ folder })).toEqual(
      ok({ ...found, ...ofFolder, skills: [skill], servers: ['linear'] }),
    )
    expect(catalog).toHaveBeenLastCalledWith(folder, { trusted })
    expect(list).toHaveBeenLastCalledWith(folder, { trusted })
  }
})

test('files are opened and changed with the input as it is', async () => {
  const save = vi.fn(async () => ok({ id: 'a', text: 'y', version: '2' }))
  const trash = vi.fn(async () => ok({ trashId: 't' }))
  const handlers = definitionHandlers({
    definitionFiles: { save, trash } as unknown as DefinitionFiles,
    definitions: { catalog: () => Promise.reject(new Error('not expected')) },
    skills: { list: () => Promise.reject(new Error('not expected')) },
    toolsIn: () => Promise.reject(new Error('not expected')),
    isTrusted: () => true,
  })
  const saved = { folder: '/real', id: 'a', text: 'y', version: '1' }
  expect(await handlers['definition.save'](saved)).toMatchObject({ value: { version: '2' } })
  expect(save).toHaveBeenCalledWith(saved)
  const trashed = { folder: '/real', id: 'a', unsaved: null }
  expect(await handlers['definition.trash'](trashed)).toEqual(ok({ trashId: 't' }))
  expect(trash).toHaveBeenCalledWith(trashed)
})

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Notice, onNotice } from '../../stores/overlay-store.ts'
import { deferred } from '../../testing/deferred.ts'
import { createDefinition, openDraft, renameDefinition, trashDefinition } from './definition-files.ts'
import { NO_EDITOR, openedOf, useEditor } from './editor-store.ts'
import { enterEditor } from './load-catalog.ts'
import { selectDefinition } from './open-definition.ts'
import { keepWithoutFile, revertDefinition, saveDefinition, takeChoice } from './save-definition.ts'
import { agentText, type EditorBridge, FOLDER_PATH, projectId, startEditor } from './testing/editor-bridge.ts'

const A = projectId('a.md')
const B = projectId('b.md')
let world: EditorBridge
let leave = () => {}
let notices: Notice[] = []
let stopNotices = () => {}

async function enter(): Promise<void> {
  leave()
  leave = enterEditor(FOLDER_PATH)
  await expect.poll(() => useEditor.getState().phase).toBe('ready')
}

/** Keeps the storage and resets everything else. */
async function restart(): Promise<void> {
  window.dispatchEvent(new Event('pagehide'))
  leave()
  useEditor.setState(NO_EDITOR, true)
  await enter()
}

beforeEach(async () => {
  world = await startEditor([
    { source: 'project', path: 'a.md', text: agentText('a') },
    { source: 'project', path: 'b.md', text: agentText('b') },
    { source: 'built-in', path: 'Explore.md', text: agentText('Explore') },
  ])
  notices = []
  stopNotices = onNotice((notice) => notices.push(notice))
  await enter()
  await open(A)
})
afterEach(() => {
  leave()
  stopNotices()
})

async function open(id: string): Promise<void> {
  await selectDefinition(id)
  await expect.poll(() => openedOf(id)).toBeDefined()
}
const documentOf = (id: string) => {
  const opened = openedOf(id)
  if (opened === undefined) throw new Error(`${id} is not open`)
  return opened.document
}
const write = (id: string, insert: string) =>
  documentOf(id).edit([{ from: documentOf(id).text.length, to: documentOf(id).text.length, insert }])
const isUnsaved = (id: string) => useEditor.getState().unsaved.has(id)
const undoNotice = () => notices.findLast(({ action }) => action?.label === 'Undo')?.action?.run()

test('typed text is unsaved until saved or reverted, and survives selecting another agent', async () => {
  write(A, 'More.')
  expect(isUnsaved(A)).toBe(true)
  await open(B)
  await open(A)
  expect(documentOf(A).text).toBe(`${agentText('a')}More.`)
  expect(await saveDefinition(A)).toBe(true)
  expect(world.disk.open(A).text).toBe(`${agentText('a')}More.`)
  expect(isUnsaved(A)).toBe(false)
  write(A, 'Less.')
  await revertDefinition(A)
  expect(documentOf(A).text).toBe(`${agentText('a')}More.`)
  documentOf(A).undo()
  expect(documentOf(A).text).toBe(`${agentText('a')}More.Less.`)
})

test('unsaved changes survive a restart, are marked in the list, and can be undone', async () => {
  write(A, 'Kept.')
  await open(B)
  await restart()
  expect(isUnsaved(A)).toBe(true)
  expect(openedOf(A)).toBeUndefined()
  await open(A)
  expect(documentOf(A).text).toBe(`${agentText('a')}Kept.`)
  expect(openedOf(A)?.recovered).toBe(true)
  documentOf(A).undo()
  expect(documentOf(A).text).toBe(agentText('a'))
  expect(isUnsaved(A)).toBe(false)
  await restart()
  expect(isUnsaved(A)).toBe(false)
})

test('an unchanged text follows its file, and the change can be undone', async () => {
  world.changeOnDisk(A, agentText('a', 'color: pink\n'))
  await expect.poll(() => documentOf(A).text).toBe(agentText('a', 'color: pink\n'))
  expect(isUnsaved(A)).toBe(false)
  documentOf(A).undo()
  expect(documentOf(A).text).toBe(agentText('a'))
  expect(isUnsaved(A)).toBe(true)
})

test('an answer that was read before a save does not bring the old text back', async () => {
  const before = await world.disk.open(A)
  const slow = deferred<typeof before>()
  const asked = () => world.bridge.inputsOf('definition.open').length
  const earlier = asked()
  world.bridge.answer({ 'definition.open': () => slow.promise })
  world.bridge.push({ type: 'definitions', folder: FOLDER_PATH })
  await expect.poll(() => asked()).toBe(earlier + 1)
  world.bridge.answer({ 'definition.open': ({ id }) => world.disk.open(id) })
  write(A, 'More.')
  expect(await saveDefinition(A)).toBe(true)
  slow.resolve(before)
  await new Promise((resolve) => setImmediate(resolve))
  expect(documentOf(A).text).toBe(`${agentText('a')}More.`)
  expect(isUnsaved(A)).toBe(false)
})

test('what only the file changed is taken over, noted, and not undone with own changes', async () => {
  write(A, 'Mine.')
  world.changeOnDisk(A, agentText('a', 'color: pink\n'))
  const both = `${agentText('a', 'color: pink\n')}Mine.`
  await expect.poll(() => documentOf(A).text).toBe(both)
  expect(openedOf(A)).toMatchObject({
    onDisk: { kind: 'same' },
    fromDisk: { taken: ['color'], renamed: null },
  })
  documentOf(A).undo()
  expect(documentOf(A).text).toBe(agentText('a', 'color: pink\n'))
  expect(isUnsaved(A)).toBe(false)
  documentOf(A).redo()
  expect(await saveDefinition(A)).toBe(true)
  expect(world.disk.open(A).text).toBe(both)
  expect(openedOf(A)?.fromDisk).toBeNull()
})

test('a field that both changed is kept and compared; saving overwrites nothing until the choice', async () => {
  documentOf(A).replaceWith(agentText('a', 'color: red\n'))
  const theirs = agentText('a', 'color: pink\nmodel: haiku\n')
  world.changeOnDisk(A, theirs)
  await expect.poll(() => openedOf(A)?.onDisk.kind).toBe('changed')
  expect(documentOf(A).text).toBe(agentText('a', 'color: red\nmodel: haiku\n'))
  expect(openedOf(A)?.fromDisk?.taken).toEqual(['model'])
  expect(await saveDefinition(A)).toBe(false)
  expect(useEditor.getState().comparing).toEqual({ id: A, thenSave: true })
  expect(world.disk.open(A).text).toBe(theirs)
  await takeChoice(A, agentText('a', 'color: red\nmodel: haiku\n'))
  expect(world.disk.open(A).text).toBe(agentText('a', 'color: red\nmodel: haiku\n'))
  expect(isUnsaved(A)).toBe(false)
  expect(useEditor.getState().comparing).toBeNull()
})

test('a conflict ends when the user or the file makes both sides equal', async () => {
  documentOf(A).replaceWith(agentText('a', 'color: red\n'))
  world.changeOnDisk(A, agentText('a', 'color: pink\n'))
  await expect.poll(() => openedOf(A)?.onDisk.kind).toBe('changed')
  useEditor.setState({ comparing: { id: A, thenSave: false } })
  world.changeOnDisk(A, agentText('a', 'color: red\n', 'Do.\n'))
  await expect.poll(() => openedOf(A)?.onDisk.kind).toBe('same')
  expect(useEditor.getState().comparing).toBeNull()
  expect(documentOf(A).text).toBe(agentText('a', 'color: red\n', 'Do.\n'))
  documentOf(A).replaceWith(agentText('a', 'color: blue\n'))
  world.changeOnDisk(A, agentText('a', 'color: cyan\n'))
  await expect.poll(() => openedOf(A)?.onDisk.kind).toBe('changed')
  documentOf(A).replaceWith(agentText('a', 'color: cyan\nmodel: opus\n'))
  expect(await saveDefinition(A)).toBe(true)
  expect(world.disk.open(A).text).toBe(agentText('a', 'color: cyan\nmodel: opus\n'))
})

test('a save takes over a change that the window has not received, or compares it', async () => {
  write(A, 'Mine.')
  world.disk.changeOnDisk(A, agentText('a', 'color: pink\n'))
  expect(await saveDefinition(A)).toBe(true)
  expect(world.disk.open(A).text).toBe(`${agentText('a', 'color: pink\n')}Mine.`)
  documentOf(A).replaceWith(agentText('a', 'color: red\n'))
  world.disk.changeOnDisk(A, agentText('a', 'color: blue\n'))
  expect(await saveDefinition(A)).toBe(false)
  expect(useEditor.getState().comparing).toEqual({ id: A, thenSave: true })
  await takeChoice(A, agentText('a', 'color: blue\n'))
  expect(documentOf(A).text).toBe(agentText('a', 'color: blue\n'))
  expect(isUnsaved(A)).toBe(false)
})

test('a file changed between restarts is merged with the original base text', async () => {
  documentOf(A).replaceWith(agentText('a', 'color: red\n'))
  await open(B)
  window.dispatchEvent(new Event('pagehide'))
  leave()
  useEditor.setState(NO_EDITOR, true)
  world.disk.changeOnDisk(A, agentText('a', 'color: pink\n', 'Theirs.\n'))
  await enter()
  await open(A)
  expect(openedOf(A)).toMatchObject({ onDisk: { kind: 'changed' }, fromDisk: { taken: ['the body'] } })
  expect(documentOf(A).text).toBe(agentText('a', 'color: red\n', 'Theirs.\n'))
})

test('a name that the file gives its agent is told', async () => {
  write(A, 'Mine.')
  world.changeOnDisk(A, agentText('a').replace('name: a', 'name: z'))
  await expect.poll(() => documentOf(A).text).toContain('name: z')
  expect(openedOf(A)?.fromDisk?.renamed).toBe('The agent was renamed on disk: a is now z.')
  expect(documentOf(A).text).toContain('Mine.')
})

const RENAMED = projectId('more/renamed.md')
const pushChange = () => world.bridge.push({ type: 'definitions', folder: FOLDER_PATH })

test('the editor follows a renamed file with unsaved text, history and selection, and says so', async () => {
  write(A, 'Mine.')
  world.disk.renameOnDisk(A, 'more/renamed.md')
  pushChange()
  await expect.poll(() => useEditor.getState().selected).toBe(RENAMED)
  expect(openedOf(A)).toBeUndefined()
  expect(openedOf(RENAMED)).toMatchObject({
    onDisk: { kind: 'same' },
    fromDisk: { renamed: 'The file was renamed on disk: a.md is now more/renamed.md.' },
  })
  expect(isUnsaved(A)).toBe(false)
  expect(isUnsaved(RENAMED)).toBe(true)
  expect(documentOf(RENAMED).text).toBe(`${agentText('a')}Mine.`)
  documentOf(RENAMED).undo()
  expect(documentOf(RENAMED).text).toBe(agentText('a'))
  documentOf(RENAMED).redo()
  expect(await saveDefinition(RENAMED)).toBe(true)
  expect(world.disk.open(RENAMED).text).toBe(`${agentText('a')}Mine.`)
})

test('a renamed file with other changes is found by its name or its body, and merged', async () => {
  write(A, 'Mine.')
  world.disk.renameOnDisk(A, 'more/renamed.md', agentText('a', 'color: pink\n'))
  pushChange()
  await expect.poll(() => openedOf(RENAMED)?.fromDisk?.taken).toEqual(['color'])
  expect(documentOf(RENAMED).text).toBe(`${agentText('a', 'color: pink\n')}Mine.`)
  expect(await saveDefinition(RENAMED)).toBe(true)

  const body = 'Looks at every line of the change, and tells what is wrong with it.\n'
  documentOf(RENAMED).replaceWith(agentText('a', '', body))
  expect(await saveDefinition(RENAMED)).toBe(true)
  world.disk.renameOnDisk(RENAMED, 'other.md', agentText('other', '', body))
  pushChange()
  const other = projectId('other.md')
  await expect.poll(() => useEditor.getState().selected).toBe(other)
  expect(openedOf(other)?.fromDisk?.renamed).toBe(
    'The file was renamed on disk: more/renamed.md is now other.md. The agent was renamed on disk: a is now other.',
  )
})

test('a renamed file without unsaved text is followed too, also when it appears later', async () => {
  const text = world.disk.open(A).text
  world.changeOnDisk(A, null)
  await expect.poll(() => useEditor.getState().selectionProblem?.kind).toBe('gone')
  world.disk.create('project', 'more/renamed.md', text)
  pushChange()
  await expect.poll(() => useEditor.getState().selected).toBe(RENAMED)
  expect(useEditor.getState().selectionProblem).toBeNull()
  expect(isUnsaved(RENAMED)).toBe(false)
  world.disk.renameOnDisk(RENAMED, 'third.md')
  pushChange()
  await expect.poll(() => useEditor.getState().selected).toBe(projectId('third.md'))
})

test('a new file is not taken for a deleted one that it does not resemble', async () => {
  write(A, 'Mine.')
  world.changeOnDisk(A, null)
  world.disk.create('project', 'new.md', agentText('new', '', 'Something else.'))
  pushChange()
  await expect.poll(() => openedOf(A)?.onDisk.kind).toBe('gone')
  expect(useEditor.getState().selected).toBe(A)
})

test('a file renamed between restarts keeps its unsaved text', async () => {
  write(A, 'Mine.')
  await open(B)
  window.dispatchEvent(new Event('pagehide'))
  leave()
  useEditor.setState(NO_EDITOR, true)
  world.disk.renameOnDisk(A, 'more/renamed.md')
  await enter()
  expect(isUnsaved(RENAMED)).toBe(true)
  await open(RENAMED)
  expect(documentOf(RENAMED).text).toBe(`${agentText('a')}Mine.`)
  expect(openedOf(RENAMED)).toMatchObject({
    recovered: true,
    fromDisk: { renamed: 'The file was renamed on disk: a.md is now more/renamed.md.' },
  })
})

describe('a file that is not UTF-8', () => {
  const latin = { encoding: 'Windows-1252 (Latin-1)', line: 3 }
  const text = agentText('a').replace('Looks', 'Prüft')
  beforeEach(async () => {
    world.disk.fill([{ source: 'project', path: 'a.md', text, notUtf8: latin }])
    leave()
    useEditor.setState(NO_EDITOR, true)
    await enter()
    await open(A)
  })

  test('is written only after the user has seen what it means, and Undo brings the former bytes back', async () => {
    expect(openedOf(A)).toMatchObject({ notUtf8: latin, base: text })
    expect(await saveDefinition(A)).toBe(false)
    expect(useEditor.getState().dialog).toEqual({ kind: 'convert', id: A })
    write(A, 'Mine.')
    expect(await saveDefinition(A)).toBe(false)
    expect(world.disk.open(A)).toMatchObject({ text, notUtf8: latin })

    expect(await saveDefinition(A, { converts: true })).toBe(true)
    expect(world.disk.open(A).text).toBe(`${text}Mine.`)
    expect(world.disk.open(A).notUtf8).toBeUndefined()
    expect(openedOf(A)?.notUtf8).toBeNull()
    undoNotice()
    await expect.poll(() => openedOf(A)?.notUtf8).toEqual(latin)
    expect(world.disk.open(A)).toMatchObject({ text, notUtf8: latin })
    expect(isUnsaved(A)).toBe(false)
  })

  test('that another program converts is taken over', async () => {
    write(A, 'Mine.')
    world.disk.save({ id: A, text, version: world.disk.open(A).version, converts: true })
    pushChange()
    await expect.poll(() => openedOf(A)?.notUtf8).toBeNull()
    expect(await saveDefinition(A)).toBe(true)
    expect(world.disk.open(A).text).toBe(`${text}Mine.`)
  })
})

test('a save does not put the body of a file without closing dashes into its fields', async () => {
  const unclosed = '---\nname: a\ndescription: b\n\nLook around: everywhere.\n\nThen\n---\nReport.\n'
  documentOf(A).replaceWith(unclosed)
  expect(await saveDefinition(A)).toBe(true)
  expect(world.disk.open(A).text).toBe(unclosed)
})

test('saving a definition whose file was deleted creates the file again', async () => {
  write(A, 'Mine.')
  world.changeOnDisk(A, null)
  await expect.poll(() => openedOf(A)?.onDisk.kind).toBe('gone')
  expect(await saveDefinition(A)).toBe(true)
  expect(world.disk.open(A).text).toBe(`${agentText('a')}Mine.`)
})

test('saving detects a deleted file and opens no comparison', async () => {
  write(A, 'Mine.')
  world.disk.changeOnDisk(A, null)
  expect(await saveDefinition(A)).toBe(false)
  expect(openedOf(A)?.onDisk.kind).toBe('gone')
  expect(useEditor.getState().comparing).toBeNull()
})

test('unsaved changes of a deleted file can be kept without the file', async () => {
  write(A, 'Mine.')
  world.changeOnDisk(A, null)
  await expect.poll(() => openedOf(A)?.onDisk.kind).toBe('gone')
  await keepWithoutFile(A)
  const { selected } = useEditor.getState()
  expect(selected).toMatch(/^new:/)
  expect(documentOf(selected ?? '').text).toBe(`${agentText('a')}Mine.`)
  expect(openedOf(A)).toBeUndefined()
})

test('a deleted file without unsaved changes shows the reason', async () => {
  world.changeOnDisk(A, null)
  await expect.poll(() => useEditor.getState().selectionProblem?.kind).toBe('gone')
  expect(useEditor.getState().selectionProblem?.message).toContain('a.md')
})

test('unsaved text of a file deleted between restarts is restored', async () => {
  write(A, 'Mine.')
  await open(B)
  window.dispatchEvent(new Event('pagehide'))
  leave()
  useEditor.setState(NO_EDITOR, true)
  world.disk.changeOnDisk(A, null)
  await enter()
  const kept = [...useEditor.getState().opened.values()].find(({ id }) => id.startsWith('new:'))
  expect(kept?.document.text).toBe(`${agentText('a')}Mine.`)
  expect(kept?.entry.path).toBe('a.md')
})

test('a definition without a file survives a restart and keeps its document when saved', async () => {
  await openDraft({ source: 'project', path: 'new.md', text: agentText('new') })
  await restart()
  const kept = [...useEditor.getState().opened.keys()][0] ?? ''
  expect(kept).toMatch(/^new:/)
  expect(useEditor.getState().selected).toBe(kept)
  write(kept, 'More.')
  const before = documentOf(kept)
  expect(await saveDefinition(kept)).toBe(true)
  expect(world.disk.open(projectId('new.md')).text).toBe(`${agentText('new')}More.`)
  expect(documentOf(projectId('new.md'))).toBe(before)
  expect(useEditor.getState().selected).toBe(projectId('new.md'))
  expect([...useEditor.getState().unsaved]).toEqual([])
})

test('a definition whose file name exists stays unsaved and shows the reason', async () => {
  await openDraft({ source: 'project', path: 'a.md', text: agentText('other') })
  const { selected } = useEditor.getState()
  expect(await saveDefinition(selected ?? '')).toBe(false)
  expect(notices.at(-1)).toMatchObject({ level: 'error', text: 'a.md already exists.' })
  expect(isUnsaved(selected ?? '')).toBe(true)
  expect(world.disk.open(A).text).toBe(agentText('a'))
})

test('the first save of invalid YAML fixes it and shows a notice', async () => {
  const bad = '---\nname: c\ndescription: Use it when: all else failed\n---\nBody.\n'
  world.disk.create('project', 'c.md', bad)
  world.bridge.push({ type: 'definitions', folder: FOLDER_PATH })
  const C = projectId('c.md')
  await expect.poll(() => useEditor.getState().catalog.entries.map(({ id }) => id)).toContain(C)
  await open(C)
  write(C, 'More.')
  await saveDefinition(C)
  expect(world.disk.open(C).text).toBe(
    '---\nname: c\ndescription: "Use it when: all else failed"\n---\nBody.\nMore.',
  )
  expect(notices.at(-1)?.text).toBe('Saved as valid YAML: quote the description.')
})

test('a rename changes only the name in the text, the file name, or both', async () => {
  await renameDefinition(A, { name: 'alpha', path: null })
  expect(world.disk.open(A).text).toBe(agentText('a').replace('name: a', 'name: alpha'))
  await renameDefinition(A, { name: null, path: 'alpha.md' })
  expect(useEditor.getState().selected).toBe(projectId('alpha.md'))
  expect(world.disk.open(projectId('alpha.md')).text).toContain('name: alpha')
  expect(() => world.disk.open(A)).toThrow()
})

test('unsaved changes stay unsaved after a rename', async () => {
  write(A, 'Mine.')
  await renameDefinition(A, { name: 'alpha', path: 'alpha.md' })
  const moved = projectId('alpha.md')
  expect(world.disk.open(moved).text).toBe(agentText('a'))
  expect(documentOf(moved).text).toBe(`${agentText('a').replace('name: a', 'name: alpha')}Mine.`)
  expect(isUnsaved(moved)).toBe(true)
  expect(isUnsaved(A)).toBe(false)
})

test('undoing a trash restores the file and unsaved changes', async () => {
  write(A, 'Mine.')
  await trashDefinition(A)
  expect(useEditor.getState().selected).toBe(B)
  expect(() => world.disk.open(A)).toThrow()
  undoNotice()
  await expect.poll(() => useEditor.getState().selected).toBe(A)
  await expect.poll(() => openedOf(A)?.document.text).toBe(`${agentText('a')}Mine.`)
  expect(world.disk.open(A).text).toBe(agentText('a'))
})

test('a locked definition is neither saved nor trashed; a notice shows the reason', async () => {
  await open('built-in:Explore.md')
  expect(await saveDefinition('built-in:Explore.md')).toBe(false)
  await trashDefinition('built-in:Explore.md')
  expect(notices.at(-1)?.text).toBe('Explore can’t be removed here: built in. Duplicate it to change it.')
  expect(world.bridge.inputsOf('definition.trash')).toEqual([])
})

test('a created file is selected; an existing file is not overwritten', async () => {
  const file = { source: 'project', path: 'c.md', text: agentText('c') } as const
  expect((await createDefinition(file)).ok).toBe(true)
  expect(useEditor.getState().selected).toBe(projectId('c.md'))
  const again = await createDefinition({ ...file, text: 'other' })
  expect(again).toMatchObject({ ok: false, failure: { type: 'exists' } })
  expect(world.disk.open(projectId('c.md')).text).toBe(agentText('c'))
})

test('an unreadable file shows the reason; other files still open', async () => {
  world.bridge.answer({
    'definition.open': ({ id }) => {
      if (id === B) throw new Error('b.md is larger than 1 MB.')
      return world.disk.open(id)
    },
  })
  await selectDefinition(B)
  expect(useEditor.getState().selectionProblem).toEqual({
    id: B,
    kind: 'unreadable',
    message: 'b.md is larger than 1 MB.',
  })
  await open(A)
  expect(useEditor.getState().selectionProblem).toBeNull()
})

test('a catalog that can’t be loaded is an error, not an empty list', async () => {
  world.bridge.answer({
    'definition.catalog': () => {
      throw new Error('The folder is gone.')
    },
  })
  useEditor.setState(NO_EDITOR, true)
  leave()
  leave = enterEditor(FOLDER_PATH)
  await expect
    .poll(() => useEditor.getState())
    .toMatchObject({ phase: 'failed', failure: 'The folder is gone.' })
})

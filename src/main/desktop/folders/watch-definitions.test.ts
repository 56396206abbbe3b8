import { expect, test } from 'vitest'
import type { DefinitionSource } from '../../runtime/ports/definitions.ts'
import { createDefinitionWatch } from '../open-folder-watches.ts'
import { fakeProgram } from '../testing/fake-program.ts'

/** Records the watched folders, and reports changes as the disk would. */
function open() {
  const watched: { folder: string; trusted: boolean; change: () => void; isOver: boolean }[] = []
  const watch: DefinitionSource['watch'] = (folder, { trusted }, change) => {
    const each = { folder, trusted, change, isOver: false }
    watched.push(each)
    return () => {
      each.isOver = true
    }
  }
  const told: string[] = []
  const program = async () => fakeProgram({ definitions: { watch } as DefinitionSource })
  const definitionWatch = createDefinitionWatch(program, (folder) => told.push(folder))
  return { watched, told, definitionWatch, alive: () => watched.filter(({ isOver }) => !isOver) }
}
const repo = { path: '/repo', trusted: true, plugins: [] }

test('one folder is watched at a time, and each change names the folder', async () => {
  const { watched, told, definitionWatch, alive } = open()
  definitionWatch.follow(repo)
  await expect.poll(() => watched).toHaveLength(1)
  watched[0]?.change()
  definitionWatch.follow(repo)
  definitionWatch.follow({ ...repo, path: '/other' })
  await expect.poll(() => watched).toHaveLength(2)
  watched[1]?.change()
  expect(told).toEqual(['/repo', '/other'])
  expect(alive().map(({ folder }) => folder)).toEqual(['/other'])
})

test.each([
  ['its trust', { ...repo, trusted: false }],
  ['the plugins', { ...repo, plugins: ['/kit'] }],
])('the watch restarts after a change of %s', async (_, changed) => {
  const { watched, definitionWatch, alive } = open()
  definitionWatch.follow(repo)
  await expect.poll(() => watched).toHaveLength(1)
  definitionWatch.follow(changed)
  await expect.poll(() => watched).toHaveLength(2)
  expect(alive()).toMatchObject([{ folder: '/repo', trusted: changed.trusted }])
})

test('a folder that was left before the program was composed is not watched', async () => {
  const { watched, definitionWatch } = open()
  definitionWatch.follow(repo)
  definitionWatch.follow({ ...repo, path: '/other' })
  await expect.poll(() => watched).toHaveLength(1)
  expect(watched[0]?.folder).toBe('/other')
})

test('after stop nothing is watched, not even a folder requested just before', async () => {
  const { watched, definitionWatch, alive } = open()
  definitionWatch.follow(repo)
  await expect.poll(() => watched).toHaveLength(1)
  definitionWatch.follow({ ...repo, path: '/late' })
  definitionWatch.stop()
  definitionWatch.follow({ ...repo, path: '/after' })
  await expect.poll(() => watched).toHaveLength(2)
  expect(alive().map(({ folder }) => folder)).toEqual(['/after'])
  definitionWatch.stop()
  expect(alive()).toEqual([])
})

/** Task boards on a real disk, and several processes that claim tasks at once. */
import { spawn } from 'node:child_process'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../../platform/transcripts/testing/temp-folder.ts'
import { createMemoryBoard } from '../../../runtime/testing/memory-board.ts'
import { createTaskFiles } from './task-files.ts'
import { newTask, testTaskBoard } from './testing/board-contract.ts'

describe('a task board on disk', () => {
  testTaskBoard(async () => {
    const folder = await tempFolder()
    return () => createTaskFiles({ folder })
  })
})

describe('a task board in memory', () => {
  testTaskBoard(async () => {
    const board = createMemoryBoard()
    return () => board
  })
})

async function openBoard() {
  const folder = await tempFolder()
  const problems: string[] = []
  const board = createTaskFiles({ folder, onProblem: (problem) => problems.push(problem) })
  return { folder, board, problems, files: () => readdir(join(folder, 'c-1')) }
}

describe('task files', () => {
  test('keep only the newest version, and only their owner can read them', async () => {
    const { folder, board, files } = await openBoard()
    const created = await board.create('c-1', newTask('one'))
    if (!created.ok) throw new Error(created.failure.message)
    await board.update('c-1', { ...created.value, version: 2 })
    expect(await files()).toEqual(['1.2.json'])
    expect((await stat(join(folder, 'c-1', '1.2.json'))).mode & 0o777).toBe(0o600)
    // `jq` can read it.
    expect(JSON.parse(await readFile(join(folder, 'c-1', '1.2.json'), 'utf8'))).toMatchObject({
      id: '1',
      version: 2,
    })
  })

  test('that are damaged are reported once, and other tasks stay readable', async () => {
    const { folder, board, problems } = await openBoard()
    for (const subject of ['one', 'two', 'three']) await board.create('c-1', newTask(subject))
    const path = join(folder, 'c-1', '2.1.json')
    await writeFile(path, (await readFile(path, 'utf8')).replace('two', 'owt'))
    await writeFile(join(folder, 'c-1', 'notes.txt'), 'x')
    const listed = await board.list('c-1')
    expect(listed).toMatchObject({ ok: true, value: { tasks: [{ id: '1' }, { id: '3' }] } })
    expect(listed.ok && listed.value.problems).toEqual([
      `Task 2 can't be read: ${path} is damaged. Other tasks are not affected. Create the task again.`,
    ])
    await board.list('c-1')
    expect(problems).toHaveLength(1)
    // The id of the damaged task is not given again.
    expect(await board.create('c-1', newTask('four'))).toMatchObject({ ok: true, value: { id: '4' } })
  })

  test('a version that a slow process writes after newer ones does not count', async () => {
    const { folder, board, files } = await openBoard()
    const created = await board.create('c-1', newTask('one'))
    if (!created.ok) throw new Error(created.failure.message)
    await board.update('c-1', { ...created.value, version: 2, owner: 'ada' })
    await board.update('c-1', { ...created.value, version: 3, owner: 'bob' })
    // Version 2 was removed, so its name is free.
    await writeFile(join(folder, 'c-1', '1.2.json'), 'late')
    expect(await board.list('c-1')).toMatchObject({
      ok: true,
      value: { tasks: [{ version: 3 }], problems: [] },
    })
    await board.update('c-1', { ...created.value, version: 4 })
    expect(await files()).toEqual(['1.4.json'])
  })

  test.each(['../x', '', 'a/b', 'x'.repeat(101)])('the conversation %j is refused', async (id) => {
    const { board } = await openBoard()
    expect(await board.list(id)).toMatchObject({ ok: false, failure: { type: 'bad-name' } })
    expect(await board.create(id, newTask('one'))).toMatchObject({ ok: false, failure: { type: 'bad-name' } })
  })

  test('a folder that can’t be used is a failure that says what to do', async () => {
    const { folder, board } = await openBoard()
    await writeFile(join(folder, 'c-1'), 'a file')
    const created = await board.create('c-1', newTask('one'))
    expect(created).toMatchObject({ ok: false, failure: { type: 'io' } })
    expect(!created.ok && created.failure.message).toContain('The task list can’t be used')
  })

  test('five processes claim 40 tasks: each task has one owner', async () => {
    const { folder, board } = await openBoard()
    for (let at = 1; at <= 40; at++) await board.create('c-1', newTask(`task ${at}`))
    const program = fileURLToPath(new URL('./testing/claim-program.ts', import.meta.url))
    const claims = await Promise.all(
      ['p1', 'p2', 'p3', 'p4', 'p5'].map(
        (name) =>
          new Promise<readonly string[]>((resolve, reject) => {
            const child = spawn(process.execPath, [
              '--experimental-strip-types',
              '--no-warnings',
              program,
              folder,
              name,
            ])
            let out = ''
            let error = ''
            child.stdout.on('data', (data) => {
              out += data
            })
            child.stderr.on('data', (data) => {
              error += data
            })
            child.on('exit', (code) => (code === 0 ? resolve(JSON.parse(out)) : reject(new Error(error))))
          }),
      ),
    )
    const all = claims.flat()
    expect(all).toHaveLength(40)
    expect(new Set(all).size).toBe(40)
    const listed = await board.list('c-1')
    expect(
      listed.ok && listed.value.tasks.every(({ owner, version }) => owner !== null && version === 2),
    ).toBe(true)
  })
})

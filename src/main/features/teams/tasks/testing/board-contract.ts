/** The contract of every task board. */
import { expect, test } from 'vitest'
import type { NewTask, TaskBoard } from '../../../../runtime/ports/task-board.ts'

export const newTask = (subject: string, more: Partial<NewTask> = {}): NewTask => ({
  teamId: null,
  subject,
  description: 'Zeile\n“ü” 🎭 {"sum":"00000000"}',
  status: 'pending',
  owner: null,
  dependsOn: [],
  createdBy: null,
  createdAt: 5,
  claimedAt: null,
  endedAt: null,
  ...more,
})

/** `create` makes an empty store; the returned function opens the store, as another process does. */
export function testTaskBoard(create: () => Promise<() => TaskBoard>): void {
  const C = 'c-1'
  const list = async (board: TaskBoard, id = C) => {
    const listed = await board.list(id)
    return listed.ok ? listed.value.tasks : listed.failure
  }

  test('an unknown conversation has no tasks', async () => {
    expect(await list((await create())())).toEqual([])
  })

  test('tasks get the ids 1, 2, … in their conversation, and are stored unchanged', async () => {
    const open = await create()
    const board = open()
    const one = await board.create(C, newTask('one'))
    expect(one).toEqual({ ok: true, value: { ...newTask('one'), id: '1', version: 1 } })
    for (let at = 2; at <= 11; at++) await board.create(C, newTask(`task ${at}`))
    await board.create('c-2', newTask('other'))
    const tasks = await list(open())
    expect(Array.isArray(tasks) && tasks.map(({ id }) => id)).toEqual(
      [...Array(11).keys()].map((at) => String(at + 1)),
    )
    expect(Array.isArray(tasks) && tasks[0]).toEqual({ ...newTask('one'), id: '1', version: 1 })
    expect(await list(open(), 'c-2')).toMatchObject([{ id: '1', subject: 'other' }])
  })

  test('of two changes of one version, one fails with the newest version', async () => {
    const open = await create()
    const [one, other] = [open(), open()]
    const created = await one.create(C, newTask('one'))
    if (!created.ok) throw new Error(created.failure.message)
    const claim = (owner: string) => ({ ...created.value, status: 'in_progress' as const, owner, version: 2 })
    const both = await Promise.all([one.update(C, claim('ada')), other.update(C, claim('bob'))])
    expect(both.filter(({ ok }) => ok)).toHaveLength(1)
    const winner = both[0].ok ? 'ada' : 'bob'
    expect(both.find(({ ok }) => !ok)).toMatchObject({
      failure: { type: 'changed', current: { owner: winner, version: 2 } },
    })
    expect(await list(open())).toMatchObject([{ owner: winner, version: 2 }])
  })

  test('a change of an old version fails, however old', async () => {
    const board = (await create())()
    const created = await board.create(C, newTask('one'))
    if (!created.ok) throw new Error(created.failure.message)
    let task = created.value
    for (let version = 2; version <= 6; version++) {
      task = { ...task, version, createdAt: version }
      expect(await board.update(C, task)).toMatchObject({ ok: true })
    }
    for (const version of [1, 2, 4, 6, 8])
      expect(await board.update(C, { ...task, version })).toMatchObject({
        ok: false,
        failure: { type: 'changed', current: { version: 6, createdAt: 6 } },
      })
    expect(await list(board)).toMatchObject([{ version: 6 }])
  })

  test('an unknown task can’t be changed', async () => {
    const board = (await create())()
    const task = { ...newTask('one'), id: '7', version: 2 }
    expect(await board.update(C, task)).toMatchObject({ ok: false, failure: { type: 'not-found' } })
  })

  test('tasks that are created at once get different ids', async () => {
    const open = await create()
    const boards = [open(), open(), open()]
    await Promise.all([...Array(12).keys()].map((at) => boards[at % 3]?.create(C, newTask(`task ${at}`))))
    const tasks = await list(open())
    expect(Array.isArray(tasks) && tasks.map(({ id }) => Number(id))).toEqual(
      [...Array(12).keys()].map((at) => at + 1),
    )
    expect(Array.isArray(tasks) && new Set(tasks.map(({ subject }) => subject)).size).toBe(12)
  })

  test('a watcher is told of changes by others, until it stops', async () => {
    const open = await create()
    const [mine, theirs] = [open(), open()]
    let tell = () => {}
    const told = () =>
      new Promise<void>((resolve) => {
        tell = resolve
      })
    let times = 0
    const first = told()
    const stop = mine.watch(C, () => {
      times++
      tell()
    })
    await theirs.create(C, newTask('one'))
    await first
    // What was told before the second change does not count.
    for (let seen = 0; seen < 2; ) {
      const next = told()
      await theirs.create(C, newTask('more'))
      await next
      seen++
    }
    stop()
    const before = times
    await theirs.create(C, newTask('after'))
    await new Promise((resolve) => setImmediate(resolve))
    expect(times).toBe(before)
  })
}

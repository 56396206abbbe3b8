/** A task board in memory, which several runtimes can share. */
import { fail, ok } from '../../../shared/kernel/result.ts'
import type { TeamTask } from '../../../shared/teams/team-schema.ts'
import type { TaskBoard } from '../ports/task-board.ts'

export function createMemoryBoard(): TaskBoard {
  const boards = new Map<string, Map<string, TeamTask>>()
  const watchers = new Map<string, Set<() => void>>()
  const boardOf = (id: string) => {
    const known = boards.get(id) ?? new Map<string, TeamTask>()
    boards.set(id, known)
    return known
  }
  const changed = (id: string) => {
    for (const tell of watchers.get(id) ?? []) queueMicrotask(tell)
  }
  return {
    list: async (id) => ok({ tasks: structuredClone([...boardOf(id).values()]), problems: [] }),
    create: async (id, draft) => {
      const board = boardOf(id)
      const task = { ...structuredClone(draft), id: String(board.size + 1), version: 1 }
      board.set(task.id, task)
      changed(id)
      return ok(structuredClone(task))
    },
    update: async (id, task) => {
      const current = boardOf(id).get(task.id)
      if (current === undefined) return fail({ type: 'not-found', message: `There is no task ${task.id}.` })
      if (current.version !== task.version - 1)
        return fail({
          type: 'changed',
          message: `Task ${task.id} was changed meanwhile.`,
          current: structuredClone(current),
        })
      boardOf(id).set(task.id, structuredClone(task))
      changed(id)
      return ok(structuredClone(task))
    },
    watch: (id, tell) => {
      const known = watchers.get(id) ?? new Set()
      watchers.set(id, known.add(tell))
      return () => known.delete(tell)
    },
  }
}

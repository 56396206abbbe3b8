/** The TodoWrite tool: the agent's own list of what is to be done, for itself and for the user. */
import { z } from 'zod'
import { todo } from '../../../shared/agent-event.ts'
import type { Tool } from '../tool.ts'

const schema = z
  .object({ todos: z.array(todo).max(200).describe('The whole list, each time: what is left out is gone.') })
  .strict()

type Input = z.infer<typeof schema>

export function createTodoWriteTool(): Tool<Input> {
  return {
    name: 'TodoWrite',
    aliases: ['TodoRead'],
    description:
      'Keeps a list of what is to be done. Use it when a task has more than two or three steps: write the list, set one item to in_progress before you work on it, and to completed as soon as it is done. The user sees it.',
    schema,
    concurrent: true,
    sideEffects: () => false,
    summary: ({ todos }) =>
      todos.find((one) => one.status === 'in_progress')?.content ?? `${todos.length} items`,
    target: async () => ({ kind: 'none' }),
    run: async ({ todos }) => {
      const done = todos.filter((one) => one.status === 'completed').length
      const working = todos.filter((one) => one.status === 'in_progress').length
      const hint = working > 1 ? ' More than one item is in progress: work on one at a time.' : ''
      return {
        isError: false,
        content: `The list is kept.${hint}`,
        note: `${done} of ${todos.length} done`,
        display: { kind: 'todos', todos },
      }
    },
  }
}

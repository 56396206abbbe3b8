/** The TodoWrite tool: the agent's own list of what is to be done, for itself and for who reads along. */
import { z } from 'zod'
import type { Todo } from '../../../shared/agent-event.ts'
import type { Tool, ToolOutcome } from '../tool.ts'
import { countOf } from './amounts.ts'

const schema = z
  .object({
    todos: z
      .array(
        z
          .object({
            content: z.string().min(1).describe('What is to be done: "Run the tests".'),
            status: z.enum(['pending', 'in_progress', 'completed']),
            activeForm: z
              .string()
              .optional()
              .describe('The same while it is being done: "Running the tests".'),
          })
          .strict(),
      )
      .max(200)
      .describe('The whole list, each time anew: what is left out of it is gone.'),
  })
  .strict()

type Input = z.infer<typeof schema>

export function createTodoWriteTool(): Tool<Input> {
  return {
    name: 'TodoWrite',
    aliases: ['TodoRead'],
    description: `Keeps your list of what is to be done, which the user sees. Use it for work of three steps or more. Set an item to in_progress before you begin it, one at a time, and to completed as soon as it is done, not before.`,
    schema,
    concurrent: true,
    sideEffects: () => false,
    summary: ({ todos }) => {
      const now = todos.find(({ status }) => status === 'in_progress')
      return now === undefined ? countOf(todos.length, 'item') : (now.activeForm ?? now.content)
    },
    target: async () => ({ kind: 'none' }),
    run: async ({ todos }) => listed(todos.map(asTodo)),
  }
}

function listed(todos: readonly Todo[]): ToolOutcome {
  const number = (status: Todo['status']) => todos.filter((item) => item.status === status).length
  const [done, now, open] = [number('completed'), number('in_progress'), number('pending')]
  const remark = now > 1 ? ` ${now} items are in progress: work on one at a time.` : ''
  return {
    isError: false,
    content: `The list has ${done} done, ${now} in progress, ${open} to do.${remark}`,
    note: `${done} of ${todos.length} done`,
    display: { kind: 'todos', todos: [...todos] },
  }
}

function asTodo({ content, status, activeForm }: Input['todos'][number]): Todo {
  return { content, status, ...(activeForm === undefined ? {} : { activeForm }) }
}

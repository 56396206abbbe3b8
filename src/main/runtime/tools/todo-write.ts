/** The TodoWrite tool: the agent's to-do list, for itself and for the user. */
import { z } from 'zod'
import type { Todo } from '../../../shared/events/agent-event.ts'
import { countOf } from '../../../shared/kernel/amounts.ts'
import type { Tool, ToolOutcome, ToolSession } from '../ports/tool.ts'
import { modelFields } from './model-fields.ts'

const schema = z
  .object({
    todos: z
      .array(
        z
          .object({
            content: z.string().min(1),
            status: z.enum(['pending', 'in_progress', 'completed']),
            activeForm: z.string().optional().describe('"Running the tests"'),
          })
          .strict(),
      )
      .max(200)
      .optional()
      .describe('The whole list.'),
  })
  .strict()
// Without it the call is TodoRead's, which other programs have.
modelFields.add(schema, { required: ['todos'] })

type Input = z.infer<typeof schema>

export function createTodoWriteTool(): Tool<Input> {
  return {
    name: 'TodoWrite',
    aliases: ['TodoRead'],
    description:
      'Replaces your to-do list, which the user sees. For tasks of three steps or more. Set one item at a time to in_progress, and to completed as soon as it is done.',
    schema,
    kind: 'plan',
    icon: 'list',
    ignoredFields: 'all',
    concurrent: true,
    sideEffects: () => false,
    summary: ({ todos = [] }) => {
      const now = todos.find(({ status }) => status === 'in_progress')
      return now === undefined ? countOf(todos.length, 'item') : (now.activeForm ?? now.content)
    },
    target: async () => ({ kind: 'none' }),
    run: async ({ todos }, { session }) => {
      if (todos === undefined) return readAgain(lists.get(session) ?? [])
      const list = todos.map(asTodo)
      lists.set(session, list)
      return listed(list)
    },
  }
}

/** The last list of each agent. */
const lists = new WeakMap<ToolSession, readonly Todo[]>()

function readAgain(todos: readonly Todo[]): ToolOutcome {
  const lines = todos.map(({ status, content }) => `${status}: ${content}`)
  return {
    isError: false,
    content:
      lines.length === 0
        ? 'You have no to-do list here. To make one, call TodoWrite with todos.'
        : lines.join('\n'),
    note: countOf(todos.length, 'item'),
  }
}

function listed(todos: readonly Todo[]): ToolOutcome {
  const number = (status: Todo['status']) => todos.filter((item) => item.status === status).length
  const [done, now, open] = [number('completed'), number('in_progress'), number('pending')]
  const advice = now > 1 ? ` ${now} items are in progress: work on one item at a time.` : ''
  return {
    isError: false,
    content: `To-do list: ${done} done, ${now} in progress, ${open} pending.${advice}`,
    note: `${done} of ${todos.length} done`,
    display: { kind: 'todos', todos: [...todos] },
  }
}

function asTodo({ content, status, activeForm }: NonNullable<Input['todos']>[number]): Todo {
  return { content, status, ...(activeForm === undefined ? {} : { activeForm }) }
}

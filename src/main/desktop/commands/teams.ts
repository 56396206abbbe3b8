/** Handlers for teams and the task list. */
import { fail } from '../../../shared/kernel/result.ts'
import type { Program } from '../services.ts'
import type { HandlersOf } from './command-handlers.ts'
import { contentOf, emptyMessage } from './message-content.ts'

export function teamCommands({
  program,
}: {
  readonly program: () => Promise<Program>
}): HandlersOf<'team'> & HandlersOf<'task'> {
  const runtime = async () => (await program()).runtime
  return {
    'team.send': async ({ text, images, ...to }) => {
      const content = contentOf({ text, images })
      return content.length === 0 ? fail(emptyMessage) : (await runtime()).sendToAll({ ...to, content })
    },
    'team.addMember': async (member) => (await runtime()).addMember(member),
    'team.end': async (team) => (await runtime()).endTeam(team),
    'task.create': async (task) => (await runtime()).createTask(task),
    'task.update': async (task) => (await runtime()).updateTask(task),
  }
}

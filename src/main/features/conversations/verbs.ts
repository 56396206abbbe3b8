/** `troupe conversations …` and `troupe context`. */
import { historyPrograms } from '../../../shared/histories/history.ts'
import { type Verbs, verb, withProgram } from '../../command-line.ts'
import { asJson, choice, valued } from '../../platform/command-line/verb.ts'

export const conversationVerbs: Verbs = [
  verb({
    words: 'conversations list',
    summary: 'list all conversations, or those of another agent program',
    options: {
      from: choice('PROGRAM', `of another program: ${historyPrograms.join(', ')}`, {
        what: 'program',
        words: historyPrograms,
      }),
      ...asJson,
    },
    run: (root, { from, ...options }) =>
      withProgram(root, options, async ({ program, ...context }) => {
        if (from !== null) {
          const { historiesList } = await import('./histories-command.ts')
          return await historiesList({ from, ...options }, { ...context, histories: program.histories })
        }
        const { conversationsList } = await import('./conversations-command.ts')
        return await conversationsList(options, { runtime: program.runtime, output: context.output })
      }),
  }),
  verb({
    words: 'conversations show',
    arguments: { id: 'ID' },
    summary: 'print a conversation’s agents',
    options: asJson,
    misuse: 'Use troupe conversations list, or troupe conversations show ID.',
    run: (root, options) =>
      withProgram(root, options, async ({ program: { runtime, store, histories }, ...context }) => {
        const [{ conversationsShow }, { withHistoryId }] = await Promise.all([
          import('./conversations-command.ts'),
          import('./histories-command.ts'),
        ])
        const id = await withHistoryId(options.id, { runtime, histories })
        return await conversationsShow({ ...options, id }, { ...context, runtime, store })
      }),
  }),
  verb({
    words: 'conversations continue',
    arguments: { id: 'ID' },
    summary: 'continue a conversation of another agent program as a copy',
    options: {
      folder: valued('FOLDER', 'the folder of the copy (default: that of the original)'),
      ...asJson,
    },
    misuse:
      'Give one conversation: troupe conversations continue ID. See the ids with: troupe conversations list --from claude',
    run: (root, options) =>
      withProgram(root, options, async ({ program, ...context }) => {
        const { historiesContinue } = await import('./histories-command.ts')
        return await historiesContinue(options, { ...context, dispatch: program.dispatch })
      }),
  }),
  verb({
    words: 'context',
    arguments: { id: 'ID' },
    summary: 'say what fills the context window of a conversation’s main agent',
    options: { agent: valued('NAME', 'of another agent, by name or id'), ...asJson },
    misuse: 'Give one conversation: troupe context ID. See the ids with: troupe conversations list',
    run: (root, options) =>
      withProgram(root, options, async ({ program, ...context }) => {
        const { contextCommand } = await import('./conversations-command.ts')
        return await contextCommand(options, { ...context, runtime: program.runtime })
      }),
  }),
]

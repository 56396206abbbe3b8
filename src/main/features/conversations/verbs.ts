/** `troupe conversations …` and `troupe context`. */
import { type Verbs, verb, withProgram } from '../../command-line.ts'
import { asJson, valued } from '../../platform/command-line/verb.ts'

export const conversationVerbs: Verbs = [
  verb({
    words: 'conversations list',
    summary: 'list all conversations',
    options: asJson,
    run: (root, options) =>
      withProgram(root, options, async ({ program, output }) => {
        const { conversationsList } = await import('./conversations-command.ts')
        return await conversationsList(options, { runtime: program.runtime, output })
      }),
  }),
  verb({
    words: 'conversations show',
    arguments: { id: 'ID' },
    summary: 'print a conversation’s agents',
    options: asJson,
    misuse: 'Use troupe conversations list, or troupe conversations show ID.',
    run: (root, options) =>
      withProgram(root, options, async ({ program: { runtime, store }, ...context }) => {
        const { conversationsShow } = await import('./conversations-command.ts')
        return await conversationsShow(options, { ...context, runtime, store })
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

/** `troupe search …`. */
import { historyPrograms } from '../../../shared/histories/history.ts'
import { type Verbs, verb, withSettings } from '../../command-line.ts'
import { asJson, flag, repeatable, valued } from '../../platform/command-line/verb.ts'

export const searchVerbs: Verbs = [
  verb({
    words: 'search',
    arguments: { words: 'WORDS…' },
    summary: 'search in everything that was said in all conversations',
    options: {
      agent: repeatable('NAME', 'of these agents: main, a type, or a name (repeatable)'),
      tool: repeatable('NAME', 'in inputs and outputs of these tools (repeatable)'),
      kind: repeatable('KIND', 'said, thought, input, output, you or message (repeatable)'),
      program: repeatable(
        'PROGRAM',
        `in conversations of troupe, ${historyPrograms.join(', ')} (repeatable)`,
      ),
      folder: repeatable('DIR', 'in conversations of these folders (repeatable)'),
      since: valued('TIME', 'from then on: 2026-09-01, today, yesterday, 12h, 7d, 4w'),
      until: valued('TIME', 'up to then'),
      regex: flag('the words are a regular expression'),
      case: flag('upper and lower case differ'),
      word: flag('whole words only'),
      archived: flag('in archived conversations too'),
      limit: valued('N', 'print at most N places (default: 50)'),
      ...asJson,
    },
    misuse: 'Say what to search for: troupe search WORDS… [--agent NAME] [--since 7d]',
    run: (root, options) =>
      withSettings(root, options, async ({ settings, ...context }) => {
        const { searchCommand } = await import('./search-command.ts')
        return await searchCommand(options, {
          ...root,
          ...context,
          settings,
          variables: root.given.forChildren,
        })
      }),
  }),
]

/** `troupe insight` */
import { insightGroups } from '../../../shared/insight/insight.ts'
import { type Verbs, verb } from '../../command-line.ts'
import { spoken } from '../../platform/command-line/terminal.ts'
import { asJson, choice, flag, valued } from '../../platform/command-line/verb.ts'

export const insightVerbs: Verbs = [
  verb({
    words: 'insight',
    summary: 'say what work cost, over all conversations',
    options: {
      by: choice('GROUP', 'definition (default), folder, model, month, conversation or agent', {
        what: 'group',
        words: insightGroups,
      }),
      since: valued('DATE', 'from this day on: 2026-11-25, 2026-11, today, yesterday, 30d, 4w'),
      until: valued('DATE', 'up to this day'),
      folder: valued('DIR', 'conversations of this folder and of folders in it'),
      rehearsal: flag('count rehearsals too, at no cost'),
      csv: valued('FILE', 'write CSV to a new file; -: to standard output'),
      ...asJson,
    },
    misuse: ([extra]) =>
      `Unexpected argument "${extra}". Choose with options: troupe insight --by model --since 30d`,
    run: async (root, options) => {
      const { insightCommand } = await import('./insight-command.ts')
      return await insightCommand(options, { ...root, ...spoken(options) })
    },
  }),
]

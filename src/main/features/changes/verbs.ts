/** `troupe changes …` */
import { conflictChoice } from '../../../shared/changes/changes.ts'
import { ok } from '../../../shared/kernel/result.ts'
import { type CommandLineRoot, type Verbs, verb, withProgram } from '../../command-line.ts'
import { asJson, checked, choice, flag, usage, valued } from '../../platform/command-line/verb.ts'
import type { ChangesCommand } from './changes-command.ts'

const applied = {
  conflicts: choice('CHOICE', 'where later changes overlap: leave (the file, default), keep or old', {
    what: 'choice',
    words: conflictChoice.options,
  }),
  yes: flag('don’t ask'),
  ...asJson,
}

export const changeVerbs: Verbs = [
  verb({
    words: 'changes list',
    summary: 'list what agents of a conversation changed in files, by message',
    options: asJson,
    ...forConversation('list'),
    run,
  }),
  verb({
    words: 'changes revert',
    summary: 'undo it, after a preview; all of it, or a part:',
    options: {
      agent: valued('NAME', 'what one agent changed, by name or id'),
      file: valued('PATH', 'one file'),
      to: checked('N', 'everything since your message N; a new conversation continues from there', (given) =>
        /^[1-9]\d{0,5}$/.test(given)
          ? ok(Number(given))
          : usage(`--to must be the number of a message, as troupe changes list prints it, not "${given}".`),
      ),
      ...applied,
    },
    ...forConversation('revert'),
    refine: (values) =>
      values.to !== null && (values.agent !== null || values.file !== null)
        ? usage('--to goes back to a message with all files, so it can’t be combined with --agent or --file.')
        : ok(values),
    run,
  }),
  verb({
    words: 'changes redo',
    summary: 'take the last undo back',
    options: applied,
    ...forConversation('redo'),
    run,
  }),
]

function forConversation(action: string) {
  return {
    arguments: { id: 'ID' },
    misuse: `Give one conversation: troupe changes ${action} ID. See the ids with: troupe conversations list`,
  } as const
}

function run(root: CommandLineRoot, command: ChangesCommand): Promise<number> {
  return withProgram(root, command, async ({ program, ...context }) => {
    const { changesCommand } = await import('./changes-command.ts')
    return await changesCommand(command, { ...context, changes: program.changes, cwd: process.cwd() })
  })
}

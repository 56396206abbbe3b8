/** `troupe doctor …` */
import { ok } from '../../../shared/kernel/result.ts'
import { type CommandLineRoot, inFolder, type Verbs, verb } from '../../command-line.ts'
import { flag, ofFolder, usage } from '../../platform/command-line/verb.ts'
import type { DoctorCommand } from './doctor.ts'

const misuse = 'Use troupe doctor, troupe doctor import FILE (or --all), or troupe doctor undo FILE.'

export const setupVerbs: Verbs = [
  verb({
    words: 'doctor',
    summary: 'list every file of your setup that was found: what of it counts, what does not, and why',
    options: ofFolder,
    misuse,
    run,
  }),
  verb({
    words: 'doctor import',
    arguments: { file: '[FILE]' },
    summary:
      "show what another program's file becomes here, ask, and write it: MCP servers of\n.cursor/mcp.json and others, rules of .cursor/rules, copilot-instructions.md and others",
    options: { ...ofFolder, all: flag('import all files'), yes: flag('don’t ask') },
    misuse,
    refine: (values) => ((values.file === null) === values.all ? ok(values) : usage(misuse)),
    run,
  }),
  verb({
    words: 'doctor undo',
    arguments: { file: 'FILE' },
    summary: 'take back what was imported from it',
    options: ofFolder,
    misuse,
    run,
  }),
]

function run(
  root: CommandLineRoot,
  command: DoctorCommand & Parameters<typeof inFolder>[1],
): Promise<number> {
  return inFolder(root, command, async ({ program, ...context }) => {
    const { doctorCommand } = await import('./doctor.ts')
    return await doctorCommand(command, { ...context, setup: program.setup, home: root.home })
  })
}

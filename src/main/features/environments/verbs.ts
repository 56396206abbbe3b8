/** `troupe environments …` */
import { ok } from '../../../shared/kernel/result.ts'
import { type CommandLineRoot, inFolder, type Verbs, verb } from '../../command-line.ts'
import { checked, ofFolder, usage, valued } from '../../platform/command-line/verb.ts'
import type { EnvironmentsCommand } from './environments-command.ts'

const name = valued('NAME', 'the run command (default: all)')

export const environmentVerbs: Verbs = [
  verb({
    words: 'environments list',
    summary: 'list the commands for worktrees, and the worktrees with set-up, ports and servers',
    options: ofFolder,
    misuse: ([extra]) => `Unexpected argument "${extra}": troupe environments list takes no names.`,
    run,
  }),
  verb({
    words: 'environments approve',
    summary: 'show the commands for worktrees and let them run as they are now',
    options: ofFolder,
    misuse: ([extra]) => `Unexpected argument "${extra}".`,
    run,
  }),
  verb({
    words: 'environments setup',
    arguments: { name: 'ID' },
    summary: 'set up a worktree, again if it failed, and wait for the end; ID: an id, a branch, or a prefix',
    options: ofFolder,
    misuse: oneOf('setup'),
    run,
  }),
  verb({
    words: 'environments run',
    arguments: { name: 'ID' },
    summary: 'run the servers of a worktree until Ctrl C',
    options: { ...ofFolder, command: name },
    misuse: oneOf('run'),
    run,
  }),
  verb({
    words: 'environments stop',
    arguments: { name: 'ID' },
    summary: 'end the set-up and the servers of a worktree, wherever they run',
    options: { ...ofFolder, command: name },
    misuse: oneOf('stop'),
    run,
  }),
  verb({
    words: 'environments log',
    arguments: { name: 'ID' },
    summary: 'print the last lines of a worktree’s set-up and servers',
    options: {
      ...ofFolder,
      source: valued('NAME', 'only these: setup, teardown, or a run command'),
      lines: checked('N', 'how many (default: 100)', (given) =>
        /^[1-9]\d{0,3}$/.test(given)
          ? ok(Number(given))
          : usage(`--lines must be a number from 1 to 9999, not "${given}".`),
      ),
    },
    misuse: oneOf('log'),
    run,
  }),
]

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

function oneOf(action: string) {
  return ([, extra]: readonly string[]) =>
    extra === undefined
      ? `Give one worktree: troupe environments ${action} ID. See the ids with: troupe environments list`
      : `Unexpected argument "${extra}": give one worktree.`
}

function run(
  root: CommandLineRoot,
  command: EnvironmentsCommand & Parameters<typeof inFolder>[1],
): Promise<number> {
  return inFolder(root, command, async ({ program: { environments, now }, ...context }) => {
    const { environmentsCommand } = await import('./environments-command.ts')
    const controller = new AbortController()
    const interrupt = () => controller.abort()
    for (const signal of SIGNALS) process.once(signal, interrupt)
    try {
      return await environmentsCommand(command, {
        ...{ ...context, environments, now },
        interrupted: controller.signal,
      })
    } finally {
      for (const signal of SIGNALS) process.off(signal, interrupt)
    }
  })
}

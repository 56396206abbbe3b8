/** Starts a program without the open files of this one. */
import { findShell } from './find-shell.ts'

export type CommandLine = readonly [program: string, ...args: string[]]

/** Closes all descriptors but the three standard ones. "-p" ignores start files and functions from the environment. */
const CLOSE_OTHERS =
  `for entry in /proc/self/fd/*; do number=\${entry##*/}; ` +
  'if (( number > 2 )); then eval "exec $number>&-"; fi; done; exec "$@"'

/**
 * The command line that runs a program with its standard descriptors only. Electron's descriptors are inherited on
 * Linux; a program that outlives the window would keep Electron's helper processes alive. Elsewhere, and without bash,
 * the command line is unchanged.
 */
export async function withOwnDescriptors(
  command: CommandLine,
  environment: Readonly<NodeJS.ProcessEnv>,
  platform: string = process.platform,
): Promise<CommandLine> {
  if (platform !== 'linux') return command
  const { path, dialect } = await findShell({ PATH: environment['PATH'] ?? '' }, undefined)
  return dialect === 'bash' ? [path, '-p', '-c', CLOSE_OTHERS, 'troupe', ...command] : command
}

/** What the parts of the command line's composition root share: where things are, and how a command speaks. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Environment } from './environment.ts'
import type { UserSettings } from './features/settings/user-settings.ts'
import { jsonOutput, type TextOutput, textOutput } from './platform/command-line/safe-output.ts'
import { EXIT } from './platform/command-line/usage.ts'

export interface CommandLineRoot {
  /** Absolute; created on the first write. */
  readonly dataFolder: string
  /** The user's home folder. */
  readonly home: string
  /** What the environment and the user's settings files give. */
  readonly given: Environment
  readonly userSettings: UserSettings
  /** The folder that holds `agents/`, `docs/` and package.json. */
  readonly programFolder: string
}

const errors = textOutput(process.stderr)

/** Prints the message on standard error. @returns the exit code */
export function complain(message: string, code: number): number {
  errors.write(`troupe: ${message}\n`)
  return code
}

/** Standard output and standard error of a command. */
export function outputs({ json }: { readonly json: boolean } = { json: false }): {
  readonly output: TextOutput
  readonly errors: TextOutput
} {
  return { output: json ? jsonOutput(process.stdout) : textOutput(process.stdout), errors }
}

/** A closed pipe (`troupe … | head`) ends the program silently; any other write error is reported. */
export function endWithReader(): void {
  process.stdout.on('error', (failure: NodeJS.ErrnoException) => {
    if (failure.code === 'EPIPE') process.exit(EXIT.done)
    process.exit(complain(`The output could not be written: ${failure.message}`, EXIT.failed))
  })
}

/** Whether a person can be asked in the terminal. */
export const isInteractive = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true

/** The version in the program's package.json. */
export async function versionOf({ programFolder }: Pick<CommandLineRoot, 'programFolder'>): Promise<string> {
  const { version } = JSON.parse(await readFile(join(programFolder, 'package.json'), 'utf8')) as {
    version: string
  }
  return version
}

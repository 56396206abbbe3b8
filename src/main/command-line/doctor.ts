/** `troupe doctor`: what was found of the user's setup, what of it counts, and why the rest does not. */
import { resolve } from 'node:path'
import type { Result } from '../../shared/result.ts'
import {
  countOf,
  type SetupItem,
  type SetupReport,
  setupGroupNames,
  setupGroups,
  setupStateNames,
} from '../../shared/setup.ts'
import { makeVisible } from '../../shared/visible-text.ts'
import type { DoctorArguments } from './parse-doctor.ts'
import { EXIT } from './usage.ts'

export interface DoctorContext {
  readonly setup: {
    report(folder: string): Promise<SetupReport>
    importServers(folder: string, file: string): Promise<Result<readonly string[]>>
  }
  readonly folder: string
  readonly home: string
  readonly output: { write(text: string): void }
  readonly errors: { write(text: string): void }
}

/** @returns the exit code */
export async function doctorCommand(command: DoctorArguments, context: DoctorContext): Promise<number> {
  const { setup, folder, home, output, errors } = context
  if (command.verb === 'doctor-import') {
    const file = command.file.startsWith('~/') ? `${home}${command.file.slice(1)}` : resolve(command.file)
    const imported = await setup.importServers(folder, file)
    if (!imported.ok) {
      errors.write(`troupe: ${makeVisible(imported.failure.message)}\n`)
      return EXIT.failed
    }
    output.write(
      command.json
        ? `${JSON.stringify({ type: 'imported', servers: imported.value })}\n`
        : `Imported ${makeVisible(imported.value.join(', '))}. See troupe mcp list.\n`,
    )
    return EXIT.done
  }
  const report = await setup.report(folder)
  output.write(command.json ? `${JSON.stringify({ type: 'setup', ...report })}\n` : textOf(report))
  return EXIT.done
}

function textOf({ folder, trusted, items }: SetupReport): string {
  const files = items.reduce((sum, item) => sum + item.files, 0)
  const groups = setupGroups.flatMap((group) => {
    const own = items.filter((item) => item.group === group)
    return own.length === 0 ? [] : ['', setupGroupNames[group], ...own.flatMap(linesOf)]
  })
  const head = `${countOf(files, 'file')} found for ${folder}${trusted ? '' : ', which you do not trust'}.`
  return [head, ...groups].map((line) => `${makeVisible(line)}\n`).join('')
}

function linesOf({ what, shown, state, details, notes }: SetupItem): readonly string[] {
  const place = shown === '' ? '' : `  ${shown}`
  return [
    `  ${setupStateNames[state].padEnd(12)} ${what}${place}: ${details}`,
    ...notes.filter((note) => note !== details).map((note) => `${' '.repeat(15)}- ${note}`),
  ]
}

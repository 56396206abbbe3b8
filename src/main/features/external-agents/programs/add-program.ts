/** Makes an agent of a program that Troupe does not know: a definition in the user's own agents folder. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readDefinition } from '../../../../shared/agent-definition/read-definition.ts'
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import { makeFolders } from '../../../platform/system/atomic-file.ts'
import { diskFailure } from '../../../platform/system/disk-failure.ts'
import { codeOf } from '../../../platform/system/error-code.ts'

export interface AddedProgram {
  readonly name: string
  readonly description: string
  readonly command: string
  readonly args: readonly string[]
  /** The names of the variables that it gets. */
  readonly env: readonly string[]
}

/** Fails with `taken`, `refused` or a failure of the disk. @returns the definition's file */
export async function addProgram(program: AddedProgram, home: string): Promise<Result<string>> {
  const { name } = program
  const text = textOf(program)
  const { offered, diagnostics } = readDefinition(text, { stem: name, source: 'the user' })
  if (!offered) {
    const reasons = diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message)
    return fail({ type: 'refused', message: `${name} was not added. ${reasons.join(' ')}` })
  }
  const folder = join(home, '.claude', 'agents')
  const file = join(folder, `${name}.md`)
  try {
    await makeFolders(folder)
    await writeFile(file, text, { flag: 'wx' })
    return ok(file)
  } catch (thrown) {
    return fail(
      codeOf(thrown) === 'EEXIST'
        ? { type: 'taken', message: `${file} is there already. Choose another name, or change that file.` }
        : diskFailure(thrown, `${name} was not added`, file),
    )
  }
}

function textOf({ name, description, command, args, env }: AddedProgram): string {
  // A JSON text is a quoted text of YAML.
  const lines = [
    `name: ${name}`,
    `description: ${JSON.stringify(description)}`,
    'backing: acp',
    `command: ${JSON.stringify(command)}`,
    ...(args.length === 0 ? [] : [`args: ${JSON.stringify(args)}`]),
    ...(env.length === 0 ? [] : [`env: [${env.join(', ')}]`]),
  ]
  return `---\n${lines.join('\n')}\n---\n`
}

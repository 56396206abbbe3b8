/** External agents for tests of the window: the example program, which behaves as its arguments say. */
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Machine } from './troupe-window.ts'

/** Its file. */
export const EXAMPLE = join(
  import.meta.dirname,
  '../../src/main/features/external-agents/backing/testing/example-agent.ts',
)

/** Writes a definition of the user for each name, with the arguments of its example program. */
export async function definePrograms(
  { base }: Machine,
  programs: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  const folder = join(base, '.claude', 'agents')
  await mkdir(folder, { recursive: true })
  for (const [name, args] of Object.entries(programs)) {
    const line = JSON.stringify([EXAMPLE, ...args])
    await writeFile(
      join(folder, `${name}.md`),
      `---\nname: ${name}\ndescription: An external agent.\nbacking: acp\ncommand: ${process.execPath}\nargs: ${line}\n---\nBe brief.\n`,
    )
  }
}

/** Puts it where programs usually are, under the name of a known program. */
export async function installProgram({ base }: Machine, name: string, args = 'works'): Promise<void> {
  const bin = join(base, '.local', 'bin')
  await mkdir(bin, { recursive: true })
  await writeFile(join(bin, name), `#!/bin/sh\nexec '${process.execPath}' '${EXAMPLE}' ${args}\n`)
  await chmod(join(bin, name), 0o755)
}

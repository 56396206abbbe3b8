/** Handlers for the external agents. */
import type { OutsidePrograms, ProgramState } from '../../../shared/external-agents/outside-program.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { ProgramKeys } from '../access/program-keys.ts'
import type { Program } from '../services.ts'
import type { HandlersOf } from './command-handlers.ts'

export interface ProgramDeps {
  readonly program: () => Promise<Program>
  readonly programKeys: ProgramKeys
}

export function programCommands({ program, programKeys }: ProgramDeps): HandlersOf<'programs'> {
  const withPrograms = async <T>(
    act: (programs: NonNullable<Program['programs']>) => Promise<Result<T>>,
  ): Promise<Result<T>> => {
    const { programs } = await program()
    return programs === undefined ? fail(NONE) : act(programs)
  }
  return {
    'programs.list': async ({ again }) => ok((await (await program()).programs?.list({ again })) ?? []),
    'programs.offer': ({ id }) => withPrograms((programs) => programs.offer(id)),
    'programs.install': ({ id, version }) =>
      withPrograms(async (programs) => listed(await programs.install(id, version), programs)),
    'programs.cancel': async ({ id }) => {
      ;(await program()).programs?.cancel(id)
      return ok(undefined)
    },
    'programs.remove': ({ id }) =>
      withPrograms(async (programs) => listed(await programs.remove(id), programs)),
    'programs.check': ({ id }) => withPrograms((programs) => programs.check(id)),
    'programs.keys': async () => ok(await programKeys.list()),
    'programs.saveKey': ({ name, value }) => programKeys.save(name, value),
    'programs.use': ({ id, used }) =>
      withPrograms(async (programs) => listed(await programs.use(id, used), programs)),
  }
}

/** The programs after a change. */
async function listed(
  done: Result<void>,
  programs: Pick<OutsidePrograms, 'list'>,
): Promise<Result<readonly ProgramState[]>> {
  return done.ok ? ok(await programs.list()) : done
}

const NONE = { type: 'no-programs', message: 'This program knows no external agents.' }

/** Handlers for the access to a model. */
import type { Access } from '../access/model-access.ts'
import type { Program } from '../services.ts'
import type { HandlersOf } from './command-handlers.ts'

export interface AccessDeps {
  readonly access: Access
  readonly program: () => Promise<Program>
}

export function accessCommands({ access, program }: AccessDeps): HandlersOf<'access'> {
  return {
    'access.set': (wanted) => access.set(wanted),
    'access.test': (wanted) => access.test(wanted),
    'access.models': async () => (await program()).listModels(),
  }
}

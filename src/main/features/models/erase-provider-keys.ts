/** Erases the keys of model providers from the environment that the program started with. */
import type { Providers } from '../../../shared/models/model-provider-schema.ts'
import { childEnvironment } from '../../platform/shell/child-environment.ts'
import { eraseVariables } from '../../platform/system/erase-variables.ts'

/**
 * Returns whether no command can read a key there. The program's own copy of the environment keeps them. A variable
 * that commands get anyway is left as it is.
 */
export function eraseProviderKeys(providers: Providers): boolean {
  const names = Object.values(providers).flatMap(({ keyVariable }) => keyVariable ?? [])
  return eraseVariables(names.filter((name) => Object.keys(childEnvironment({ [name]: 'x' })).length === 0))
}

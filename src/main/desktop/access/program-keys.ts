/** Keys for external agents, by the name of their variable, in the system's key store. */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { StoredKeys } from '../../../shared/external-agents/known-program.ts'
import { ok, type Result } from '../../../shared/kernel/result.ts'
import type { Program } from '../services.ts'
import { checkKey } from './check-key.ts'
import { createKeyStore, type Encryption, type KeyStore } from './key-store.ts'

export interface ProgramKeys {
  list(): Promise<StoredKeys>
  /** Null removes it. Fails with `bad-key`, `key-not-saved` or `key-unreadable`. */
  save(name: string, value: string | null): Promise<Result<StoredKeys>>
  /** Gives the program all keys. @returns why one can't be read, for the user; null: all were */
  apply(program: Program): Promise<string | null>
}

interface ProgramKeysOptions {
  /** Of the keys, one file each, named after the variable. */
  readonly folder: string
  readonly encryption: Encryption
  /** A name that nothing else has. */
  readonly newKey: () => string
  readonly program: () => Promise<Program>
}

export function createProgramKeys({ folder, encryption, newKey, program }: ProgramKeysOptions): ProgramKeys {
  const stores = new Map<string, KeyStore>()
  const storeOf = (name: string): KeyStore => {
    const store = stores.get(name) ?? createKeyStore({ file: join(folder, name), encryption, newKey })
    stores.set(name, store)
    return store
  }
  const names = async (): Promise<readonly string[]> =>
    (await readdir(folder).catch(() => [])).filter((name) => VARIABLE.test(name)).sort()
  const list = async (): Promise<StoredKeys> => ({ names: await names(), isSafe: encryption.isSafe() })

  const apply: ProgramKeys['apply'] = async (to) => {
    const keys: Record<string, string> = {}
    let problem: string | null = null
    for (const name of await names()) {
      const read = await storeOf(name).read()
      if (!read.ok) problem = read.failure.message
      else if (read.value !== null) keys[name] = read.value
    }
    to.setProgramKeys(keys)
    return problem
  }

  return {
    list,
    apply,
    async save(name, value) {
      if (value === null) {
        stores.delete(name)
        await rm(join(folder, name), { force: true })
      } else {
        const checked = checkKey(value)
        if (!checked.ok) return checked
        const written = await storeOf(name).write(checked.value)
        if (!written.ok) return written
      }
      await apply(await program())
      return ok(await list())
    },
  }
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/

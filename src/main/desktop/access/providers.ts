/** The model providers of the settings, and their keys in the system's key store. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import type { Commands } from '../../../shared/ipc/ipc-contract.ts'
import { checkBaseUrl } from '../../../shared/kernel/base-url.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { type ModelProbe, withProbe } from '../../../shared/models/model-probe.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import type { Program, SettingsPort } from '../services.ts'
import { checkKey } from './check-key.ts'
import { createKeyStore, type Encryption, type KeyStore } from './key-store.ts'

export interface ProviderAccess {
  /** Gives the program the keys of all providers. @returns why a key can't be read, for the user; null: all were */
  applyKeys(program: Program): Promise<string | null>
  save(wanted: z.output<Commands['provider.save']['input']>): Promise<Result<Settings>>
  remove(name: string): Promise<Result<Settings>>
  probe(model: string): Promise<Result<ModelProbe>>
}

interface ProviderAccessOptions {
  readonly settings: SettingsPort
  readonly program: () => Promise<Program>
  /** Of the keys, one file each. */
  readonly folder: string
  readonly encryption: Encryption
  /** ms since the epoch. */
  readonly now: () => number
  /** A name that nothing else has. */
  readonly newKey: () => string
}

export function createProviderAccess({
  settings,
  program,
  folder,
  encryption,
  now,
  newKey,
}: ProviderAccessOptions): ProviderAccess {
  const stores = new Map<string, KeyStore>()
  const fileOf = (name: string) => join(folder, name)
  const storeOf = (name: string): KeyStore => {
    const store = stores.get(name) ?? createKeyStore({ file: fileOf(name), encryption, newKey })
    stores.set(name, store)
    return store
  }
  const forget = async (name: string): Promise<void> => {
    stores.delete(name)
    await rm(fileOf(name), { force: true })
  }

  const applyKeys: ProviderAccess['applyKeys'] = async (to) => {
    const keys: Record<string, string> = {}
    let problem: string | null = null
    for (const { key } of Object.values(settings.current.providers)) {
      if (key === undefined) continue
      const read = await storeOf(key).read()
      if (!read.ok) problem = read.failure.message
      else if (read.value !== null) keys[key] = read.value
    }
    to.providers.setKeys(keys)
    return problem
  }
  const change = async (providers: Settings['providers']): Promise<Result<Settings>> => {
    const changed = await settings.change({ providers })
    if (changed.ok) await applyKeys(await program())
    return changed
  }

  return {
    applyKeys,
    async save({ before, name, provider, key }) {
      const { providers } = settings.current
      const address = checkBaseUrl(provider.baseUrl)
      if (!address.ok) return address
      if (address.value === '')
        return fail({ type: 'bad-address', message: 'Enter the address of the server.' })
      if (name !== before && Object.hasOwn(providers, name))
        return fail({ type: 'taken', message: `There is a provider ${name} already.` })
      const old = before === null ? undefined : providers[before]
      const taken = Object.entries(providers).flatMap(([one, { key }]) => (one === before ? [] : (key ?? [])))
      const keyName = taken.includes(name) ? `${name.slice(0, 30)}-${now()}` : name
      // A stored key was meant for the old address, so another one must not get it.
      const keepsKey = old?.key !== undefined && old.baseUrl === address.value
      if (key !== null) {
        const checked = checkKey(key)
        if (!checked.ok) return checked
        const written = await storeOf(keyName).write(checked.value)
        if (!written.ok) return written
      }
      const stored = key !== null ? keyName : keepsKey ? old.key : undefined
      const entry = { ...provider, baseUrl: address.value, ...(stored !== undefined && { key: stored }) }
      const entries = Object.entries(providers).filter(([one]) => one !== before)
      const changed = await change({ ...Object.fromEntries(entries), [name]: entry })
      if (changed.ok && old?.key !== undefined && old.key !== stored) await forget(old.key)
      return changed
    },
    async remove(name) {
      const { [name]: removed, ...others } = settings.current.providers
      const changed = await change(others)
      if (changed.ok && removed?.key !== undefined) await forget(removed.key)
      return changed
    },
    async probe(model) {
      const probe = await (await program()).probeModel(model)
      const providers = withProbe(settings.current.providers, probe)
      const kept = providers === null ? null : await settings.change({ providers })
      return kept?.ok === false ? kept : ok(probe)
    },
  }
}

/** The system's key store through Electron: the Keychain, DPAPI, libsecret or KWallet. */
import { safeStorage } from 'electron'
import type { Encryption } from './key-store.ts'

/** The asynchronous half of `safeStorage`, which older Electrons do not have. */
type Async = Pick<
  typeof safeStorage,
  'isAsyncEncryptionAvailable' | 'encryptStringAsync' | 'decryptStringAsync'
>

/** Only to be used once Electron is ready. */
export function createSystemEncryption(platform: string): Encryption {
  const isSafe = (): boolean => {
    if (platform !== 'linux') return true
    const backend = safeStorage.getSelectedStorageBackend()
    return backend !== 'basic_text' && backend !== 'unknown'
  }

  /** Null where this Electron, or this system, has only the synchronous half. */
  const asynchronous = async (): Promise<Async | null> => {
    const found: Partial<Async> = safeStorage
    if (found.isAsyncEncryptionAvailable === undefined || !isSafe()) return null
    return (await safeStorage.isAsyncEncryptionAvailable()) ? safeStorage : null
  }

  const synchronous = (): typeof safeStorage => {
    // Without a key store Linux refuses; what it does then hides the key from a glance and no more,
    // which the window says.
    if (!isSafe()) safeStorage.setUsePlainTextEncryption(true)
    if (!safeStorage.isEncryptionAvailable()) throw new Error('the system offers no encryption')
    return safeStorage
  }

  return {
    isSafe,
    async encrypt(text) {
      const better = await asynchronous()
      return better ? better.encryptStringAsync(text) : synchronous().encryptString(text)
    },
    async decrypt(encrypted) {
      const better = await asynchronous()
      if (!better) return synchronous().decryptString(encrypted)
      return (await better.decryptStringAsync(encrypted)).result
    },
  }
}

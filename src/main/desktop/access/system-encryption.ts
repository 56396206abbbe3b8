/** The system's key store through Electron: the Keychain, DPAPI, libsecret or KWallet. */
import { safeStorage } from 'electron'
import type { Encryption } from './key-store.ts'

/** The asynchronous half of `safeStorage`. Older versions of Electron lack it. */
type Async = Pick<
  typeof safeStorage,
  'isAsyncEncryptionAvailable' | 'encryptStringAsync' | 'decryptStringAsync'
>

/** Call this only once Electron is ready. */
export function createSystemEncryption(platform: string): Encryption {
  const isSafe = (): boolean => {
    if (platform !== 'linux') return true
    const backend = safeStorage.getSelectedStorageBackend()
    return backend !== 'basic_text' && backend !== 'unknown'
  }

  /** Null if this Electron or this system has only the synchronous half. */
  const asynchronous = async (): Promise<Async | null> => {
    const found: Partial<Async> = safeStorage
    if (found.isAsyncEncryptionAvailable === undefined || !isSafe()) return null
    return (await safeStorage.isAsyncEncryptionAvailable()) ? safeStorage : null
  }

  const synchronous = (): typeof safeStorage => {
    // Without a key store Electron refuses on Linux unless plain text is allowed. That only obfuscates the
    // key, and the window says so.
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

/**
 * Stores the user's API key, encrypted by the system's key store, in a file that only this user can read.
 * In use, the key is in the main process's memory only: not in the window, a log or a child process.
 */
import { access, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { SafeStorage } from 'electron'
import { fail, messageOf, ok, type Result, sentence } from '../../../shared/kernel/result.ts'

/** The system's encryption. */
export interface Encryption {
  /** False if the system only obfuscates, with a publicly known key. */
  isSafe(): boolean
  encrypt(text: string): Promise<Buffer>
  decrypt(encrypted: Buffer): Promise<string>
}

export interface KeyStore {
  readonly isSafe: boolean
  /** Whether a key is stored. Does not call the system's key store, which may ask the user. */
  has(): Promise<boolean>
  /** Null without a key. Fails with `key-unreadable`. */
  read(): Promise<Result<string | null>>
  /** Fails with `key-not-saved`. */
  write(key: string): Promise<Result<void>>
}

interface KeyStoreOptions {
  readonly file: string
  readonly encryption: Encryption
  /** A name that nothing else has. */
  readonly newKey: () => string
}

export function createKeyStore({ file, encryption, newKey }: KeyStoreOptions): KeyStore {
  let known: string | null = null

  return {
    get isSafe() {
      return encryption.isSafe()
    },
    async has() {
      if (known !== null) return true
      return access(file).then(
        () => true,
        () => false,
      )
    },
    async read() {
      if (known !== null) return ok(known)
      let encrypted: Buffer
      try {
        encrypted = await readFile(file)
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ok(null)
        return unreadable(error)
      }
      try {
        known = await encryption.decrypt(encrypted)
        return ok(known)
      } catch (error) {
        return unreadable(error)
      }
    },
    async write(key) {
      const draft = `${file}.${newKey()}.tmp`
      try {
        const encrypted = await encryption.encrypt(key)
        await mkdir(dirname(file), { recursive: true })
        const handle = await open(draft, 'wx', 0o600)
        try {
          await handle.writeFile(encrypted)
          await handle.sync()
        } finally {
          await handle.close()
        }
        await rename(draft, file)
        known = key
        return ok(undefined)
      } catch (error) {
        await rm(draft, { force: true }).catch(() => {})
        return fail({
          type: 'key-not-saved',
          message: `The key was not saved: ${sentence(messageOf(error))} Unlock your system's key store and try again, or start Troupe with the key in ANTHROPIC_API_KEY.`,
        })
      }
    },
  }
}

function unreadable(error: unknown): Result<never> {
  return fail({
    type: 'key-unreadable',
    message: `The stored key can't be read: ${sentence(messageOf(error))} Unlock your system's key store and try again, or enter the key again in Settings.`,
  })
}

/** The asynchronous half of `safeStorage`. Older versions of Electron lack it. */
type Async = Pick<SafeStorage, 'isAsyncEncryptionAvailable' | 'encryptStringAsync' | 'decryptStringAsync'>

/**
 * The system's key store through Electron: the Keychain, DPAPI, libsecret or KWallet. Call this only once Electron is
 * ready.
 */
export function createSystemEncryption(safeStorage: SafeStorage, platform: string): Encryption {
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

  const synchronous = (): SafeStorage => {
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

/**
 * Who answers the agents' requests: the real API with the user's key, the rehearsal's script, or nobody.
 * The settings say which, the key store and the environment have the key, and the window never sees it.
 */
import type { AccessInfo, CommandInput } from '../../../shared/ipc-contract.ts'
import { fail, ok, type Result } from '../../../shared/result.ts'
import type { Settings } from '../../../shared/settings.ts'
import type { ModelAccess, Program, SettingsPort } from '../services.ts'
import { checkBaseUrl } from './base-url.ts'
import type { KeyStore } from './key-store.ts'

export interface Access {
  info(): Promise<AccessInfo>
  isRehearsal(): boolean
  /** What the program shall use. A key that can't be read counts as none; why is the second value. */
  resolve(): Promise<{ readonly access: ModelAccess; readonly problem: string | null }>
  set(wanted: CommandInput<'access.set'>): Promise<Result<AccessInfo>>
  test(wanted: CommandInput<'access.test'>): Promise<Result<{ readonly model: string; readonly ms: number }>>
}

export interface AccessOptions {
  readonly settings: SettingsPort
  readonly keys: KeyStore
  readonly program: () => Promise<Program>
  /** What the environment says wins over what is stored. */
  readonly environment: {
    readonly key: string | null
    readonly authToken: string | null
    readonly baseUrl: string | null
  }
  /** The rehearsal whatever the settings say: a scenario is played. */
  readonly forceRehearsal: boolean
}

export function createAccess(options: AccessOptions): Access {
  const { settings, keys, program, environment, forceRehearsal } = options

  const isInEnvironment = environment.key !== null || environment.authToken !== null

  const kind = (): AccessInfo['kind'] => {
    if (forceRehearsal) return 'rehearsal'
    const chosen = settings.current.access.kind
    return chosen === 'none' && isInEnvironment ? 'api' : chosen
  }
  const baseUrl = (): string => environment.baseUrl ?? settings.current.baseUrl

  const info = async (): Promise<AccessInfo> => ({
    kind: kind(),
    keySource: isInEnvironment ? 'environment' : (await keys.has()) ? 'key-store' : null,
    keyStoreSafe: keys.isSafe,
    baseUrl: baseUrl(),
  })

  /** What requests are signed with: a token in the environment is no reason to look for a key. */
  const key = async (): Promise<Result<string | null>> =>
    isInEnvironment ? ok(environment.key) : keys.read()

  const resolve: Access['resolve'] = async () => {
    const now = kind()
    if (now !== 'api') return { access: { kind: now }, problem: null }
    const found = await key()
    if (!found.ok) return { access: { kind: 'none' }, problem: found.failure.message }
    return { access: apiAccess(found.value, baseUrl()), problem: null }
  }

  return {
    info,
    resolve,
    isRehearsal: () => kind() === 'rehearsal',
    async set(wanted) {
      let patch: Partial<Settings> = { access: { kind: wanted.kind } }
      if (wanted.kind === 'api') {
        const url = checkBaseUrl(wanted.baseUrl)
        if (!url.ok) return url
        const saved = await saveKey(wanted.key)
        if (!saved.ok) return saved
        patch = { ...patch, baseUrl: url.value }
      }
      const changed = await settings.change(patch)
      if (!changed.ok) return changed
      const { access, problem } = await resolve()
      if (problem !== null) return fail({ type: 'key-unreadable', message: problem })
      const switched = await (await program()).switchAccess(access)
      return switched.ok ? ok(await info()) : switched
    },
    async test(wanted) {
      const url = checkBaseUrl(wanted.baseUrl)
      if (!url.ok) return url
      const given = wanted.key === null ? await key() : checkKey(wanted.key)
      if (!given.ok) return given
      const asked = apiAccess(given.value, url.value)
      return asked.kind === 'api' ? (await program()).testAccess(asked) : fail(noKey)
    },
  }

  function apiAccess(found: string | null, url: string): ModelAccess {
    const { authToken } = environment
    return found === null && authToken === null
      ? { kind: 'none' }
      : { kind: 'api', key: found, authToken: found === null ? authToken : null, baseUrl: url }
  }

  /** Null keeps the one that is there. */
  async function saveKey(given: string | null): Promise<Result<void>> {
    if (given === null) {
      return isInEnvironment || (await keys.has()) ? ok(undefined) : fail(noKey)
    }
    const checked = checkKey(given)
    return checked.ok ? keys.write(checked.value) : checked
  }
}

const noKey = {
  type: 'no-key',
  message:
    'There is no key yet. Enter one from console.anthropic.com (a chat subscription has none), or try the rehearsal, which needs no key.',
} as const

/** A key goes into a header: what can't stand there was pasted wrongly. */
function checkKey(given: string): Result<string> {
  const key = given.trim()
  if (/^[\x21-\x7e]+$/.test(key)) return ok(key)
  return fail({
    type: 'bad-key',
    message:
      'That is not a key: it has spaces, line breaks or special characters in it. Copy it once more, whole and alone.',
  })
}

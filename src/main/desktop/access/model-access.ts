/**
 * Chooses the access to a model: the API with the user's key, the rehearsal's script, or none. The settings
 * hold the choice; the key store or the environment holds the key. The window never sees the key.
 */
import type { CommandInput } from '../../../shared/ipc/ipc-contract.ts'
import { checkBaseUrl } from '../../../shared/kernel/base-url.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type {
  AccessInfo,
  AccessTest,
  EnvironmentAccess,
  ModelAccess,
} from '../../../shared/models/model-access.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import type { RuntimeDelta } from '../../runtime/ports/runtime.ts'
import type { Program, SettingsPort } from '../services.ts'
import { checkKey } from './check-key.ts'
import type { KeyStore } from './key-store.ts'

export interface Access {
  info(): Promise<AccessInfo>
  isRehearsal(): boolean
  /** Watches the requests of all agents. True: `info` changed, because the API refused or accepted the key. */
  onDelta(delta: RuntimeDelta): boolean
  /** The access to use. If the key can't be read, the access is none and `problem` has the reason. */
  resolve(): Promise<{ readonly access: ModelAccess; readonly problem: string | null }>
  set(wanted: CommandInput<'access.set'>): Promise<Result<AccessInfo>>
  test(wanted: CommandInput<'access.test'>): Promise<Result<AccessTest>>
}

export interface AccessOptions {
  readonly settings: SettingsPort
  readonly keys: KeyStore
  readonly program: () => Promise<Program>
  /** Takes precedence over stored values. */
  readonly environment: EnvironmentAccess
  /** The user chooses the rehearsal's pace. */
  readonly isPaced?: boolean
  /** A scenario is playing: rehearsal, regardless of the settings. */
  readonly forceRehearsal: boolean
}

export function createAccess(options: AccessOptions): Access {
  const { settings, keys, program, environment, forceRehearsal } = options

  let refused: string | null = null

  const isGiven = environment.key !== null || environment.authToken !== null
  const isInEnvironment = isGiven || environment.hasKeyHelper === true

  const kind = (): AccessInfo['kind'] => {
    if (forceRehearsal) return 'rehearsal'
    const chosen = settings.current.access.kind
    return chosen === 'none' && isInEnvironment ? 'api' : chosen
  }
  const baseUrl = (): string => environment.baseUrl ?? settings.current.baseUrl

  const info = async (): Promise<AccessInfo> => ({
    kind: kind(),
    keySource: isGiven
      ? 'environment'
      : isInEnvironment
        ? 'key-helper'
        : (await keys.has())
          ? 'key-store'
          : null,
    keyStoreSafe: keys.isSafe,
    baseUrl: baseUrl(),
    ...(refused === null ? {} : { refused }),
    ...(options.isPaced && kind() === 'rehearsal' ? { isPaced: true } : {}),
  })

  /** With a token in the environment the key store is not read. */
  const key = async (): Promise<Result<string | null>> =>
    isInEnvironment ? ok(environment.key) : keys.read()

  const resolve: Access['resolve'] = async () => {
    refused = null
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
    onDelta(delta) {
      const outcome = kind() === 'api' ? outcomeOf(delta) : undefined
      if (outcome === undefined || outcome === refused) return false
      refused = outcome
      return true
    },
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
    return found === null && authToken === null && !environment.hasKeyHelper
      ? { kind: 'none' }
      : { kind: 'api', key: found, authToken: found === null ? authToken : null, baseUrl: url }
  }

  /** Null keeps the stored key. */
  async function saveKey(given: string | null): Promise<Result<void>> {
    if (given === null) {
      return isInEnvironment || (await keys.has()) ? ok(undefined) : fail(noKey)
    }
    const checked = checkKey(given)
    return checked.ok ? keys.write(checked.value) : checked
  }
}

/** The message of a refusal; null: the API answered; undefined: the delta says neither. */
function outcomeOf(delta: RuntimeDelta): string | null | undefined {
  if (delta.type !== 'event' || delta.event.origin !== undefined) return undefined
  const { event } = delta
  if (event.type === 'assistant-message') return null
  return event.type === 'request-failed' && event.failure.type === 'auth' ? event.failure.message : undefined
}

const noKey = {
  type: 'no-key',
  message:
    'No API key is stored. Enter one from console.anthropic.com (a chat subscription includes none), or choose Rehearsal, which needs no key.',
} as const

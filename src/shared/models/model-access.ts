/** Access to a model: the API with a key, the rehearsal's script, or none. */

/** An API that speaks the Messages protocol, with the credentials for it. */
export interface ApiModelAccess {
  readonly kind: 'api'
  /** Without a key and a token, the command of `apiKeyHelper` prints it. */
  readonly key: string | null
  /** A bearer token; used when there is no key. */
  readonly authToken?: string | null
  /** Empty: Anthropic's API. */
  readonly baseUrl: string
}

/** The source of every model response. Holds the key, so it never leaves the main process. */
export type ModelAccess = { readonly kind: 'rehearsal' } | ApiModelAccess | { readonly kind: 'none' }

/** The API credentials in the environment. They take precedence over stored ones. */
export interface EnvironmentAccess {
  readonly key: string | null
  readonly authToken: string | null
  readonly baseUrl: string | null
  /** Whether a command of the user's settings prints the key (`apiKeyHelper`). */
  readonly hasKeyHelper?: boolean
}

/** The current access as the window shows it. Never holds a key. */
export interface AccessInfo {
  readonly kind: ModelAccess['kind']
  /** Where the key comes from. */
  readonly keySource: 'environment' | 'key-helper' | 'key-store' | null
  /** Whether the system's key store encrypts; false: it only obfuscates. */
  readonly keyStoreSafe: boolean
  readonly baseUrl: string
  /** The API's message if it refused the key at the last request (401, 403). Absent: no refusal is known. */
  readonly refused?: string
  /** True while a rehearsal answers at the pace of the setting `rehearsalPace`. */
  readonly isPaced?: boolean
}

/** The page where a user creates a key. */
export const KEYS_PAGE = 'https://console.anthropic.com/settings/keys'

/** The result of a test request. */
export interface AccessTest {
  /** The id of the model that answered. */
  readonly model: string
  /** Round-trip time in ms. */
  readonly ms: number
}

/** A model that the API offers. */
export interface ModelInfo {
  readonly id: string
  readonly name: string
}

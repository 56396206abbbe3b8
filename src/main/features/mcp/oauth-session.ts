/**
 * The sign-in at one HTTP server: OAuth with the system's browser and a redirect to a port of this machine (RFC 8252), or
 * without a person, with the client's own secret or key (RFC 6749, 4.4, and RFC 7523).
 * Tokens are kept in a file that only the user can read. Without the user's wish no browser opens and no client is
 * registered: the server's state then says that a sign-in is needed.
 */
import { timingSafeEqual } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type AddClientAuthentication,
  createPrivateKeyJwtAuth,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { checkNamed } from './named-addresses.ts'
import type { TokenFile } from './token-file.ts'

/** ms until the user must have signed in. */
const SIGN_IN_LIMIT = 5 * 60_000

/** A client that the user registered at the authorization server. */
export interface OAuthClient {
  readonly id: string
  readonly secret: string | null
  /** Set if the client signs in by itself, without a person. */
  readonly alone?: {
    /** A private key in PEM, and its algorithm (`ES256`); null: the secret is used. */
    readonly key: { readonly pem: string; readonly algorithm: string } | null
  }
}

interface OAuthSessionOptions {
  /** The server's address: the key of its tokens. */
  readonly url: string
  readonly tokens: TokenFile
  /** Opens an address in the user's browser. */
  readonly openBrowser: (url: URL) => void | Promise<void>
  /** Null: this program registers itself. */
  readonly client: OAuthClient | null
  /** The address of a document about this client; null: there is none. */
  readonly metadataUrl: string | null
  /** Hosts on private networks that the server may name. */
  readonly privateHosts?: readonly string[] | undefined
  /** A text that nobody can guess. */
  readonly newKey: () => string
}

/** Thrown where a sign-in is needed and the user did not ask for one. */
export class SignInNeeded extends Error {
  constructor() {
    super('The user has to sign in.')
  }
}

export class OAuthSession implements OAuthClientProvider {
  private readonly options: OAuthSessionOptions
  private verifier = ''
  private expectedState = ''
  private discovered: OAuthDiscoveryState | undefined
  private listener: { readonly server: Server; readonly port: number } | null = null
  private arrived: ((parameters: URLSearchParams) => void) | null = null
  private callback: Promise<URLSearchParams> | null = null
  readonly clientMetadataUrl?: string
  readonly addClientAuthentication?: AddClientAuthentication
  readonly prepareTokenRequest?: NonNullable<OAuthClientProvider['prepareTokenRequest']>

  constructor(options: OAuthSessionOptions) {
    this.options = options
    if (options.metadataUrl !== null) this.clientMetadataUrl = options.metadataUrl
    const { client } = options
    if (client?.alone === undefined) return
    this.prepareTokenRequest = (scope) =>
      new URLSearchParams({ grant_type: 'client_credentials', ...(scope === undefined ? {} : { scope }) })
    const { key } = client.alone
    if (key !== null)
      this.addClientAuthentication = createPrivateKeyJwtAuth({
        issuer: client.id,
        subject: client.id,
        privateKey: key.pem,
        alg: key.algorithm,
      })
  }

  /** Whether tokens are kept, so that a request may succeed or refresh them. */
  async hasTokens(): Promise<boolean> {
    return (await this.options.tokens.read(this.options.url)).tokens !== undefined
  }

  /** Opens the port for the browser's answer: from now on the SDK may send the user to sign in. */
  async begin(): Promise<void> {
    if (this.listener !== null) return
    const server = createServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://127.0.0.1')
      const isMine = url.pathname === '/callback' && this.isExpected(url.searchParams.get('state'))
      response.writeHead(isMine ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8' })
      response.end(isMine ? 'You can close this page and return to Troupe.' : 'Not found.')
      if (isMine) this.arrived?.(url.searchParams)
    })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(0, '127.0.0.1', resolve)
    })
    server.unref()
    this.listener = { server, port: (server.address() as AddressInfo).port }
    // A client that was registered with another port may not use this one.
    if (this.options.client === null)
      await this.options.tokens.change(this.options.url, { client: undefined })
  }

  end(): void {
    this.listener?.server.close()
    this.listener = null
    this.callback = null
  }

  /** The parameters with which the browser came back. Rejects after five minutes. */
  async redirected(): Promise<URLSearchParams> {
    const { callback } = this
    if (callback === null) throw new SignInNeeded()
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('No sign-in within five minutes.')), SIGN_IN_LIMIT)
    })
    try {
      return await Promise.race([callback, late])
    } finally {
      clearTimeout(timer)
      this.callback = null
    }
  }

  // ---- OAuthClientProvider -------------------------------------------------------------------------

  /** Undefined: nobody is sent to a browser. */
  get redirectUrl(): string | undefined {
    if (this.prepareTokenRequest !== undefined) return undefined
    return `http://127.0.0.1:${this.listener?.port ?? 1}/callback`
  }

  get clientMetadata(): OAuthClientMetadata {
    const { redirectUrl } = this
    if (redirectUrl === undefined)
      return { client_name: 'Troupe', redirect_uris: [], grant_types: ['client_credentials'] }
    return {
      client_name: 'Troupe',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    }
  }

  state(): string {
    this.expectedState = this.options.newKey()
    return this.expectedState
  }

  async clientInformation(): Promise<StoredOAuthClientInformation | undefined> {
    const { client, tokens, url } = this.options
    if (client !== null) {
      const secret = client.alone?.key ? null : client.secret
      return { client_id: client.id, ...(secret === null ? {} : { client_secret: secret }) }
    }
    const kept = (await tokens.read(url)).client
    // Registering changes something at the server: only with the user's wish.
    if (kept === undefined && this.listener === null) throw new SignInNeeded()
    return kept
  }

  async saveClientInformation(client: StoredOAuthClientInformation): Promise<void> {
    await this.options.tokens.change(this.options.url, { client })
  }

  async tokens(): Promise<StoredOAuthTokens | undefined> {
    return (await this.options.tokens.read(this.options.url)).tokens
  }

  async saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    await this.options.tokens.change(this.options.url, { tokens })
    // Only the way back from the browser is bound: a server may name another one later.
    this.discovered = undefined
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    if (this.listener === null) throw new SignInNeeded()
    await checkNamed(url, { server: this.options.url, privateHosts: this.options.privateHosts })
    this.callback = new Promise((resolve) => {
      this.arrived = resolve
    })
    await this.options.openBrowser(url)
  }

  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier
  }

  codeVerifier(): string {
    return this.verifier
  }

  /** Binds the browser's answer to the authorization server that the user was sent to. */
  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.discovered = state
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.discovered
  }

  async invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    const { tokens, url } = this.options
    if (scope === 'all' || scope === 'discovery') this.discovered = undefined
    if (scope === 'all' || scope === 'client') await tokens.change(url, { client: undefined })
    if (scope === 'all' || scope === 'tokens') await tokens.change(url, { tokens: undefined })
  }

  private isExpected(state: string | null): boolean {
    const [given, expected] = [Buffer.from(state ?? ''), Buffer.from(this.expectedState)]
    return expected.length > 0 && given.length === expected.length && timingSafeEqual(given, expected)
  }
}

/**
 * The few web-standard globals that both Node and every browser have. Only the projects without
 * Node's or the DOM's types (src/shared, src/main/runtime) see this file. Timers, fetch and console
 * are left out on purpose: there, effects come in through ports.
 */

interface AbortSignalListenerOptions {
  once?: boolean
  signal?: AbortSignal
}

interface AbortSignal {
  readonly aborted: boolean
  readonly reason: any
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: () => void, options?: AbortSignalListenerOptions): void
  removeEventListener(type: 'abort', listener: () => void): void
}

declare var AbortSignal: {
  prototype: AbortSignal
  abort(reason?: any): AbortSignal
  any(signals: AbortSignal[]): AbortSignal
  timeout(milliseconds: number): AbortSignal
}

interface AbortController {
  readonly signal: AbortSignal
  abort(reason?: any): void
}

declare var AbortController: {
  prototype: AbortController
  new (): AbortController
}

interface TextEncoder {
  encode(input?: string): Uint8Array<ArrayBuffer>
}

declare var TextEncoder: {
  prototype: TextEncoder
  new (): TextEncoder
}

interface TextDecoder {
  decode(input?: ArrayBufferView | ArrayBuffer, options?: { stream?: boolean }): string
}

declare var TextDecoder: {
  prototype: TextDecoder
  new (label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean }): TextDecoder
}

interface URLSearchParams extends Iterable<[string, string]> {
  get(name: string): string | null
  has(name: string): boolean
  toString(): string
}

declare var URLSearchParams: {
  prototype: URLSearchParams
  new (init?: string | Readonly<Record<string, string>>): URLSearchParams
}

interface URL {
  readonly href: string
  readonly origin: string
  readonly protocol: string
  readonly username: string
  readonly password: string
  readonly host: string
  readonly hostname: string
  readonly port: string
  readonly pathname: string
  readonly search: string
  readonly hash: string
  readonly searchParams: URLSearchParams
  toString(): string
}

declare var URL: {
  prototype: URL
  new (url: string | URL, base?: string | URL): URL
  canParse(url: string | URL, base?: string | URL): boolean
}

interface File {
  readonly name: string
  readonly size: number
}

declare function structuredClone<T>(value: T): T
declare function queueMicrotask(callback: () => void): void
declare function btoa(data: string): string
declare function atob(data: string): string

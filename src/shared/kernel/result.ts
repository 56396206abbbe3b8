/** A value or an expected failure. Bugs throw; expected failures are values. */
export type Result<T, F = Failure> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: F }

/** An expected failure: a machine-readable type, and a message with the cause and the next step. */
export interface Failure {
  readonly type: string
  readonly message: string
  readonly cause?: unknown
}

export const ok = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value })

export const fail = <F>(failure: F): { readonly ok: false; readonly failure: F } => ({ ok: false, failure })

/** The message of any thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** A text of another source as a sentence: it ends with one period, or with the mark that it has. */
export function sentence(text: string): string {
  const trimmed = text.trimEnd()
  return /(?:^|[.!?…:])["'”’)]?$/.test(trimmed) ? trimmed : `${trimmed}.`
}

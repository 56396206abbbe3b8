/** A value or an expected failure. Bugs throw; what can go wrong in a user's day is returned. */
export type Result<T, F = Failure> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: F }

/** An expected failure: a machine-readable type, and words that say what happened and what to do. */
export interface Failure {
  readonly type: string
  readonly message: string
  readonly cause?: unknown
}

export const ok = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value })

export const fail = <F>(failure: F): { readonly ok: false; readonly failure: F } => ({ ok: false, failure })

/** The words of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

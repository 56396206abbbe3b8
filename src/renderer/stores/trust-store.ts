/**
 * The untrusted folders that the user was asked about, so that "Read only" is an answer and the question is not
 * repeated.
 */
import { create } from 'zustand'

interface TrustState {
  /** The folder whose question the user requested again. */
  readonly asking: string | null
  readonly answered: ReadonlySet<string>
}

const STORAGE = 'trust-answered'

export const useTrust = create<TrustState>()(() => ({ asking: null, answered: new Set(read()) }))

/** Whether the question must be asked before anything else. */
export function mustAsk(
  { asking, answered }: TrustState,
  folder: { path: string; trusted: boolean },
): boolean {
  return asking === folder.path || (!folder.trusted && !answered.has(folder.path))
}

export function askAboutTrust(path: string): void {
  useTrust.setState({ asking: path })
}

/** Records that the question was answered, either way. */
export function trustAnswered(path: string): void {
  // Another window may have saved an answer meanwhile.
  const answered = new Set([...read(), ...useTrust.getState().answered, path])
  useTrust.setState({ asking: null, answered })
  localStorage.setItem(STORAGE, JSON.stringify([...answered]))
}

function read(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(STORAGE) ?? '[]')
    return Array.isArray(kept) ? kept.filter((path): path is string => typeof path === 'string') : []
  } catch {
    return []
  }
}

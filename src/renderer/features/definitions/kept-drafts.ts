/** Stores unsaved definitions across restarts, with the file's text when editing began. */
import { showNotice } from '../../stores/overlay-store.ts'
import { DelayedCall } from '../../ui/machine.ts'

export interface KeptDraft {
  readonly id: string
  /** The open folder; drafts of deleted files belong to it. */
  readonly folder: string
  readonly source: 'project' | 'user'
  /** Below the agents folder. */
  readonly path: string
  /** Null without a file. */
  readonly base: string | null
  readonly version: string | null
  readonly text: string
  /** The path of the file before another program renamed it, which the user does not know yet. */
  readonly movedFrom?: string
}

const PREFIX = 'definition-draft:'
/** Delay that joins the writes of quick typing. */
const WAIT_MS = 400

const writing = new DelayedCall(writePending, WAIT_MS)
/** Drafts to write after the delay; null deletes one. */
const unwritten = new Map<string, KeptDraft | null>()
/** The first draft that was too large: the user is told once. */
const tooLarge = new Set<string>()

export function keepDraft(draft: KeptDraft): void {
  write(draft.id, draft)
}

export function forgetDraft(id: string): void {
  write(id, null)
}

export function keptDraft(id: string): KeptDraft | null {
  const waiting = unwritten.get(id)
  return waiting === undefined ? parse(localStorage.getItem(PREFIX + id)) : waiting
}

export function keptDrafts(): readonly KeptDraft[] {
  const stored = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX))
  const ids = new Set([...stored.map((key) => key.slice(PREFIX.length)), ...unwritten.keys()])
  return [...ids].flatMap((id) => keptDraft(id) ?? [])
}

function write(id: string, draft: KeptDraft | null): void {
  unwritten.set(id, draft)
  writing.cancel()
  writing.schedule()
}

function writePending(): void {
  for (const [id, draft] of unwritten) {
    if (draft === null) localStorage.removeItem(PREFIX + id)
    else store(id, draft)
  }
  unwritten.clear()
}
globalThis.addEventListener('pagehide', writePending)

function store(id: string, draft: KeptDraft): void {
  try {
    localStorage.setItem(PREFIX + id, JSON.stringify(draft))
  } catch {
    if (tooLarge.size > 0) return
    tooLarge.add(id)
    showNotice({
      level: 'error',
      text: `The unsaved changes of ${draft.path} are too large to survive a restart. Save them before you close the window.`,
    })
  }
}

function parse(written: string | null): KeptDraft | null {
  try {
    const draft: Partial<KeptDraft> | null = written === null ? null : JSON.parse(written)
    return typeof draft?.text === 'string' && typeof draft.id === 'string' && typeof draft.path === 'string'
      ? (draft as KeptDraft)
      : null
  } catch {
    return null
  }
}

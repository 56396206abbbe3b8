/** File names in a mailbox: `<id>.json` for a message, followed by the process that took the message, if any. */
import type { ProcessIdentity } from '../../../platform/system/process-identity.ts'

export interface MailboxFileName {
  readonly file: string
  readonly stem: string
  /** The process that took the message; null: none. */
  readonly taker: ProcessIdentity | null
}

/** The extension of files that were set aside. */
export const BROKEN = '.broken'

const PATTERN = /^([a-z0-9_.-]+)\.json(?:,(\d+)-([A-Za-z0-9.]+))?$/

/** Null if the name is not that of a message: a file that was set aside, or a file from another program. */
export function readMailboxFileName(file: string): MailboxFileName | null {
  const match = PATTERN.exec(file)
  if (!match || file.endsWith(BROKEN)) return null
  const [, stem = '', pid, start = ''] = match
  return { file, stem, taker: pid === undefined ? null : { pid: Number(pid), start } }
}

export function mailboxFileName(stem: string, taker: ProcessIdentity | null = null): string {
  return taker === null ? `${stem}.json` : `${stem}.json,${taker.pid}-${taker.start}`
}

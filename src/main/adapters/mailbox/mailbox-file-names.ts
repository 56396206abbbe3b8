/** Names in a mailbox: `<id>.json` of a letter, and behind it, once taken, the process that took it. */
import type { ProcessIdentity } from '../system/process-identity.ts'

export interface MailboxFileName {
  readonly file: string
  readonly stem: string
  /** Who took it; null: nobody did. */
  readonly taker: ProcessIdentity | null
}

/** At the end of the name of a file that was put aside. */
export const BROKEN = '.broken'

const PATTERN = /^([a-z0-9_.-]+)\.json(?:,(\d+)-([A-Za-z0-9.]+))?$/

/** Null where it is no letter's name: what was put aside, what a system or a person left there. */
export function readMailboxFileName(file: string): MailboxFileName | null {
  const match = PATTERN.exec(file)
  if (!match || file.endsWith(BROKEN)) return null
  const [, stem = '', pid, start = ''] = match
  return { file, stem, taker: pid === undefined ? null : { pid: Number(pid), start } }
}

export function mailboxFileName(stem: string, taker: ProcessIdentity | null = null): string {
  return taker === null ? `${stem}.json` : `${stem}.json,${taker.pid}-${taker.start}`
}

/** Drafts beside worktrees: their names say whose they are, so that those of the dead can be swept away. */
import { randomBytes } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isRunning } from '../transcripts/process-identity.ts'

/** `.draft-<pid>-<letters>`, for a file that no other call uses. */
export const draftName = (): string => `.draft-${process.pid}-${randomBytes(6).toString('hex')}`

/** Removes what processes left that do not run any more. Throws what the disk says. */
export async function sweepDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = /^\.draft-(\d+)-[0-9a-f]+(?:\.lock)?$/.exec(name)?.[1]
    if (pid === undefined || (await isRunning({ pid: Number(pid), start: 'unknown' }))) continue
    await rm(join(folder, name), { force: true })
  }
}

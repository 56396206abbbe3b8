/** Temporary files beside worktrees. Their names hold the process id, so that files of dead processes can be removed. */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { draftMark } from '../../platform/system/draft-name.ts'
import { isRunning } from '../../platform/system/process-identity.ts'

/** A unique name: `.draft-<pid>-<hex>`. */
export const draftName = (): string => `.draft-${process.pid}-${draftMark()}`

/** Removes the drafts of processes that have ended. Throws errors of the disk. */
export async function sweepDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = /^\.draft-(\d+)-[0-9a-f]+(?:\.lock)?$/.exec(name)?.[1]
    if (pid === undefined || (await isRunning({ pid: Number(pid), start: 'unknown' }))) continue
    await rm(join(folder, name), { force: true })
  }
}

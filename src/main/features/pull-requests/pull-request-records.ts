/**
 * What Troupe did for a worktree's pull request: what it pushed where, and what it sent to the agent. One file a worktree,
 * in `pull-requests` of the data folder.
 */
import { mkdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { jsonOrUndefined } from '../../../shared/kernel/json.ts'
import { KeyedLock } from '../../../shared/kernel/keyed-lock.ts'
import { messageOf } from '../../../shared/kernel/result.ts'
import { replaceFile } from '../../platform/system/atomic-file.ts'
import { draftMark } from '../../platform/system/draft-name.ts'

const record = z.object({
  v: z.literal(1),
  remote: z.string(),
  /** The branch at the remote. */
  branch: z.string(),
  /** The commit that was pushed last. */
  commit: z.string(),
  /** ms since the epoch. */
  pushedAt: z.number(),
  /** What the forge told last; null: no pull request is known. */
  known: z
    .object({
      number: z.number(),
      state: z.enum(['open', 'draft', 'merged', 'closed']),
      passed: z.number(),
      checks: z.number(),
    })
    .nullable()
    .default(null),
  /** The checks whose log was sent to the agent, by id: each run of a check has its own. */
  sent: z.array(z.string()).default([]),
  /** Messages about failed checks that were sent without being asked for. */
  sentByItself: z.number().default(0),
  /** Whether the worktree was removed after the merge: if the user restores it, it stays. */
  removed: z.boolean().default(false),
})
export type PullRequestRecord = z.infer<typeof record>

/** `path`: the folder of the worktree. */
export interface PullRequestRecords {
  read(path: string): Promise<PullRequestRecord | null>
  /** Reads, changes and writes under a lock. A failure to write is reported. */
  update(path: string, change: (known: PullRequestRecord | null) => PullRequestRecord | null): Promise<void>
}

/** Ids of sent checks that are kept. */
const MOST_SENT = 200

export function createPullRequestRecords({
  dataFolder,
  onProblem,
}: {
  readonly dataFolder: string
  readonly onProblem: (message: string) => void
}): PullRequestRecords {
  const lock = new KeyedLock()
  const folder = join(dataFolder, 'pull-requests')
  const fileOf = (path: string) => join(folder, `${basename(dirname(path))}-${basename(path)}.json`)

  async function read(path: string): Promise<PullRequestRecord | null> {
    const text = await readFile(fileOf(path), 'utf8').catch(() => '')
    const parsed = record.safeParse(jsonOrUndefined(text))
    return parsed.success ? parsed.data : null
  }

  return {
    read,
    update: (path, change) =>
      lock.withLock(path, async () => {
        const next = change(await read(path))
        if (next === null) return
        const file = fileOf(path)
        const content = JSON.stringify({ ...next, sent: next.sent.slice(-MOST_SENT) })
        try {
          await mkdir(folder, { recursive: true, mode: 0o700 })
          await replaceFile(file, content, { durable: true, draft: `${file}.${draftMark()}.tmp` })
        } catch (thrown) {
          onProblem(`What was pushed could not be noted: ${messageOf(thrown)}`)
        }
      }),
  }
}
